"""cheems-serve with a demo model, for tests that ask it over HTTP, and cheems-run on the same model alone."""
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

SHARED = ["-t", "2"]  # so that both compute in the same order
TEMPLATE = pathlib.Path(__file__).with_name("tools.jinja")


class Demo:
    """A demo model, compiled once: with Demo(BIN_DIR, MODELS_DIR, "cheems-shakespeare") as demo."""

    def __init__(self, bins, models, name):
        self.bins, self.source, self.name = pathlib.Path(bins), pathlib.Path(models) / name, name

    def __enter__(self):
        self.kept = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.kept.name)
        self.artefact = self.folder / f"{self.name}.cheems"
        self.tool("cheems-compile", self.source, "-o", self.artefact, "--cpu", "x86-64-v3")
        return self

    def __exit__(self, *_):
        self.kept.cleanup()

    def tool(self, name, *words):
        result = subprocess.run([str(word) for word in (self.bins / name, *words)], capture_output=True, text=True, timeout=300,
                                stdin=subprocess.DEVNULL)
        if result.returncode:
            raise AssertionError(f"{name}: {result.stderr}")
        return result.stdout

    def alone(self, *words):
        """What cheems-run tells of a greedy text: text, ids, stop, prompt_tokens, generated_tokens."""
        return json.loads(self.tool("cheems-run", self.artefact, *SHARED, "--temp", 0, "--json", *words))

    def ids(self, text):
        """Without special tokens."""
        out = self.tool("cheems-run", self.artefact, "--tokenize", "-p", text).strip()
        return [int(each) for each in out.split(",")] if out else []

    def serve(self, *words):
        return Server(self.bins, self.artefact, *words)


class Server:
    """A running server on a free port: with demo.serve("--parallel", 2) as server. `url` is its address."""

    def __init__(self, bins, artefact, *words):
        self.words = [str(word) for word in (bins / "cheems-serve", artefact, "--port", 0, *SHARED, *words)]

    def __enter__(self):
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=self.log, text=True, stdin=subprocess.DEVNULL)
        try:
            line = self.process.stdout.readline()
            if not line.startswith("listening on "):
                raise AssertionError(f"the server does not listen: {line}{self.told()}")
            self.url = line.split()[-1]
            for _ in range(600):
                try:
                    self.get("/health")
                    return self
                except urllib.error.HTTPError as error:  # 503 while the model is loaded
                    error.close()
                    if error.code != 503:
                        raise
                time.sleep(0.05)
            raise AssertionError("the server is never ready")
        except BaseException:
            self.close()
            raise

    def told(self):
        self.log.seek(0)
        return self.log.read()

    def get(self, path):
        with urllib.request.urlopen(self.url + path, timeout=60) as response:
            return response.read().decode()

    def post(self, path, body):
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)

    def stream(self, path, body):
        """The lines of a streamed answer."""
        request = urllib.request.Request(self.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.read().decode().split("\n")

    def close(self):
        """The exit status after SIGTERM."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()
        self.log.close()
        return self.process.returncode

    def __exit__(self, kind, *_):
        status = self.close()
        if kind is None and status != 0:
            raise AssertionError(f"the server ended with {status}")


def started(test_class, server):
    """For setUpClass: the server ends after the class's tests."""
    test_class.addClassCleanup(server.__exit__, None)
    return server.__enter__()


def drawn():
    """Random numbers of this commit; the seed is printed so that they can be had again."""
    seed = int(os.environ.get("CHEEMS_TEST_SEED", "1"))
    print(f"CHEEMS_TEST_SEED={seed}")
    return random.Random(seed)
