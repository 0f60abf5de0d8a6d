"""The operations of "Wonderful Matrices" in double, written as the paper has them. They share nothing with the project's C++ code.

Nothing here is fast: SSD is its recurrence, attention forms all scores, and every sum of two keys is ranked. All is causal and per
token, so a sequence gives the same numbers whole and token by token.

Extents: B sequences, T tokens, D width, H heads, G groups or heads of keys and values, P size of a head, N size of a state,
E experts, K keys of a half (E is K * K).
"""
import math

import numpy

# ---- positions


def rotary_angles(positions, size, theta=10000.0, max_positions=None, factor=1.0):
    """m * theta^(-2i/P) of each position m and pair i: [T, P/2]. After `max_positions` the base grows with the longest position."""
    length = int(positions.max()) + 1
    if max_positions is not None and length > max_positions:
        theta = theta * (factor * length / max_positions - (factor - 1)) ** (size / (size - 2))
    frequencies = 1 / theta ** (numpy.arange(0, size, 2) / size)
    return positions.astype(numpy.float64)[:, None] * frequencies


def rotate(x, cosine, sine):
    """x [B, T, H, P]; components i and i + P/2 are a pair, which turns by the angle of [T, P/2]."""
    first, second = numpy.split(x, 2, -1)
    cosine, sine = cosine[:, None], sine[:, None]
    return numpy.concatenate((first * cosine - second * sine, second * cosine + first * sine), -1)


# ---- parts of layers


def rms_norm(x, weight, epsilon):
    return x / numpy.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def softplus(x):
    return numpy.logaddexp(0, x)


def softmax(x):
    powers = numpy.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def silu(x):
    return x / (1 + numpy.exp(-x))


def gelu(x):
    return x * (1 + numpy.vectorize(math.erf)(x / math.sqrt(2))) / 2


def relu(x):
    return numpy.maximum(x, 0)


ACTIVATIONS = {"silu": silu, "gelu": gelu, "relu": relu}


def linear(x, weights, name):
    """x W^T + b."""
    y = x @ weights[f"{name}.weight"].T
    return y + weights[f"{name}.bias"] if f"{name}.bias" in weights else y


# ---- sequence transformations


def ssd(x, step, a, b, c, skip=None, state=None):
    """h_t = exp(a step_t) h_(t-1) + step_t x_t b_t^T, and y_t = h_t c_t + skip x_t.

    x [B, T, H, P], step [B, T, H] above zero, a and skip [H], b and c [B, T, G, N], state [B, H, P, N]: y, and the last state.
    """
    heads, groups = x.shape[2], b.shape[2]
    b, c = (numpy.repeat(each, heads // groups, 2) for each in (b, c))
    h = numpy.zeros((x.shape[0], heads, x.shape[3], b.shape[3])) if state is None else state
    y = numpy.empty(x.shape)
    for t in range(x.shape[1]):
        decay = numpy.exp(a * step[:, t])
        update = (step[:, t, :, None] * x[:, t])[..., None] * b[:, t, :, None, :]
        h = decay[..., None, None] * h + update
        y[:, t] = (h * c[:, t, :, None, :]).sum(-1)
    return (y if skip is None else y + skip[:, None] * x), h


def dynamic_mask(values, weights, a):
    """exp(a softplus(V W)) of each key, [B, heads of the mask, T]; `values` are [B, T, G * P]."""
    return numpy.exp(a * softplus(linear(values, weights, "dt_proj"))).swapaxes(1, 2)


def kept_keys(mask, keep):
    """Returns for each query the `keep` keys with the largest masks among those it may see: [B, H, T, T]. Of equal masks the older keys
    stay. Masks are ranked as f32, so that equal tokens are equal whatever order their sums had."""
    length = mask.shape[-1]
    ranked = numpy.where(numpy.tri(length, dtype=bool), mask[:, :, None, :], -numpy.inf).astype(numpy.float32)
    best = numpy.argsort(-ranked, -1, kind="stable")[..., :keep]
    kept = numpy.zeros(ranked.shape, bool)
    numpy.put_along_axis(kept, best, True, -1)
    return kept


def dynamic_mask_attention(q, k, v, mask, kind="bias", keep=None, threshold=1.0):
    """q [B, T, H, P], k and v [B, T, G, P], mask [B, G or H, T]. A query that sees no key gives zero.

    bias       softmax(q k / sqrt(P) + mask) v. With `keep` each query sees only the keys with the largest masks
    threshold  softmax(q k / sqrt(P)) v over the keys whose masks are not below `threshold`
    scale      (softmax(q k / sqrt(P)) * mask) v, which is not divided by its sum again
    """
    heads, length = q.shape[2], q.shape[1]
    q, k, v = (numpy.repeat(each, heads // each.shape[2], 2).swapaxes(1, 2) for each in (q, k, v))
    mask = numpy.repeat(mask, heads // mask.shape[1], 1)
    seen = numpy.broadcast_to(numpy.tri(length, dtype=bool), (*mask.shape, length))
    scores = q @ k.swapaxes(2, 3) / math.sqrt(q.shape[-1])
    if kind == "bias":
        scores = scores + mask[:, :, None, :]
        if keep is not None and length > keep:
            seen = seen & kept_keys(mask, keep)
    if kind == "threshold":
        seen = seen & (mask >= threshold)[:, :, None, :]
    none = ~seen.any(-1, keepdims=True)
    weights = softmax(numpy.where(seen | none, scores, -numpy.inf)) * ~none
    if kind == "scale":
        weights = weights * mask[:, :, None, :]
    return (weights @ v).swapaxes(1, 2)


# ---- state transformations


def mlp(x, weights, activation):
    up = linear(x, weights, "up_proj")
    if "gate_proj.weight" in weights:
        up = activation(linear(x, weights, "gate_proj")) * up
    else:
        up = activation(up)
    return linear(up, weights, "down_proj")


def key_scores(x, weights, heads):
    """Returns for each token and head the scores of the K keys of the first half and of the second: two of [B, T, heads, K].

    `router_gate` scores both halves by itself. Else queries, stored as (half, head, n), are compared with keys [heads, K, half, n].
    """
    if "router_gate.weight" in weights:
        return numpy.split(linear(x, weights, "router_gate")[:, :, None], 2, -1)
    queries = linear(x, weights, "queries").reshape(*x.shape[:2], 2, heads, -1)
    return [numpy.einsum("bthn,hkn->bthk", queries[:, :, half], weights["keys"][:, :, half]) for half in (0, 1)]


def retrieve_experts(first, second, k):
    """The k largest sums first_i + second_j, and the experts i * K + j that they stand for."""
    sums = (first[..., :, None] + second[..., None, :]).reshape(*first.shape[:-1], -1)
    experts = numpy.argsort(-sums, -1, kind="stable")[..., :k]
    return numpy.take_along_axis(sums, experts, -1), experts


def cross_domain_experts(x, weights, heads, k, placement="softmax", activation=silu):
    """The MLP that all tokens share, and the experts of one row each that a token retrieves.

    softmax  act(x . down) * softmax(score), times `up`
    inner    act(x . down * score), times `up`
    """
    scores, experts = retrieve_experts(*key_scores(x, weights, heads), k)
    down, up = (weights[f"{name}_embed.weight"][experts] for name in ("down", "up"))
    hit = numpy.einsum("btd,bthkd->bthk", x, down)
    if placement == "inner":
        share = activation(hit * scores)
    else:
        share = activation(hit) * softmax(scores)
    return mlp(x, weights, activation) + numpy.einsum("bthk,bthkd->btd", share, up)
