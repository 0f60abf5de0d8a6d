#!/usr/bin/env python3
"""Writes a model folder of published dimensions with random weights, for timing. Needs nothing but Python.

    benchmarks/random_model.py OUT --model doge-160M [--layers N] [--dtype bf16|f32] [--window 2048] [--tokenizer FOLDER]

FOLDER gives its tokenizer files; without them a model runs on token ids alone.
"""
import argparse, array, dataclasses, functools, json, math, pathlib, random, shutil, struct
from kin import KIN
from models import MODELS, WINDOW

ALL = {**MODELS, **KIN}

BYTES = {"bf16": 2, "f32": 4}


@functools.lru_cache(maxsize=None)
def pattern(dtype, scale, shift):
    """A prime number of normal values, scaled and shifted. Tensors repeat it: a prime length divides no row, so the rows of
    a matrix differ, and a generator of one value at a time would take minutes over a model."""
    generator = random.Random(0)
    values = array.array("f", (shift + scale * generator.gauss(0, 1) for _ in range(262147)))
    if dtype == "f32":
        return values.tobytes()
    # the upper half of an f32 is a bf16; which way it rounds is nothing to random numbers
    return array.array("H", values.tobytes())[1::2].tobytes()


def write(file, count, dtype, scale, shift=0.0, at=0):
    """`count` numbers to the file, from element `at` of the pattern on; the element to go on from."""
    data = pattern(dtype, scale, shift)
    start, left = at * BYTES[dtype] % len(data), count * BYTES[dtype]
    while left:
        part = data[start : start + left]
        file.write(part)
        left -= len(part)
        start = (start + len(part)) % len(data)
    return start // BYTES[dtype]


def distribution(name, shape):
    """Scale and shift that keep activations near one through all layers."""
    if name.endswith(".A"):
        return 0.02, -0.5  # a dynamic mask decays: A is below zero
    if len(shape) == 1:
        return 0.05, 1.0
    if name.endswith(("embed_tokens.weight", "word_embed.weight")):
        return 0.02, 0.0
    return round(shape[-1] ** -0.5, 6), 0.0


def save(folder, model, dtype="bf16", window=WINDOW):
    config = dict(model.config(window), torch_dtype={"bf16": "bfloat16", "f32": "float32"}[dtype])
    header, offset = {}, 0
    for name, shape in model.tensors():
        end = offset + math.prod(shape) * BYTES[dtype]
        header[name] = dict(dtype=dtype.upper(), shape=shape, data_offsets=[offset, end])
        offset = end
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    folder.mkdir(parents=True, exist_ok=True)
    at = 0
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in model.tensors():
            at = write(file, math.prod(shape), dtype, *distribution(name, shape), at)
    # last, so that a folder with a config is a whole one
    (folder / "config.json").write_text(json.dumps(config, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--model", default="doge-160M", choices=ALL)
    parser.add_argument("--layers", type=int, help="so many in place of all")
    parser.add_argument("--dtype", default="bf16", choices=BYTES)
    parser.add_argument("--window", type=int, default=WINDOW, help="keep_window_size: keys that stay visible")
    parser.add_argument("--tokenizer", type=pathlib.Path)
    a = parser.parse_args()
    model = dataclasses.replace(ALL[a.model], **({"layers": a.layers} if a.layers else {}))
    save(a.out, model, a.dtype, a.window)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        if a.tokenizer and (a.tokenizer / name).exists():
            shutil.copy(a.tokenizer / name, a.out / name)
    print(f"{a.out}: {a.model}, {model.parameters() / 1e6:.1f} M parameters")


if __name__ == "__main__":
    main()
