#!/usr/bin/env python3
"""What the decompositions compute, against the equations of docs/ops.md written out in double precision."""
import ctypes
import math
import random
import struct
import sys

T, H, G, M, P, C, W = 5, 4, 2, 2, 4, 12, 6
library = ctypes.CDLL(sys.argv[1])
chance = random.Random(7)
failures = 0


def f32(values):
    return (ctypes.c_float * len(values))(*values)


def i32(values):
    return (ctypes.c_int32 * len(values))(*values)


def random_f32(count, low=-2, high=2):
    return f32([chance.uniform(low, high) for _ in range(count)])


def random_bf16(count):
    """Storage of bf16 numbers, and the numbers."""
    bits = [struct.unpack("<I", struct.pack("<f", chance.uniform(-2, 2)))[0] >> 16 for _ in range(count)]
    return (ctypes.c_uint16 * count)(*bits), [struct.unpack("<f", struct.pack("<I", b << 16))[0] for b in bits]


def same(name, got, expected, tolerance=2e-6):
    global failures
    for i, (x, y) in enumerate(zip(got, expected, strict=True)):
        if not (x == y or abs(x - y) <= tolerance * max(1, abs(y))):
            print(f"{name}[{i}] = {x}, expected {y}")
            failures += 1
            return


def rms_norm():
    x, w, y = random_f32(T * P), random_f32(P), f32([0] * (T * P))
    for i in range(P):
        x[i] = 0  # a zero row gives zero
    library.rms_norm(x, w, y)
    expected = []
    for t in range(T):
        row = x[t * P : t * P + P]
        root = math.sqrt(sum(v * v for v in row) / P + 0.001)
        expected += [v * w[i] / root for i, v in enumerate(row)]
    same("rms_norm", y, expected)


