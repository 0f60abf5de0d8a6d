#!/usr/bin/env python3
"""Inputs of a matmul of 70 rows, 456 numbers each, with 100 rows of weights: whole numbers of bf16.

    product.py FILE
"""
import pathlib
import random
import sys

sys.path.append(str(pathlib.Path(__file__).parents[3] / "Interpreter/Inputs"))
import tensors  # noqa: E402

ROWS, DEPTH, OUTPUTS = 70, 456, 100


def drawn(generator, rows, columns):
    return [rows, columns], [generator.randint(-8, 8) for _ in range(rows * columns)]


def main(path):
    generator = random.Random(5)
    tensors.write(path, {
        "x": ("BF16", *drawn(generator, ROWS, DEPTH)),
        "w": ("BF16", *drawn(generator, OUTPUTS, DEPTH)),
        "y": ("F32", *drawn(generator, ROWS, OUTPUTS)),
    })


if __name__ == "__main__":
    main(sys.argv[1])
