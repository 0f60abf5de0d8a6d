#!/usr/bin/env python3
"""Packs what gpu-check.sh needs on a machine with a GPU: pack.py BUILD FILE [--tiny]

BUILD is the folder of a build, whose software GPU counts here what kernels do. Needs numpy. With ptxas (or
CHEEMS_PTXAS) models have machine code, too. --tiny packs small shapes and steps, which the software GPU runs in a minute.
"""
import argparse
import dataclasses
import datetime
import functools
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "benchmarks")]

import artefact  # noqa: E402
import gpu_counts  # noqa: E402
import ladder_models  # noqa: E402
import random_model  # noqa: E402
from models import MODELS  # noqa: E402

LIMIT = 60 << 20
WITHOUT_PTXAS = {"PATH": "/usr/bin:/bin", "CHEEMS_PTXAS": "none"}
PROGRAMS = ("cheems-run", "cheems-bench")
STANDARD = r"(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s)\b"
FILES = [
    "scripts/gpu-check.sh", "scripts/gpu_check/*.py", "benchmarks/models.py", "benchmarks/random_model.py", "benchmarks/torch_doge.py",
    "benchmarks/torch_operations.py", "benchmarks/triton_ssd.py",
    "runtime/CUDA/GPUs.def",
    "test/Integration/recorded.py", "test/Integration/CUDA/compiled/plan.py", "test/Integration/CUDA/compiled/step.py",
    "emulator/test/conformance/driver.py", "emulator/test/conformance/launching.py", "emulator/test/conformance/workers.py", "LICENSE",
    "emulator/test/conformance/LICENSE.Triton",
]
GOLDENS = ["doge-tiny", "doge-untied-bf16", "doge-bias", "doge-author", "doge-author-bias", "cheems-moe"]


@dataclasses.dataclass(frozen=True)
class Work:
    """What is run, and how much of it."""
    goldens: list
    shapes: list
    layers: int  # of a shape; 0: all
    architectures: list
    kernels_of: str
    steps: list
    tests: dict
    operations: dict  # kind -> shapes, as cheems-bench takes them
    ladder: dict  # name -> ladder_models.Rungs
    machine_code: bool = True  # what models and the ladder have beside PTX


# Matmuls of Cheems 1.3B; attention as FlashAttention-3 times it; SSD of Mamba-2 2.7B; tables that no cache holds.
OPERATIONS = {"matmul": ["8192x3072x2048", "8192x2048x1536"], "attention": ["8192x32x64", "8192x16x128"], "ssd": ["8192x80x64x128"],
              "experts": ["1x768x262144x32", "2048x768x262144x32"]}
FULL = Work(GOLDENS, ["doge-160M", "cheems-1.3B"], 0, ["sm_80", "sm_90a"], "doge-160M", gpu_counts.STEPS,
            {"prompt": 512, "depth": 512, "count": 64, "sequences": "1,8,64", "repeat": 3}, OPERATIONS,
            ladder_models.full())
TINY_STEPS = [
    {"name": "a prompt of 20 tokens", "part": "prompt", "entry": "general", "sequences": [(20, 0)]},
    {"name": "decoding 2 sequences of 20 tokens", "part": "decode-2", "entry": "decode", "sequences": [(1, 19)] * 2},
]
TINY = Work(GOLDENS[:2], ["doge-20M"], 1, ["sm_90a"], "doge-20M", TINY_STEPS,
            {"prompt": 16, "depth": 8, "count": 2, "sequences": "1,2", "repeat": 1},
            {"matmul": ["64x128x64"], "attention": ["64x1x64"], "ssd": ["64x2x64x128"], "experts": ["1x64x1024x8"]},
            ladder_models.tiny(), machine_code=False)  # which the software GPU does not take


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode:
        raise SystemExit(f"pack: {pathlib.Path(str(command[0])).name}: {(done.stderr.strip() or 'fails').splitlines()[-1]}")
    return done.stdout


def libraries(program):
    """Files that a program needs beyond what every Linux with a C++ compiler's library has."""
    for line in run("ldd", program).splitlines():
        name, _, rest = line.strip().partition(" => ")
        if re.match(STANDARD, pathlib.Path(name.split()[0]).name):
            continue
        path = pathlib.Path(rest.split(" (")[0])
        if not path.is_file():
            raise SystemExit(f"pack: {program.name} needs {name}, which is not here")
        yield path


def programs(bins, folder):
    for name in ("bin", "lib"):
        (folder / name).mkdir()
    for name in PROGRAMS:
        run("strip", "-o", folder / "bin" / name, bins / name)
        for path in libraries(bins / name):
            shutil.copy(path, folder / "lib" / path.name)


