#!/usr/bin/env python3
"""Accuracy of cheems-expand-math: `emit` prints a module with a loop per function, `check LIBRARY` measures what it compiled to.

The reference is the C library in double precision; for f32 results its value is exact enough to count ulps with fractions.
"""
import ctypes
import math
import struct
import sys

COUNT = 4096
VECTOR = 8
# function: (type, C library in double, largest error in ulp, largest absolute error below which ulps do not count, ranges of arguments)
CASES = {
    "exp_f32": ("f32", math.exp, 5, 0, [(-87, 88.7), (-1, 1)]),
    "log_f32": ("f32", math.log, 5, 1e-7, [(1e-30, 1e30), (0.5, 2), (0.99, 1.01)]),
    "log1p_f32": ("f32", math.log1p, 5, 0, [(-0.9, 1), (-1e-3, 1e-3), (0, 1e10)]),
    "erf_f32": ("f32", math.erf, 5, 0, [(-5, 5), (-0.1, 0.1)]),
    "tanh_f32": ("f32", math.tanh, 5, 0, [(-10, 10), (-0.1, 0.1)]),
    "sin_f64": ("f64", math.sin, 2, 0, [(-4, 4), (-1e6, 1e6), (-(2.0**30), 2.0**30), (355, 355.0001)]),
    "cos_f64": ("f64", math.cos, 2, 0, [(-4, 4), (-1e6, 1e6), (-(2.0**30), 2.0**30), (11 / 7, 11.0001 / 7)]),
    "exp_f64": ("f64", math.exp, 2, 0, [(-708, 709), (-1, 1)]),
    "log_f64": ("f64", math.log, 2, 0, [(1e-300, 1e300), (0.5, 2), (0.99, 1.01), (5e-324, 1e-310)]),
}
INF = math.inf
# arguments and results that must be met exactly
EXACT = {
    "exp_f32": {0: 1, -INF: 0, -1000: 0, -3e38: 0, INF: INF, 1000: INF, 3e38: INF},
    "log_f32": {1: 0, 0: -INF, INF: INF, -1: math.nan},
    "log1p_f32": {0: 0, INF: INF, 1e-20: 1e-20, -1: -INF},
    "erf_f32": {0: 0, INF: 1, -INF: -1, 10: 1, -10: -1},
    "tanh_f32": {0: 0, INF: 1, -INF: -1, 50: 1, -50: -1},
    "sin_f64": {0: 0, INF: math.nan},
    "cos_f64": {0: 1, INF: math.nan},
    "exp_f64": {0: 1, -INF: 0, -1000: 0, -1e300: 0, INF: INF, 1000: INF, 1e300: INF, 5e-324: 1},
    "log_f64": {1: 0, 0: -INF, INF: INF, -1: math.nan, -INF: math.nan},
}


def emit():
    for name, (real, *_) in CASES.items():
        operation = "math." + name.split("_")[0]
        buffer = f"memref<{COUNT}x{real}>"
        for suffix, step, kind in (("", 1, real), ("_vector", VECTOR, f"vector<{VECTOR}x{real}>")):
            load, store = ("memref.load", "memref.store") if step == 1 else ("vector.load", "vector.store")
            types = buffer if step == 1 else f"{buffer}, {kind}"
            print(f"""func.func @{name}{suffix}(%in: {buffer}, %out: {buffer}) {{
  %zero = arith.constant 0 : index
  %count = arith.constant {COUNT} : index
  %step = arith.constant {step} : index
  scf.for %i = %zero to %count step %step {{
    %x = {load} %in[%i] : {types}
    %y = {operation} %x : {kind}
    {store} %y, %out[%i] : {types}
  }}
  return
}}""")


def rounded(value, real):
    try:
        return struct.unpack(real, struct.pack(real, value))[0]
    except OverflowError:
        return math.copysign(INF, value)


def ulp(value, real):
    if real == "d":
        return math.ulp(value)
    return max(2.0 ** (math.frexp(value)[1] - 24), 2.0**-149)


def spread(low, high):
    """Arguments over a range: even steps, and even exponents where the range spans many."""
    half = COUNT // 2
    even = [low + (high - low) * (i + 0.37) / half for i in range(half)]
    if low > 0 and high / low > 1e3:
        ratio = math.log(high) - math.log(low)
        return even + [min(high, max(low, math.exp(math.log(low) + ratio * i / half))) for i in range(half)]
    return even + [even[half // 2 - 1] + (high - low) * i * 1e-9 for i in range(half)]


def check(library):
    library = ctypes.CDLL(library)
    failed = False
    for name, (_, reference, most, floor, ranges) in CASES.items():
        real, kind = ("f", ctypes.c_float) if name.endswith("f32") else ("d", ctypes.c_double)
        for function in (name, name + "_vector"):
            call = getattr(library, function)

            def run(arguments):
                source, target = (kind * COUNT)(*arguments), (kind * COUNT)()
                call(source, target)
                return target

            worst, where = 0, 0
            for low, high in ranges:
                arguments = [rounded(x, real) for x in spread(low, high)]
                for x, y in zip(arguments, run(arguments)):
                    expected = reference(x)
                    error = abs(y - expected)
                    if not error <= floor:
                        # a NaN counts as the largest error
                        error = INF if math.isnan(error) else error / ulp(expected, real)
                        if error > worst:
                            worst, where = error, x
            print(f"{function}: {worst:.3f} ulp at {where!r}")
            failed |= not worst <= most
            for x, y in zip(EXACT[name], run(list(EXACT[name]) + [1] * (COUNT - len(EXACT[name])))):
                expected = rounded(EXACT[name][x], real)
                if not (y == expected or (math.isnan(y) and math.isnan(expected))):
                    print(f"{function}({x}) = {y}, expected {expected}")
                    failed = True
            if not math.isnan(run([math.nan] * COUNT)[0]):
                print(f"{function}(nan) is a number")
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(emit() if sys.argv[1] == "emit" else check(sys.argv[2]))
