#!/usr/bin/env python3
"""What kernels of a model's step cost a GPU, by the emulator's counts, and whether they reach the goals of docs/gpu-counts.md.

    gpu_counts.py BIN DRIVER [--write | --check] [--models NAME...] [--archs ARCH...]

BIN is the folder of the tools, DRIVER is libcheems-cuda-emulator.so. --write puts the tables into that page and docs/performance.md,
--check compares them; with neither they are printed. The exit code is 1 if a page differs, or a goal is missed. Without --models and
--archs, --check is brief and takes those of the page for sm_90a; with CHEEMS_TEST_LONG it takes all.
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "scripts/gpu_check"), str(ROOT / "test/Integration/CUDA/compiled")]

import artefact  # noqa: E402
import page  # noqa: E402
import plan  # noqa: E402
import random_model  # noqa: E402
from models import MODELS  # noqa: E402

PAGE, OVERVIEW = ROOT / "docs" / "gpu-counts.md", ROOT / "docs" / "performance.md"
OF_THE_PAGE, FURTHER = "doge-160M", "doge-320M"
ARCHITECTURES = ("sm_90a", "sm_80")
STEPS = [
    {"name": "a prompt of 512 tokens", "part": "prompt", "entry": "general", "sequences": [(512, 0)]},
    {"name": "decoding one sequence of 512 tokens", "part": "decode-1", "entry": "decode", "sequences": [(1, 511)]},
    {"name": "decoding 64 sequences of 512 tokens", "part": "decode-64", "entry": "decode", "sequences": [(1, 511)] * 64},
]
CODED = ("int8", "int4")  # other weights of a step of decoding
OF_CODES = STEPS[1:2]
TENSOR_RATE = {"sm_80": 1024, "sm_90a": 2048}  # multiply-adds of bf16 in a cycle of a multiprocessor (emulator/README.md)
MULTIPLY_ADDS = 16 * 8 * 16  # of mma.sync.m16n8k16
PIPES = ("alu", "fma", "fp64", "mufu", "conversion", "lsu", "tensor")
OTHERS = ("half", "control", "async")

# The goals
MOST_LAUNCHES = 5  # of a layer of decoding one sequence
MOST_READ = 1.05  # of the least, by a matmul of decoding
MOST_READ_OF_PROMPT = 1.15  # of the least, by a matmul of a prompt
MOST_READ_BY_STEP = {"int8": 1.05, "int4": 1.08}  # of the least, by a step of decoding with quantized weights
MOST_CYCLES_OF_ATTENTION = 1.15  # of the least cycles of tensor cores, on any pipe, by attention of a prompt
MOST_CYCLES = 1.3  # of the least cycles of tensor cores, on any pipe, by a matmul of a prompt
FULL_TILE = 64  # rows and outputs that a matmul must have for that: of fewer, a tile has some idle


@dataclasses.dataclass(frozen=True)
class Kernel:
    """What its text says of its arguments, which no plan has."""
    types: list
    reads: set  # numbers of arguments
    writes: set


def kernels_in(text):
    """name -> Kernel, of a module's text"""
    found = {}
    for name, arguments, body in re.findall(r"^  cheems_tile\.kernel @([\w.$]+)\(([^\n]*)\) warps[^\n]*\n(.*?)^  }$", text, re.M | re.S):
        names = re.findall(rf"{plan.NAME}(?=: )", arguments)
        numbers = lambda pattern: {names.index(one) for one in re.findall(pattern, body) if one in names}
        found[name] = Kernel(plan.argument_types(arguments), numbers(rf"\b(?:load|async_copy|bulk_copy) ({plan.NAME})\["),
                             numbers(rf"\b(?:store|scatter) %\S+, ({plan.NAME})\["))
    return found


