#!/usr/bin/env python3
"""What scripts/gpu_check makes of programs that hang, fail or compute what is wrong: gpu_check_faults.py SOFTWARE_GPU

The check is the real one. cheems-run and cheems-bench are stand-ins, which do as the case says and need no GPU. The GPU is described by
the software GPU.
"""
import array
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "scripts/gpu_check"))

import ladder  # noqa: E402

FILES = ("scripts/gpu-check.sh", "scripts/gpu_check/*.py", "benchmarks/models.py", "benchmarks/random_model.py", "runtime/CUDA/GPUs.def",
         "test/Integration/recorded.py", "emulator/test/conformance/*.py")
LIMIT = 20  # seconds of a call, as by default; the stand-ins answer at once
ROWS, WIDTH, DECODED = 30, 8, 5
STAND_IN = '''#!/usr/bin/env -S python3 -SE
import array, json, os, struct, sys, time
case = json.loads(os.environ["CASE"])
words = sys.argv[1:]
value = lambda name: words[words.index(name) + 1] if name in words else ""
state = {"image": os.environ.get("CHEEMS_CUDA_IMAGE", ""), "form": os.path.basename(words[0]).partition(".")[0],
         "graphs": os.environ.get("CHEEMS_CUDA_GRAPHS", "on"), "overlap": os.environ.get("CHEEMS_CUDA_OVERLAP", "on"),
         "chunk": value("--prefill-chunk"), "program": os.path.basename(sys.argv[0])}
does = next((one["does"] for one in case if all(state[key] == wanted for key, wanted in one.items() if key != "does")), "right")
if does == "hangs":
    os.fork()  # and has a child, which must end, too
    with open(os.environ["HUNG"], "a") as file:
        print(os.getpid(), file=file, flush=True)
    time.sleep(10000)
if does == "fails":
    sys.exit("stand-in: CUDA_ERROR_OF_A_TEST")
if value("--logits"):
    data = open(value("--input-ids"), "rb").read()
    size = struct.unpack("<Q", data[:8])[0]
    (_, rows) = json.loads(data[8:8 + size])["input_ids"]["shape"]
    wanted = array.array("f", open(os.path.join(os.path.dirname(words[0]), "all.bin"), "rb").read())
    width = len(wanted) // ROWS
    wanted = wanted[:rows * width]
    if does == "wrong":
        wanted[-1] += 1
    if does == "no number":
        wanted[0] = float("nan")
    head = json.dumps({"logits": {"dtype": "F32", "shape": [1, rows, width], "data_offsets": [0, 4 * len(wanted)]}}).encode()
    open(value("--logits"), "wb").write(struct.pack("<Q", len(head)) + head + wanted.tobytes())
if state["program"] == "cheems-bench":
    print(json.dumps([{"test": "tg4" if "-d" in words else "pp8", "tokens_per_second_median": 5.0, "sequences": 1, "gigabytes_per_second": 1.0,
                       "gigaflops_per_second": 1.0, "load_seconds": 1.0, "seconds": [1.0]}]))
'''.replace("ROWS", str(ROWS))
ALL_RUNGS = ["PTX of sm_80", "sm_90a with cuda.unit=mma", "sm_90a with cuda.copy=threads", "all of sm_90a, launch by launch", "with graphs",
             "as users run it"]


