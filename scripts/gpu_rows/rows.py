"""The rows of the table "Fast, by counts": what is counted for each, and what it may be at most.

A Work is counted as a whole and gives one row or several. A row has a number that it reached, the least where the limit is a ratio to it, and
the limit.
"""
import dataclasses
import math
import pathlib
import sys
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts/gpu_check"), str(pathlib.Path(__file__).resolve().parent)]

import resources  # noqa: E402
import time_model  # noqa: E402
from counting import ARCHITECTURES, BANKS, MODELS, PROMPT, PROMPT_TEST, SECTOR, Parts, Refused, decode  # noqa: E402

SHAPES = {"160M": "doge-160M", "320M": "cheems-320M", "1.3B": "cheems-1.3B"}
FORMATS = {"stored": "bf16", "int8": "int8", "int4": "int4"}

# At most, of issue "The whole paper on NVIDIA"
MOST_DECODE = {"stored": 1.03, "int8": 1.05, "int4": 1.08}
MOST_BATCH, MOST_MATMUL, MOST_PIPE, MOST_SSD, MOST_EXPERTS = 1.05, 1.15, 1.15, 1.2, 1.1
MOST_LAUNCHES = {"SSD + experts": 5, "attention + experts": 6, "attention": 6}
MOST_CHOICE = 20000  # cycles, for 4,096 rows of which 1,024 are kept
LEAST_CONSUMERS = 2  # warpgroups that multiply
SSD_CHUNK = 64  # rows, on tensor cores


@dataclasses.dataclass(frozen=True)
class Row:
    what: str
    got: float
    least: float  # of a ratio; None: `got` itself is judged
    most: float
    note: str = ""

    @property
    def reached(self):
        return self.got if self.least is None else self.got / self.least

    @property
    def met(self):
        return self.reached <= self.most * (1 + 1e-9)


@dataclasses.dataclass(frozen=True)
class Work:
    group: str
    name: str
    count: Callable  # Bench -> rows


@dataclasses.dataclass(frozen=True)
class Sizes:
    """What is counted: all of it for the page, small shapes for a test."""
    shapes: dict
    matmul_rows: tuple
    attention: tuple  # rows, heads, size, window (0: all keys stay)
    ssd: dict  # label -> rows and heads, of 64 numbers and states of 128
    experts: tuple  # rows x numbers x experts x retrieved


FULL = Sizes(SHAPES, (512, 8192), ((4096, 2, 64, 0), (4096, 2, 128, 0), (4096, 2, 64, 1024), (4096, 2, 128, 1024)),
             {"320M": (8192, "cheems-320M"), "1.3B": (8192, "cheems-1.3B")},
             ("1x768x1024x32", "512x768x1024x32", "1x768x65536x32", "512x768x65536x32", "1x128x1048576x32", "512x128x1048576x32"))
QUICK = Sizes({"20M": "doge-20M", "tiny": "cheems-tiny"}, (128,), ((256, 1, 64, 0), (256, 1, 64, 64)), {"tiny": (256, "cheems-tiny")},
              ("1x64x1024x8", "32x64x1024x8"))


def all_works(sizes):
    makers = decode_works, matmul_works, attention_works, ssd_works, expert_works, launch_works, register_works
    return [work for maker in makers for work in maker(sizes)]


# -- Decoding

def decode_works(sizes):
    def one(name, weights):
        def count(bench):
            parts = Parts(bench, name, weights, *decode())
            yield Row("MB read", parts.whole(lambda step: step.read) / 1e6, parts.whole(lambda step: step.bytes) / 1e6, MOST_DECODE[weights])
        return count

    def batch(name):
        def count(bench):
            parts = Parts(bench, name, "stored", *decode(64))
            yield Row("MB read", parts.whole(lambda step: step.read) / 1e6, parts.whole(lambda step: step.bytes) / 1e6, MOST_BATCH)
            without = {kernel["kernel"] for step in parts.steps for kernel in step.of("matmul").kernels
                       if not kernel["warp_instructions"].get("tensor")}
            yield Row("kinds of matmuls without tensor cores", len(without), None, 0, ", ".join(sorted(without)))
        return count

    for label, name in sizes.shapes.items():
        for weights in MOST_DECODE:
            yield Work("decode", f"decode, {label}, one sequence, {FORMATS[weights]}", one(name, weights))
        yield Work("decode", f"decode, {label}, 64 sequences", batch(name))


# -- Matmuls of prompts

def operand_bytes(kernel, rate):
    """Bytes that wgmma reads from shared memory, by the columns of its instructions; of mma.sync none, whose operands are loaded."""
    executed = kernel["warp_instructions"].get("tensor", 0)
    columns = kernel["cycles"].get("tensor", 0) * rate / executed / 256 if executed else 0
    return executed / 4 * (2048 + 32 * columns) if columns > 8 else 0


