#!/usr/bin/env python3
"""Inputs of steps with three sequences, and comparison of two results.

    attention.py write FILE TYPE [one_row] [SIZE]
    attention.py compare FILE FILE TOLERANCE

TYPE is that of keys and values, F32 or BF16; heads have SIZE numbers (24). Queries and stored entries are numbers of bf16. What is stored in `keys` and `values` is
the same bits in both files; elsewhere numbers differ by TOLERANCE at most.
"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[3] / "Interpreter/Inputs"))
import tensors  # noqa: E402

HEADS, KEY_HEADS, LAYERS, SLOTS = 4, 2, 2, 4


def write(path, kind, one_row, size):
    generator = random.Random(7)
    lengths = (1, 1, 1) if one_row else (70, 1, 5)
    positions = (300, 0, 5) if one_row else (0, 90, 40)
    capacity = 310 if one_row else 100
    rows = sum(lengths)

    def tensor(shape, low, high, coarse=False):
        count = 1
        for extent in shape:
            count *= extent
        values = [generator.uniform(low, high) for _ in range(count)]
        # Multiples of 1/64 below 4 in magnitude are numbers of bf16.
        return list(shape), [round(value * 64) / 64 for value in values] if coarse else values

    segments, start = [], 0
    for slot, length, position in zip((2, 0, 3), lengths, positions):
        segments += [slot, start, length, position, position + 3000, 0, 0, 0]
        start += length
    pool = (SLOTS, LAYERS, KEY_HEADS, capacity, size)
    tensors.write(path, {
        "query": ("F32", *tensor((rows, HEADS, size), -2, 2, True)),
        "key": ("F32", *tensor((rows, KEY_HEADS, size), -2, 2)),
        "value": ("F32", *tensor((rows, KEY_HEADS, size), -2, 2)),
        "mask": ("F32", *tensor((rows, KEY_HEADS), 0, 4)),
        "segments": ("I32", [3, 8], segments),
        "y": ("F32", *tensor((rows, HEADS, size), 9, 9)),
        "keys": (kind, *tensor(pool, -2, 2, True)),
        "values": (kind, *tensor(pool, -2, 2, True)),
        "masks": ("F32", *tensor(pool[:-1], 0, 4)),
    })


def compare(first, second, tolerance):
    one, other = tensors.read(first), tensors.read(second)
    assert one.keys() == other.keys() and one, "the files have other tensors"
    for name in one:
        bound = 0 if name in ("keys", "values", "position", "length") else tolerance
        for at, (a, b) in enumerate(zip(one[name][2], other[name][2], strict=True)):
            assert abs(a - b) <= bound, f"{name}: element {at} is {a} and {b}"


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "write":
        sizes = [int(word) for word in arguments[2:] if word.isdigit()]
        write(arguments[0], arguments[1], "one_row" in arguments[2:], *(sizes or [24]))
    else:
        compare(arguments[0], arguments[1], float(arguments[2]))
