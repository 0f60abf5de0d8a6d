"""How near a file that is recorded again must come to the one of the tree. What a bound is depends on types and lengths alone.

exact              the same bytes
rounded            computed in double, and rounded once for the file. Another library of maths, or another order of a sum, errs by
                   units of double: one unit of the file's type, and four units of double for each term of the longest sum, in parts
                   of the largest value. Few values lie so near to the middle of two that this rounds them another way: one, and
                   for each term of the longest sum 2^-24 of all
f32 steps          computed with some steps in f32, which depend on how wide the vectors of a CPU are. The angle of the last position
                   errs by as many units of f32 as there are positions, and each layer adds its part: layers * tokens units of f32.
                   In deviations of the logits
log-probabilities  of logits in f32: the same, in parts of the largest one
"""
import json
import math

import numpy

import files

UNITS = {"F32": 2.0**-23, "BF16": 2.0**-7}


class Different(Exception):
    """What no bound allows."""


def largest_difference(got, want):
    difference = numpy.abs(got.astype(numpy.float64) - want.astype(numpy.float64)).max(initial=0.0)
    if not math.isfinite(difference):
        raise Different("a value is not a number")
    return float(difference)


def tensor_errors(got, want, bound_of):
    """(error, bound, name) of each tensor of floats."""
    (got, got_metadata), (want, want_metadata) = files.decode(got), files.decode(want)
    if got_metadata != want_metadata or list(got) != list(want):
        raise Different("other tensors or other metadata")
    for name, (kind, values) in want.items():
        again_kind, again = got[name]
        if again_kind != kind or again.shape != values.shape:
            raise Different(f"{name} has another type or shape")
        if kind not in UNITS:
            if (again != values).any():
                raise Different(f"{name} has other whole numbers")
        else:
            scale, bound = bound_of(name, kind, values)
            yield largest_difference(again, values) / scale, bound, name


def rounded(got, want, longest):
    def bound_of(name, kind, values):
        return float(numpy.abs(values).max()) or 1.0, UNITS[kind] + longest * 2.0**-50

    errors = list(tensor_errors(got, want, bound_of))
    (got, _), (want, _) = files.decode(got), files.decode(want)
    for error, bound, name in errors:
        values = want[name][1]
        others, allowed = int((got[name][1] != values).sum()), 1 + int(values.size * longest * 2.0**-24)
        if others > allowed and error <= bound:
            raise Different(f"{others} of {values.size} values of {name} are rounded another way, and {allowed} may be")
    return errors


def f32_steps(got, want, layers):
    def bound_of(name, kind, values):
        return float(values.std()), layers * values.shape[1] * 2.0**-24

    return tensor_errors(got, want, bound_of)


def log_probabilities(got, want, layers):
    got, want = json.loads(got), json.loads(want)
    for again, run in zip(got["runs"], want["runs"], strict=True):
        a, b = (numpy.array(each.pop("logprobs")) for each in (again, run))
        yield largest_difference(a, b) / numpy.abs(b).max(), layers * len(b) * 2.0**-24, "logprobs"
    for each in (got, want):
        del each["torch"], each["transformers"]  # which versions they were
    if got != want:
        raise Different("other tokens")


def compare(rule, got, want, layers=0, longest=0):
    """(whether it is near enough, what to say). `layers` are those of the model, `longest` is the longest sum."""
    if got == want:
        return True, "same bytes"
    if rule == "exact":
        same = next((at for at, (a, b) in enumerate(zip(got, want)) if a != b), min(len(got), len(want)))
        return False, f"DIFFERENT from byte {same} on, and must be the same"
    try:
        errors = {"rounded": lambda: rounded(got, want, longest), "f32 steps": lambda: f32_steps(got, want, layers),
                  "log-probabilities": lambda: log_probabilities(got, want, layers)}[rule]()
        error, bound, name = max(errors, key=lambda each: each[0] / each[1], default=(0.0, 0.0, "no tensor"))
    except (Different, ValueError, KeyError) as why:
        return False, f"DIFFERENT: {why}"
    within = error <= bound
    return within, f"error {error:.1e} of bound {bound:.1e}, in {name}{'' if within else ': DIFFERENT'}"
