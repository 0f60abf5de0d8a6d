#!/usr/bin/env python3
"""scripts/gpu-check.sh with small shapes, on the software GPU: gpu_check.py BUILD FAULTY_DRIVER

It packs, unpacks and checks all sections, and then does so with a pack that is damaged: each section must find what is wrong in it. Then a
driver in front of the software GPU changes the code that it loads. gpu_check_faults.py has what hangs.
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

SCRIPT = pathlib.Path(__file__).resolve().parents[3] / "scripts/gpu-check.sh"
SECTIONS = ["code_images", "ladder", "conformance", "goldens", "speed", "kernel_times", "operations"]
# The software GPU is slow, and the machine may be busy. Only a call that never ends may take too long.
PATIENT = ("--seconds", 5400, "--call-seconds", 600)
IMPATIENT = ("--seconds", 5400, "--call-seconds", 8)


def run(*command, **settings):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, **settings})


class Pack:
    def __init__(self, build, faulty, top):
        self.driver, self.faulty, self.out = build / "lib/libcheems-cuda-emulator.so", faulty, top / "report"
        self.file, self.root = top / "pack.tar.xz", top / "gpu-check"
        done = run(SCRIPT, "--pack", self.file, "--tiny", CHEEMS_BUILD=str(build))
        assert done.returncode == 0, done.stderr
        print(done.stdout.strip())
        with tarfile.open(self.file) as pack:  # not all machines have xz
            pack.extractall(top)

    def check(self, *options, script=None, driver=None, limits=PATIENT, **settings):
        """(exit code, report, what it printed)"""
        done = run(*(script or [self.root / "scripts/gpu-check.sh"]), "--driver", driver or self.driver, "--out", self.out, *limits, *options,
                   **settings)
        assert not done.stderr, done.stderr
        return done.returncode, json.loads((self.out / "report.json").read_text()), done.stdout

    def with_faults(self, *sections, **faults):
        """The same, with a driver that does wrong: test/unit/CUDA/FaultyDriver.cpp says what."""
        settings = {f"FAULTY_DRIVER_{name}": value for name, value in faults.items()}
        code, report, text = self.check("--only", *sections, driver=self.faulty, FAULTY_DRIVER_BEHIND=str(self.driver), **settings)
        assert code == 1, text
        return report["sections"], (self.out / "report.md").read_text(), report

    def finds(self, section, file, change, wanted, limits=PATIENT):
        """The section fails with one file changed, and says `wanted`. Its result."""
        path = self.root / file
        before = path.read_bytes()
        path.write_bytes(change(before))
        code, report, text = self.check("--only", section, limits=limits)
        path.write_bytes(before)
        failures = report["sections"][section]["failures"]
        assert code == 1 and any(re.search(wanted, one) for one in failures), (section, code, failures)
        assert "**Failed:** " in text and "failures; the report is" in text, text
        print(f"{section} finds what is wrong: {failures[0]}")
        return report["sections"][section]


def all_is_right(pack):
    code, report, text = pack.check(script=[SCRIPT, pack.file])
    assert code == 0, text
    assert list(report["sections"]) == SECTIONS, report["sections"].keys()
    for name, section in report["sections"].items():
        assert section["failures"] == [] and section["rows"], (name, section)
    assert report["images"] == ["sm_90a.ptx"] and report["hangs"] == [], report
    kernels = [one for one in report["sections"]["conformance"]["rows"] if not one["instruction"]]
    assert len(kernels) == 131 and all(one["state"] == "same" for one in kernels), kernels
    assert all(one["predicted"] > 0 and one["local"] == 0 for one in report["sections"]["kernel_times"]["rows"])
    rungs = report["sections"]["ladder"]["rows"]
    assert len({one["rung"] for one in rungs}) == 6 and {one["what"] for one in rungs} == {"prompt", "decoding"}, rungs
    assert {one["way"] for one in report["sections"]["speed"]["rows"]} == {"", "no overlap", "no graphs", "carve-out 100 %"}
    assert all(one["image"] == "sm_90a.ptx" for name in ("goldens", "speed") for one in report["sections"][name]["rows"])
    page = (pack.out / "report.md").read_text()
    assert text.startswith(page.rstrip()) and "# GPU check: Cheems emulator" in page, text
    assert "All rungs that ran are right." in page, page
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


def culprits(pack):
    """What is wrong in the code that a GPU loads is named by the first rung that is wrong, in one sentence of the report."""
    for change, culprit, right in (
            # products of warpgroups get another sign, so logits are wrong
            ("adds, 1, 1=>adds, 1, -1", "wgmma", ["PTX of sm_80", "sm_90a with cuda.unit=mma"]),
            # no kernel waits, which shows where they overlap
            ("griddepcontrol.wait;=>", "the overlap of kernels (programmatic launch)",
             ["PTX of sm_80", "sm_90a with cuda.unit=mma", "sm_90a with cuda.copy=threads", "all of sm_90a, launch by launch", "with graphs"])):
        sections, page, _ = pack.with_faults("ladder", REPLACE=change)
        rows = sections["ladder"]["rows"]
        wrong = next(one["rung"] for one in rows if not one["right"])
        before = list(dict.fromkeys(one["rung"] for one in rows[:next(i for i, one in enumerate(rows) if one["rung"] == wrong)]))
        assert before == right and all(one["right"] for one in rows if one["rung"] in right), rows
        (sentence,) = sections["ladder"]["failures"]
        assert sentence.startswith(f"The culprit is {culprit}: the rung \"{wrong}\" ") and page.count(sentence) == 2, (sentence, page)
        print(sentence)


def refused_code(pack):
    """Where the driver does not load the code of the GPU, the report says so, and the ladder has the rungs of sm_80."""
    sections, page, report = pack.with_faults("ladder", REPLACE=".target sm_90a=>.target sm_99")
    assert report["images"] == [] and "no code for sm_90a runs here" in page, report["images"]
    rows = sections["ladder"]["rows"]
    assert [one["right"] for one in rows] == [True] * 2 + [False] * (len(rows) - 2), rows
    assert "The culprit is code for sm_90a, without wgmma and bulk copies" in page and "cannot be loaded" in page, page


def partial_times(pack):
    """A launch that fails, or never ends, does not take the times of those before it."""
    counts = json.loads((pack.root / "data/kernels/sm_90a/counts.json").read_text())
    names = [one["name"] for one in counts["launches"]]
    at = next(i for i, name in enumerate(names) if i > 3 and name not in names[:i])

    def trapped(data):
        text = data.decode()
        begin = text.index("{", text.index(f".entry {names[at]}(")) + 1
        return (text[:begin] + "\n  trap;" + text[begin:]).encode()

    def sleeping(data):
        text = data.decode()
        begin = text.index("        cold = ")
        return (text[:begin] + f'        import time; time.sleep(10000 * (kernel == "{names[at]}"))\n' + text[begin:]).encode()
    so_far = f"^{at} of {len(names)} launches were timed, and then: "
    for file, change, wanted, limits in (("data/kernels/sm_90a/kernels.ptx", trapped, r"exit 1: .*cuStreamSynchronize", PATIENT),
                                         ("scripts/gpu_check/step_times.py", sleeping, f"did not end in {IMPATIENT[-1]} s", IMPATIENT)):
        found = pack.finds("kernel_times", file, change, so_far + wanted, limits)
        assert [one["kernel"] for one in found["rows"]] == names[:at] and all(one["cold"] > 0 for one in found["rows"]), found


def few_kernels(pack, *names):
    """From now on the pack has these kernels alone, with one instruction or more."""
    file = pack.root / "data/conformance/recorded.json"
    entries = [one for one in json.loads(file.read_text()) if one["name"] in names]
    file.write_text(json.dumps(entries))
    return entries


def main():
    with tempfile.TemporaryDirectory() as top:
        pack = Pack(*(pathlib.Path(word).resolve() for word in sys.argv[1:3]), pathlib.Path(top))
        needs_nothing(pack)
        all_is_right(pack)

        # ---- what is damaged is found
        entries = few_kernels(pack, "vadd.sm_80", "ex2.approx.f32", "softmax_f32.sm_80")
        by_name = {one["name"]: one for one in entries}
        add, power, softmax = (by_name[name] for name in ("vadd.sm_80", "ex2.approx.f32", "softmax_f32.sm_80"))
        flip = lambda *kernels: lambda data: flipped(data, *(one["outputs"][0]["software"][0] for one in kernels))
        pack.finds("conformance", "data/conformance/recorded.bin", flip(add), r"^vadd\.sm_80: wrong: 1 of 1000 numbers differ, by up to 1 units")
        allows_errors(pack, flip(power, softmax))
        refused = json.dumps([{**one, "text": one["text"].replace("add.", "odd.")} if one is add else one for one in entries]).encode()
        pack.finds("conformance", "data/conformance/recorded.json", lambda _: refused, r"^vadd\.sm_80: failed: cuModuleLoadDataEx: 218")

        about = json.loads((pack.root / "data/pack.json").read_text())
        (pack.root / "data/pack.json").write_text(json.dumps({**about, "goldens": ["doge-untied-bf16"]}))
        golden = pack.root / "data/goldens/doge-untied-bf16/golden.safetensors"
        size = struct.unpack("<Q", golden.read_bytes()[:8])[0]
        at = 8 + size + json.loads(golden.read_bytes()[8:8 + size])["logits"]["data_offsets"][0]
        far = lambda data: data[:at] + struct.pack("<f", 100) + data[at + 4:]
        pack.finds("goldens", "data/goldens/doge-untied-bf16/golden.safetensors", far, r"^doge-untied-bf16, stored weights, sm_90a\.ptx")
        far_row = lambda data: struct.pack("<f", 100) + data[4:]
        pack.finds("ladder", "data/ladder/doge/logits.bin", far_row, r"^The culprit is what all GPUs share .* and it is the first one\.$")

        def fewer(data):
            counts = json.loads(data)
            return json.dumps({**counts, "launches": counts["launches"][1:]}).encode()
        pack.finds("kernel_times", "data/kernels/sm_90a/counts.json", fewer, "other kernels were launched")
        middle = lambda data: flipped(data, len(data) // 2)
        pack.finds("speed", "data/shapes/doge-20M.cut", middle, "doge-20M: exit ")
        pack.finds("operations", "data/operations/ssd-2x64x128-bf16-cuda.cut", middle, "ssd 64x2x64x128: exit ")

        # ---- a GPU that computes what is wrong
        culprits(pack)
        refused_code(pack)
        partial_times(pack)

        # ---- no GPU, no pack: a line
        done = run(pack.root / "scripts/gpu-check.sh", "--out", pack.out, "--driver", "/nowhere/libcuda.so.1")
        assert done.returncode == 1 and len(done.stderr.splitlines()) == 1 and "/nowhere/libcuda.so.1" in done.stderr, done.stderr
        done = run(SCRIPT)
        assert done.returncode == 1 and done.stderr.startswith("gpu-check: this is no unpacked file"), done.stderr


main()
