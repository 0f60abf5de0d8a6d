#!/usr/bin/env python3
"""Launches against one kernel that stays on the GPU: the MLP of a layer, and a chain of them. docs/experiments/persistent-kernel.md

    persistent.py DRIVER [--seeds N]     DRIVER is libcheems-cuda-emulator.so: counts of one layer; of a GPU: times of a chain
    persistent.py DRIVER --model BIN     what the model of time says of whole decode steps; BIN is the folder of the tools

All forms must compute the same bits. The exit code is 1 if they do not, or if the software GPU does not find that a barrier is missing.
"""
import argparse
import ctypes as C
import dataclasses
import json
import math
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile
from typing import Callable

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/gpu_check"), str(ROOT / "emulator/test/conformance")]

import persistent_ptx as ptx  # noqa: E402
import time_model  # noqa: E402
from driver import Driver, is_emulator, DriverError  # noqa: E402

LAYERS = 24  # of the chain that a GPU is timed with
BLOCKS_PER_MULTIPROCESSOR = (1, 2)
RUNS = 25
MULTIPROCESSOR_COUNT = 16  # CUdevice_attribute
COOPERATIVE, OVERLAPPING = 2, 6  # CUlaunchAttributeID: cooperative, programmatic stream serialization
TOO_LARGE, FAILED = 720, 719

# Microseconds. 1 and 3 are as in time_model.py, the others measurements on an H100; the page says whose.
GAPS = [("launches, 1 µs between them", 1.0), ("launches, 1.3 µs", 1.3), ("launches, 3 µs", 3.0)]
BARRIERS = [("one kernel, 1 µs a barrier (132 blocks)", 1.0), ("one kernel, 1.4 µs (264 blocks)", 1.38),
            ("one kernel, 2.2 µs (264 blocks, the slower way)", 2.19)]


class Attribute(C.Structure):
    _fields_ = [("id", C.c_int), ("padding", C.c_char * 4), ("value", C.c_int), ("rest", C.c_char * 60)]


class Configuration(C.Structure):
    _fields_ = [("grid", C.c_uint * 3), ("block", C.c_uint * 3), ("shared", C.c_uint), ("stream", C.c_void_p), ("attributes", C.POINTER(Attribute)),
                ("count", C.c_uint)]


def bf16(generator, count):
    """Numbers of which none is large, so that sums neither vanish nor grow."""
    data = bytearray(2 * count)
    data[0::2] = generator.randbytes(count)
    data[1::2] = generator.randbytes(count).translate(bytes([0x3C, 0xBC, 0x3D, 0xBD]) * 64)
    return bytes(data)


def unpacked(data):
    whole = bytearray(2 * len(data))
    whole[2::4], whole[3::4] = data[0::2], data[1::2]
    return struct.unpack(f"<{len(data) // 2}f", whole)