class Packer:
    def __init__(self, bins, driver, folder, work):
        self.bins, self.driver, self.folder, self.data, self.work = bins, driver, folder, folder / "data", work
        self.options = {} if work.machine_code else {"env": WITHOUT_PTXAS}

    def compile(self, model, target, *options):
        run(self.bins / "cheems-compile", model, "-o", target, "--target", "cuda", "--cuda-arch", ",".join(self.work.architectures), *options, **self.options)

    def goldens(self):
        for name in self.work.goldens:
            source, folder = ROOT / "test/golden/models" / name, self.data / "goldens" / name
            folder.mkdir(parents=True)
            for file in ("golden.safetensors", "model.safetensors"):
                shutil.copy(source / file, folder)
            for weights in ("stored", "bf16"):
                self.compile(source, folder / f"{weights}.cheems", "--weights", weights)

    def ladder(self):
        for name, rungs in self.work.ladder.items():
            ladder_models.pack(functools.partial(run, **self.options), self.bins, self.data / "ladder" / name, rungs)

    def shapes(self):
        (self.data / "shapes").mkdir()
        for name in self.work.shapes:
            model = dataclasses.replace(MODELS[name], layers=self.work.layers or MODELS[name].layers)
            with tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                random_model.save(folder / "model", model)
                self.compile(folder / "model", folder / "whole.cheems")
                artefact.cut(folder / "whole.cheems", self.data / "shapes" / f"{name}.cut")

    def operations(self):
        (self.data / "operations").mkdir()
        with tempfile.TemporaryDirectory() as folder:
            for kind, shapes in self.work.operations.items():
                run(self.bins / "cheems-bench", "--device", "cuda", "--ops", kind, "--shapes", ",".join(shapes), "--compiled", folder,
                    "--compile-only", **self.options)
                for file in pathlib.Path(folder).iterdir():
                    artefact.cut(file, self.data / "operations" / file.with_suffix(".cut").name)
                    file.unlink()

    def kernels(self):
        """Counts of a layer's kernels, by the software GPU, with what it takes to launch them elsewhere."""
        for architecture in self.work.architectures:
            folder = self.data / "kernels" / architecture
            folder.mkdir(parents=True)
            found = gpu_counts.counted(self.bins, self.driver, self.work.kernels_of, architecture, folder, self.work.steps)
            launches = gpu_counts.launches_of(found, architecture, self.work.steps)
            counts = {"model": self.work.kernels_of, "parameter_bytes": (folder / "parameters.bin").stat().st_size,
                      "launches": [summary(one) for one in launches]}
            (folder / "counts.json").write_text(json.dumps(counts))
            for file in folder.iterdir():
                if file.name not in ("kernels.ptx", "steps.json", "counts.json"):
                    file.unlink()

    def conformance(self):
        (self.data / "conformance").mkdir(parents=True)
        run(sys.executable, ROOT / "scripts/gpu_check/recording.py", self.driver, self.data / "conformance")


def summary(launch):
    """Numbers of one launch; cycles are those of one multiprocessor."""
    busiest = max(gpu_counts.PIPES, key=launch.cycles)
    return {"name": launch.name, "of": launch.of_what(), "shape": launch.shape(), "step_name": launch.step["name"],
            "counts": launch.counts, "blocks": math.prod(launch.grid), "read": launch.read(), "least_read": launch.least_read(),
            "least_tensor": launch.least_tensor(), "multiprocessors": launch.multiprocessors, "busiest": (busiest, launch.cycles(busiest))}


def has_machine_code(packer):
    """Asks the compiler, for one model, whether its code has any."""
    model = packer.data / "goldens" / packer.work.goldens[0] / "stored.cheems"
    data = model.read_bytes()
    offset, size, _ = artefact.sections(data)[0]["metadata"]
    images = json.loads(data[offset:offset + size])["images"]
    return all("cubin" in gpu for image in images for gpu in image["cards"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    work = TINY if options.tiny else FULL
    with tempfile.TemporaryDirectory() as top:
        folder = pathlib.Path(top) / "gpu-check"
        folder.mkdir()
        bins, driver = options.build.resolve() / "bin", options.build.resolve() / "lib/libcheems-cuda-emulator.so"
        packer = Packer(bins, driver, folder, work)
        for pattern in FILES:
            for file in ROOT.glob(pattern):
                target = folder / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        programs(bins, folder)
        packer.conformance()
        packer.goldens()
        packer.ladder()
        packer.shapes()
        packer.operations()
        packer.kernels()
        compiler = run(bins / "cheems-compile", "--version").strip()
        about = {"commit": run("git", "rev-parse", "--short=10", "HEAD", cwd=ROOT).strip(), "compiler": compiler,
                 "date": datetime.date.today().isoformat(), "cubins": has_machine_code(packer), "goldens": work.goldens, "ladder": list(work.ladder),
                 "shapes": work.shapes, "tests": work.tests,
                 "operations": [{"kind": kind, "shape": shape} for kind, shapes in work.operations.items() for shape in shapes]}
        (packer.data / "pack.json").write_text(json.dumps(about))
        with tarfile.open(options.file, "w:xz") as archive:
            archive.add(folder, folder.name)
    size = options.file.stat().st_size
    if size > LIMIT:
        raise SystemExit(f"pack: {options.file} has {size / 2**20:.1f} MiB, and {LIMIT >> 20} at most are wanted")
    print(f"{options.file}: {size / 2**20:.1f} MiB{'' if about['cubins'] else '; without machine code'}")


if __name__ == "__main__":
    main()