def rotary_table(dynamic):
    # rows below, at and past the trained length of 16; one far away
    position, length = i32([0, 3, 15, 40, 1000000]), i32([1, 16, 17, 64, 1000001])
    cosine, sine = f32([0] * (T * P // 2)), f32([0] * (T * P // 2))
    getattr(library, "rotary_table_dynamic" if dynamic else "rotary_table")(position, length, cosine, sine)
    angles = []
    for t in range(T):
        base = 1e4
        if dynamic and length[t] > 16:
            base *= (4 * length[t] / 16 - 3) ** (P / (P - 2))
        angles += [position[t] * base ** (-2 * i / P) for i in range(P // 2)]
    same("cosine", cosine, [math.cos(a) for a in angles], 1e-7)
    same("sine", sine, [math.sin(a) for a in angles], 1e-7)


def rotary():
    x, c, s, y = random_f32(T * H * P), random_f32(T * P // 2), random_f32(T * P // 2), f32([0] * (T * H * P))
    library.rotary(x, c, s, y)
    expected = []
    for t in range(T):
        for h in range(H):
            low, high = (x[(t * H + h) * P + o : (t * H + h) * P + o + P // 2] for o in (0, P // 2))
            pairs = list(zip(low, high, c[t * 2 : t * 2 + 2], s[t * 2 : t * 2 + 2]))
            expected += [a * k - b * l for a, b, k, l in pairs] + [b * k + a * l for a, b, k, l in pairs]
    same("rotary", y, expected)


def dynamic_mask():
    step, a, mask = f32([-100, -1, 0, 1, 50, 80, 1e-3, -20, 3, 5]), f32([-0.5, 0.25]), f32([0] * (T * M))
    library.dynamic_mask(step, a, mask)
    expected = [math.exp(a[i % M] * (max(x, 0) + math.log1p(math.exp(-abs(x))))) for i, x in enumerate(step)]
    same("dynamic_mask", mask, expected, 1e-5)
    step[0], a[0] = 1, 100  # overflows as the equation does
    library.dynamic_mask(step, a, mask)
    same("dynamic_mask overflow", mask[:1], [math.inf])


def kept_entries(mask, position, m, seen):
    """The W best of the entries seen, best first."""
    order = sorted(range(seen), key=lambda j: (-mask[m * C + j], position[m * C + j]))
    return order[:W]


def entries(count):
    # few distinct values, so ties must be decided; positions in any order, as after evictions
    mask = f32([chance.choice([0.5, 1, 1.5, 2]) for _ in range(M * C)])
    position = i32([p for _ in range(M) for p in chance.sample(range(100), C)])
    return mask, position


def keep_threshold():
    for first in (0, 1, 4, 6, 7):
        for _ in range(20):
            mask, position = entries(C)
            threshold, last = f32([9] * (T * M)), i32([9] * (T * M))
            library.keep_threshold(mask, position, ctypes.c_int64(first), threshold, last)
            for t in range(T):
                for m in range(M):
                    seen = first + t + 1
                    expected = (-math.inf, 2**31 - 1)
                    if seen > W:
                        worst = kept_entries(mask, position, m, seen)[-1]
                        expected = (mask[m * C + worst], position[m * C + worst])
                    same(f"keep_threshold first {first}", (threshold[t * M + m], last[t * M + m]), expected, 0)


def keep_update():
    for first, rows in ((0, 5), (0, 6), (4, 3), (6, 1), (6, 6)):
        for _ in range(20):
            mask, position = entries(C)
            keys, _ = random_bf16(M * C * P)
            values, _ = random_bf16(M * C * P)
            count = first + rows
            threshold, last, before, after = [], [], [], []
            for m in range(M):
                best = kept_entries(mask, position, m, count)
                threshold.append(mask[m * C + best[-1]] if count > W else -math.inf)
                last.append(position[m * C + best[-1]] if count > W else 2**31 - 1)
                # an entry is its mask, position, key and value: kept ones stay, or fill the gaps in ascending order
                whole = [(mask[m * C + j], position[m * C + j], *keys[(m * C + j) * P : (m * C + j + 1) * P],
                          *values[(m * C + j) * P : (m * C + j + 1) * P]) for j in range(count)]
                moving = iter(sorted(j for j in best if j >= W))
                indices = [j if j in best else next(moving) for j in range(min(W, count))]
                after += [whole[j] for j in indices]
            library.keep_update(f32(threshold), i32(last), ctypes.c_int64(first), ctypes.c_int64(rows), keys, values, mask, position)
            for m in range(M):
                before += [(mask[m * C + j], position[m * C + j], *keys[(m * C + j) * P : (m * C + j + 1) * P],
                            *values[(m * C + j) * P : (m * C + j + 1) * P]) for j in range(min(W, count))]
            same(f"keep_update first {first} rows {rows}", [x for e in before for x in e], [x for e in after for x in e], 0)


def attention(kind):
    for first in (0, 3, 7):
        query, mask, position = random_f32(T * H * P), *entries(C)
        if kind == "threshold":
            mask[0] = 0.5  # with first = 0, row 0 of mask head 0 sees nothing
        keys, k = random_bf16(G * C * P)
        values, v = random_bf16(G * C * P)
        y = f32([9] * (T * H * P))
        kept = kind == "kept"
        extra = []
        if kept:
            threshold, last = f32([0] * (T * M)), i32([0] * (T * M))
            library.keep_threshold(mask, position, ctypes.c_int64(first), threshold, last)
            extra = [position, threshold, last]
        getattr(library, "attention_" + kind)(query, keys, values, mask, ctypes.c_int64(first), *extra, y)
        expected = []
        for t in range(T):
            for h in range(H):
                g, m, seen = h // (H // G), h // (H // M), first + t + 1
                visible = kept_entries(mask, position, m, seen) if kept else range(seen)
                if kind == "threshold":
                    visible = [j for j in visible if mask[m * C + j] >= 1]
                q = query[(t * H + h) * P : (t * H + h + 1) * P]
                score = {j: 0.5 * sum(a * b for a, b in zip(q, k[(g * C + j) * P : (g * C + j + 1) * P])) for j in visible}
                if kind in ("bias", "kept"):
                    score = {j: s + mask[m * C + j] for j, s in score.items()}
                total = sum(math.exp(s) for s in score.values())
                weight = {j: math.exp(s) / total * (mask[m * C + j] if kind == "scale" else 1) for j, s in score.items()}
                expected += [sum(w * v[(g * C + j) * P + p] for j, w in weight.items()) for p in range(P)]
        same(f"attention {kind} first {first}", y, expected, 5e-6)


rms_norm()
rotary_table(dynamic=False)
rotary_table(dynamic=True)
rotary()
dynamic_mask()
keep_threshold()
keep_update()
for each in ("bias", "kept", "threshold", "scale"):
    attention(each)
print(f"{failures} failures")
sys.exit(1 if failures else 0)
