"""What the cases' functions compute, in double precision, as docs/ops.md says, and how far a kernel may be off.

Each returns (values, bound of the error); a bound of 0 is exact.
"""
import numpy as np

F32, BF16 = 2.0**-24, 2.0**-8  # relative errors of one rounding; of weights in bf16 that are summed, too
APPROXIMATE = 2.0**-22  # of ex2, lg2 and rsqrt (PTX ISA, "Floating Point Instructions")


def exactly(values):
    return values, 0


def linear(x, w):
    """Sums of k products in any order."""
    with np.errstate(invalid="ignore"):
        return x @ w.T, x.shape[1] * F32 * (np.abs(x) @ np.abs(w).T)


def plus(result, summand):
    values, bound = result
    return values + summand, bound + F32 * np.abs(values + summand) + F32 * np.abs(summand)


def gated(gate, up):
    (a, of_a), (b, of_b) = gate, up
    a = np.maximum(a, 0)
    return as_bf16((a * b, a * of_b + np.abs(b) * of_a + of_a * of_b))


def as_bf16(result):
    values, bound = result
    return values, bound + BF16 * (np.abs(values) + bound)


def rms_norm(x, weight, epsilon=1e-6):
    values = x * weight / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon)
    return values, (x.shape[-1] * F32 + APPROXIMATE + 4 * F32) * np.abs(values)


def dynamic_mask(step, a):
    values, bound = step
    softplus = np.log1p(np.exp(values))
    mask = np.exp(a * softplus)
    return mask, mask * (np.abs(a) * (bound + 4 * APPROXIMATE * (1 + softplus)) + 2 * APPROXIMATE)


def silu(x):
    return as_bf16((x / (1 + np.exp(-x)), 8 * APPROXIMATE * (1 + np.abs(x))))


def positions(segments, rows):
    """Returns for each row: its position, and the length that rotary angles are for."""
    position, length = np.zeros(rows), np.zeros(rows)
    for _, start, count, first, rope in segments[:, :5].astype(int):
        position[start:start + count] = first + np.arange(count)
        length[start:start + count] = rope
    return position, length


def angles(position, half, theta=1e4):
    return position[:, None] * theta ** (-np.arange(half) / half)


def rotary(x, cosine, sine):
    low, high = np.split(x, 2, -1)
    cosine, sine = cosine[:, None], sine[:, None]
    sizes = np.abs(low * cosine) + np.abs(high * sine), np.abs(high * cosine) + np.abs(low * sine)
    return (np.concatenate([low * cosine - high * sine, high * cosine + low * sine], -1), 4 * F32 * np.concatenate(sizes, -1))


def attention(query, key, value, mask, segments, layer, stored, scale, one_row, rounded, relative):
    """y, keys, values, masks. Pools have NaN where nothing is stored; `rounded` is how entries are stored, `relative` the error of a weight."""
    keys, values, masks = (pool.copy() for pool in stored)
    y, sizes = np.zeros_like(query), np.zeros_like(query)
    heads, groups, of_masks = query.shape[1], keys.shape[2], masks.shape[2]
    for slot, start, count, first, *_ in segments.astype(int):
        count = 1 if one_row else count
        rows, entries = slice(start, start + count), slice(first, first + count)
        keys[slot, layer, :, entries] = rounded(key[rows]).transpose(1, 0, 2)
        values[slot, layer, :, entries] = rounded(value[rows]).transpose(1, 0, 2)
        masks[slot, layer, :, entries] = mask[rows].T
        for head in range(heads):
            of_head = slot, layer, head * groups // heads
            for row in range(count):
                seen = slice(0, first + row + 1)
                score = scale * keys[of_head][seen] @ query[start + row, head]
                score += masks[slot, layer, head * of_masks // heads, seen]
                weight = np.exp(score - score.max())
                weight /= weight.sum()
                y[start + row, head] = weight @ values[of_head][seen]
                sizes[start + row, head] = weight @ np.abs(values[of_head][seen])
    return [(y, relative * sizes), exactly(keys), exactly(values), exactly(masks)]