class Check:
    """A pack of stand-ins in a folder."""

    def __init__(self, driver, top):
        self.driver, self.root, self.out, self.hung = driver, top / "gpu-check", top / "report", top / "hung"
        for pattern in FILES:
            for file in ROOT.glob(pattern):
                target = self.root / file.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(file, target)
        (self.root / "bin").mkdir()
        for name in ("cheems-run", "cheems-bench"):
            (self.root / "bin" / name).write_text(STAND_IN)
            (self.root / "bin" / name).chmod(0o755)
        data = self.root / "data"
        self.reference(data / "ladder/doge")
        (data / "shapes").mkdir()
        (data / "pack.json").write_text(json.dumps({
            "commit": "none", "compiler": "none", "date": "none", "cubins": False, "goldens": ["doge-tiny"], "ladder": ["doge"],
            "shapes": [], "tests": {"prompt": 8, "depth": 4, "count": 4, "sequences": "1", "repeat": 1}, "operations": []}))

    @staticmethod
    def reference(folder):
        folder.mkdir(parents=True)
        logits = array.array("f", ((i * 37 % 101 - 50) / 30 for i in range(ROWS * WIDTH)))
        rows = [0, 2, 3, 4, 7, 14, ROWS - 1]
        (folder / "all.bin").write_bytes(logits.tobytes())
        (folder / "logits.bin").write_bytes(b"".join(logits[row * WIDTH:(row + 1) * WIDTH].tobytes() for row in rows))
        (folder / "about.json").write_text(json.dumps({"rows": rows, "decoded": DECODED, "bound": 0.01}))
        ladder.write_ids(folder / "ids.safetensors", range(ROWS))
        for form in ("full", "mma", "threads"):
            (folder / f"{form}.cheems").touch()

    def command(self, *options):
        return [str(word) for word in (self.root / "scripts/gpu-check.sh", "--driver", self.driver, "--out", self.out, "--seconds", 5400,
                                       "--call-seconds", LIMIT, *options)]

    def environment(self, case):
        return {**os.environ, "CASE": json.dumps(case), "HUNG": str(self.hung)}

    def hanging(self):
        """Processes that hang, by id."""
        numbers = self.hung.read_text().split() if self.hung.exists() else []
        return [int(number) for number in numbers if pathlib.Path("/proc", number, "cmdline").exists()
                and str(self.root).encode() in pathlib.Path("/proc", number, "cmdline").read_bytes()]

    def run(self, case, *options):
        """(report, its page) of a run in which programs do as `case` says: the first of its entries that fits says what."""
        done = subprocess.run(self.command(*options), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env=self.environment(case))
        assert not done.stderr, done.stderr
        report, page = json.loads((self.out / "report.json").read_text()), (self.out / "report.md").read_text()
        bad = sum(len(section["failures"]) for section in report["sections"].values())
        assert done.returncode == (bad > 0) and page.rstrip() in done.stdout, done.stdout
        assert not list(self.out.glob("*.new"))
        return report, page


def rungs(report):
    """Rungs that are right as a whole, and those that are not, in the order in which they ran."""
    rows = report["sections"]["ladder"]["rows"]
    names = list(dict.fromkeys(one["rung"] for one in rows))
    is_right = {name: all(one["right"] for one in rows if one["rung"] == name) for name in names}
    return [name for name in names if is_right[name]], [name for name in names if not is_right[name]]


def culprits(check):
    report, page = check.run([], "--only", "ladder")
    assert rungs(report) == (ALL_RUNGS, []) and "All rungs that ran are right." in page, page
    assert len(report["sections"]["ladder"]["rows"]) == 2 * len(ALL_RUNGS)
    for case, wrong, sentence in (
            ([{"image": "sm_80.ptx", "chunk": "30", "does": "wrong"}], ALL_RUNGS[:1],
             r"The culprit is what all GPUs share .*: the rung \"PTX of sm_80\" is wrong by .* prompt of doge, and it is the first one\."),
            ([{"form": "mma", "does": "fails"}], ALL_RUNGS[1:2],
             r"The culprit is code for sm_90a, without .* fails \(exit 1: .*CUDA_ERROR_OF_A_TEST\), prompt of doge, and every rung before it is right\."),
            ([{"form": "threads", "does": "no number"}], ALL_RUNGS[2:3],
             r"The culprit is wgmma: .* is wrong by nan of 1\.0e-02 .* prompt of doge, and every rung before it is right\."),
            ([{"image": "sm_90a.ptx", "form": "full", "does": "wrong"}], ALL_RUNGS[3:], r"The culprit is bulk copies, with their barriers and setmaxnreg: .*"),
            ([{"graphs": "on", "overlap": "off", "chunk": "1", "does": "wrong"}], ALL_RUNGS[4:5], r"The culprit is graphs of decoding: .*, decoding of doge, .*"),
            ([{"graphs": "on", "overlap": "on", "chunk": "30", "does": "wrong"}], ALL_RUNGS[5:], r"The culprit is the overlap of kernels .*")):
        report, page = check.run(case, "--only", "ladder")
        assert rungs(report) == ([name for name in ALL_RUNGS if name not in wrong], wrong), (case, rungs(report))
        (failure,) = report["sections"]["ladder"]["failures"]
        assert re.fullmatch(sentence, failure) and f"\n{failure}\n" in page, (failure, page)
        print(failure)