def matmul_works(sizes):
    def product(rows, columns, length):
        def count(bench):
            architecture = ARCHITECTURES[bench.architecture]
            rate = time_model.TENSOR_RATE[architecture]
            kernels = bench.operation("matmul", f"{rows}x{columns}x{length}").of("matmul")
            yield Row("MB moved", kernels.moved / 1e6, kernels.total("compulsory_bytes") / 1e6, MOST_MATMUL)
            flops = 2 * rows * columns * length
            operands = sum(operand_bytes(kernel, rate) for kernel in kernels.kernels)
            shared = BANKS * kernels.total("shared_wavefronts") + operands
            # that of two wgmma with 256 columns, which share nothing but the columns' tile in memory
            least = (2048 + 32 * 256) / (2 * 64 * 256 * 16)
            yield Row("shared bytes per FLOP", shared / flops, least, 1.0, f"of wgmma {operands / flops:.3g}" if operands else "")
            yield Row("bank conflicts", kernels.total("bank_conflicts"), None, 0)
            if architecture >= 90:
                # each has an instruction of its four warps for 16 k
                groups = min(kernel["warp_instructions"]["tensor"] // (4 * kernel["blocks"] * math.ceil(length / 16)) for kernel in kernels.kernels)
                yield Row("warpgroups of a block, too few", max(0, LEAST_CONSUMERS - groups), None, 0,
                          f"{groups} of {LEAST_CONSUMERS}")
        return count

    for rows in sizes.matmul_rows:
        found = {}  # models that have it
        for label, name in sizes.shapes.items():
            model = MODELS[name]
            for columns, length in ((2 * model.intermediate, model.hidden), (model.hidden, model.intermediate)):
                found.setdefault((rows, columns, length), []).append(label)
        for shape, labels in found.items():
            yield Work("products", f"matmul, {', '.join(labels)}, {' x '.join(map(str, shape))}", product(*shape))


# -- Attention of prompts

def keys_once(rows, heads, size, block, window=0):
    """Bytes that blocks of rows ask for, if each reads the keys, values and masks that it sees once; queries of f32 and results of bf16."""
    seen = sum(min(first, window) + block if window else first + block for first in range(0, rows, block))
    entry = 2 * 2 * size + 4 + (2 * 4 if window else 0)  # with a window also a number and the row from which on it is hidden
    return heads * (seen * entry + rows * size * (4 + 2))


def one_after_another(kernels, multiprocessors):
    """Cycles of the busiest pipe of each kernel, whose blocks are shared out evenly, added."""
    return sum(max(kernel["cycles"].values()) / min(kernel["blocks"], multiprocessors) for kernel in kernels)


def attention_works(sizes):
    def alone(rows, heads, size, window):
        shape = f"{rows}x{heads}x{size}" + (f"x{window}" if window else "")

        def count(bench):
            step = bench.operation("attention", shape, "--prefill-chunk", rows).of("attention")
            keys = min(rows, window or rows)
            pairs = heads * (keys * (keys + 1) // 2 + (rows - keys) * keys)
            cycles = bench.cycles("attention", shape, "attention", "--prefill-chunk", rows)
            multiprocessors = bench.counts("--ops", "attention", "--shapes", shape, "--prefill-chunk", rows)[1]
            # of tensor cores or of exponentials
            least = max(2 * size * pairs / time_model.TENSOR_RATE[ARCHITECTURES[bench.architecture]], pairs / 16) / multiprocessors
            pipe = max(cycles, key=cycles.get)
            yield Row("cycles of the busiest pipe", cycles[pipe], least, MOST_PIPE, pipe)
            block = rows * heads // sum(kernel["blocks"] for kernel in step.kernels)
            yield Row("MB asked for, keys once per block of rows", SECTOR * step.total("global_sectors") / 1e6,
                      keys_once(rows, heads, size, block, window) / 1e6, MOST_PIPE)
            if window:
                chooses = bench.operation("attention", shape, "--prefill-chunk", rows).of("order_kept", "keep_entries", "place_kept_rows")
                yield Row("cycles of the kernels that choose what is kept", one_after_another(chooses.kernels, multiprocessors), None,
                          MOST_CHOICE, f"{sum(kernel['launches'] for kernel in chooses.kernels)} kernels")
        return count

    def grouped(name):
        def count(bench):
            model = MODELS[name]
            key_heads = model.key_heads if hasattr(model, "key_heads") else model.heads // 2
            step = Parts(bench, name, "stored", *PROMPT_TEST).steps[-1].of("attention")
            size = model.hidden // model.heads
            # two small models of Doge are of one layer and two
            layers = step.total("launches")
            # four warps have a head's rows
            together = min(kernel["threads_per_block"] // 128 for kernel in step.kernels)
            block = PROMPT * model.heads * layers // step.total("blocks") // together
            queries = (model.heads - key_heads) * PROMPT * size * (4 + 2)
            angles = key_heads * PROMPT * size * 4  # cosines and sines, with which a block turns the queries of its heads
            yield Row("MB asked for, keys once per block of rows and group of heads", SECTOR * step.total("global_sectors") / layers / 1e6,
                      (keys_once(PROMPT, key_heads, size, block) + queries + angles) / 1e6, MOST_PIPE)
        return count

    for rows, heads, size, window in sizes.attention:
        name = f"attention, prompt {rows} x {heads} x {size}" + (f", {window} keys kept" if window else "")
        yield Work("attention", name, alone(rows, heads, size, window))
    for label, name in sizes.shapes.items():
        yield Work("attention", f"attention, {label}, prompt of {PROMPT}", grouped(name))


# -- SSD and experts

def ssd_works(sizes):
    def prompt(rows, name):
        def count(bench):
            # what stands beside SSD in a layer is small
            model = dataclasses.replace(MODELS[name], layers=1, intermediate=64, experts=1024)
            heads, size, state = model.heads, model.hidden // model.heads, model.STATE
            kernels = bench.together(model, rows, r"ssd_")
            least = rows * (2 * (2 * heads * size + 2 * state) + 4 * heads)
            yield Row("MB moved, to x, b, c, step and y", kernels.moved / 1e6, least / 1e6, MOST_SSD)
            stored = SECTOR * kernels.of("ssd_states").total("dram_write_sectors") / (4 * heads * size * state)
            yield Row("states stored, to chunks", stored, rows / SSD_CHUNK, 1.0)
        return count

    for label, (rows, name) in sizes.ssd.items():
        yield Work("ssd", f"SSD, {label}, prompt of {rows}", prompt(rows, name))


def expert_works(sizes):
    def experts(shape):
        def count(bench):
            rows, size, experts, _ = map(int, shape.split("x"))
            step = bench.operation("experts", shape, "--prefill-chunk", max(rows, 1)).of("experts", "key_scores")
            yield Row("MB moved, each launch's sectors once", step.moved / 1e6, step.total("compulsory_bytes") / 1e6, MOST_EXPERTS)
            # rows of the tables that differ, at most; keys of 64 numbers; x and y
            least = step.bytes + math.isqrt(experts) * 64 * 2 + 2 * rows * size * 4
            yield Row("MB moved, rows of both tables, keys, x and y once", step.moved / 1e6, least / 1e6, MOST_EXPERTS)
        return count

    for shape in sizes.experts:
        yield Work("experts", f"experts, {shape.replace('x', ' x ')}", experts(shape))


# -- Launches, and what the assembler gives

def launch_works(sizes):
    def launches(name):
        def count(bench):
            for kind, number in Parts(bench, name, "stored", *decode()).layers(lambda step: step.total("launches")).items():
                yield Row(f"a layer of {kind}", number, None, MOST_LAUNCHES[kind])
        return count

    for label, name in sizes.shapes.items():
        yield Work("launches", f"launches, {label}, decode", launches(name))


def register_works(sizes):
    def registers(name):
        def count(bench):
            found = resources.of_model(bench, name)
            most = max(found, key=lambda one: one.registers)
            spilled = [f"{one.name} {one.local}" for one in found if one.local]
            yield Row("bytes of local memory of all kernels", sum(one.local for one in found), None, 0,
                      ", ".join(spilled) or f"{len(found)} kernels, at most {most.registers} registers ({most.name})")
            fewer = [one.name for one in found if one.blocks(bench.architecture) < one.wanted]
            yield Row("kernels with fewer blocks on a multiprocessor than they ask for", len(fewer), None, 0, ", ".join(fewer))
        return count

    for label, name in sizes.shapes.items():
        yield Work("registers", f"kernels, {label}", registers(name))


# -- Times

def speeds(bench, label, name):
    """[work, GPU, tokens a second at each gap], by the model of time."""
    for work, weights, test, tokens in [*((f"decode, {FORMATS[one]}", one, decode(), 1) for one in FORMATS),
                                        ("decode, bf16, 64 sequences", "stored", decode(64), 64),
                                        (f"prompt of {PROMPT}, bf16", "stored", PROMPT_TEST, PROMPT)]:
        parts = Parts(bench, name, weights, *test)
        for gpu in time_model.gpus():
            if gpu.architecture == ARCHITECTURES[bench.architecture]:
                times = [parts.whole(lambda step: time_model.seconds_of(step.kernels, gpu, gap)) for gap in time_model.GAPS]
                yield [f"{label}, {work}", gpu.name, *(tokens / time for time in times)]
