#!/usr/bin/env python3
"""Inputs of ../tiles.mlir, and what must come out, by plain loops.

    tiles.py write FILE
    tiles.py check INPUTS OUTPUTS
"""
import math
import sys

import tensors

ROWS, DEPTH, COLUMNS = 21, 72, 11  # of the matmul: none is a multiple of a tile
TOKENS, HEAD, VALUE = 19, 16, 8  # of attention
NEAR, ROUNDED = 1e-6, 2.0**-7  # sums in doubles; weights in bf16


def numbers(count, seed):
    """Multiples of 1/8 in [-1, 1]: bf16 holds them."""
    state, found = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        found.append((state // 65536 % 17 - 8) / 8)
    return found


def inputs():
    shapes = {"x": (ROWS, DEPTH), "w": (COLUMNS, DEPTH), "q": (TOKENS, HEAD), "k": (TOKENS, HEAD), "v": (TOKENS, VALUE)}
    made = {name: ("BF16", list(shape), numbers(shape[0] * shape[1], seed)) for seed, (name, shape) in enumerate(shapes.items(), 1)}
    made["n"] = ("F32", [6, 128], numbers(6 * 128, 9))
    return made


def rows(tensor):
    _, (count, width), values = tensor
    return [values[i * width : (i + 1) * width] for i in range(count)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def attended(q, k, v):
    out = []
    for i, query in enumerate(q):
        weights = [math.exp(dot(query, key)) for key in k[: i + 1]]
        out.append([dot(weights, [value[d] for value in v]) / sum(weights) for d in range(VALUE)])
    return out


def normal(row):
    return [x / math.sqrt(dot(row, row) / len(row)) * j for j, x in enumerate(row)]


def check(given, got):
    x, w, q, k, v, n = (rows(given[name]) for name in "xwqkvn")
    product = [[dot(a, b) for b in w] for a in x]
    expected = {
        "product": (product, NEAR),
        "narrow": (product[:1], 2.0**-8),
        "exact": (product, NEAR),
        "normal": ([normal(row) for row in n], NEAR),
        "attended": (attended(q, k, v), ROUNDED),
    }
    assert set(expected) == set(got), got.keys()
    for name, (wanted, most) in expected.items():
        assert got[name][1] == [len(wanted), len(wanted[0])], (name, got[name][1])
        for i, (ours, right) in enumerate(zip(rows(got[name]), wanted)):
            for j, (a, b) in enumerate(zip(ours, right)):
                assert abs(a - b) <= most * max(1, abs(b)), (name, i, j, a, b)
    # One rounding to bf16, not two or none.
    narrow = got["narrow"][2]
    assert narrow == [rounded(value) for value in product[0]], narrow


def rounded(value):
    bits = int.from_bytes(tensors.struct.pack("<f", value), "little")
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return tensors.struct.unpack("<f", bits.to_bytes(4, "little"))[0]


if __name__ == "__main__":
    if sys.argv[1] == "write":
        tensors.write(sys.argv[2], inputs())
    else:
        check(tensors.read(sys.argv[2]), tensors.read(sys.argv[3]))