def another_image(check):
    """The code of sm_80 runs where that of the GPU does not load, or fails in a model."""
    report, page = check.run([{"image": "sm_90a.ptx", "does": "fails"}], "--only", "ladder")
    assert report["images"] == ["sm_80.ptx"], report["images"]
    assert report["sections"]["code_images"]["failures"][0].startswith("no code for sm_90a runs here: exit 1: cheems-run"), page
    shapes = check.root / "data/shapes"
    about = json.loads((check.root / "data/pack.json").read_text())
    (check.root / "data/pack.json").write_text(json.dumps({**about, "shapes": ["none"]}))
    filled = check.root / "scripts/gpu_check/artefact.py"
    before = filled.read_text()
    filled.write_text("import sys, pathlib\npathlib.Path(sys.argv[3]).touch()\n")
    report, page = check.run([{"image": "sm_90a.ptx", "program": "cheems-bench", "does": "fails"}], "--only", "speed")
    filled.write_text(before)
    (check.root / "data/pack.json").write_text(json.dumps(about))
    rows = report["sections"]["speed"]["rows"]
    assert report["images"] == ["sm_90a.ptx", "sm_80.ptx"] and rows and all(one["image"] == "sm_80.ptx" for one in rows), rows
    failures = report["sections"]["speed"]["failures"]
    assert len(failures) == len(rows), failures
    assert re.fullmatch(r"none, pp8: timed with sm_80\.ptx, because sm_90a\.ptx fails: exit 1: cheems-bench .*: stand-in: CUDA_ERROR_OF_A_TEST",
                        failures[0]), failures
    assert not list(shapes.iterdir())


def hangs(check):
    """One call that does not end is a row; two are the end of the run, and what was found before stays."""
    report, page = check.run([{"form": "mma", "chunk": "1", "does": "hangs"}], "--only", "ladder")
    assert rungs(report)[1] == ALL_RUNGS[1:2] and len(report["hangs"]) == 1, report["hangs"]
    assert len(report["sections"]["ladder"]["rows"]) == 2 * len(ALL_RUNGS)
    (failure,) = report["sections"]["ladder"]["failures"]
    assert re.match(rf'The culprit is code for sm_90a, .* fails \(did not end in {LIMIT} s: cheems-run .*\), decoding of doge', failure), failure

    report, page = check.run([{"graphs": "on", "chunk": "1", "does": "hangs"}], "--only", "ladder", "speed", "operations")
    rows = report["sections"]["ladder"]["rows"]
    assert [one["right"] for one in rows] == [True] * 9 + [False, True, False], rows
    assert len(report["hangs"]) == 2 and all(f"did not end in {LIMIT} s" in one for one in report["hangs"]), report["hangs"]
    culprit, stopped = sorted(report["sections"]["ladder"]["failures"], key=lambda one: one.startswith("2"))
    assert culprit.startswith('The culprit is graphs of decoding: the rung "with graphs" fails (did not end in'), culprit
    assert stopped.startswith("2 calls hung, so nothing else is run: did not end in "), stopped
    for name in ("speed", "operations"):
        assert report["sections"][name]["rows"] == [] and report["sections"][name]["failures"] == [stopped], report["sections"][name]
    assert len(check.hung.read_text().split()) == 6 and not check.hanging(), check.hanging()
    print(stopped)


