"""Kernels are run in processes of their own: a driver reads its environment once, and may crash or hang."""
import importlib
import json
import os
import pathlib
import queue
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent


class Worker:
    """One process with one mode and seed. It runs kernels by name, with other PTX where that is given: those of the manifest, or
    those that load(FOLDER) of a Python file gives, for a `source` of both."""

    def __init__(self, driver, environment, seconds=120, source=None):
        self.command = [sys.executable, str(HERE / "workers.py"), str(driver), *map(str, source or ())]
        self.environment, self.seconds, self.process = environment, seconds, None

    def run(self, kernel, ptx=None):
        """("passed", ""), or "wrong", "refused", "finding", "crashed" or "hung" with a reason."""
        if self.process is None:
            self._start()
        task = json.dumps({"kernel": kernel, "ptx": ptx}) + "\n"
        try:
            self.process.stdin.write(task)
            self.process.stdin.flush()
            line = self.lines.get(timeout=self.seconds)
        except queue.Empty:
            self.close()
            return "hung", f"no result after {self.seconds} s"
        except BrokenPipeError:
            line = ""
        if not line:
            code = self.process.wait()
            self.process = None
            return "crashed", f"the process ended with {code}"
        return tuple(json.loads(line))

    def _start(self):
        self.process = subprocess.Popen(self.command, env={**os.environ, **self.environment}, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True).start()

    @staticmethod
    def _read(stdout, lines):
        for line in stdout:
            lines.put(line)
        lines.put("")

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


def settings(mode, seed):
    return {"CHEEMS_EMULATOR_MODE": mode, "CHEEMS_EMULATOR_SEED": str(seed)}


def loaded(source=None):
    """The kernels of the manifest, or those of a Worker's `source`."""
    if not source:
        import kernels
        return kernels.load()
    file, folder = map(pathlib.Path, source)
    sys.path.insert(0, str(file.parent))
    return importlib.import_module(file.stem).load(folder)


def serve(path, *source):
    from driver import Driver, DriverError

    driver, known = Driver(path), {kernel.name: kernel for kernel in loaded(source)}
    for line in sys.stdin:
        task = json.loads(line)
        kernel, ptx = known[task["kernel"]], task["ptx"]
        try:
            if not driver.runs(kernel.target):
                raise RuntimeError(f"the device is sm_{driver.capability}, not {kernel.target}")
            wrong = kernel.run(driver, ptx.encode() if ptx else None)
            result = ("wrong", "; ".join(wrong)) if wrong else ("passed", "")
        except DriverError as error:
            # CUDA_ERROR_INVALID_PTX, _INVALID_IMAGE, _NOT_SUPPORTED: the text was refused
            result = ("refused" if error.code in (218, 200, 801) else "finding", str(error))
            driver.renew()
        except Exception as error:
            result = ("failed", f"{type(error).__name__}: {error}")
            driver.renew()
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    serve(*sys.argv[1:])
