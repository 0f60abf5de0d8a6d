"""How far roundings may move the logits of a model, in deviations of these: from the unit roundoff of each type, how many
roundings follow each other, and the depth of the model. docs/developing.md has the derivation ("Bounds"), and
test/unit/Support/RoundingBound.h the same formulas; both are tested with test/Integration/rounding_bounds.json.
"""
import dataclasses
import math

UNITS = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
DEVIATIONS = 6.0  # of a hundred thousand normal numbers hardly one is as far
ROW = 4.0  # a row may pass errors on more than the mean row, such as one of which a norm divides by little


def unit_of_quantized(most, length):
    """Returns the unit of integers from -most to most, in the mean of rows of `length` numbers that share a scale."""
    return math.sqrt(2.0 * math.log(length)) / (2.0 * most)


def sum_bound(unit, length):
    """What numbers of the deviation 1 may err by after `length` roundings each, such as those of a sum with as many terms."""
    return DEVIATIONS * unit * math.sqrt(length)


@dataclasses.dataclass
class Part:
    """What a model adds to its residual: the units of roundings on the way."""
    before: list  # of the input, before any matmul
    after: list  # of what was computed with it
    compiled: list  # those that compiled code alone makes
    factors: int = 1  # of the part's product, each of which has the error of the input
    length: int = 1  # of the longest sum

    def rounded_by(self, square):
        return self.factors * (square + independent(self.before)) + independent(self.after)

    def compiled_by(self, square):
        sums = UNITS["f32"] ** 2 * self.length
        square = together(square + sums, self.before)
        return together(self.factors * square + sums + independent(self.compiled), self.after)


def independent(units):
    """Mean square of roundings that know nothing of each other: each is uniform between -u and u, or less."""
    return sum(unit * unit / 3.0 for unit in units)


def together(square, units):
    """Mean square of the difference of two numbers after both were rounded, of which it was `square` before: a step of 2u lies
    between them with a chance of the difference over 2u."""
    for unit in units:
        square += min(2.0 * unit * math.sqrt(square), unit * unit)
    return square


def rounding_bounds(parts, head):
    """Root mean squares, in deviations of the logits: of what is rounded against what is not, and of compiled code against what
    rounds the same numbers. `parts` are in order, two per layer; `head` makes logits."""
    rounded = compiled = 0.0
    for terms, part in enumerate(parts, start=1):  # of the residual
        rounded += (part.rounded_by(rounded) - rounded) / terms
        compiled += (part.compiled_by(compiled) - compiled) / terms
    return math.sqrt(head.rounded_by(rounded)), math.sqrt(head.compiled_by(compiled))


def row_bound(bound):
    """The same of the logits of one row."""
    return ROW * bound


def choice_bound(bound):
    """What a choice may lose, in deviations of scores or masks, where numbers err by the bound in the mean square: either of two
    that are compared may err, and be a sum of two."""
    return 2.0 * DEVIATIONS * bound
