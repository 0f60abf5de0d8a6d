#!/usr/bin/env python3
"""Runs steps of a compiled model on the emulator's driver, and counts each launch by itself: step.py LIBRARY FOLDER ARCH

FOLDER has the model's PTX (kernels.ptx), its weights (parameters.bin) and steps.json: of each step the length and position of each sequence,
the words of the vocabulary, the bytes of each pool, and what `plan.launches_of` gives. What is counted goes to launches.json: each launch with
the number of its step and its counts. Caches of the GPU are empty before each launch. If a step has a pattern `together`,
launches whose names match it are counted alone. Of those in a row, caches are empty before the first, and keep what each one leaves.
"""
import ctypes as C
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CONFORMANCE = HERE.parents[3] / "emulator/test/conformance"
sys.path[:0] = [str(HERE), str(CONFORMANCE)]

from driver import Driver  # noqa: E402
from plan import entries, parameters  # noqa: E402

# Each thread reads a sector of its own.
FLUSH = b"""
.version 7.0
.target sm_80
.address_size 64
.visible .entry flush(.param .u64 memory) {
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
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
FLUSHED = 64 << 20  # bytes: more than any GPU's second-level cache
SECTORS_PER_BLOCK = 1024
TRITON = CONFORMANCE / "ptx" / "attn_causal_bf16_d128_w8.sm_80.ptx"


def start(driver, launch, text, arguments):
    driver.launch(text, launch["kernel"], launch["grid"], (launch["threads"], 1, 1), launch["shared"], arguments)


class Counter:
    """Counts launches: each, or some in a row, is a step of the driver's counts, with nothing else in it."""

    def __init__(self, driver):
        self.driver, self.launches, self.counting = driver, [], False
        self.memory = driver.allocate(b"", FLUSHED)
        driver.call("cuMemsetD8_v2", C.c_uint64(self.memory), 0, C.c_size_t(FLUSHED))

    def launch(self, step, launch, text, arguments, last=True):
        """`last`: of those that are counted together."""
        if not self.counting:
            blocks = FLUSHED // 32 // SECTORS_PER_BLOCK
            self.driver.launch(FLUSH, "flush", (blocks, 1, 1), (SECTORS_PER_BLOCK, 1, 1), 0, [struct.pack("<Q", self.memory)])
            self.driver.call("cuProfilerStart")
            self.counting = True
        start(self.driver, launch, text, arguments)
        self.launches.append({"step": step, **launch})
        if last:
            self.end()

    def end(self):
        if self.counting:
            self.driver.call("cuProfilerStop")
            self.counting = False


class Model:
    def __init__(self, folder, counter):
        self.counter = counter
        self.texts = {name: text.encode() for name, text in entries((folder / "kernels.ptx").read_text()).items()}
        self.weights = counter.driver.allocate((folder / "parameters.bin").read_bytes())

    def memory(self, step):
        """Says where the arrays of a step are, by their places but for weights. Every sequence wants the logits of its last row. All tokens
        differ, so each has a row of the embedding."""
        allocate = self.counter.driver.allocate
        table, last, rows = [], [], 0
        for slot, (length, position) in enumerate(step["sequences"]):
            table += [slot, rows, length, position, length + position, 0, 0, 0]
            rows += length
            last.append(rows - 1)
        tokens = random.Random(1).sample(range(step["vocabulary"]), rows)
        numbers = lambda values: allocate(struct.pack(f"<{len(values)}i", *values))
        return {("tokens",): numbers(tokens), ("segments",): numbers(table), ("rows",): numbers(last),
                ("logits",): allocate(b"", 4 * step["vocabulary"] * len(last)),
                **{("pool", i): allocate(bytes(size)) for i, size in enumerate(step["pools"])},
                **{("area", i): allocate(b"", size) for i, size in enumerate(step["areas"])}}

    def run(self, number, step):
        memory, counter, together = self.memory(step), self.counter, step.get("together")
        address = lambda place: self.weights + place[1] if place[0] == "weights" else memory[tuple(place)]
        for launch in step["launches"]:
            text, arguments = self.texts[launch["kernel"]], parameters(counter.driver, launch, address)
            if not together:
                counter.launch(number, launch, text, arguments)
            elif re.match(together, launch["kernel"]):
                counter.launch(number, launch, text, arguments, last=False)
            else:
                counter.end()
                start(counter.driver, launch, text, arguments)
        if together:
            counter.end()


def triton(counter, tokens, heads, size):
    """Causal attention of the conformance set: no mask, no segments."""
    buffers = [struct.pack("<Q", counter.driver.allocate(bytes(2 * heads * tokens * size))) for _ in range(4)]
    arguments = buffers + [struct.pack("<i", tokens), struct.pack("<f", size**-0.5), struct.pack("<Q", 0), struct.pack("<Q", 0)]
    launch = {"kernel": "attn", "grid": (-(-tokens // 128), heads, 1), "threads": 256, "shared": 98304}
    counter.launch(None, launch, TRITON.read_bytes(), arguments)


def program(library, folder):
    counter = Counter(Driver(library))
    model, steps = Model(folder, counter), json.loads((folder / "steps.json").read_text())
    for number, step in enumerate(steps):
        model.run(number, step)
    if not any("together" in step for step in steps):
        triton(counter, steps[0]["sequences"][0][0], 1, 128)
    (folder / "launches.json").write_text(json.dumps(counter.launches))
    counter.driver.free()


def main(library, folder, architecture):
    folder, file = pathlib.Path(folder), pathlib.Path(folder) / "counts.json"
    settings = {"CHEEMS_EMULATOR_ARCH": architecture[3:5], "CHEEMS_EMULATOR_COUNTS": str(file)}
    subprocess.run([sys.executable, __file__, library, folder, "--program"], env={**os.environ, **settings}, check=True)
    counts = json.loads(file.read_text())
    launches = json.loads((folder / "launches.json").read_text())
    # Between those of ours are launches that empty the cache, and those that nobody wants.
    names = {one["kernel"] for one in launches}
    found = [kernel for step in counts["steps"] for kernel in step["kernels"] if kernel["kernel"] in names]
    for launch, kernel in zip(launches, found, strict=True):
        assert launch["kernel"] == kernel["kernel"], (launch, kernel)
        launch["counts"] = kernel
    counts["launches"] = launches
    del counts["steps"]
    (folder / "launches.json").write_text(json.dumps(counts))


if __name__ == "__main__":
    if sys.argv[3] == "--program":
        program(sys.argv[1], pathlib.Path(sys.argv[2]))
    else:
        main(*sys.argv[1:])