class Model:
    """A compiled model, all keys kept, in a folder where `step.py` finds its kernels and weights."""

    def __init__(self, tools, model, architecture, folder, weights="stored"):
        self.tools, self.folder = tools, folder
        random_model.save(folder, model, "bf16", None)
        options = [str(folder), "--target", "cuda", "--cuda-arch", architecture, "--weights", weights]
        compiled = folder / "model.cheems"
        # Machine code, which nobody wants here, takes longer than all else.
        plan.program(tools, "cheems-compile", *options, "-o", str(compiled), CHEEMS_PTXAS="none")
        self.kernels = kernels_in(plan.program(tools, "cheems-compile", *options, "--emit", "launches", "-o", "-"))
        data = compiled.read_bytes()
        places, _ = artefact.sections(data)
        section = lambda name: data[places[name][0]:][:places[name][1]]
        self.metadata, image = json.loads(section("metadata")), section("image.cuda")
        (card,) = self.metadata["images"][0]["cards"]
        self.plan, ptx = (image[begin:begin + size] for begin, size in (card["plan"], card["ptx"]))
        (folder / "kernels.ptx").write_bytes(ptx.rstrip(b"\0"))
        (folder / "parameters.bin").write_bytes(section("weights"))
        self.names = {one["offset"]: re.sub(r"^model\.(layers\.\d+\.)?|\.weight$", "", one["name"]) for one in self.metadata["parameters"]}

    def planned(self, step):
        """The step with all that step.py wants of it."""
        sequences, pools = step["sequences"], []
        count, capacity = len(sequences), max(length + position for length, position in sequences)
        for pool in self.metadata["state"]:
            shape = [{"slots": count, "capacity": capacity}.get(extent, extent) for extent in pool["shape"]]
            pools.append(plan.Array(None, shape, pool["type"]).bytes)
        tokens = sum(length for length, _ in sequences)
        launches = plan.launches_of(self.tools, self.plan.decode(), step["entry"], tokens=tokens, segments=count, rows=count, slots=count,
                                    capacity=capacity)
        return {**step, "vocabulary": self.metadata["vocab_size"], "pools": pools, **launches}

    def counted(self, driver, architecture, steps):
        """What step.py makes of the steps; each launch with what its kernel's text says of its arguments."""
        (self.folder / "steps.json").write_text(json.dumps([self.planned(step) for step in steps]))
        script = ROOT / "test/Integration/CUDA/compiled/step.py"
        subprocess.run([sys.executable, str(script), str(driver), self.folder, architecture], check=True)
        found = json.loads((self.folder / "launches.json").read_text())
        for launch in found["launches"]:
            if launch["step"] is not None:
                launch.update(self.operands(launch))
        return found

    def operands(self, launch):
        """Arrays and numbers that the kernel is given, but for tensor maps, and the arrays that it reads."""
        kernel = self.kernels[launch["kernel"]]
        given = list(plan.operands(kernel.types, launch["arguments"]))
        is_map = lambda one: isinstance(one, list)
        written, arrays, reads = min(kernel.writes), {}, {}
        for one in given:
            if isinstance(one, plan.Array):
                arrays.setdefault(one.place, one)
        for i in sorted(kernel.reads):
            # A map is of an array that is there, too. Memory that is read under two shapes is read once.
            one = arrays[tuple(given[i][1])] if is_map(given[i]) else given[i]
            reads.setdefault(one.place, one)
        plain = lambda one: [*one.shape, one.element] if isinstance(one, plan.Array) else one
        inputs = [one for one in given[:written] if not is_map(one)]
        names = [self.names[one.place[1]] if isinstance(one, plan.Array) and one.place[0] == "weights" else "" for one in inputs]
        return {"inputs": [plain(one) for one in inputs], "names": names, "outputs": [plain(one) for one in given[written:]],
                "reads": [plain(one) for one in reads.values()]}


def counted(tools, driver, name, architecture, folder, steps=STEPS, weights="stored"):
    """What step.py makes of one layer of a published model."""
    model = Model(tools, dataclasses.replace(MODELS[name], layers=1), architecture, folder, weights)
    found = model.counted(driver, architecture, steps)
    for number, step in enumerate(steps):
        if [length for length, _ in step["sequences"]] != [1]:
            continue
        launches = sum(launch["step"] == number and launch["part"].startswith("layer ") for launch in found["launches"])
        if launches > MOST_LAUNCHES:
            raise SystemExit(f"{name}, {architecture}, {weights}: a layer of decoding is {launches} launches, and {MOST_LAUNCHES} at most are wanted")
    return found


def size(array):
    return math.prod(array[:-1]) * plan.BYTES[array[-1]] if isinstance(array, list) else 0


