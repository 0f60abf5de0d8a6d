"""Random numbers as PyTorch draws them on a CPU: the same seed gives the same numbers, without PyTorch.

PyTorch has the generator of Matsumoto and Nishimura (MT19937), and takes its numbers of 32 bits in the order in which they come.
Only what the recorders draw is here. `test_draws.py` compares it with PyTorch itself.
"""
import math

import numpy


class Generator:
    def __init__(self, seed):
        # RandomState seeds MT19937 from 32 bits as PyTorch does
        self.bits = numpy.random.RandomState(seed)
        self.kept = None  # the second one of a pair of normal numbers

    def words(self, count):
        return self.bits.randint(0, 2**32, count, dtype=numpy.uint32).astype(numpy.uint64)

    def skip(self, count):
        """Leaves out `count` numbers of 32 bits."""
        while count > 0:
            count -= len(self.words(min(count, 2**20)))

    def fractions(self, count):
        """Doubles in [0, 1): the low 53 bits of two numbers, of which the first is the higher one."""
        words = self.words(2 * count).reshape(count, 2)
        whole = (words[:, 0] << numpy.uint64(32)) | words[:, 1]
        return (whole & numpy.uint64(2**53 - 1)).astype(numpy.float64) * 2.0**-53

    def uniform(self, count):
        """Floats in [0, 1), as doubles: the low 24 bits of a number (torch.rand)."""
        return (self.words(count) & numpy.uint64(2**24 - 1)).astype(numpy.float64) * 2.0**-24

    def normal(self, *shape):
        """Doubles of the standard normal distribution (torch.randn in float64)."""
        count = math.prod(shape)
        values = self.few(count) if count < 16 else self.many(count)
        return values.reshape(shape)

    def few(self, count):
        """Pair by pair, after Box and Muller. The second one of a pair is kept for the next call."""
        values = []
        while len(values) < count:
            if self.kept is not None:
                values.append(self.kept)
                self.kept = None
                continue
            turn, size = self.fractions(2)
            radius, angle = math.sqrt(-2 * math.log1p(-size)), 2 * math.pi * turn
            values.append(radius * math.cos(angle))
            self.kept = radius * math.sin(angle)
        return numpy.array(values)

    def many(self, count):
        """Sixteen at a time: numbers 0 to 7 are the sizes, 8 to 15 the turns. The last sixteen are drawn anew if some are left."""
        values = self.fractions(count)
        whole = count // 16 * 16
        values[:whole] = pairs(values[:whole])
        if whole < count:
            values[-16:] = pairs(self.fractions(16))
        return values

    def integers(self, low, high, *shape):
        """Whole numbers of low to high - 1 (torch.randint): what a number of 32 bits leaves."""
        left = self.words(math.prod(shape)) % numpy.uint64(high - low)
        return (left.astype(numpy.int64) + low).reshape(shape)


def pairs(fractions):
    size, turn = numpy.moveaxis(fractions.reshape(-1, 2, 8), 1, 0)
    radius, angle = numpy.sqrt(-2 * numpy.log(1 - size)), 2 * math.pi * turn
    return numpy.stack((radius * numpy.cos(angle), radius * numpy.sin(angle)), 1).reshape(-1)