class Chain:
    """The memory of a chain, and its launches."""

    def __init__(self, driver, layers):
        self.driver, self.layers = driver, layers
        generator = random.Random(1)
        size = ptx.HIDDEN * ptx.WIDE
        self.data = [bf16(generator, size * layers) for _ in range(3)]
        self.begin = struct.pack(f"<{ptx.HIDDEN}f", *(generator.uniform(-1, 1) for _ in range(ptx.HIDDEN)))
        self.memory = [driver.allocate(one) for one in self.data]
        self.x, self.h = driver.allocate(self.begin), driver.allocate(b"", 4 * ptx.WIDE)
        self.counter = driver.allocate(bytes(8))
        self.architecture = "sm_90" if driver.capability >= 90 else "sm_80"
        count = C.c_int()
        driver.call("cuDeviceGetAttribute", C.byref(count), MULTIPROCESSOR_COUNT, driver.device)
        self.multiprocessors = count.value
        self.functions, self.stream = {}, C.c_void_p()
        driver.call("cuStreamCreate", C.byref(self.stream), 1)

    def function(self, text, name):
        key = hash((text, name))
        if key not in self.functions:
            self.functions[key] = self.driver.load(text.encode(), name, 0)[1]
        return self.functions[key]

    def start(self, function, blocks, number, attribute=0):
        values = [C.c_uint64(one) for one in (*self.memory, self.x, self.h, self.counter)] + [C.c_uint32(number), C.c_uint32(self.layers)]
        pointers = (C.c_void_p * len(values))(*[C.addressof(value) for value in values])
        attributes = (Attribute * 1)(Attribute(id=attribute, value=1))
        how = Configuration((C.c_uint * 3)(blocks, 1, 1), (C.c_uint * 3)(ptx.THREADS, 1, 1), 0, self.stream, attributes, int(bool(attribute)))
        self.driver.call("cuLaunchKernelEx", C.byref(how), function, pointers, None)

    def launches(self, blocks, ahead, overlapping):
        text = ptx.launched(self.architecture, ahead)
        # The first one starts after what is no kernel, and is no dependent.
        for number in range(self.layers):
            for name in ("between", "back"):
                is_dependent = overlapping and (number or name == "back")
                self.start(self.function(text, name), blocks, number, OVERLAPPING if is_dependent else 0)

    def one_kernel(self, blocks, ahead, synchronized=True):
        self.start(self.function(ptx.persistent(self.architecture, ahead, synchronized), "persistent"), blocks, 0, COOPERATIVE)

    def result(self):
        self.driver.call("cuStreamSynchronize", self.stream)
        return self.driver.read(self.x, len(self.begin))

    def renewed(self):
        self.driver.call("cuStreamSynchronize", self.stream)
        self.driver.call("cuMemcpyHtoD_v2", C.c_uint64(self.x), C.c_char_p(self.begin), C.c_size_t(len(self.begin)))


@dataclasses.dataclass(frozen=True)
class Form:
    name: str
    start: Callable
    has_barriers: bool = False


def forms(chain, blocks):
    found = [Form("launches", lambda: chain.launches(blocks, False, False))]
    if chain.architecture >= "sm_90":
        found += [Form("launches that overlap", lambda: chain.launches(blocks, False, True)),
                  Form("the same, first weights before the wait", lambda: chain.launches(blocks, True, True))]
    return found + [Form("one kernel", lambda: chain.one_kernel(blocks, False), True),
                    Form("the same, first weights before the barrier", lambda: chain.one_kernel(blocks, True), True)]


def reference(chain):
    """x after the first layer, in double."""
    gate, up, down = map(unpacked, chain.data)
    x = list(struct.unpack(f"<{ptx.HIDDEN}f", chain.begin))
    dot = lambda matrix, row, values: sum(a * b for a, b in zip(matrix[row * len(values):(row + 1) * len(values)], values))
    silu = lambda value: value / (1 + math.exp(-value))
    h = [silu(dot(gate, row, x)) * dot(up, row, x) for row in range(ptx.WIDE)]
    return [value + dot(down, row, h) for row, value in enumerate(x)]


def table(head, rows):
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rows])


# -- Counts, on the software GPU

def counted(library, seed):
    """Returns what each form costs in this process, with its result. No cache has anything of it at first."""
    os.environ.update(CHEEMS_EMULATOR_COUNTS=os.devnull, CHEEMS_EMULATOR_CACHE="kept", CHEEMS_EMULATOR_SEED=str(seed))
    driver = Driver(library)
    chain, found = Chain(driver, 1), []
    flushed = driver.allocate(b"", 64 << 20)
    for form in forms(chain, chain.multiprocessors):
        chain.renewed()
        # Sets pass by the cache, so a kernel has to fill it.
        driver.call("cuMemsetD8_v2", C.c_uint64(flushed), 0, C.c_size_t(64 << 20))
        flush(driver, flushed)
        driver.call("cuProfilerStart")
        driver.counts()
        form.start()
        driver.call("cuProfilerStop")
        kernels = [kernel for step in driver.counts()["steps"] for kernel in step["kernels"]]
        found.append({"name": form.name, "has_barriers": form.has_barriers, "kernels": kernels, "result": chain.result().hex()})
    driver.free()
    return found, chain


