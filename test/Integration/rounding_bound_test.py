#!/usr/bin/env python3
"""The bounds of rounding_bound.py are those of the table that C++ is tested with, too (test/unit/Reference/RoundingBoundTest.cpp), and are
what simulated roundings reach.

    rounding_bound_test.py
"""
import json
import math
import pathlib
import random
import unittest

import checkpoints
from rounding_bound import UNITS, Part, choice_bound, independent, rounding_bounds, row_bound, sum_bound, together, unit_of_quantized

TABLE = json.loads((pathlib.Path(__file__).parent / "rounding_bounds.json").read_text())


def mean_square(numbers):
    return math.fsum(number * number for number in numbers) / len(numbers)


class Bounds(unittest.TestCase):
    def test_are_those_of_the_table(self):
        for case in TABLE["models"]:
            rounded, compiled = rounding_bounds([Part(**part) for part in case["parts"]], Part(**case["head"]))
            self.assertAlmostEqual(rounded, case["rounded"], delta=1e-12 * rounded, msg=case["name"])
            self.assertAlmostEqual(compiled, case["compiled"], delta=1e-12 * compiled, msg=case["name"])
        for case in TABLE["codes"]:
            self.assertAlmostEqual(unit_of_quantized(case["most"], case["length"]), case["unit"], delta=1e-15)
        for case in TABLE["sums"]:
            self.assertAlmostEqual(sum_bound(case["unit"], case["length"]), case["bound"], delta=1e-12)
        for case in TABLE["rows"]:
            self.assertAlmostEqual(row_bound(case["bound"]), case["row"], delta=1e-12)
            self.assertAlmostEqual(choice_bound(case["bound"]), case["choice"], delta=1e-12)

    def test_one_rounding_of_the_head_is_a_unit_over_the_root_of_three(self):
        rounded, _ = rounding_bounds([], Part(before=[UNITS["bf16"]], after=[], compiled=[]))
        self.assertAlmostEqual(rounded, 2.0**-8 / 3**0.5, delta=1e-12)


class Simulated(unittest.TestCase):
    """Each step of the derivation, on normal numbers."""

    def setUp(self):
        draws = random.Random(1)
        self.numbers = [draws.gauss(0.0, 1.0) for _ in range(20000)]
        self.others = [draws.gauss(0.0, 1.0) for _ in range(20000)]

    def test_roundings_are_within_a_unit_over_the_root_of_three(self):
        for kind, rounded in (("bf16", checkpoints.brain), ("f16", checkpoints.half)):
            error = mean_square([rounded(x) - x for x in self.numbers])
            self.assertLess(error, independent([UNITS[kind]]))
            self.assertGreater(error, 0.25 * independent([UNITS[kind]]))

    def test_codes_are_as_coarse_as_their_rows_are_long(self):
        for length in (64, 512):
            error = mean_square([code - x for at in range(0, 16384, length)
                                 for code, x in zip(checkpoints.of_bytes(self.numbers[at : at + length]), self.numbers[at : at + length])])
            bound = independent([unit_of_quantized(127, length)])
            self.assertLess(error, 1.1 * bound)
            self.assertGreater(error, 0.5 * bound)

    def test_numbers_that_were_near_each_other_are_rounded_alike_but_for_some(self):
        unit = UNITS["bf16"]
        for before in (2.0**-20, 2.0**-14, 2.0**-9, 2.0**-6):
            moved = [x + before * y for x, y in zip(self.numbers, self.others)]
            after = mean_square([checkpoints.brain(a) - checkpoints.brain(b) for a, b in zip(self.numbers, moved)])
            self.assertLess(after, together(before**2, [unit]))
            self.assertGreater(after, 0.1 * together(before**2, [unit]))

    def test_matmuls_add_the_errors_of_their_factors(self):
        error = 1e-3
        for factors in (2, 4):
            draws = random.Random(2)
            rest = []
            for _ in range(20000):
                exact = moved = 1.0
                for _ in range(factors):
                    x = draws.gauss(0.0, 1.0)
                    exact *= x
                    moved *= x + error * draws.gauss(0.0, 1.0)
                rest.append(moved - exact)
            self.assertAlmostEqual(mean_square(rest), factors * error**2, delta=0.5 * factors * error**2)


if __name__ == "__main__":
    unittest.main()