def partial_times(check):
    """A launch that fails, or never ends, does not take the times of those before it."""
    folder, timer = check.root / "data/kernels/sm_90a", check.root / "scripts/gpu_check/step_times.py"
    folder.mkdir(parents=True)
    counts = {"launches": 1, "blocks": 4, "cycles": {"alu": 10}, "dram_read_sectors": 8, "dram_write_sectors": 8, "threads_per_block": 128,
              "resident_blocks": 4, "barriers": 4}
    launches = [{"name": name, "of": "weights", "shape": "1 x 2", "step_name": "decoding", "counts": counts, "blocks": 4, "read": 64, "least_read": 64,
                 "least_tensor": 0, "multiprocessors": 132, "busiest": ["alu", 10]} for name in ("first", "second", "third")]
    (folder / "counts.json").write_text(json.dumps({"model": "none", "parameter_bytes": 64, "launches": launches}))
    lines = "".join(f"print({json.dumps(json.dumps({'kernel': name, 'step': 0, 'local': local, 'cold': 5.0, 'warm': 4.0}))}, flush=True)\n"
                    for name, local in (("first", 0), ("second", 16)))
    for end, failure in (("raise SystemExit('CUDA_ERROR_OF_A_TEST')", r"2 of 3 launches were timed, and then: exit 1: .*CUDA_ERROR_OF_A_TEST"),
                         ("import time; time.sleep(10000)", rf"2 of 3 launches were timed, and then: did not end in {LIMIT} s: .*"),
                         ("", r"these kernels were counted, and not launched: third"),
                         ("print('{\"kernel\": \"other\"}')", r"2 of 3 .* other kernels were launched than were counted: other, and not third")):
        timer.write_text(lines + end)
        report, page = check.run([], "--only", "kernel_times")
        found = report["sections"]["kernel_times"]
        assert [one["kernel"] for one in found["rows"]] == ["first", "second"] and all(one["cold"] == 5 for one in found["rows"]), found
        assert len(found["failures"]) == 1 and re.fullmatch(failure, found["failures"][0]), found["failures"]
        assert "registers are spilled as the driver compiles them: `second`: 16 bytes" in page and "| `first` weights |" in page, page
        print(found["failures"][0])


def no_time(check):
    """A run that has no time says so of each section."""
    report, page = check.run([], "--only", "ladder", "operations", "--seconds", 0)
    for name in ("code_images", "ladder", "operations"):
        assert report["sections"][name]["failures"], report["sections"][name]
    assert report["sections"]["operations"]["failures"] == ["no time is left"], report["sections"]["operations"]


def broken_off(check):
    """A run that is killed leaves a report of all rows that were there."""
    shutil.rmtree(check.out)
    case = [{"form": "threads", "does": "hangs"}]
    process = subprocess.Popen(check.command("--only", "ladder", "--call-seconds", 1000), stdout=subprocess.DEVNULL, start_new_session=True,
                               env=check.environment(case))

    def rows():
        file = check.out / "report.json"
        return json.loads(file.read_text())["sections"].get("ladder", {}).get("rows", []) if file.exists() else []
    while len(rows()) < 4:
        assert process.poll() is None
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for number in check.hanging():
        os.kill(number, signal.SIGKILL)
    assert len(rows()) == 4 and "It has not ended." in (check.out / "report.md").read_text()


def main():
    with tempfile.TemporaryDirectory() as top:
        check = Check(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(top))
        culprits(check)
        another_image(check)
        hangs(check)
        partial_times(check)
        no_time(check)
        broken_off(check)


main()
