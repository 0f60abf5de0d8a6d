#!/usr/bin/env python3
"""draws.py gives the numbers of PyTorch: whole numbers and fractions to the bit, normal ones to what two libraries of maths differ by.
Needs torch."""
import unittest

import numpy
import torch

from draws import Generator

SEEDS = (0, 1, 20240607, 2**32 - 1)


class Draws(unittest.TestCase):
    def same(self, ours, theirs):
        """Compares one draw after another, from one generator each."""
        for seed in SEEDS:
            torch.manual_seed(seed)
            generator = Generator(seed)
            for got, want in zip(ours(generator), theirs(), strict=True):
                # logarithm, root, cosine and product: a unit of double each
                numpy.testing.assert_array_max_ulp(numpy.asarray(got, numpy.float64), want.double().numpy(), self.units)

    units = 0

    def test_fractions(self):
        self.same(lambda g: (g.fractions(n) for n in (1, 7, 16, 1000)),
                  lambda: (torch.rand(n, dtype=torch.float64) for n in (1, 7, 16, 1000)))

    def test_uniform(self):
        self.same(lambda g: (g.uniform(n) for n in (1, 3, 4, 15, 16, 17, 1000)), lambda: (torch.rand(n) for n in (1, 3, 4, 15, 16, 17, 1000)))

    def test_integers(self):
        self.same(lambda g: (g.integers(3, high, 2, 50) for high in (10, 512, 1024)),
                  lambda: (torch.randint(3, high, (2, 50)) for high in (10, 512, 1024)))

    def test_normal_of_every_small_size_in_turn(self):
        self.units = 4
        self.same(lambda g: (g.normal(n) for n in range(1, 80)), lambda: (torch.randn(n, dtype=torch.float64) for n in range(1, 80)))

    def test_normal_of_large_sizes(self):
        self.units = 4
        self.same(lambda g: (g.normal(*s) for s in ((64, 64), (3, 333), (2, 77, 4))),
                  lambda: (torch.randn(*s, dtype=torch.float64) for s in ((64, 64), (3, 333), (2, 77, 4))))

    def test_what_is_skipped_is_drawn_by_others(self):
        def theirs():
            torch.nn.Linear(64, 48)  # 64 * 48 + 48 numbers
            torch.empty(48, 64).normal_()
            yield torch.rand(5)

        def ours(generator):
            generator.skip(64 * 48 + 48 + 48 * 64)
            yield generator.uniform(5)

        self.same(ours, theirs)


if __name__ == "__main__":
    unittest.main()
