"""What the manifest's `expect` expressions call: references of the kernels, over f64 and i64."""
import math

import numpy as np

from formats import FLOAT8, from_bf16, to_bf16, to_float8


def f4(x):
    return np.asarray(x).astype(np.float32).astype(np.float64)


def bf(x):
    return from_bf16(to_bf16(x))


def e4m3(x):
    return FLOAT8["e4m3"][to_float8(x, "e4m3")]


def e5m2(x):
    return FLOAT8["e5m2"][to_float8(x, "e5m2")]


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x, weight, bias, epsilon):
    d = x - x.mean(1, keepdims=True)
    return d / np.sqrt((d * d).mean(1, keepdims=True) + epsilon) * weight + bias


def attn(q, k, v, scale):
    """Causal attention."""
    scores = np.einsum("htd,hsd->hts", q, k) * scale
    n = scores.shape[1]
    scores = np.where(np.tril(np.ones((n, n))) > 0, scores, -np.inf)
    e = np.exp(scores - scores.max(2, keepdims=True))
    return (e / e.sum(2, keepdims=True)) @ v


def ssd(c, b, x, log_a):
    """One chunk of a state space model: its outputs, and the state after it."""
    sums = log_a.cumsum(1)
    decay = np.exp(sums[:, :, None] - sums[:, None, :])
    n = sums.shape[1]
    scores = np.where(np.tril(np.ones((n, n))) > 0, (c @ b.transpose(0, 2, 1)) * decay, 0)
    return scores @ x, (b * np.exp(sums[:, -1:] - sums)[:, :, None]).transpose(0, 2, 1) @ x


def conv1d(x, weight, bias):
    """A causal convolution of each channel, and SiLU."""
    rows, _ = x.shape
    width = weight.shape[1]
    y = np.tile(bias, (rows, 1)).astype(float)
    for tap in range(width):
        shift = width - 1 - tap
        y[shift:] += x[: rows - shift] * weight[:, tap]
    return y / (1 + np.exp(-y))


def linscan(a, x):
    """h[i] = a[i] h[i-1] + x[i]"""
    h, carry = np.zeros_like(x), np.zeros(x.shape[0])
    for i in range(x.shape[1]):
        carry = carry * a[:, i] + x[:, i]
        h[:, i] = carry
    return h


def elem(x, y):
    return np.stack([np.exp(x), np.log(abs(x) + 1), np.sin(x), np.sqrt(abs(x)), np.vectorize(math.erf)(x),
                     np.floor(x) + np.ceil(y), x / y, x * y + x, np.clip(x, -0.5, 0.5), np.tanh(x),
                     1 / (1 + np.exp(-x)), np.cos(f4(x * 100))])


def s32(x):
    """Wrapped to 32 bits with a sign."""
    return (np.asarray(x) + 2**31) % 2**32 - 2**31


def sign_extended(x, bits):
    return (x + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)


def intops(x, y):
    shift, ux, uy = y & 31, x & 0xFFFFFFFF, y & 0xFFFFFFFF
    quotient = np.array([abs(int(p)) // abs(int(q)) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x, y)])
    high = np.array([(int(p) * int(q)) >> 32 for p, q in zip(ux, uy)])
    rounded = np.trunc((x.astype(np.float32) * np.float32(0.37)).astype(np.float64)).astype(np.int64)
    return np.stack([s32(quotient), x - quotient * y, s32(x * y), x >> shift, s32(x << shift), s32(high),
                     s32(ux >> shift), s32((x * y) >> 7), s32(sign_extended(x, 8) + sign_extended(y, 16)),
                     s32(np.minimum(x, y) ^ ((x | y) & ~y)), s32(rounded), s32(ux // uy)])


def subwin(x, origin, box):
    """Zeros, and x within a box that may stick out."""
    result = np.zeros_like(x)
    window = tuple(slice(max(begin, 0), begin + extent) for begin, extent in zip(origin, box))
    result[window] = x[window]
    return result


def ramp(x, origin):
    return x + (np.arange(x.shape[0]) - origin[0])[:, None] + 3 * (np.arange(x.shape[1]) - origin[1])[None, :]


def philox(seed, n):
    """Philox4x32-10: the first word for counters 0 to n-1."""
    mask, words = 0xFFFFFFFF, []
    for i in range(n):
        c, key0, key1 = [i, 0, 0, 0], seed & mask, (seed >> 32) & mask
        for _ in range(10):
            a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [((b >> 32) ^ c[1] ^ key0) & mask, b & mask, ((a >> 32) ^ c[3] ^ key1) & mask, a & mask]
            key0, key1 = (key0 + 0x9E3779B9) & mask, (key1 + 0xBB67AE85) & mask
        words.append(c[0])
    return s32(np.array(words))
