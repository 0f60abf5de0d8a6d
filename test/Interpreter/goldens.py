#!/usr/bin/env python3
"""Runs the IR of small checkpoints in the interpreter and compares its logits with the recorded ones.

    goldens.py BIN_DIR MODEL_DIR...

MODEL_DIR/golden.safetensors holds input_ids [B,T] and logits [B,T,V]. One cheems-opt per model runs

- the imported module on all sequences in one step, a slot each; of long ones the first LONGEST rows,
- the same after --canonicalize --cse, and after --cheems-fuse-projections, which must give the same bits,
- two steps, of which the second takes the pools that the first left,
- after --cheems-specialize-decode some steps of one row per sequence, with the entry `step_decode`,
- after --cheems-expand-segments, as loops over sequences, both entries,
- the same after what else `cheems-to-fused` does to tensors.

The error is the largest difference over the golden's standard deviation. What is evaluated in double errs by no more than what
the recording did in f32, the rotary angles: 1e-5. Keys and values of a bfloat16 checkpoint are stored as such: 6e-2, as for
compiled models (test/Integration/CPU/golden.py).
"""
import array
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))
import tensors

BOUNDS = {"F32": 1e-5, "BF16": 6e-2}
LONGEST = 200 if "CHEEMS_TEST_LONG" in os.environ else 90  # rows: attention takes time by their square; a block has 64
DECODED = 3
TENSOR_PASSES = [f"--cheems-{name}" for name in ("pack-parameters", "pair-tables", "fuse-epilogues", "select-strategy", "tile-threads",
                                                 "tile-chunks", "tile-keys", "name-loops", "decompose=kernels=true")]


def floats(path, name):
    """Shape and flat values of an F32 tensor, without a list of a million numbers on the way."""
    raw = path.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    entry = json.loads(raw[8 : 8 + size])[name]
    begin, end = entry["data_offsets"]
    values = array.array("f")
    values.frombytes(raw[8 + size + begin : 8 + size + end])
    return entry["shape"], values


def stored_type(model):
    raw = (model / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    return next(entry["dtype"] for name, entry in json.loads(raw[8 : 8 + size]).items() if "embed" in name)


class Model:
    def __init__(self, bins, folder, work):
        self.bins, self.folder, self.work = bins, folder, work
        golden = tensors.read(folder / "golden.safetensors")
        _, (self.count, self.length), self.ids = golden["input_ids"]
        (_, _, self.vocabulary), self.logits = floats(folder / "golden.safetensors", "logits")
        self.deviation = statistics.pstdev(self.logits)
        self.end = min(self.length, LONGEST)
        self.flags = []
        self.steps = {}  # output file -> first and last row of each sequence

    def step(self, name, begin, end, entry="step", before=None):
        """Rows [begin, end) of every sequence in one step, the last sequence's first."""
        tokens, segments = [], []
        for b in reversed(range(self.count)):
            # a dynamic rotary base is that of the whole golden
            segments += [b, len(tokens), end - begin, begin, self.length, 0, 0, 0]
            tokens += self.ids[b * self.length + begin : b * self.length + end]
        given, out = self.work / f"{name}.in.safetensors", self.work / f"{name}.safetensors"
        # the rows in the order of sequences
        rows = [(self.count - 1 - b) * (end - begin) + t for b in range(self.count) for t in range(end - begin)]
        tensors.write(given, {"tokens": ("I32", [len(tokens)], tokens), "segments": ("I32", [self.count, 8], segments),
                              "rows": ("I32", [len(rows)], rows)})
        inputs = f"{given},{before}" if before else given
        self.flags.append(f"--cheems-interpret=entry={entry} weights={self.folder} inputs={inputs} outputs={out}")
        self.steps[out] = begin, end
        return out

    def run(self):
        module = self.work / "module.mlir"
        compiled = [self.bins / "cheems-compile", self.folder, "--emit", "mlir", "-o", module]
        for command in (compiled, [self.bins / "cheems-opt", module, *self.flags, "-o", "/dev/null"]):
            result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
            if result.returncode:
                raise RuntimeError(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.strip()}")

    def error(self, out):
        begin, end = self.steps[out]
        shape, logits = floats(out, "logits")
        rows = end - begin
        if shape != [self.count * rows, self.vocabulary]:
            raise RuntimeError(f"{out.name}: logits of shape {shape}")
        largest = 0.0
        for b in range(self.count):
            size = rows * self.vocabulary
            at = (b * self.length + begin) * self.vocabulary
            for got, want in zip(logits[b * size : (b + 1) * size], self.logits[at : at + size]):
                difference = abs(got - want)
                if not difference <= largest:  # NaN, too
                    largest = difference
        return largest / self.deviation


def check(bins, folder, work):
    """Lines of what is wrong."""
    model = Model(bins, folder, work)
    end = model.end
    whole = model.step("whole", 0, end)
    cut = end * 3 // 4 + 1  # the first step's pools have room for a block of 64 more
    first = model.step("first", 0, cut)
    second = model.step("second", cut, end, before=first)
    model.flags += ["--canonicalize", "--cse"]
    same = [model.step("canonical", 0, end)]
    model.flags.append("--cheems-fuse-projections")
    same.append(model.step("fused", 0, end))
    model.flags.append("--cheems-specialize-decode=most-rows=64")
    last = model.step("before", 0, end - DECODED)
    decoded = []
    for row in range(end - DECODED, end):
        last = model.step(f"row{row}", row, row + 1, entry="step_decode", before=last)
        decoded.append(last)
    model.flags.append("--cheems-expand-segments")
    loops = model.step("loops", 0, end)
    last = model.step("loops_before", 0, end - 1)
    loops_decoded = model.step("loops_decoded", end - 1, end, entry="step_decode", before=last)
    model.flags += TENSOR_PASSES
    tiled = model.step("tiled", 0, end)
    tiled_decoded = model.step("tiled_decoded", end - 1, end, entry="step_decode", before=last)
    model.run()

    faults, errors = [], {}
    bound = BOUNDS[stored_type(folder)]
    for name, files in (("whole", [whole]), ("two steps", [first, second]), ("decoded", decoded), ("loops", [loops, loops_decoded]),
                        ("tiled", [tiled, tiled_decoded])):
        errors[name] = max(model.error(file) for file in files)
        if not errors[name] <= bound:
            faults.append(f"{folder.name}: {name}: error {errors[name]:.1e}, not below {bound:.0e}")
    expected = floats(whole, "logits")
    for file in same:
        if floats(file, "logits") != expected:
            faults.append(f"{folder.name}: {file.stem}: other bits than the imported module, error {model.error(file):.1e}")
    rows = f"{end} of {model.length} rows" if end < model.length else f"{end} rows"
    print(f"{folder.name}: {model.count} x {rows}:", ", ".join(f"{name} {error:.1e}" for name, error in errors.items()))
    return faults


def main():
    bins, *folders = map(pathlib.Path, sys.argv[1:])
    faults = []
    for folder in folders:
        with tempfile.TemporaryDirectory() as work:
            faults += check(bins, folder, pathlib.Path(work))
    sys.exit("\n".join(faults) if faults else 0)


main()
