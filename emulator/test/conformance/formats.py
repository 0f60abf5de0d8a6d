"""Number formats of the conformance kernels: encoding, decoding, and the values that inputs have at first."""
import numpy as np


def to_bf16(x):
    bits = np.asarray(x, np.float32).view(np.uint32).astype(np.uint64)
    return (((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16) & 0xFFFF).astype(np.uint16)


def from_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)


def float8_table(exponent, mantissa):
    """The 256 values of E4M3 or E5M2 (Open Compute Project, "OCP 8-bit Floating Point Specification")."""
    bias, table = 2 ** (exponent - 1) - 1, []
    for code in range(256):
        sign = -1.0 if code >> 7 else 1.0
        e, m = (code >> mantissa) & ((1 << exponent) - 1), code & ((1 << mantissa) - 1)
        if exponent == 5 and e == 31:
            table.append(sign * np.inf if m == 0 else np.nan)
        elif exponent == 4 and e == 15 and m == 7:
            table.append(np.nan)
        elif e == 0:
            table.append(sign * m * 2.0 ** (1 - bias - mantissa))
        else:
            table.append(sign * (1 + m / 2**mantissa) * 2.0 ** (e - bias))
    return np.array(table)


FLOAT8 = {"e4m3": float8_table(4, 3), "e5m2": float8_table(5, 2)}


def to_float8(x, name):
    """To the nearest, ties to even; what is too large becomes the largest finite number."""
    table = FLOAT8[name][:128]
    codes = np.flatnonzero(np.isfinite(table))
    values = table[codes]
    x = np.asarray(x, np.float64)
    magnitude = np.minimum(np.abs(x), values[-1])
    above = np.clip(np.searchsorted(values, magnitude), 1, len(values) - 1)
    below = above - 1
    down, up = magnitude - values[below], values[above] - magnitude
    nearest = np.where((down < up) | ((down == up) & (codes[below] % 2 == 0)), below, above)
    return (codes[nearest] | np.where(np.signbit(x), 0x80, 0)).astype(np.uint8)


NUMPY = {"f32": np.float32, "f16": np.float16, "i8": np.int8, "u8": np.uint8, "i32": np.int32, "i64": np.int64}
BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i8": 1, "u8": 1, "i32": 4, "i64": 8, "e4m3": 1, "e5m2": 1}


def encode(x, dtype):
    if dtype == "bf16":
        return to_bf16(x).tobytes()
    if dtype in FLOAT8:
        return to_float8(x, dtype).tobytes()
    return np.asarray(x).astype(NUMPY[dtype]).tobytes()


def decode(raw, dtype, shape):
    """Decodes numbers as f64, and integers as i64."""
    if dtype == "bf16":
        values = from_bf16(np.frombuffer(raw, np.uint16))
    elif dtype in FLOAT8:
        values = FLOAT8[dtype][np.frombuffer(raw, np.uint8)]
    else:
        values = np.frombuffer(raw, NUMPY[dtype]).astype(np.int64 if dtype[0] in "iu" else np.float64)
    return values.reshape(shape)


def initial(parameter):
    random, shape, kind = np.random.default_rng(parameter.get("seed", 1)), parameter["shape"], parameter["init"]
    make = {
        "normal": lambda: random.standard_normal(shape),
        "wide": lambda: random.standard_normal(shape) * 4,
        "zero": lambda: np.zeros(shape),
        "nan": lambda: np.full(shape, -77.0),
        "unit": lambda: random.random(shape),
        "negunit": lambda: -0.1 * random.random(shape),
        "int4": lambda: random.integers(-4, 5, shape),
        "int2": lambda: random.integers(-2, 3, shape),
        "int32": lambda: random.permutation(int(np.prod(shape))).reshape(shape) - 100,
        "i8": lambda: random.integers(-128, 128, shape),
        "i32": lambda: random.integers(-(2**31), 2**31, shape),
        "i16nz": lambda: random.integers(1, 30000, shape) * random.choice([-1, 1], shape),
    }
    return make[kind]() if kind in make else random.integers(0, int(kind.removeprefix("mod")), shape)
