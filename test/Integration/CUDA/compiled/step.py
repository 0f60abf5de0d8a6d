#!/usr/bin/env python3
"""Runs steps of a compiled model on the emulator's driver, and counts each launch by itself: step.py LIBRARY FOLDER ARCH

FOLDER has the model's text at the stage `launches` (launches.mlir), its PTX (kernels.ptx), its parameters in the order of the file
(parameters.bin) and steps.json: of each step, the function and the length and position of each sequence. What is counted goes to
launches.json: of each launch its kernel, operands and counts. Caches of the GPU are empty before each launch. If a step has a pattern `together`,
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
from plan import Array, Plan, entries, is_map, memref, parameters  # noqa: E402

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


class Counter:
    """Counts launches: each, or some in a row, is a step of the driver's counts, with nothing else in it."""

    def __init__(self, driver):
        self.driver, self.launches, self.counting = driver, [], False
        self.memory = driver.allocate(b"", FLUSHED)
        driver.call("cuMemsetD8_v2", C.c_uint64(self.memory), 0, C.c_size_t(FLUSHED))

    def launch(self, what, text, kernel, grid, threads, shared, arguments, last=True):
        """`last`: of those that are counted together."""
        if not self.counting:
            blocks = FLUSHED // 32 // SECTORS_PER_BLOCK
            self.driver.launch(FLUSH, "flush", (blocks, 1, 1), (SECTORS_PER_BLOCK, 1, 1), 0, [struct.pack("<Q", self.memory)])
            self.driver.call("cuProfilerStart")
            self.counting = True
        self.driver.launch(text, kernel, grid, (threads, 1, 1), shared, arguments)
        self.launches.append({"kernel": kernel, "grid": grid, "threads": threads, **what})
        if last:
            self.end()

    def end(self):
        if self.counting:
            self.driver.call("cuProfilerStop")
            self.counting = False


class Model:
    def __init__(self, folder, counter):
        self.plan, self.counter = Plan((folder / "launches.mlir").read_text()), counter
        self.texts = {name: text.encode() for name, text in entries((folder / "kernels.ptx").read_text()).items()}
        data = (folder / "parameters.bin").read_bytes()
        self.parameters = Array(counter.driver.allocate(data), (len(data),), "i8")

    def array(self, shape, element, data=b""):
        room = Array(0, tuple(shape), element)
        return Array(self.counter.driver.allocate(data, room.bytes), room.shape, element)

    def numbers(self, values, *shape):
        return self.array(shape or (len(values),), "i32", struct.pack(f"<{len(values)}i", *values))

    def run(self, number, step):
        """Every sequence wants the logits of its last row. All tokens differ, so each has a row of the embedding."""
        types = dict(self.plan.functions[step["function"]][0])
        vocabulary = memref(types["%logits"])[0][1]
        table, last, rows = [], [], 0
        for slot, (length, position) in enumerate(step["sequences"]):
            table += [slot, rows, length, position, length + position, 0, 0, 0]
            rows += length
            last.append(rows - 1)
        generator, sequences = random.Random(1), len(step["sequences"])
        capacity = max(length + position for length, position in step["sequences"])
        given = {"%tokens": self.numbers(generator.sample(range(vocabulary), rows)), "%segments": self.numbers(table, sequences, 8),
                 "%rows": self.numbers(last), "%logits": self.array((sequences, vocabulary), "f32")}
        arguments = []
        for name, type_ in types.items():
            extents, element = memref(type_)
            if name.startswith("%embedding"):  # none are wanted
                shape = [0 if extent is None else extent for extent in extents]
                arguments.append(Array(self.parameters.address, tuple(shape), element))
                continue
            if name in given or (element == "i8" and len(extents) == 1):
                arguments.append(given.get(name, self.parameters))
                continue
            dynamic = iter([sequences, capacity])
            shape = [next(dynamic) if extent is None else extent for extent in extents]
            arguments.append(self.array(shape, element, bytes(Array(0, tuple(shape), element).bytes)))
        self.plan.run(step["function"], arguments, lambda size: self.counter.driver.allocate(b"", size),
                      lambda launch: self.launch(number, launch, step.get("together")))
        if "together" in step:
            self.counter.end()

    def launch(self, number, launch, together):
        if 0 in launch.grid:  # as the runtime does
            return
        kernel, counter = self.plan.kernels[launch.kernel], self.counter
        text, arguments = self.texts[launch.kernel], parameters(self.counter.driver, kernel, launch)
        if together and not re.match(together, launch.kernel):
            counter.end()
            counter.driver.launch(text, launch.kernel, launch.grid, (kernel.threads, 1, 1), kernel.shared, arguments)
            return
        given = launch.inputs + launch.outputs
        # A map is of an input that is there before it, perhaps with another shape.
        addresses = [getattr(one, "address", None) for one in given]
        place = {i: sum(not is_map(type_) for type_ in kernel.types[:i]) for i in range(len(given))}
        place = {i: place[addresses.index(addresses[i])] if is_map(kernel.types[i]) else at for i, at in place.items()}
        operands = [[*one.shape, one.element] if isinstance(one, Array) else one
                    for one, type_ in zip(given, kernel.types) if not is_map(type_)]
        inputs = len(operands) - len(launch.outputs)
        # Memory that is read under two shapes is read once.
        reads = {getattr(given[i], "address", -1 - i): place[i] for i in sorted(kernel.reads, reverse=True)}
        what = {"step": number, "names": launch.names[:inputs], "inputs": operands[:inputs], "outputs": operands[inputs:],
                "reads": sorted(reads.values())}
        more = {"last": False} if together else {}
        counter.launch(what, text, launch.kernel, launch.grid, kernel.threads, kernel.shared, arguments, **more)


def triton(counter, tokens, heads, size):
    """Causal attention of the conformance set: no mask, no segments."""
    driver, room = counter.driver, Array(0, (heads, tokens, size), "bf16")
    buffers = [struct.pack("<Q", driver.allocate(bytes(room.bytes))) for _ in range(4)]
    arguments = buffers + [struct.pack("<i", tokens), struct.pack("<f", size**-0.5), struct.pack("<Q", 0), struct.pack("<Q", 0)]
    counter.launch({"step": None}, TRITON.read_bytes(), "attn", (-(-tokens // 128), heads, 1), 256, 98304, arguments)


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
