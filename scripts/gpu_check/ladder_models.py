"""The models of the ladder, compiled in the forms of its rungs, with the CPU's logits of them. Needs the tools, so it runs where this is packed."""
import dataclasses
import json
import math
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test/Integration")]

import random_model  # noqa: E402
from models import MODELS, Doge  # noqa: E402
from recorded import tensor  # noqa: E402

import ladder  # noqa: E402

STEP = 7  # of the rows whose logits are compared: no tile has such a size
FORMS = {"full": (), "mma": ("--backend-option", "cuda.unit=mma"), "threads": ("--backend-option", "cuda.copy=threads")}
UNITS = {"bf16": 2**-8, "int8": 4 / (127 * 6**0.5), "int4": 4 / (127 * 6**0.5)}


@dataclasses.dataclass(frozen=True)
class Rungs:
    model: object
    tokens: int  # of the prompt
    decoded: int  # tokens, one a step
    weights: str = "bf16"
    forms: tuple = tuple(FORMS)


def full():
    doge, coded, cheems = (dataclasses.replace(MODELS[name], layers=layers, vocabulary=4096)
                           for name, layers in (("doge-160M", 1), ("doge-60M", 1), ("cheems-320M-pair", 2)))
    # Numbers that repeat take no room in the pack, but their quantized values do: so the model of these is smaller.
    return {"doge": Rungs(doge, 200, 64), "cheems": Rungs(cheems, 200, 64),
            **{f"doge-{weights}": Rungs(coded, 200, 16, weights, ("full",)) for weights in ("int8", "int4")}}


def tiny():
    """Small, and with the same instructions in its kernels."""
    return {"doge": Rungs(dataclasses.replace(MODELS["doge-20M"], layers=1, vocabulary=256, intermediate=256), 80, 3)}


def bound(rungs):
    """What the mean of the differences may be, in deviations of the logits: both round inputs of matmuls to the type of the weights at
    other places. A sum in f32 of n terms errs by up to n units. It is the bound of random models (test/Integration/CUDA/RandomModels)."""
    model = rungs.model
    is_cheems = not isinstance(model, Doge)
    attention = [not is_cheems or layer % model.period == model.period - 1 for layer in range(model.layers)]
    roundings = model.layers * (6 if is_cheems else 4) + 1
    brain = sum(4 if is_attention else 6 for is_attention in attention)
    longest = max(model.hidden, model.intermediate, 2 * rungs.tokens + 128)
    return math.sqrt(roundings * UNITS[rungs.weights]**2 + brain * UNITS["bf16"]**2) + longest * (model.layers + 1) * 2**-24


def pack(run, bins, folder, rungs):
    """`run` runs a program."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as top:
        top = pathlib.Path(top)
        random_model.save(top / "model", rungs.model)
        compile_ = (bins / "cheems-compile", top / "model", "--weights", rungs.weights)
        ids, logits = folder / "ids.safetensors", top / "logits.safetensors"
        ladder.write_ids(ids, [i * 7919 % rungs.model.vocabulary for i in range(rungs.tokens)])
        # One variant without AVX-512: inputs of matmuls are not rounded there.
        run(*compile_, "-o", top / "cpu.cheems", "--target", "cpu", "--cpu", "x86-64-v3")
        run(bins / "cheems-run", top / "cpu.cheems", "--device", "cpu", "--input-ids", ids, "--logits", logits)
        for form in rungs.forms:
            run(*compile_, "-o", folder / f"{form}.cheems", "--target", "cuda", "--cuda-arch", "sm_80,sm_90a" if form == "full" else "sm_90a",
                *FORMS[form])
        (*_, length, width), values = tensor(logits, "logits")
    rows = sorted({*range(0, length, STEP), *range(rungs.decoded - 3, rungs.decoded), length - 1})
    (folder / "logits.bin").write_bytes(b"".join(values[row * width:(row + 1) * width].tobytes() for row in rows))
    (folder / "about.json").write_text(json.dumps({"rows": rows, "decoded": rungs.decoded, "bound": bound(rungs)}))