class Launch:
    """One of a step, with the least that it can cost."""

    def __init__(self, found, architecture, multiprocessors, steps):
        self.counts, self.inputs, self.outputs = found["counts"], found["inputs"], found["outputs"]
        self.name, self.kernel = found["kernel"], re.sub(r"_\d+$", "", found["kernel"])
        self.grid, self.reads, self.names = found["grid"], found["reads"], found["names"]
        self.step = steps[found["step"]]
        self.multiprocessors, self.rate = multiprocessors, TENSOR_RATE[architecture]

    @property
    def is_matmul(self):
        return "matmul" in self.kernel

    @property
    def has_norm(self):
        """Whether x is the norm of what is read, and the norm's weight comes after that."""
        return self.kernel.startswith("normed")

    @property
    def merges(self):
        """Whether x is merged of splits: segments, two numbers of each split and head, and outputs come first."""
        return self.kernel.startswith("merged")

    @property
    def is_quantized(self):
        return "matmul_int" in self.kernel

    @property
    def x(self):
        """What is multiplied: [T, K, type]."""
        if self.merges:
            sequences, _, length, element = self.inputs[3]
            return [sequences, length, element]
        return self.inputs[0]

    @property
    def is_attention(self):
        return self.kernel in ("attention", "attention_of_one_row")

    def weights(self):
        """Numbers of the inputs that x is multiplied with."""
        x = self.x
        if self.is_quantized:  # of 4 bits there are two in a byte
            return [i for i, one in enumerate(self.inputs) if i and isinstance(one, list) and one[-1] == "i8"]
        if self.has_norm or self.merges:
            before = 2 if self.has_norm else 4
            return [i for i, one in enumerate(self.inputs) if i >= before and isinstance(one, list) and one[1:-1] == x[1:-1]]
        return [i for i, one in enumerate(self.inputs) if i and isinstance(one, list) and one[1:] == x[1:]]

    def of_what(self):
        if self.is_matmul:
            return ", ".join(self.names[i] for i in self.weights())
        if self.kernel in ("rms_norm", "gather_rows"):
            return self.names[1 if self.kernel == "rms_norm" else 0]
        return ""

    def shape(self):
        if self.is_matmul:
            n = " + ".join(str(self.inputs[i][0]) for i in self.weights())
            return f"{self.x[0]} x {n} x {self.x[1]}"
        array = self.inputs[0] if self.is_attention or self.kernel == "store_entries" else self.outputs[-1]
        return " x ".join(map(str, array[:-1]))

    @property
    def stores_entries(self):
        """Whether it writes into the pools."""
        return self.kernel == "store_entries" or (self.is_attention and len(self.outputs) > 3)

    def pools(self):
        return self.outputs[:3] if self.stores_entries else self.inputs[-3:]

    def entries(self, count):
        """Bytes of the keys, values and masks of so many entries."""
        return sum(size([one[2], count, *one[4:]]) for one in self.pools())  # slots, layers, heads, capacity, ...

    def least_read(self):
        if self.kernel == "gather_rows":
            return size([self.outputs[0][0], *self.inputs[0][1:]]) + size(self.inputs[1])
        if not self.is_attention:
            return sum(map(size, self.reads))
        # What it stores itself it need not read.
        seen = sum(position + (0 if self.stores_entries else length) for length, position in self.step["sequences"])
        return sum(size(one) for one in self.reads if one not in self.pools()) + self.entries(seen)

    def least_written(self):
        if not self.stores_entries:
            return sum(map(size, self.outputs))
        rows = sum(length for length, _ in self.step["sequences"])
        return sum(map(size, self.outputs[3:])) + self.entries(rows)

    def least_tensor(self):
        """Cycles of each multiprocessor, if all have the same part; None for a kernel without matmuls."""
        if self.is_matmul:
            x = self.x
            multiplied = x[0] * x[1] * sum(self.inputs[i][0] for i in self.weights())
        elif self.is_attention:
            pairs = sum(length * position + length * (length + 1) // 2 for length, position in self.step["sequences"])
            multiplied = 2 * pairs * self.inputs[0][1] * self.inputs[0][2]
        else:
            return None
        # tensor cores multiply twice as many bytes
        rate = self.rate * (2 if self.is_quantized else 1)
        return multiplied / rate / self.multiprocessors

    def cycles(self, pipe):
        return self.counts["cycles"].get(pipe, 0) / self.multiprocessors

    def read(self):
        return 32 * self.counts["dram_read_sectors"]

    def written(self):
        return 32 * self.counts["dram_write_sectors"]

    def per_matmul(self):
        return per_matmul(self.counts)


def launches_of(found, architecture, steps=STEPS):
    return [Launch(one, architecture, found["multiprocessors"], steps) for one in found["launches"] if one["step"] is not None]


def per_multiply_adds(counts, rate):
    """Instructions for as many multiply-adds as one of a warp has (m16n8k16)."""
    return sum(counts["warp_instructions"].values()) / (counts["cycles"]["tensor"] * rate / MULTIPLY_ADDS)


def per_matmul(counts):
    executed = counts["warp_instructions"]
    return sum(executed.values()) / executed["tensor"] if executed.get("tensor") else None


# -- Tables

def number(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.2g}" if value < 1 else f"{value:.1f}"


def table(head, rows):
    lines = ["| " + " | ".join(row) + " |" for row in [head, *rows]]
    return "\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]])


def together(launches, row):
    """Rows of launches; those that differ in their names alone are one."""
    found = {}
    for launch in launches:
        found.setdefault((launch.kernel, launch.shape(), *row(launch)), []).append(launch.of_what())
    for (kernel, shape, *cells), names in found.items():
        names = ", ".join(dict.fromkeys(filter(None, names)))
        yield [f"`{kernel}`" + (f" {names}" if names else ""), shape, *cells]


def work(launches):
    def row(launch):
        executed = launch.counts["warp_instructions"]
        return [number(math.prod(launch.grid)), *(number(executed.get(pipe, 0)) for pipe in PIPES),
                number(sum(executed.get(pipe, 0) for pipe in OTHERS)), number(launch.per_matmul()),
                number(launch.counts["shared_wavefronts"]), number(launch.counts["bank_conflicts"])]
    return table(["kernel", "shape", "blocks", *PIPES, "others", "per tensor instruction", "shared wavefronts", "bank conflicts"], together(launches, row))


def cost(launches):
    def row(launch):
        return [*(number(launch.cycles(pipe)) for pipe in PIPES), number(launch.least_tensor()),
                number(launch.read()), number(launch.least_read()), number(launch.written()), number(launch.least_written()),
                number(launch.counts["compulsory_bytes"])]
    return table(["kernel", "shape", *PIPES, "least tensor", "read", "least", "written", "least", "compulsory"], together(launches, row))


def overview(launches):
    """A row for each step: sums over its launches."""
    rows = []
    for step in STEPS:
        of_step = [launch for launch in launches if launch.step is step]
        total = lambda what: sum(map(what, of_step))
        busiest = max(PIPES, key=lambda pipe: total(lambda one: one.cycles(pipe)))
        moved = (f"{total(what) / 1e6:.1f}" for what in (Launch.read, Launch.least_read, Launch.written))
        rows.append([step["name"], number(len(of_step)), *moved, f"{number(round(total(lambda one: one.cycles(busiest))))} ({busiest})",
                     number(round(total(lambda one: one.least_tensor() or 0)))])
    head = ["step", "launches", "MB read", "least", "MB written", "cycles of the busiest pipe", "least of tensor cores"]
    return table(head, rows)


def tables(launches, architecture, triton):
    """(page, its part) -> text"""
    found = {f"goals {architecture}": table(["what", "at most", "reached"], [goal.reached(launches) for goal in goals(triton, TENSOR_RATE[architecture])])}
    for step in STEPS:
        of_step = [launch for launch in launches if launch.step is step]
        if architecture == ARCHITECTURES[0]:
            found[f"{step['part']} work"] = work(of_step)
        elif step["part"] == "prompt":  # the others have the same instructions
            found[f"prompt work {architecture}"] = work([one for one in of_step if one.is_matmul or one.kernel == "attention"])
        found[f"{step['part']} {architecture}"] = cost(of_step)
    found = {(PAGE, part): text for part, text in found.items()}
    if architecture == ARCHITECTURES[0]:
        found[OVERVIEW, "gpu counts"] = overview(launches)
    return found


def coded(launches):
    """A row for each kernel of a step of decoding with quantized weights, and one for all."""
    def row(launch):
        return [number(launch.read()), number(launch.least_read()), number(launch.written()), number(launch.counts["bank_conflicts"])]
    rows = list(together(launches, row))
    total = lambda what: sum(map(what, launches))
    rows.append(["all", "", number(total(Launch.read)), number(total(Launch.least_read)), number(total(Launch.written)),
                 number(total(lambda one: one.counts["bank_conflicts"]))])
    return table(["kernel", "shape", "read", "least", "written", "bank conflicts"], rows)


def missed_by_codes(launches, weights):
    """What a step of decoding reads in all, and bank conflicts."""
    ratio = sum(map(Launch.read, launches)) / sum(map(Launch.least_read, launches))
    if ratio > MOST_READ_BY_STEP[weights]:
        yield f"a step with {weights} reads {ratio:.2f} of the least, and {MOST_READ_BY_STEP[weights]} at most are wanted"
    yield from (f"{one.kernel} has bank conflicts with {weights}" for one in launches if one.counts["bank_conflicts"])


# -- Goals

@dataclasses.dataclass(frozen=True)
class Goal:
    """Says what some launches may cost at most, and how that is written."""
    name: str
    of: Callable  # launch -> whether it is one of them
    value: Callable  # launch -> number
    limit: float
    text: str = "{:.2f}"

    def worst(self, launches):
        return max(filter(self.of, launches), key=self.value)

    def reached(self, launches):
        launch = self.worst(launches)
        where = f"{launch.step['name']}, `{launch.kernel}` {launch.of_what()}".strip()
        return [self.name, self.text.format(self.limit), f"{self.text.format(self.value(launch))} ({where})"]

    def missed(self, launches):
        if self.value(self.worst(launches)) > self.limit:
            yield ": ".join([self.name, "at most " + self.reached(launches)[1], self.reached(launches)[2]])


def is_great(launch):
    return launch.is_matmul and launch.step["part"] == "prompt" and min(launch.outputs[0][:2]) >= FULL_TILE


def busiest(launch, pipes):
    return max(launch.cycles(pipe) for pipe in pipes)


def goals(triton, rate):
    others = [pipe for pipe in PIPES if pipe != "tensor"]
    return [
        Goal("bytes that a matmul of decoding reads, to the least", lambda one: one.is_matmul and one.step["part"] != "prompt",
             lambda one: one.read() / one.least_read(), MOST_READ),
        Goal("bytes that a matmul of a prompt reads, to the least", lambda one: one.is_matmul and one.step["part"] == "prompt",
             lambda one: one.read() / one.least_read(), MOST_READ_OF_PROMPT),
        Goal("bank conflicts of any kernel", lambda one: True, lambda one: one.counts["bank_conflicts"], 0, "{}"),
        Goal("cycles of the busiest pipe of a prompt's matmul, to the least of tensor cores", is_great,
             lambda one: busiest(one, PIPES) / one.least_tensor(), MOST_CYCLES),
        Goal("cycles of its busiest pipe but tensor cores, to those of tensor cores", is_great,
             lambda one: busiest(one, others) / one.cycles("tensor"), 1),
        Goal("cycles of the busiest pipe of a prompt's attention, to the least of tensor cores", lambda one: one.kernel == "attention",
             lambda one: busiest(one, PIPES) / one.least_tensor(), MOST_CYCLES_OF_ATTENTION),
        Goal("instructions for 2,048 multiply-adds of a prompt's attention; the limit is Triton's, without a mask",
             lambda one: one.kernel == "attention", lambda one: per_multiply_adds(one.counts, one.rate), per_multiply_adds(triton, rate)),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("driver", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    is_long = "CHEEMS_TEST_LONG" in os.environ
    is_brief = "--check" in sys.argv and not is_long
    parser.add_argument("--models", nargs="+", default=[OF_THE_PAGE, FURTHER] if is_long else [OF_THE_PAGE])
    parser.add_argument("--archs", nargs="+", default=ARCHITECTURES[:1] if is_brief else ARCHITECTURES, choices=ARCHITECTURES)
    options = parser.parse_args()
    bad = []
    for name in options.models:
        for architecture in options.archs:
            with tempfile.TemporaryDirectory() as folder:
                found = counted(options.bin.resolve(), options.driver.resolve(), name, architecture, pathlib.Path(folder))
                codes = {}
                for weights in CODED:
                    with tempfile.TemporaryDirectory() as other:
                        codes[weights] = counted(options.bin.resolve(), options.driver.resolve(), name, architecture, pathlib.Path(other),
                                                 OF_CODES, weights)
            triton = next(one["counts"] for one in found["launches"] if one["step"] is None)
            launches = launches_of(found, architecture)
            bad += [f"{name}, {architecture}: {what}" for goal in goals(triton, TENSOR_RATE[architecture]) for what in goal.missed(launches)]
            parts = tables(launches, architecture, triton)
            for weights, of_codes in codes.items():
                steps = launches_of(of_codes, architecture, OF_CODES)
                bad += [f"{name}, {architecture}: {what}" for what in missed_by_codes(steps, weights)]
                if architecture == ARCHITECTURES[0]:
                    parts[PAGE, f"{weights} {architecture}"] = coded(steps)
            if name != OF_THE_PAGE:
                continue
            for (file, part), text in parts.items():
                if options.write:
                    page.replace(file, part, text)
                elif not options.check:
                    print(f"\n{part}\n{text}")
                elif f"<!-- {part}: begin -->\n{text}\n<!-- {part}: end -->" not in file.read_text():
                    bad.append(f"{file.name}: {part} has changed; run scripts/gpu_counts.py with --write")
    print(*bad, sep="\n", end="\n" if bad else "")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
