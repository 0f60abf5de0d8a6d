"""Counts of the software GPU: of single operations and models by cheems-bench, and of launches that share a cache by step.py."""
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "benchmarks")]

import gpu_counts  # noqa: E402
import random_model  # noqa: E402
from models import MODELS  # noqa: E402

ARCHITECTURES = {"sm_90a": 90, "sm_80": 80}
SECTOR, BANKS = 32, 128  # bytes of a sector, and of a wavefront of shared memory
DEPTH, PROMPT = 512, 512


class Refused(Exception):
    """What a program says why it does not do it."""


def program(command, both=False, **settings):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env={**os.environ, **settings})
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "warning" not in line]
        # without folders, which have another name each time
        raise Refused(re.sub(r"/\S*/", "", lines[-1]) if lines else f"exit {done.returncode}")
    return done.stdout + (done.stderr if both else "")


@dataclasses.dataclass
class Step:
    """Kernels of a step, or of a part of one; with what it must read."""
    kernels: list
    bytes: float

    def total(self, field):
        return sum(kernel[field] for kernel in self.kernels)

    @property
    def read(self):
        return SECTOR * self.total("dram_read_sectors")

    @property
    def moved(self):
        return self.read + SECTOR * self.total("dram_write_sectors")

    def of(self, *parts):
        return Step([kernel for kernel in self.kernels if any(part in kernel["kernel"] for part in parts)], self.bytes)


class Bench:
    """The software GPU of an architecture. Each launch finds an empty cache, if nothing else is said."""

    def __init__(self, tools, driver, architecture):
        self.tools, self.driver, self.architecture = tools, driver, architecture
        self.settings = {"CHEEMS_CUDA_DRIVER": str(driver), "CHEEMS_EMULATOR_ARCH": str(ARCHITECTURES[architecture]),
                         "CHEEMS_EMULATOR_CACHE": "cold"}
        self.models, self.folder = {}, tempfile.TemporaryDirectory()
        self.counted = {}

    def counts(self, *words):
        """(steps, multiprocessors)"""
        if words not in self.counted:
            found = json.loads(program([self.tools / "cheems-bench", *words, "--device", "cuda", "--counts", "-o", "json"], **self.settings))
            self.counted[words] = ([Step([kernel for step in one["counts"]["steps"] for kernel in step["kernels"]], one["bytes"])
                                    for one in found], found[0]["counts"]["multiprocessors"])
        return self.counted[words]

    def operation(self, kind, shape, *more):
        return self.counts("--ops", kind, "--shapes", shape, *more)[0][0]

    def cycles(self, kind, shape, part, *more):
        """pipe -> cycles that each multiprocessor's is busy, of the operation's kernels that have `part` in their names"""
        (step, *_), multiprocessors = self.counts("--ops", kind, "--shapes", shape, *more)
        kernels = step.of(part).kernels
        return {pipe: sum(kernel["cycles"].get(pipe, 0) for kernel in kernels) / multiprocessors
                for pipe in {pipe for kernel in kernels for pipe in kernel["cycles"]}}

    def compiled(self, model, weights):
        """The file of a model with these layers; the same one each time."""
        key = (model, weights)
        if key not in self.models:
            folder = pathlib.Path(self.folder.name) / str(len(self.models))
            random_model.save(folder, model, "bf16")
            program([self.tools / "cheems-compile", folder, "--target", "cuda", "--cuda-arch", self.architecture, "--weights", weights,
                     "-o", f"{folder}.cheems"])
            shutil.rmtree(folder)
            self.models[key] = f"{folder}.cheems"
        return self.models[key]

    def together(self, model, rows, kernels):
        """Returns, for a prompt of so many rows, the launches whose names match: empty caches before the first of them, and what one leaves
        in the cache is there for the next one."""
        steps = [{"name": "", "part": "prompt", "entry": "general", "sequences": [(rows, 0)], "together": kernels}]
        with tempfile.TemporaryDirectory() as folder:
            compiled = gpu_counts.Model(self.tools, model, self.architecture, pathlib.Path(folder))
            found = compiled.counted(self.driver, self.architecture, steps)
        return Step([one["counts"] for one in found["launches"] if re.match(kernels, one["kernel"])], 0)


def kinds_of(model):
    """(kind, how many layers of it the model has), and smaller models of which differences tell what each costs."""
    if not hasattr(model, "period"):
        few = [dataclasses.replace(model, layers=count) for count in (1, 2)]
        return [("attention", model.layers)], few
    attention = model.layers // model.period
    # SSD; SSD twice; SSD and attention
    few = [dataclasses.replace(model, layers=1, period=8), dataclasses.replace(model, layers=2, period=8),
           dataclasses.replace(model, layers=2, period=2)]
    return [("SSD + experts", model.layers - attention), ("attention + experts", attention)], few


class Parts:
    """A step of the whole model, of those of small ones: any number that adds over launches."""

    def __init__(self, bench, name, weights, *test):
        model = MODELS[name]
        self.kinds, few = kinds_of(model)
        self.steps = [bench.counts(bench.compiled(one, weights), *test)[0][0] for one in few]

    def layers(self, number):
        """Returns the number for a layer of each kind; `number` takes a Step."""
        values = [number(step) for step in self.steps]
        return dict(zip((kind for kind, _ in self.kinds), [value - values[0] for value in values[1:]]))

    def whole(self, number):
        layers = self.layers(number)
        first = self.kinds[0][0]
        base = number(self.steps[0]) - layers[first]
        return base + sum(count * layers[kind] for kind, count in self.kinds)


def decode(sequences=1):
    return "-p", 0, "-n", 1, "-d", DEPTH, "-b", sequences


PROMPT_TEST = ("-p", PROMPT, "-n", 0, "--prefill-chunk", PROMPT)
