"""What is compiled and run: functions of the modules here, what they are given, and what must come out.

Extents leave remainders in every dimension that kernels cut, and sums have more steps than rings have stages. Some rows are
NaN: what is read of a row where another one should have ended makes a result NaN that is a number.
"""
import dataclasses
from typing import Callable

import specifications
import numpy as np
from formats import decode, encode


@dataclasses.dataclass(frozen=True)
class Given:
    """An array, with values that its element type has."""
    element: str
    values: np.ndarray


@dataclasses.dataclass(frozen=True)
class Room:
    """An array that nobody has written."""
    element: str
    shape: tuple


@dataclasses.dataclass(frozen=True)
class Case:
    module: str
    function: str
    arguments: Callable  # () -> list of Given, Room and numbers
    wanted: Callable  # (what is given, in order) -> of each result, (values, bound of the error)


def rounded(values, element):
    return decode(encode(values, element), element, np.shape(values))


def given(element, values):
    return Given(element, rounded(values, element))


def normal(seed, element, *shape):
    return given(element, np.random.default_rng(seed).standard_normal(shape))


def some_nan(given, first, step):
    """Every so many rows are NaN."""
    values = given.values.copy()
    values[first::step] = np.nan
    return Given(given.element, values)


def uniform(seed, high, *shape):
    return given("f32", np.random.default_rng(seed).uniform(0, high, shape))


def table(*segments):
    """Has for each segment: slot, start, length, position, and the length that rotary angles are for."""
    return Given("i32", np.array([[*segment, -1, -1, -1] for segment in segments]))


def product(function, rows, n, k, element, wanted, more=()):
    def arguments():
        # An instruction of a block copies eight rows at least.
        return [some_nan(normal(1, element, rows, k), 5, 8), some_nan(normal(2, element, n, k), 3, 8), *more]
    return Case("products", function, arguments, lambda *values: [wanted(*values)])


def row_op(function, arguments, wanted):
    return Case("rows", function, lambda: arguments, wanted)


def attention(function, heads, groups, masks, size, element, scale, lengths, positions, one_row=False):
    layer, layers, slots = 1, 2, len(lengths) + 1
    capacity = max(length + position for length, position in zip(lengths, positions)) + 3
    # A sum in f32 has as many terms as a head has numbers, and scores are of the size of 16.
    relative = specifications.BF16 if element == "bf16" else (size + 64) * 4 * specifications.F32

    def pools(segments):
        shape = slots, layers, groups, capacity, size
        keys, values, mask = np.full(shape, np.nan), np.full(shape, np.nan), np.full((slots, layers, masks, capacity), np.nan)
        random = np.random.default_rng(5)
        for slot, _, _, position, *_ in segments.values:
            for pool in keys, values:
                pool[slot, layer, :, :position] = random.standard_normal((groups, position, size))
            mask[slot, layer, :, :position] = random.uniform(0, 3, (masks, position))
        return given(element, keys), given(element, values), given("f32", mask)

    def arguments():
        starts = np.cumsum([0, *lengths[:-1]])
        segments = table(*((len(lengths) - i, start, 0 if one_row else length, position, 0)  # a slot is not used
                           for i, (start, length, position) in enumerate(zip(starts, lengths, positions))))
        rows = sum(lengths)
        query = Given("f32", normal(7, "bf16", rows, heads, size).values)  # is not rounded again
        query.values[3::8, heads - 1] = np.nan
        return [query, normal(3, "f32", rows, groups, size), normal(4, "f32", rows, groups, size), uniform(6, 3, rows, masks), segments,
                layer, Room("f32", (rows, heads, size)), *pools(segments)]

    def wanted(query, key, value, mask, segments, *stored):
        return specifications.attention(query, key, value, mask, segments, layer, stored, scale, one_row, lambda x: rounded(x, element), relative)

    return Case("attention", function, arguments, wanted)


def rotate(rows, heads, size):
    half = rows, size // 2
    segments = table((0, 0, 133, 9, 500), (1, 133, rows - 133, 4000, 600))

    def wanted(segments, x):
        position, length = specifications.positions(segments, rows)
        angle = specifications.angles(position, size // 2)
        cosine, sine = np.cos(angle), np.sin(angle)
        return [specifications.exactly(position), specifications.exactly(length), (cosine, specifications.F32), (sine, specifications.F32), specifications.rotary(x, cosine, sine)]

    return row_op("rotate", [segments, normal(1, "f32", rows, heads, size), Room("i32", (rows,)), Room("i32", (rows,)),
                             Room("f32", half), Room("f32", half), Room("f32", (rows, heads, size))], wanted)


CASES = [
    product("biased", 70, 72, 520, "bf16", lambda x, w, b: specifications.plus(specifications.linear(x, w), b),
            [normal(3, "f32", 72), Room("f32", (70, 72))]),
    product("wide", 130, 1032, 264, "f16", specifications.linear, [Room("f32", (130, 1032))]),
    product("gate", 70, 72, 520, "bf16", lambda x, g, u: specifications.gated(specifications.linear(x, g), specifications.linear(x, u)),
            [normal(3, "bf16", 72, 520), Room("bf16", (70, 72)), Room("f32", (70, 72))]),
    product("narrow", 45, 3, 520, "bf16", specifications.linear, [Room("f32", (45, 3))]),
    product("odd", 70, 37, 133, "bf16", specifications.linear, [Room("f32", (70, 37))]),
    product("exact", 70, 70, 76, "f32", specifications.linear, [Room("f32", (70, 70))]),
    product("few", 13, 40, 712, "bf16", lambda x, w, s, y: specifications.plus(specifications.linear(x, w), s * y),
            [normal(3, "f32", 40), normal(4, "f32", 13, 40), Room("f32", (13, 40))]),
    product("mask", 70, 3, 96, "f32", lambda x, w, a: specifications.dynamic_mask(specifications.linear(x, w), a),
            [given("f32", [-0.4, -0.2, -0.1]), Room("f32", (70, 3)), Room("f32", (70, 3))]),
    row_op("embedding", [normal(1, "bf16", 50, 300), Given("i32", np.array([49, 0, 7, 7, 31])), Room("f32", (5, 300))],
           lambda table, ids: [specifications.exactly(table[ids])]),
    row_op("norm", [normal(1, "f32", 5, 700), normal(2, "f32", 5, 700), normal(3, "f32", 700), Room("f32", (5, 700)),
                    Room("bf16", (5, 700))],
           lambda x, d, w: [(x + d, specifications.F32 * np.abs(x + d)), specifications.as_bf16(specifications.rms_norm(x + d, w))]),
    row_op("heads", [normal(1, "f32", 7, 3, 36), normal(2, "f32", 36), Room("f32", (7, 3, 36))], lambda x, w: [specifications.rms_norm(x, w)]),
    rotate(150, 3, 24),
    row_op("elements", [normal(1, "f32", 9, 300), normal(2, "f32", 300), Room("bf16", (9, 300))], lambda x, b: [specifications.silu(x + b)]),
    attention("prompt", 4, 2, 2, 64, "bf16", 0.125, (70, 5), (202, 130)),  # so many that stages are filled anew after each turn
    attention("shared_query", 2, 1, 2, 96, "bf16", 0.1, (70, 5), (202, 130)),
    attention("great", 1, 1, 1, 192, "bf16", 0.07, (70, 5), (10, 130)),
    attention("exact_entries", 2, 1, 1, 36, "f32", 0.125, (70, 5), (10, 130)),
    attention("decode", 6, 2, 6, 40, "bf16", 0.125, (1, 1), (300, 5), one_row=True),
]
