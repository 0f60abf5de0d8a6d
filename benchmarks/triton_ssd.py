"""SSD over a prompt in Triton, in the five steps that Mamba-2's kernels have: sums of decays, states of chunks, the state passed between
chunks, matmuls of C and B, outputs of chunks (arXiv:2405.21060, section 6). A peer to time; torch_operations.py --check compares it.
"""
import torch
import triton
import triton.language as tl

CHUNK, TILE = 256, 64


@triton.jit
def chunk_states(x, b, sums, states, H: tl.constexpr, P: tl.constexpr, N: tl.constexpr, L: tl.constexpr, TILE: tl.constexpr):
    """states[chunk, head] [P, N] = sum over rows of exp(last - sum) x b"""
    chunk, head = tl.program_id(0), tl.program_id(1)
    p, n, t = tl.arange(0, P), tl.arange(0, N), tl.arange(0, TILE)
    last = tl.load(sums + (chunk * L + L - 1) * H + head)
    total = tl.zeros((P, N), tl.float32)
    for first in range(0, L, TILE):
        row = chunk * L + first + t
        decay = tl.exp(last - tl.load(sums + row * H + head))
        xs = tl.load(x + row[None, :] * (H * P) + head * P + p[:, None])
        bs = tl.load(b + row[:, None] * N + n[None, :])
        total += tl.dot((xs * decay[None, :]).to(xs.dtype), bs)
    tl.store(states + (chunk * H + head) * P * N + p[:, None] * N + n[None, :], total)


@triton.jit
def pass_states(states, sums, carried, chunks, H: tl.constexpr, SIZE: tl.constexpr, L: tl.constexpr, BLOCK: tl.constexpr):
    """carried[chunk]: the state before it"""
    head, at = tl.program_id(0), tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    state = tl.zeros((BLOCK,), tl.float32)
    for chunk in range(0, chunks):
        place = (chunk * H + head) * SIZE + at
        tl.store(carried + place, state.to(carried.dtype.element_ty))
        state = state * tl.exp(tl.load(sums + (chunk * L + L - 1) * H + head)) + tl.load(states + place)


@triton.jit
def chunk_outputs(x, c, products, sums, carried, y, H: tl.constexpr, P: tl.constexpr, N: tl.constexpr, L: tl.constexpr, TILE: tl.constexpr):
    """y = exp(sum) c carried + the rows of the chunk up to each one"""
    chunk, head, tile = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    p, n, t = tl.arange(0, P), tl.arange(0, N), tl.arange(0, TILE)
    within = tile * TILE + t
    row = chunk * L + within
    own = tl.load(sums + row * H + head)
    before = tl.load(carried + (chunk * H + head) * P * N + p[None, :] * N + n[:, None])
    total = tl.dot(tl.load(c + row[:, None] * N + n[None, :]), before) * tl.exp(own)[:, None]
    for first in range(0, (tile + 1) * TILE, TILE):
        other = first + t
        decay = own[:, None] - tl.load(sums + (chunk * L + other) * H + head)[None, :]
        seen = tl.load(products + (chunk * L + within[:, None]) * L + other[None, :])
        weights = tl.where(within[:, None] >= other[None, :], seen * tl.exp(tl.minimum(decay, 0.0)), 0.0)
        xs = tl.load(x + (chunk * L + other)[:, None] * (H * P) + head * P + p[None, :])
        total += tl.dot(weights.to(xs.dtype), xs)
    tl.store(y + row[:, None] * (H * P) + head * P + p[None, :], total.to(y.dtype.element_ty))


def ssd(x, decays, b, c):
    """x [T, H, P] times the step, decays [T, H] = step * A (not above zero), b and c [T, N] of one group; y [T, H, P]. T is a multiple of CHUNK."""
    rows, heads, size = x.shape
    chunks, state = rows // CHUNK, b.shape[-1]
    sums = decays.float().view(chunks, CHUNK, heads).cumsum(1)
    states = torch.empty(chunks, heads, size, state, dtype=torch.float32, device=x.device)
    carried, y = torch.empty_like(states, dtype=x.dtype), torch.empty_like(x)
    chunk_states[(chunks, heads)](x, b, sums, states, heads, size, state, CHUNK, TILE)
    block = min(1024, size * state)
    pass_states[(heads, size * state // block)](states, sums, carried, chunks, heads, size * state, CHUNK, block)
    products = torch.bmm(c.view(chunks, CHUNK, state), b.view(chunks, CHUNK, state).transpose(1, 2))
    chunk_outputs[(chunks, heads, CHUNK // TILE)](x, c, products, sums, carried, y, heads, size, state, CHUNK, TILE)
    return y
