#!/usr/bin/env python3
"""scripts/gpu-check.sh with small shapes, on the software GPU: gpu_check.py BUILD

It packs, unpacks and checks all sections, and then does so with a pack that is damaged: each section must find what is wrong in it.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tarfile
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/gpu-check.sh"
SECTIONS = ["conformance", "goldens", "kernel_times", "speed", "operations", "torch_speed"]


def run(*command, **settings):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, **settings})


class Pack:
    def __init__(self, build, top):
        self.driver, self.out = build / "lib/libcheems-cuda-emulator.so", top / "report"
        self.file, self.root = top / "pack.tar.xz", top / "gpu-check"
        done = run(SCRIPT, "--pack", self.file, "--tiny", CHEEMS_BUILD=str(build))
        assert done.returncode == 0, done.stderr
        print(done.stdout.strip())
        with tarfile.open(self.file) as pack:  # not all machines have xz
            pack.extractall(top)

    def check(self, *options, script=None):
        """(exit code, report, what it printed)"""
        done = run(*(script or [self.root / "scripts/gpu-check.sh"]), "--driver", self.driver, "--out", self.out, *options)
        assert not done.stderr, done.stderr
        return done.returncode, json.loads((self.out / "report.json").read_text()), done.stdout

    def finds(self, section, file, change, wanted):
        """The section fails with one file changed, and says `wanted`."""
        path = self.root / "data" / file
        before = path.read_bytes()
        path.write_bytes(change(before))
        code, report, text = self.check("--only", section)
        path.write_bytes(before)
        failures = report["sections"][section]["failures"]
        assert code == 1 and any(re.search(wanted, one) for one in failures), (section, code, failures)
        assert "**Failed:** " in text and "failures; the report is" in text, text
        print(f"{section} finds what is wrong: {failures[0]}")


def all_is_right(pack):
    code, report, text = pack.check(script=[SCRIPT, pack.file])
    assert code == 0, text
    assert list(report["sections"]) == SECTIONS, report["sections"].keys()
    for name, section in report["sections"].items():
        assert section["failures"] == [] and (section["rows"] or name == "torch_speed"), (name, section)
    kernels = [one for one in report["sections"]["conformance"]["rows"] if not one["instruction"]]
    assert len(kernels) == 131 and all(one["state"] == "same" for one in kernels), kernels
    assert all(one["predicted"] > 0 for one in report["sections"]["kernel_times"]["rows"])
    page = (pack.out / "report.md").read_text()
    assert text.startswith(page.rstrip()) and "# GPU check: Cheems emulator" in page, text
    print("all is right")


def needs_nothing(pack):
    """Programs find their libraries in the pack, and no weights of a shape are there."""
    for program in (pack.root / "bin").iterdir():
        linked = run("ldd", program, LD_LIBRARY_PATH=str(pack.root / "lib")).stdout
        for path in re.findall(r"=> (/\S+)", linked):
            name = pathlib.Path(path).name
            assert path.startswith(str(pack.root)) or re.match(r"(libc|libm|libstdc\+\+|libgcc_s)\.so", name), (program, path)
    for cut in (pack.root / "data/shapes").glob("*.cut"):
        missing = sum(one["count"] for one in json.loads(cut.with_name(cut.name + ".json").read_text()))
        assert missing > 8_000_000 and cut.stat().st_size < 2_000_000, (cut, missing)


def flipped(data, *places):
    """With the lowest bit of some bytes changed."""
    data = bytearray(data)
    for place in places:
        data[place] ^= 1
    return bytes(data)


def allows_errors(pack, change):
    """Where the ISA allows an error, the last bit may differ, and the instruction is named."""
    file = pack.root / "data/conformance/recorded.bin"
    before = file.read_bytes()
    file.write_bytes(change(before))
    code, report, text = pack.check("--only", "conformance")
    file.write_bytes(before)
    near = {one["name"]: one for one in report["sections"]["conformance"]["rows"] if one["state"] == "near"}
    assert code == 0 and set(near) == {"ex2.approx.f32", "softmax_f32.sm_80"}, (code, near)
    assert near["softmax_f32.sm_80"]["suspects"] == ["ex2.approx.f32"] and near["softmax_f32.sm_80"]["units"] == 1, near
    assert "perhaps ex2.approx.f32" in text, text


def main():
    with tempfile.TemporaryDirectory() as top:
        pack = Pack(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(top))
        needs_nothing(pack)
        all_is_right(pack)

        # ---- what is damaged is found
        entries = json.loads((pack.root / "data/conformance/recorded.json").read_text())
        by_name = {one["name"]: one for one in entries}
        add, power, softmax = (by_name[name] for name in ("vadd.sm_80", "ex2.approx.f32", "softmax_f32.sm_80"))
        flip = lambda *kernels: lambda data: flipped(data, *(one["outputs"][0]["software"][0] for one in kernels))
        pack.finds("conformance", "conformance/recorded.bin", flip(add), r"^vadd\.sm_80: wrong: 1 of 1000 numbers differ, by up to 1 units")
        allows_errors(pack, flip(power, softmax))
        refused = json.dumps([{**one, "text": one["text"].replace("add.", "odd.")} if one is add else one for one in entries]).encode()
        pack.finds("conformance", "conformance/recorded.json", lambda _: refused, r"^vadd\.sm_80: failed: cuModuleLoadDataEx: 218")

        about = json.loads((pack.root / "data/pack.json").read_text())
        (pack.root / "data/pack.json").write_text(json.dumps({**about, "goldens": ["doge-untied-bf16"]}))
        golden = pack.root / "data/goldens/doge-untied-bf16/golden.safetensors"
        size = struct.unpack("<Q", golden.read_bytes()[:8])[0]
        at = 8 + size + json.loads(golden.read_bytes()[8:8 + size])["logits"]["data_offsets"][0]
        far = lambda data: data[:at] + struct.pack("<f", 100) + data[at + 4:]
        pack.finds("goldens", "goldens/doge-untied-bf16/golden.safetensors", far, r"^doge-untied-bf16, stored weights, ptx")

        def fewer(data):
            counts = json.loads(data)
            return json.dumps({**counts, "launches": counts["launches"][1:]}).encode()
        pack.finds("kernel_times", "kernels/sm_90a/counts.json", fewer, "other kernels were launched")
        middle = lambda data: flipped(data, len(data) // 2)
        pack.finds("speed", "shapes/doge-20M.cut", middle, "doge-20M: exit ")
        pack.finds("operations", "operations/ssd-2x64x128-bf16-cuda.cut", middle, "ssd 64x2x64x128: exit ")

        # ---- no card, no pack: a line
        done = run(pack.root / "scripts/gpu-check.sh", "--out", pack.out, "--driver", "/nowhere/libcuda.so.1")
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "/nowhere/libcuda.so.1" in done.stderr, done.stderr
        done = run(SCRIPT)
        assert done.returncode == 1 and done.stderr.startswith("gpu-check: this is no unpacked file"), done.stderr


main()
