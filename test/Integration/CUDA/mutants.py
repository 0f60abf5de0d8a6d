#!/usr/bin/env python3
"""The bounds of golden.py can fail: each holds for a model, and one mistake breaks it.

    mutants.py BIN_DIR MODELS_DIR SOFTWARE_GPU

Each run has a mistake of each kind that one bound alone finds: in numbers, and in what is chosen. All mistakes are made where
CHEEMS_TEST_LONG is set, because compiling the models is most of the time.
A mistake is made in the text of a module that is interpreted, or in what it reads; what GPUs compute stays as it is. It is a wrong
rounding, a dropped term, a window that is shifted by one, an expert that is chosen though others are far better, or a code or a scale.
"""
import array
import os
import pathlib
import sys
import tempfile

from comparison import Comparison, run  # which says where the others are
import checkpoints
import tensors


class ScalesOfTheRowBefore:
    """8-bit integers, each row's with another one's scale."""

    def __init__(self):
        self.scale = None

    def __call__(self, row):
        own = max(map(abs, row)) / 127
        scale, self.scale = self.scale or own, own
        return [round(value / own) * scale for value in row]


def truncated_nibbles(group):
    extreme = max(group, key=abs)
    return [max(-8, min(7, int(value * -8 / extreme))) * (extreme / -8) for value in group]


class Mutants:
    def __init__(self, bins, models, gpu):
        self.bins, self.models, self.settings = bins, models, {"CHEEMS_CUDA_DRIVER": str(gpu)}
        self.faults, self.logits = [], {}

    def comparison(self, folder, model, weights, **rounding):
        folder.mkdir()
        made = Comparison(self.bins, self.models / model, folder, weights, **rounding)
        key = model, weights
        if key not in self.logits:
            artefact, logits = folder / "model.cheems", folder / "gpu.safetensors"
            run(self.bins / "cheems-compile", self.models / model, "-o", artefact, "--target", "cuda", "--cuda-arch", "sm_90a",
                "--weights", weights)
            run(self.bins / "cheems-run", artefact, "--device", "cuda", "--input-ids", made.golden.path, "--logits", logits, **self.settings)
            self.logits[key] = logits
        made.gpu = self.logits[key]
        return made

    def expect(self, what, outcome, holds):
        print(f"{what}: {'holds' if outcome.holds() else 'fails'}: {outcome}", flush=True)
        if outcome.holds() != holds:
            self.faults.append(f"{what} {'holds' if outcome.holds() else 'fails'}")

    def both(self, what, comparison, holds):
        self.expect(f"{what}, roundings", comparison.roundings(), holds)
        self.expect(f"{what}, a GPU", comparison.compiled(comparison.gpu), holds)


def a_wrong_rounding(mutants, folder):
    comparison = mutants.comparison(folder / "f16", "doge-tiny", "f16")
    mutants.both("f16", comparison, True)
    comparison.mistake("rounded", r"(%\S+) = arith\.truncf (%\S+) : f32 to f16",
                       r"\1_less = arith.truncf \2 : f32 to bf16\n\1_more = arith.extf \1_less : bf16 to f32\n"
                       r"\1 = arith.truncf \1_more : f32 to f16")
    mutants.both("f16 that is rounded to bf16 on the way", comparison, False)


def a_dropped_term(mutants, folder):
    comparison = mutants.comparison(folder / "term", "doge-tiny", "f16")
    read = checkpoints.read(comparison.exact_model)
    name = next(name for name in read if "layers.1" in name and "down_proj.weight" in name)
    shape, values = read[name]
    values[:: shape[1]] = array.array("f", [0.0] * shape[0])
    kept = comparison.exact_model
    comparison.exact_model = folder / "dropped"
    checkpoints.write(kept, comparison.exact_model, read)
    comparison.rounded = comparison.interpreted("rounded")
    mutants.expect("one term of 128 that is dropped, a GPU", comparison.compiled(comparison.gpu), False)
    comparison.exact_model = kept
    mutants.expect("one term of 128 that is dropped, roundings", comparison.roundings_of(*comparison.rounded), False)


def a_shifted_window(mutants, folder):
    comparison = mutants.comparison(folder / "window", "doge-window", "f16")
    mutants.both("a window of 16", comparison, True)
    comparison.mistake("rounded", r"\bkeep 16\b", "keep 17")
    mutants.both("a window of 17", comparison, False)


def experts_that_others_beat(mutants, folder):
    comparison = mutants.comparison(folder / "experts", "doge-moe", "f16")
    mutants.both("experts", comparison, True)
    _, chosen = comparison.interpreted("rounded")
    kind, shape, experts = tensors.read(chosen)["experts.1"]
    # The two best of each row; hardly any other one is nearly as good. One of them in one row moves logits by less than the bound.
    for row in range(0, len(experts), shape[2]):
        others = [expert for expert in range(64) if expert not in experts[row : row + shape[2]]]
        experts[row : row + 2] = others[:2]
    choices = folder / "others.safetensors"
    tensors.write(choices, {"experts.1": (kind, shape, experts)})
    logits, chosen = comparison.interpreted("rounded", choices=choices)
    mutants.expect("other experts, roundings", comparison.roundings_of(logits, chosen), False)
    gpu = folder / "others.logits.safetensors"
    tensors.write(gpu, {"logits": ("F32", comparison.golden.shape, list(logits))})
    mutants.expect("other experts, a GPU", comparison.compiled(gpu), False)


def wrong_codes(mutants, folder):
    for weights, what, rounding in (("int8", "scales of the row before", {"row": ScalesOfTheRowBefore()}),
                                    ("int4", "codes that are cut off", {"part": truncated_nibbles})):
        mutants.both(weights, mutants.comparison(folder / weights, "doge-tiny", weights), True)
        comparison = mutants.comparison(folder / f"wrong_{weights}", "doge-tiny", weights, **rounding)
        comparison.roundings()
        mutants.expect(f"{weights} with {what}, a GPU", comparison.compiled(comparison.gpu), False)


def main():
    mutants = Mutants(*map(pathlib.Path, sys.argv[1:4]))
    with tempfile.TemporaryDirectory() as folder:
        mistakes = [a_wrong_rounding, a_dropped_term, experts_that_others_beat, wrong_codes]
        if "CHEEMS_TEST_LONG" in os.environ:
            mistakes.append(a_shifted_window)
        for mistake in mistakes:
            place = pathlib.Path(folder) / mistake.__name__
            place.mkdir()
            mistake(mutants, place)
    sys.exit("\n".join(mutants.faults) if mutants.faults else 0)


main()