FLUSH = ptx.HEAD % "sm_80" + """
.visible .entry flush(.param .u64 memory) {
  .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [memory];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r0, %r0, 1024, %r1;
  mul.wide.u32 %rd1, %r0, 32;
  add.s64 %rd0, %rd0, %rd1;
  ld.global.b32 %r2, [%rd0];
  ret;
}
"""


def flush(driver, memory):
    driver.launch(FLUSH.encode(), "flush", ((64 << 20) // 32 // 1024, 1, 1), (1024, 1, 1), 0, [struct.pack("<Q", memory)])


def refuses(driver, what, code):
    try:
        what()
    except DriverError as error:
        return error.code == code
    return False


def broken(library):
    """Checks in this process that a kernel without its barriers is a race, and one whose blocks are not all resident is refused."""
    with tempfile.NamedTemporaryFile("r") as report:
        os.environ["CHEEMS_EMULATOR_REPORT"] = report.name
        chain = Chain(Driver(library), 1)
        if not refuses(chain.driver, lambda: chain.one_kernel(64 * chain.multiprocessors, False), TOO_LARGE):
            raise SystemExit("more blocks than are resident were not refused")
        # What nobody has written would be found first.
        chain.driver.call("cuMemsetD8_v2", C.c_uint64(chain.h), 0, C.c_size_t(4 * ptx.WIDE))
        chain.driver.call("cuCtxSynchronize")
        start = lambda: (chain.one_kernel(chain.multiprocessors, False, synchronized=False), chain.result())
        if not refuses(chain.driver, start, FAILED) or " race: " not in report.read():
            raise SystemExit("a missing barrier was not found")


def total(form, field):
    return sum(kernel[field] for kernel in form["kernels"])


def instructions(form):
    return sum(sum(kernel["warp_instructions"].values()) for kernel in form["kernels"])


def spread(values):
    values = sorted(set(values))
    return f"{values[0]:,}" if len(values) == 1 else f"{values[0]:,} to {values[-1]:,}"


def compare(library, seeds):
    runs = []
    for seed in range(1, seeds + 1):
        done = subprocess.run([sys.executable, __file__, library, "--seed", str(seed)], capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"seed {seed}: {(done.stderr.strip().splitlines() or ['it says nothing'])[-1]}")
        runs.append(json.loads(done.stdout))
    results = {form["result"] for run in runs for form in run["forms"]}
    if len(results) != 1:
        raise SystemExit(f"the forms compute {len(results)} different results")
    got = struct.unpack(f"<{ptx.HIDDEN}f", bytes.fromhex(results.pop()))
    worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(got, runs[0]["reference"]))
    if not worst < 1e-4:
        raise SystemExit(f"an output differs by {worst:.2g} from what Python computes")
    done = subprocess.run([sys.executable, __file__, library, "--broken"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit((done.stderr.strip().splitlines() or ["it says nothing"])[-1])
    rows, blocks = [], runs[0]["blocks"]
    without = total(runs[0]["forms"][0], "global_requests")
    # Each block reads the count when it begins, and arrives once.
    polls = lambda form: total(form, "global_requests") - without - 2 * blocks if form["has_barriers"] else 0
    for forms_of_seeds in zip(*(run["forms"] for run in runs)):
        one, of = forms_of_seeds[0], lambda what: spread(what(form) for form in forms_of_seeds)
        rows.append([one["name"], total(one, "launches"), of(instructions), of(lambda form: total(form, "global_requests")), of(polls),
                     of(lambda form: total(form, "barriers")), of(lambda form: 32 * total(form, "dram_read_sectors")),
                     of(lambda form: 32 * total(form, "dram_write_sectors"))])
    print(f"One layer, {blocks} blocks of {ptx.THREADS} threads. Where seeds differ, from the least to the most.\n")
    print(table(["form", "launches", "warp instructions", "accesses of warps", "of them polls", "block barriers of warps", "bytes read",
                 "bytes written"], rows))


# -- Times, on a GPU

def timed(chain, start):
    """Microseconds of one start, as a graph; the weights of a chain are more than any cache holds."""
    driver, graph, executable = chain.driver, C.c_void_p(), C.c_void_p()
    start()  # loads the code, which it cannot do while a graph is recorded
    driver.call("cuStreamSynchronize", chain.stream)
    driver.call("cuStreamBeginCapture_v2", chain.stream, 0)
    start()
    driver.call("cuStreamEndCapture", chain.stream, C.byref(graph))
    driver.call("cuGraphInstantiateWithFlags", C.byref(executable), graph, C.c_uint64(0))
    events, times, milliseconds = (C.c_void_p(), C.c_void_p()), [], C.c_float()
    for event in events:
        driver.call("cuEventCreate", C.byref(event), 0)
    for _ in range(RUNS + 3):
        driver.call("cuEventRecord", events[0], chain.stream)
        driver.call("cuGraphLaunch", executable, chain.stream)
        driver.call("cuEventRecord", events[1], chain.stream)
        driver.call("cuEventSynchronize", events[1])
        driver.call("cuEventElapsedTime", C.byref(milliseconds), *events)
        times.append(1000 * milliseconds.value)
    driver.call("cuGraphExecDestroy", executable)
    driver.call("cuGraphDestroy", graph)
    return statistics.median(times[3:])


def measure(driver):
    chain, results, rows = Chain(driver, LAYERS), set(), []
    bytes_ = sum(map(len, chain.data))
    for per_multiprocessor in BLOCKS_PER_MULTIPROCESSOR:
        blocks = per_multiprocessor * chain.multiprocessors
        for form in forms(chain, blocks):
            chain.renewed()
            form.start()
            results.add(chain.result())
            time = timed(chain, form.start)
            rows.append([form.name, blocks, f"{time:.1f}", f"{time / (2 * LAYERS):.2f}", f"{bytes_ / time / 1e3:.0f}"])
    if len(results) != 1:
        raise SystemExit(f"the forms compute {len(results)} different results")
    print(table(["form", "blocks", "µs", "µs a product", "GB/s"], rows))


# -- The model of time

def modelled(tools, library):
    import gpu_table
    bench, gpu = gpu_table.Bench(tools.resolve(), pathlib.Path(library).resolve(), "sm_90a"), time_model.gpu_named("NVIDIA H100")
    names = [name for name, _ in GAPS + BARRIERS] + ["nothing between kernels"]
    head, columns = ["form"], [names]
    for label in ("160M", "320M"):
        parts = gpu_table.Parts(bench, gpu_table.SHAPES[label], "stored", *gpu_table.decode())
        count = parts.whole(lambda step: step.total("launches"))
        work = 1e6 * parts.whole(lambda step: time_model.seconds_of(step.kernels, gpu, 0))
        # One kernel is a launch, too, with the shortest gap.
        between = [count * gap for _, gap in GAPS] + [GAPS[0][1] + (count - 1) * barrier for _, barrier in BARRIERS] + [0]
        head.append(f"{label}: {count:.0f} launches")
        columns.append([f"{1e6 / (work + one):,.0f}" for one in between])
    bench.folder.cleanup()
    print(table(head, zip(*columns)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("driver")
    parser.add_argument("--model", type=pathlib.Path, metavar="BIN")
    parser.add_argument("--seeds", type=int, default=5, help="of the order in which the software GPU runs blocks and warps")
    parser.add_argument("--seed", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--broken", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.model:
        modelled(options.model, options.driver)
    elif options.broken:
        broken(options.driver)
    elif options.seed:
        found, chain = counted(options.driver, options.seed)
        print(json.dumps({"forms": found, "blocks": chain.multiprocessors, "reference": reference(chain) if options.seed == 1 else None}))
    elif is_emulator(options.driver):
        compare(options.driver, options.seeds)
    else:
        measure(Driver(options.driver))


if __name__ == "__main__":
    main()
