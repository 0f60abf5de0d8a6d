"""One run of the check on one GPU: where things are, how programs are started, how long each may take, and when the run ends early."""
import concurrent.futures
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA, BIN = ROOT / "data", ROOT / "bin"
HERE = pathlib.Path(__file__).resolve().parent
PLAIN = {"CHEEMS_CUDA_GRAPHS": "off", "CHEEMS_CUDA_OVERLAP": "off"}  # one launch after the other, alone
SOFTWARE = "Cheems emulator"  # how the software GPU's name begins

CALL = 20  # seconds that a call to the GPU may take; what takes longer hangs
HANGS = 2  # then the run ends: a GPU that hangs twice answers nothing any more, and time with it is short
FILLING = 90  # seconds for a program that writes a model of some GB, and does not use the GPU
KILLED = 3  # seconds for a process that was killed to go; the driver may hold it for good


class Failed(Exception):
    """With one line that says why."""


class Stopped(Exception):
    """The run ends here, and what there is counts. With one line that says why."""


class Session:
    def __init__(self, driver, out, work, call=CALL, torch=False):
        self.named, self.driver, self.out, self.work = driver, driver or "libcuda.so.1", out, work
        self.call, self.torch, self.hangs, self.lock = call, torch, [], threading.Lock()
        self.end = time.monotonic() + call
        self.pack = json.loads((DATA / "pack.json").read_text())
        self.gpu = json.loads(self.python("gpu.py", self.driver))
        self.is_software = self.gpu["name"].startswith(SOFTWARE)
        capability = self.gpu["capability"]
        self.architecture = "sm_90a" if capability == 90 else "sm_80"
        self.images = []  # of models, that the driver loads, the best first: code_images.py

    def environment(self, settings):
        """Ours find their libraries beside them; a Python of the machine needs its own."""
        found = {**os.environ, **settings}
        found["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [str(ROOT / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
        if self.named:
            found["CHEEMS_CUDA_DRIVER"] = str(self.named)
        return found

    def left(self):
        """Seconds of the section that runs."""
        return self.end - time.monotonic()

    def hung(self, what):
        """Counts a call that did not end. Raises Stopped where it is one too many."""
        with self.lock:
            self.hangs.append(what)
        self.go_on()

    def go_on(self):
        """Raises Stopped where too many calls hung: no other one begins."""
        with self.lock:
            if len(self.hangs) >= HANGS:
                raise Stopped(f"{len(self.hangs)} calls hung, so nothing else is run: {'; '.join(self.hangs)}")

    def limit(self, seconds):
        self.go_on()
        left = self.left()
        if left <= 0:
            raise Failed("no time is left")
        return min(seconds, left)

    def _start(self, command, settings, **pipes):
        words = [str(word) for word in command]
        shown = " ".join([pathlib.Path(words[0]).name, *words[1:]])
        # A group of its own: what it starts ends with it.
        return shown, subprocess.Popen(words, stdin=subprocess.DEVNULL, text=True, env=self.environment(settings), start_new_session=True,
                                       **pipes)

    def _over(self, shown, limit, on_gpu):
        why = f"did not end in {limit:.0f} s: {shown}"
        if on_gpu and limit >= self.call:  # else the section's time was up
            self.hung(why)
        return Failed(why)

    def run(self, *command, seconds=None, **settings):
        """Standard output of a program that uses the GPU; with `seconds`, of one that does not, and may take so long."""
        limit = self.limit(seconds or self.call)
        shown, process = self._start(command, settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, said = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            raise self._over(shown, limit, not seconds) from None
        finally:
            kill(process)
        if process.returncode:
            raise Failed(ended(process.returncode, shown, said))
        return out

    def lines(self, *command, **settings):
        """Lines of standard output of a program that uses the GPU, as they come. Each may take as long as a call."""
        found = queue.SimpleQueue()

        def read(stream):
            for line in stream:
                found.put(line)
            found.put(None)

        with tempfile.TemporaryFile("w+", dir=self.work) as said:
            limit = self.limit(self.call)
            shown, process = self._start(command, settings, stdout=subprocess.PIPE, stderr=said)
            threading.Thread(target=read, args=(process.stdout,), daemon=True).start()
            try:
                while True:
                    line = found.get(timeout=limit)
                    if line is None:
                        break
                    yield line
                    limit = self.limit(self.call)
                process.wait(timeout=limit)
            except (queue.Empty, subprocess.TimeoutExpired):
                raise self._over(shown, limit, True) from None
            finally:
                kill(process)
            if process.returncode:
                said.seek(0)
                raise Failed(ended(process.returncode, shown, said.read()))

    def python(self, name, *words, **options):
        """One of our programs in Python."""
        return self.run(sys.executable, HERE / name, *words, **options)

    def together(self, function, tasks, at_once):
        """What a function makes of tasks, as it comes, so many at once. What one raises ends all."""
        pool = concurrent.futures.ThreadPoolExecutor(at_once)
        try:
            for done in concurrent.futures.as_completed([pool.submit(function, task) for task in tasks]):
                yield done.result()
        finally:
            pool.shutdown(cancel_futures=True)

    def first_image(self, compute):
        """(what `compute` makes of the first image that works, its name, why that is not the best one or ""). The image of sm_80 runs on
        every GPU, so what others do wrong does not hide the rest."""
        if not self.images:
            raise Failed("the driver loads no code")
        best, last = self.images[0], "sm_80.ptx"
        try:
            return compute(best), best, ""
        except Failed as why:
            if best == last or self.left() <= 0:
                raise
            return compute(last), last, f"{best} fails: {why}"


def kill(process):
    """Ends a process, if it runs, with what it started, and does not wait for what the driver holds."""
    if process.poll() is not None:
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.wait(KILLED)
    except subprocess.TimeoutExpired:
        pass


def ended(code, shown, said):
    return f"exit {code}: {shown}: {(said.strip().splitlines() or ['it says nothing'])[-1]}"
