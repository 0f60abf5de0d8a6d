"""A recorded model in double, and in double with what GPUs round; and how far something is from either.

The interpreter runs both: the imported module of a checkpoint in f32 whose weights were rounded here (checkpoints.py), and the module
after the stage `rounded` with the same weights.
"""
import array
import json
import os
import pathlib
import re
import subprocess
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1]), str(pathlib.Path(__file__).resolve().parents[2] / "Interpreter/Inputs")]
import checkpoints
import tensors
from gpu_parts import CODED, gpu_parts
from recorded import Golden, stored_type, tensor
from rounding_bound import choice_bound, row_bound, rounding_bounds


def run(*command, **settings):
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, **settings})
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


class Outcome:
    """Root mean squares of a difference, in deviations of the recorded logits, and the most that a choice loses."""

    def __init__(self, got, want, chosen, bound, golden):
        columns = golden.shape[2]
        squares = [((a - b) / golden.deviation) ** 2 for a, b in zip(got, want, strict=True)]
        rows = [(sum(squares[at : at + columns]) / columns) ** 0.5 for at in range(0, len(squares), columns)]
        self.error = (sum(squares) / len(squares)) ** 0.5
        self.of_row = max(rows, key=lambda error: error if error == error else float("inf"))
        losses = [loss for name, (_, _, values) in tensors.read(chosen).items() if name.endswith(".loss") for loss in values]
        self.loss = max(losses, default=0.0)
        self.bound = bound

    def holds(self):
        """False of a NaN."""
        return self.error <= self.bound and self.of_row <= row_bound(self.bound) and self.loss <= choice_bound(self.bound)

    def __str__(self):
        return (f"error {self.error:.1e} of {self.bound:.1e}, of a row {self.of_row:.1e} of {row_bound(self.bound):.1e}, "
                f"choices lose {self.loss:.1e} of {choice_bound(self.bound):.1e}")


class Comparison:
    """Compares a recorded model whose weights have one format. `row` and `part` quantize to 8 bits and to 4."""

    def __init__(self, bins, model, folder, weights="stored", kv="stored", **rounding):
        self.bins, self.folder = bins, folder
        self.golden, stored = Golden(model), stored_type(model)
        count, length, _ = self.golden.shape
        self.bounds = rounding_bounds(*gpu_parts(json.loads((model / "config.json").read_text()), weights, stored, kv, length))
        ids = list(tensor(self.golden.path, "input_ids")[1])
        # slot, start, length, position, and the length for the rotary base
        segments = [number for b in range(count) for number in (b, b * length, length, 0, length, 0, 0, 0)]
        self.step = folder / "step.safetensors"
        tensors.write(self.step, {"tokens": ("I32", [len(ids)], ids), "segments": ("I32", [count, 8], segments),
                                  "rows": ("I32", [len(ids)], list(range(len(ids))))})
        flags = ["--target", "cuda", "--weights", weights, "--kv", kv]
        read, fields, of_gpus = checkpoints.read(model), {}, model
        if weights in CODED and "lm_head.weight" not in read:
            # the head is quantized, and rows that are looked up have none: so they need names of their own
            if stored != "F32":
                raise RuntimeError(f"{model} is tied and of {stored}: a copy in f32 would not store keys and values as it does")
            read["lm_head.weight"], fields, of_gpus = read[embedding_of(read)], {"tie_word_embeddings": False}, folder / "untied"
            checkpoints.write(model, of_gpus, read, **fields)
        self.modules = {stage: folder / f"{stage}.mlir" for stage in ("mlir", "rounded")}
        run(bins / "cheems-compile", of_gpus, *flags, "--emit", "rounded", "-o", self.modules["rounded"])
        if weights in CODED:
            for name, (bits, group) in checkpoints.quantized_parameters(self.modules["rounded"].read_text()).items():
                shape, values = read[name]
                read[name] = shape, checkpoints.decoded(values, shape[-1], bits, group, **rounding)
        elif weights != "stored":
            nearest = {"bf16": checkpoints.brain, "f16": checkpoints.half}[weights]
            for name, (shape, values) in read.items():
                if len(shape) > 1:
                    read[name] = shape, array.array("f", map(nearest, values))
        self.exact_model = folder / "exact"
        checkpoints.write(model, self.exact_model, read, **fields)
        run(bins / "cheems-compile", self.exact_model, "--emit", "mlir", "-o", self.modules["mlir"])

    def interpreted(self, stage, **options):
        """The logits, and the file of what is chosen."""
        name = "-".join([stage, *options])
        made, chosen = self.folder / f"{name}.safetensors", self.folder / f"{name}.chosen.safetensors"
        how = " ".join(f"{name}={value}" for name, value in options.items())
        run(self.bins / "cheems-opt", self.modules[stage], f"--cheems-interpret=entry=step weights={self.exact_model} inputs={self.step} "
            f"outputs={made} chosen={chosen} {how}", "-o", os.devnull)
        return tensor(made, "logits")[1], chosen

    def roundings(self):
        """What is not rounded against what is, with the choices of the latter."""
        self.rounded = self.interpreted("rounded")
        return self.roundings_of(*self.rounded)

    def roundings_of(self, rounded, choices):
        exact, chosen = self.interpreted("mlir", choices=choices)
        return Outcome(exact, rounded, chosen, self.bounds[0], self.golden)

    def compiled(self, logits):
        """A file of logits against what is rounded, which follows it where it has to."""
        _, bound = self.bounds
        got = tensor(logits, "logits")[1]
        outcome = Outcome(got, *self.rounded, bound, self.golden)
        if outcome.holds():
            return outcome
        followed = self.interpreted("rounded", follow=logits, within=row_bound(bound), reach=choice_bound(bound))
        return Outcome(got, *followed, bound, self.golden)

    def mistake(self, stage, pattern, replacement, count=0):
        """Changes a module's text."""
        text, changed = re.subn(pattern, replacement, self.modules[stage].read_text(), count=count)
        if not changed:
            raise RuntimeError(f"nothing in the module at stage {stage} is {pattern}")
        self.modules[stage].write_text(text)


def embedding_of(read):
    return next(name for name in read if name.endswith(("embed_tokens.weight", "word_embed.weight")))
