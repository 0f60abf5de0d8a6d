#!/usr/bin/env python3
"""Inputs of experts, and comparison of two results.

    experts.py write FILE TYPE
    experts.py compare FILE FILE

TYPE is that of keys and tables. Queries and keys are eighths, so scores are exact and many are equal: numbers of experts are the same in
both files. Sums differ by a few roundings at most.
"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[3] / "Interpreter/Inputs"))
import tensors  # noqa: E402

ROWS, HEADS, DEPTH, KEYS, SIZE = 5, 3, 16, 16, 40


def write(path, kind):
    generator = random.Random(11)

    def tensor(dtype, *shape):
        count = 1
        for extent in shape:
            count *= extent
        return dtype, list(shape), [generator.randint(-8, 8) / 8 for _ in range(count)]

    tensors.write(path, {
        "x": tensor("F32", ROWS, SIZE),
        "queries": tensor("F32", ROWS, 2, HEADS, DEPTH),
        "keys": tensor(kind, 2, HEADS, DEPTH, KEYS),
        "down": tensor(kind, KEYS * KEYS, SIZE),
        "up": tensor(kind, KEYS * KEYS, SIZE),
        "y": tensor("F32", ROWS, SIZE),
    })


def compare(first, second):
    one, other = tensors.read(first), tensors.read(second)
    assert one.keys() == other.keys() == {"y", "score", "expert", "rounded"}, one.keys()
    for name in one:
        bound = {"y": 1e-4, "rounded": 2**-7 * 4}.get(name, 0)  # a norm below 4 may be rounded the other way
        for at, (a, b) in enumerate(zip(one[name][2], other[name][2], strict=True)):
            assert abs(a - b) <= bound, f"{name}: element {at} is {a} and {b}"


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    (write if command == "write" else compare)(*arguments)
