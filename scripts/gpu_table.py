#!/usr/bin/env python3
"""The table of docs/performance.md that says what a card is asked for, each row beside its least, and what time that would take.

    gpu_table.py BIN DRIVER [--write] [--rows NAME...] [--archs ARCH...] [--quick]

BIN is the folder of the tools, DRIVER is libcheems-cuda-emulator.so. Every row is made of whatever kernels the compiler makes now. A row that
misses its limit says so with its figure, and one that cannot be made says why. --rows takes decode, products, attention, ssd, experts,
launches, registers, times. --quick takes small shapes, for a test. --write puts the tables into the page.

Each counted launch finds empty caches, so counts of layers can be added: those of one layer of a kind are the difference of two models.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "scripts/gpu_check")]

import page  # noqa: E402
import random_model  # noqa: E402
import time_model  # noqa: E402
from models import MODELS  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
ARCHITECTURES = {"sm_90a": 90, "sm_80": 80}
SHAPES = {"160M": "doge-160M", "320M": "cheems-320M", "1.3B": "cheems-1.3B"}
QUICK = {"20M": "doge-20M", "tiny": "cheems-tiny"}
DEPTH, PROMPT = 512, 512
SECTOR, BANKS = 32, 128  # bytes of a sector, and of a wavefront of shared memory

# At most, of issue "The whole paper on NVIDIA"
MOST_DECODE = {"stored": 1.03, "int8": 1.05, "int4": 1.08}
MOST_BATCH, MOST_PRODUCT, MOST_PIPE, MOST_SSD, MOST_EXPERTS = 1.05, 1.15, 1.15, 1.2, 1.1
MOST_LAUNCHES = {"SSD + experts": 5, "attention + experts": 6, "attention": 6}
FORMATS = {"stored": "bf16", "int8": "int8", "int4": "int4"}


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
    """cheems-bench on the software GPU of an architecture."""

    def __init__(self, tools, driver, architecture):
        self.tools, self.architecture = tools, architecture
        self.settings = {"CHEEMS_CUDA_DRIVER": str(driver), "CHEEMS_EMULATOR_ARCH": str(ARCHITECTURES[architecture]),
                         "CHEEMS_EMULATOR_CACHE": "cold"}
        self.models, self.folder = {}, tempfile.TemporaryDirectory()
        self.counted = {}

    def counts(self, *words):
        if words not in self.counted:
            text = program([self.tools / "cheems-bench", *words, "--device", "cuda", "--counts", "-o", "json"], **self.settings)
            found = json.loads(text)
            self.counted[words] = [Step([kernel for step in one["counts"]["steps"] for kernel in step["kernels"]], one["bytes"])
                                   for one in found]
            self.multiprocessors = found[0]["counts"]["multiprocessors"]
        return self.counted[words]

    def operation(self, kind, shape, *more):
        return self.counts("--ops", kind, "--shapes", shape, *more)[0]

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
        self.steps = [bench.counts(bench.compiled(one, weights), *test)[0] for one in few]

    def layers(self, number):
        """Of a layer of each kind; `number` takes a Step."""
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


# -- Rows: (work, what, least, reached, at most); `reached` is a number that should not be above `at most`, or a text.

def number(value):
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.2g}"


def ratio(work, what, got, least, most):
    return work, f"{what}: {number(got)} of {number(least)}", got / least, most


def decode_rows(bench, shapes):
    for label, name in shapes.items():
        for weights, most in MOST_DECODE.items():
            work = f"decode, {label}, one sequence, {FORMATS[weights]}"
            try:
                parts = Parts(bench, name, weights, *decode())
                yield ratio(work, "MB read", parts.whole(lambda step: step.read) / 1e6, parts.whole(lambda step: step.bytes) / 1e6, most)
            except Refused as why:
                yield work, str(why), None, most
        work = f"decode, {label}, 64 sequences"
        parts = Parts(bench, name, "stored", *decode(64))
        yield ratio(work, "MB read", parts.whole(lambda step: step.read) / 1e6, parts.whole(lambda step: step.bytes) / 1e6, MOST_BATCH)
        without = {kernel["kernel"] for step in parts.steps for kernel in step.of("product").kernels
                   if not kernel["warp_instructions"].get("tensor")}
        yield work, "kinds of products without tensor cores" + "".join(f", {one}" for one in sorted(without)), len(without), 0


def operand_bytes(kernel, rate):
    """Bytes that wgmma reads from shared memory, by the columns of its instructions; of mma.sync none, whose operands are loaded."""
    executed = kernel["warp_instructions"].get("tensor", 0)
    columns = kernel["cycles"].get("tensor", 0) * rate / executed / 256 if executed else 0
    return executed / 4 * (2048 + 32 * columns) if columns > 8 else 0


def product_rows(bench, shapes, rows):
    architecture = ARCHITECTURES[bench.architecture]
    rate = time_model.TENSOR_RATE[architecture]
    for label, name in shapes.items():
        model = MODELS[name]
        for count in rows:
            for columns, length in ((2 * model.intermediate, model.hidden), (model.hidden, model.intermediate)):
                work = f"product, {label}, {count} x {columns} x {length}"
                kernels = bench.operation("matmul", f"{count}x{columns}x{length}").of("product")
                yield ratio(work, "MB moved", kernels.moved / 1e6, kernels.total("compulsory_bytes") / 1e6, MOST_PRODUCT)
                flops = 2 * count * columns * length
                shared = BANKS * kernels.total("shared_wavefronts") + sum(operand_bytes(kernel, rate) for kernel in kernels.kernels)
                # that of two wgmma with 256 columns, which share nothing but the rows' tile
                least = (2048 + 32 * 256) / (2 * 64 * 256 * 16)
                yield ratio(work, "shared bytes per FLOP", shared / flops, least, 1.0)
                yield work, "bank conflicts", kernels.total("bank_conflicts"), 0


def attention_rows(bench, shapes):
    rate = time_model.TENSOR_RATE[ARCHITECTURES[bench.architecture]]
    for rows, heads, size, window in shapes:
        shape = f"{rows}x{heads}x{size}" + (f"x{window}" if window else "")
        work = f"attention, prompt {shape}"
        try:
            step = bench.operation("attention", shape, "--prefill-chunk", rows).of("attention")
        except Refused as why:
            yield work, str(why), None, MOST_PIPE
            continue
        keys = min(rows, window or rows)
        pairs = heads * (keys * (keys + 1) // 2 + (rows - keys) * keys)
        least = max(2 * size * pairs / rate, pairs / 16) / bench.multiprocessors
        pipes = [sum(kernel["cycles"].get(pipe, 0) for kernel in step.kernels) / bench.multiprocessors
                 for pipe in {pipe for kernel in step.kernels for pipe in kernel["cycles"]}]
        yield ratio(work, "cycles of the busiest pipe", max(pipes), least, MOST_PIPE)
        if not window:
            blocks = sum(kernel["blocks"] for kernel in step.kernels if kernel["kernel"].startswith("attention"))
            # A block of rows sees all keys up to its end, and reads them once.
            tiles = max(1, blocks // heads)
            once = heads * rows * (tiles + 1) / 2 * 2 * size * 2 + heads * rows * size * 4
            yield ratio(work, "MB asked for", SECTOR * step.total("global_sectors") / 1e6, once / 1e6, MOST_PIPE)


def ssd_rows(bench, shapes):
    for shape in shapes:
        step = bench.operation("ssd", shape, "--prefill-chunk", shape.split("x")[0])
        rows, heads, size, _ = map(int, shape.split("x"))
        least = step.bytes - 2 * rows * heads * size  # y is stored as the next product takes it, in bf16
        yield ratio(f"SSD, prompt {shape}", "MB moved", step.of("ssd").moved / 1e6, least / 1e6, MOST_SSD)


def expert_rows(bench, shapes):
    for shape in shapes:
        rows, size, count, _ = map(int, shape.split("x"))
        step = bench.operation("experts", shape, "--prefill-chunk", max(rows, 1)).of("experts", "key_scores")
        work = f"experts, {shape}"
        yield ratio(work, "MB moved, each launch's sectors once", step.moved / 1e6, step.total("compulsory_bytes") / 1e6, MOST_EXPERTS)
        # rows of the tables that differ, at most; keys of 64 numbers; x and y
        least = step.bytes + math.isqrt(count) * 64 * 2 + 2 * rows * size * 4
        yield ratio(work, "MB moved, rows of both tables, keys, x and y once", step.moved / 1e6, least / 1e6, MOST_EXPERTS)


def launch_rows(bench, shapes):
    for label, name in shapes.items():
        for kind, count in Parts(bench, name, "stored", *decode()).layers(lambda step: step.total("launches")).items():
            yield f"launches, {label}, decode", f"a layer of {kind}", count, MOST_LAUNCHES[kind]


def register_rows(bench, shapes):
    for label, name in shapes.items():
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            random_model.save(folder / "model", kinds_of(MODELS[name])[1][-1], "bf16")
            architecture = ["--cuda-arch", bench.architecture]
            program([bench.tools / "cheems-compile", folder / "model", "--target", "cuda", *architecture, "--emit", "launches", "-o",
                     folder / "launches.mlir"])
            program([bench.tools / "cheems-opt", folder / "launches.mlir", f"--cheems-cuda=arch={bench.architecture} from=launches", "-o",
                     folder / "kernels.mlir"])
            try:  # ptxas refuses what spills
                said = program([bench.tools / "cheems-translate", folder / "kernels.mlir", "--to-cubin", "--resources", *architecture, "-o",
                                folder / "kernels.cubin"], both=True)
            except Refused as why:
                yield f"registers, {label}", str(why), None, 0
                continue
        used = re.findall(r"^(\w+): (\d+) registers, (\d+) bytes of local memory", said, re.M)
        kernel, most, _ = max(used, key=lambda one: int(one[1]))
        yield (f"registers, {label}", f"bytes of local memory of {len(used)} kernels; the most registers: {most} of {kernel}",
               sum(int(one[2]) for one in used), 0)
    if ARCHITECTURES[bench.architecture] >= 90:
        model = MODELS[list(shapes.values())[-1]]
        great = bench.operation("matmul", f"{PROMPT}x{2 * model.intermediate}x{model.hidden}").of("product").kernels
        groups = min(kernel["threads_per_block"] // 128 for kernel in great)
        yield "warpgroups", f"too few of a block of a product, of 3 that 2 consumers and a producer make: {groups}", max(0, 3 - groups), 0


# -- Times

def speeds(bench, shapes):
    """[work, card, tokens a second at each gap], by the model of time."""
    for label, name in shapes.items():
        for work, weights, test, tokens in [*((f"decode, {FORMATS[one]}", one, decode(), 1) for one in FORMATS),
                                            ("decode, bf16, 64 sequences", "stored", decode(64), 64),
                                            (f"prompt of {PROMPT}, bf16", "stored", PROMPT_TEST, PROMPT)]:
            try:
                parts = Parts(bench, name, weights, *test)
            except Refused:
                continue
            for card in time_model.cards():
                if card.architecture == ARCHITECTURES[bench.architecture]:
                    times = [parts.whole(lambda step: time_model.seconds_of(step.kernels, card, gap)) for gap in time_model.GAPS]
                    yield [f"{label}, {work}", card.name, *(number(tokens / time) for time in times)]


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def verdict(value, most):
    if value is None:
        return "not made"
    return "met" if value <= most * (1 + 1e-9) else "missed"


def main():
    names = ["decode", "products", "attention", "ssd", "experts", "launches", "registers", "times"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", nargs="+", default=names, choices=names)
    parser.add_argument("--archs", nargs="+", default=list(ARCHITECTURES), choices=ARCHITECTURES)
    options = parser.parse_args()
    shapes = QUICK if options.quick else SHAPES
    made = {
        "decode": lambda bench: decode_rows(bench, shapes),
        "products": lambda bench: product_rows(bench, shapes, (128,) if options.quick else (512, 8192)),
        "attention": lambda bench: attention_rows(bench, [(256, 1, 64, 0), (256, 1, 64, 64)] if options.quick else
                                                  [(4096, 2, 64, 0), (4096, 2, 128, 0), (4096, 2, 128, 1024)]),
        "ssd": lambda bench: ssd_rows(bench, ["256x2x64x128"] if options.quick else ["8192x12x64x128", "8192x32x64x128"]),
        "experts": lambda bench: expert_rows(bench, ["1x64x1024x8", "32x64x1024x8"] if options.quick else
                                             [f"{rows}x768x{count}x32" for count in (1024, 65536) for rows in (1, 512)] +
                                             [f"{rows}x128x1048576x32" for rows in (1, 512)]),
        "launches": lambda bench: launch_rows(bench, shapes),
        "registers": lambda bench: register_rows(bench, shapes),
    }
    parts = {}
    times = []
    for architecture in options.archs:
        bench = Bench(options.bin.resolve(), options.driver.resolve(), architecture)
        rows = []
        for name in [name for name in options.rows if name in made]:
            try:
                for work, what, value, most in made[name](bench):
                    rows.append([work, what, "" if value is None else number(value), number(most), verdict(value, most)])
                    print(f"{architecture}: {' | '.join(rows[-1])}", file=sys.stderr, flush=True)
            except Refused as why:
                rows.append([name, str(why), "", "", "not made"])
        if rows:
            parts[f"gpu table {architecture}"] = table(["work", "what: reached of the least", "reached", "at most", ""], rows)
        if "times" in options.rows:
            times += speeds(bench, shapes)
        bench.folder.cleanup()
    if times:
        parts["gpu times"] = table(["work", "card", *(f"tokens/s, {gap * 1e6:.0f} µs between kernels" for gap in time_model.GAPS)], times)
    for part, text in parts.items():
        if options.write:
            page.replace(PAGE, part, text)
        else:
            print(f"{part}\n{text}\n")


if __name__ == "__main__":
    main()
