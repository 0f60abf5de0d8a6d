#!/usr/bin/env python3
"""Times each launch of the steps of a compiled model: step_times.py LIBRARY FOLDER REPEATS RUNS CACHE

FOLDER is as test/Integration/CUDA/compiled/step.py wants it. Prints a line of JSON for each launch: its kernel, bytes of local memory that
a thread of it has, and microseconds with empty caches and with what the launch before it left there. REPEATS launches are timed at
once, as a graph, because events and launches from here would take longer than a small kernel; of RUNS such times the median counts.
CACHE bytes are read to empty the caches.
"""
import ctypes as C
import json
import pathlib
import statistics
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOCAL_SIZE_BYTES = 3  # CUfunction_attribute
sys.path[:0] = [str(ROOT / "test/Integration/CUDA/compiled"), str(ROOT / "emulator/test/conformance")]

import step  # noqa: E402
from driver import Driver  # noqa: E402


class Timer:
    """Takes launches where step.Model hands them to a counter."""

    def __init__(self, driver, repeats, runs, cache):
        self.driver, self.repeats, self.runs, self.functions = driver, repeats, runs, {}
        self.stream, self.events = C.c_void_p(), (C.c_void_p(), C.c_void_p())
        driver.call("cuStreamCreate", C.byref(self.stream), 1)
        for event in self.events:
            driver.call("cuEventCreate", C.byref(event), 0)
        blocks = -(-cache // 32 // step.SECTORS_PER_BLOCK)
        size = blocks * 32 * step.SECTORS_PER_BLOCK
        memory = driver.allocate(b"", size)
        driver.call("cuMemsetD8_v2", C.c_uint64(memory), 0, C.c_size_t(size))
        flush = {"kernel": "flush", "grid": (blocks, 1, 1), "threads": step.SECTORS_PER_BLOCK, "shared": 0}
        self.flush = self.ready(flush, step.FLUSH, [struct.pack("<Q", memory)])
        self.flush()
        self.flushing = self.timed([self.flush] * repeats)

    def ready(self, launch, text, arguments):
        kernel, shared = launch["kernel"], launch["shared"]
        if kernel not in self.functions:
            self.functions[kernel] = self.driver.load(text, kernel, shared)[1]
        return lambda: self.driver.start(self.functions[kernel], launch["grid"], (launch["threads"], 1, 1), shared, arguments, self.stream)

    def timed(self, launches):
        """Microseconds of all of them together."""
        driver, graph, executable = self.driver, C.c_void_p(), C.c_void_p()
        driver.call("cuStreamBeginCapture_v2", self.stream, 0)
        for launch in launches:
            launch()
        driver.call("cuStreamEndCapture", self.stream, C.byref(graph))
        driver.call("cuGraphInstantiateWithFlags", C.byref(executable), graph, C.c_uint64(0))
        times, milliseconds = [], C.c_float()
        for _ in range(self.runs + (self.runs > 1)):  # one to warm up
            driver.call("cuEventRecord", self.events[0], self.stream)
            driver.call("cuGraphLaunch", executable, self.stream)
            driver.call("cuEventRecord", self.events[1], self.stream)
            driver.call("cuEventSynchronize", self.events[1])
            driver.call("cuEventElapsedTime", C.byref(milliseconds), *self.events)
            times.append(1000 * milliseconds.value)
        driver.call("cuGraphExecDestroy", executable)
        driver.call("cuGraphDestroy", graph)
        return statistics.median(times[-self.runs:])

    def launch(self, number, planned, text, arguments):
        kernel, launch = planned["kernel"], self.ready(planned, text, arguments)
        # Copies to the GPU run in another stream. A driver may load code at its first launch, which it cannot while one is recorded.
        self.driver.call("cuCtxSynchronize")
        launch()
        self.driver.call("cuStreamSynchronize", self.stream)
        cold = (self.timed([self.flush, launch] * self.repeats) - self.flushing) / self.repeats
        warm = self.timed([launch] * self.repeats) / self.repeats
        local = C.c_int()
        self.driver.call("cuFuncGetAttribute", C.byref(local), LOCAL_SIZE_BYTES, self.functions[kernel])
        print(json.dumps({"kernel": kernel, "step": number, "local": local.value, "cold": cold, "warm": warm}), flush=True)


def main(library, folder, *how):
    folder, driver = pathlib.Path(folder), Driver(library)
    model = step.Model(folder, Timer(driver, *map(int, how)))
    for number, one in enumerate(json.loads((folder / "steps.json").read_text())):
        model.run(number, one)
    driver.free()


main(*sys.argv[1:])
