"""How long kernels take on a GPU, by what the software GPU counts of them: a model, corrected when a GPU has been measured.

A launch takes the longest of three, and what comes between it and the next one:

    bytes between second-level cache and memory, by the measured bandwidth
    cycles of its busiest pipe, of as many multiprocessors as its blocks fill, by the clock
    multiply-adds on tensor cores, by the measured peak of matmuls

Each meeting of a block costs a few cycles more, in the order of waves. Nothing else is in it: no latency, no occupancy. So it is the least that such
counts leave, and a kernel of few blocks takes longer. runtime/CUDA/GPUs.def has the constants and their sources; `--device auto` uses them, too.
"""
import dataclasses
import math
import pathlib
import re

GPUS = pathlib.Path(__file__).resolve().parents[2] / "runtime/CUDA/GPUs.def"
SECTOR = 32
# Multiply-adds of bf16 in a cycle of a multiprocessor, by architecture (emulator/README.md)
TENSOR_RATE = {80: 1024, 90: 2048}
# Between two kernels of a graph, until one is measured on a GPU: the shorter and the longer
GAPS = (1e-6, 3e-6)
# Cycles of a block's barrier: an assumption, which no measurement of ours backs
BARRIER_CYCLES = 30


@dataclasses.dataclass(frozen=True)
class GPU:
    name: str
    multiprocessors: int
    bytes: float  # a second
    operations: float  # a second, of bf16 matmuls
    clock: float

    @property
    def architecture(self):
        return 80 if "A100" in self.name else 90


def gpus():
    found = re.findall(r'^GPU\("([^"]+)", (\d+), ([\d.e]+), ([\d.e]+), ([\d.e]+)\)$', GPUS.read_text(), re.M)
    return [GPU(name, int(count), *map(float, rest)) for name, count, *rest in found]


def gpu_named(name):
    """The GPU whose name a driver's name begins with; None if there is none."""
    return next((gpu for gpu in gpus() if name.startswith(gpu.name)), None)


def seconds(kernel, gpu, gap):
    """Sums over all launches of a kernel in a step; `kernel` is a row of the counts in JSON."""
    launches, blocks = kernel["launches"], kernel["blocks"]
    if not launches:
        return 0.0
    per_launch = blocks / launches
    width = max(1.0, min(gpu.multiprocessors, per_launch))
    cycles = dict(kernel["cycles"])
    multiplied = cycles.pop("tensor", 0) * TENSOR_RATE[gpu.architecture]
    moved = SECTOR * (kernel["dram_read_sectors"] + kernel["dram_write_sectors"]) / gpu.bytes
    busy = max(cycles.values(), default=0) / width / gpu.clock
    tensor = 2 * multiplied / (gpu.operations * width / gpu.multiprocessors)
    warps = max(1, kernel["threads_per_block"] // 32)
    waves = math.ceil(per_launch / (gpu.multiprocessors * max(1, kernel["resident_blocks"])))
    meetings = kernel["barriers"] / warps / max(1, blocks) * waves * launches * BARRIER_CYCLES / gpu.clock
    return launches * gap + max(moved, busy, tensor) + meetings


def seconds_of(kernels, gpu, gap):
    return sum(seconds(kernel, gpu, gap) for kernel in kernels)
