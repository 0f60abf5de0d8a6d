"""What ptxas gives the kernels of a model: registers, local memory, and how many blocks a multiprocessor then holds."""
import dataclasses
import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from counting import MODELS, Refused, kinds_of, program, random_model

# These are limits of a multiprocessor, by the CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"
REGISTERS, WARPS, PLACES = 65536, 64, 32
SHARED = {"sm_90a": 228 << 10, "sm_80": 164 << 10}
RESERVED_SHARED = 1 << 10  # of a block
REGISTERS_AT_ONCE = 8  # of a thread
PARTS = 4  # of a multiprocessor; each has a quarter of the registers


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    threads: int
    registers: int
    local: int  # bytes of a thread
    shared: int  # bytes of a block
    wanted: int  # blocks of a multiprocessor that the kernel's directive asks for; 1 without any

    def limits(self, architecture):
        """what -> blocks that a multiprocessor has enough of it for"""
        warps = self.threads // 32
        registers = -(-self.registers // REGISTERS_AT_ONCE) * REGISTERS_AT_ONCE * 32
        return {"registers": REGISTERS // PARTS // registers * PARTS // warps, "shared memory": SHARED[architecture] // (self.shared + RESERVED_SHARED),
                "warps": WARPS // warps, "blocks": PLACES}

    def blocks(self, architecture):
        return min(self.limits(architecture).values())


def report(text):
    """kernel -> (registers, bytes of local memory), of what `ptxas -v` prints"""
    found = {}
    for part in re.split(r"(?=Compiling entry function ')", text)[1:]:
        name = re.match(r"Compiling entry function '(\w+)'", part)[1]
        local = sum(map(int, re.findall(r"(\d+) bytes stack frame", part)))
        found[name] = int(re.search(r"Used (\d+) registers", part)[1]), local
    return found


def launched(text):
    """kernel -> (threads, bytes of shared memory), of a module at the stage `launches`"""
    found = re.findall(r"^  cheems_tile\.kernel @([\w.$]+)\(.*\) warps\((\d+)\)(?: fillers\((\d+)\))? shared\((\d+)\)", text, re.M)
    return {name: (32 * (int(warps) + int(fillers or 0)), int(shared)) for name, warps, fillers, shared in found}


def wishes(ptx):
    """kernel -> blocks that its directive asks for"""
    heads = re.findall(r"^\.visible \.entry (\w+)\((.*?)^\{", ptx, re.M | re.S)
    return {name: int(found[1]) if (found := re.search(r"\.minnctapersm (\d+)", head)) else None for name, head in heads}


def without_wish(ptx, kernels):
    """Does what lib/Target/CUDA/Assembler.cpp does for kernels that spill and ask for nothing: one block is enough."""
    for kernel in kernels:
        ptx = re.sub(rf"^(\.visible \.entry {kernel}\(.*?)^\{{", r"\1.minnctapersm 1\n{", ptx, count=1, flags=re.M | re.S)
    return ptx


def assembler():
    """The ptxas that there is; the compiler looks at the same places, and at some others (docs/gpu.md)."""
    packages = [str(one) for path in os.environ.get("PYTHONPATH", "").split(":") if path for one in pathlib.Path(path).glob("nvidia/*/bin/ptxas")]
    for place in [os.environ.get("CHEEMS_PTXAS"), shutil.which("ptxas"), "/usr/local/cuda/bin/ptxas", *packages]:
        if place and os.access(place, os.X_OK):
            return place
    raise Refused("there is no ptxas: install the package nvidia-cuda-nvcc of PyPI, or set CHEEMS_PTXAS to the program")


def assembled(ptx, architecture, folder):
    (folder / "kernels.ptx").write_text(ptx)
    done = subprocess.run([assembler(), "-v", "-O3", "--gpu-name", architecture, folder / "kernels.ptx", "--output-file", folder / "kernels.cubin"],
                          capture_output=True, text=True)
    if done.returncode:
        raise Refused(f"ptxas: {(done.stdout + done.stderr).strip().splitlines()[-1]}")
    return report(done.stdout + done.stderr)


@functools.cache
def of_model(bench, name):
    """The Kernels of a model's kinds of layers."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        random_model.save(folder / "model", kinds_of(MODELS[name])[1][-1], "bf16")
        architecture = ["--cuda-arch", bench.architecture]
        program([bench.tools / "cheems-compile", folder / "model", "--target", "cuda", *architecture, "--emit", "launches", "-o",
                 folder / "launches.mlir"])
        program([bench.tools / "cheems-opt", folder / "launches.mlir", f"--cheems-cuda=arch={bench.architecture} from=launches", "-o",
                 folder / "kernels.mlir"])
        program([bench.tools / "cheems-translate", folder / "kernels.mlir", "--to-ptx", *architecture, "-o", folder / "kernels.ptx"])
        ptx = (folder / "kernels.ptx").read_text()
        used, wanted = assembled(ptx, bench.architecture, folder), wishes(ptx)
        again = without_wish(ptx, [kernel for kernel, (_, local) in used.items() if local and wanted[kernel] is None])
        if again != ptx:
            used = {kernel: min(used[kernel], other, key=lambda one: one[1])
                    for kernel, other in assembled(again, bench.architecture, folder).items()}
        shapes = launched((folder / "launches.mlir").read_text())
    return [Kernel(kernel, shapes[kernel][0], registers, local, shapes[kernel][1], wanted[kernel] or 1)
            for kernel, (registers, local) in used.items()]


def table_of(bench, name):
    """The same as it is kept: of each kernel, without the numbers after its name."""
    found = []
    for one in of_model(bench, name):
        limits = one.limits(bench.architecture)
        blocks = one.blocks(bench.architecture)
        found.append({"name": re.sub(r"(_\d+)+$", "", one.name), "threads": one.threads, "registers": one.registers, "local": one.local,
                      "shared": one.shared, "blocks": blocks, "bounds": [what for what, most in limits.items() if most == blocks]})
    return found
