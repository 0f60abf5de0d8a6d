"""One run of the check on one card: where things are, how programs are started, and how long it may still take."""
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA, BIN = ROOT / "data", ROOT / "bin"
HERE = pathlib.Path(__file__).resolve().parent
SOFTWARE = "Cheems emulator"  # how the software GPU's name begins


class Failed(Exception):
    """With one line that says why."""


class Session:
    def __init__(self, driver, out, work, seconds):
        self.named, self.driver, self.out, self.work = driver, driver or "libcuda.so.1", out, work
        self.begin, self.end = time.monotonic(), time.monotonic() + seconds
        self.pack = json.loads((DATA / "pack.json").read_text())
        self.card = json.loads(self.python("card.py", self.driver, seconds=60))
        self.is_software = self.card["name"].startswith(SOFTWARE)
        capability = self.card["capability"]
        self.architecture = "sm_90a" if capability == 90 else "sm_80"
        # PTX for sm_80 runs on all later cards, machine code on 8.x alone; the software GPU takes none.
        runs_code = 80 <= capability <= 90 and not self.is_software
        self.images = ["cubin", "ptx"] if runs_code and self.pack["cubins"] else ["ptx"]

    def environment(self, settings):
        """Ours find their libraries beside them; a Python of the machine needs its own."""
        found = {**os.environ, **settings}
        found["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(ROOT / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
        if self.named:
            found["CHEEMS_CUDA_DRIVER"] = str(self.named)
        return found

    def left(self):
        return self.end - time.monotonic()

    def run(self, *command, seconds=120, **settings):
        """Standard output of a program."""
        words = [str(word) for word in command]
        limit = min(seconds, self.left())
        if limit <= 0:
            raise Failed("no time is left")
        try:
            done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=limit,
                                  env=self.environment(settings))
        except subprocess.TimeoutExpired:
            raise Failed(f"{pathlib.Path(words[0]).name} did not end in {limit:.0f} s: {' '.join(words[1:])}") from None
        if done.returncode:
            why = done.stderr.strip().splitlines() or ["it says nothing"]
            raise Failed(f"exit {done.returncode}: {' '.join([pathlib.Path(words[0]).name, *words[1:]])}: {why[-1]}")
        return done.stdout

    def python(self, name, *words, **options):
        """One of our programs in Python."""
        return self.run(sys.executable, HERE / name, *words, **options)
