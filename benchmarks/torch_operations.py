#!/usr/bin/env python3
"""Times one operation in PyTorch, and prints a line of JSON: microseconds by form, that is eager, compiled and, of SSD, Triton.

    benchmarks/torch_operations.py KIND SHAPE [--device cuda] [--repeat 20]
    benchmarks/torch_operations.py --check

KIND and SHAPE are those of cheems-bench --ops: matmul MxNxK, attention TxHxP, ssd TxHxPxN, experts TxDxExk. All is bf16 with sums in f32.
--check compares the forms with the plain equation in f64, on the CPU, Triton with its interpreter (TRITON_INTERPRET=1). Needs torch.
"""
import argparse, json, statistics, time
import torch
import torch.nn.functional as F

CHUNK = 256


def matmul(x, w):
    return x @ w.T


def attention(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def experts(x, ids, scores, down, up):
    weights = F.silu((down[ids] * x[:, None]).sum(-1)) * scores
    return (weights[..., None] * up[ids]).sum(1)


def ssd(x, decays, b, c):
    """Computes SSD in chunks, as the four matmuls of a chunk (arXiv:2405.21060, listing 1); x is multiplied by its step."""
    rows, heads, size = x.shape
    chunk = min(CHUNK, rows)
    x, b, c = (one.view(rows // chunk, chunk, *one.shape[1:]) for one in (x, b, c))
    sums = decays.float().view(-1, chunk, heads).cumsum(1)
    apart = (sums[:, :, None] - sums[:, None]).clamp(max=0).exp().to(x.dtype)
    seen = torch.einsum("cln,csn->cls", c, b).tril()
    y = torch.einsum("cls,clsh,cshp->clhp", seen, apart, x)
    states = torch.einsum("cln,clh,clhp->chpn", b, (sums[:, -1:] - sums).exp().to(x.dtype), x).float()
    carried, before = torch.zeros_like(states[0]), []
    for number in range(len(states)):
        before.append(carried)
        carried = carried * sums[number, -1].exp()[:, None, None] + states[number]
    y = y + torch.einsum("cln,chpn,clh->clhp", c, torch.stack(before).to(x.dtype), sums.exp().to(x.dtype))
    return y.reshape(rows, heads, size)


FUNCTIONS = {"matmul": matmul, "attention": attention, "experts": experts, "ssd": ssd}


def inputs(kind, numbers, device, dtype=torch.bfloat16):
    generator = torch.Generator().manual_seed(1)
    normal = lambda *shape: torch.randn(shape, generator=generator).to(device, dtype)
    if kind == "matmul":
        rows, columns, length = numbers
        return normal(rows, length), normal(columns, length) * length**-0.5
    if kind == "attention":
        rows, heads, size = numbers[:3]
        return tuple(normal(1, heads, rows, size) for _ in range(3))
    if kind == "experts":
        rows, size, count, chosen = numbers[:4]
        ids = torch.randint(count, (rows, chosen), generator=generator).to(device)
        return normal(rows, size), ids, normal(rows, chosen).softmax(-1), normal(count, size) * size**-0.5, normal(count, size)
    rows, heads, size, state = numbers[:4]
    decays = -torch.rand(rows, heads, generator=generator).to(device) / 8
    return normal(rows, heads, size), decays, normal(rows, state) * state**-0.5, normal(rows, state)


def forms(kind, numbers):
    yield "eager", FUNCTIONS[kind]
    yield "compiled", torch.compile(FUNCTIONS[kind], dynamic=False)
    if kind == "ssd" and numbers[0] % CHUNK == 0:
        import triton_ssd
        yield "triton", triton_ssd.ssd


def microseconds(function, given, repeat, device):
    """The median; on a GPU by events, with what was read before possibly in its cache."""
    def once():
        if device == "cpu":
            begin = time.perf_counter()
            function(*given)
            return 1e6 * (time.perf_counter() - begin)
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        function(*given)
        last.record()
        last.synchronize()
        return 1e3 * first.elapsed_time(last)
    for _ in range(3):
        once()
    return statistics.median(once() for _ in range(repeat))


def plain(kind, given):
    """Computes in f64, as the equations are written."""
    given = [one if one.dtype == torch.int64 else one.double() for one in given]
    if kind != "ssd":
        return FUNCTIONS[kind](*given)
    x, decays, b, c = given
    state, rows = torch.zeros(*x.shape[1:], b.shape[-1], dtype=torch.float64), []
    for t in range(len(x)):
        state = state * decays[t].exp()[:, None, None] + x[t][..., None] * b[t]
        rows.append(state @ c[t])
    return torch.stack(rows)


def check():
    for kind, numbers in {"matmul": (64, 96, 128), "attention": (128, 2, 64), "experts": (16, 64, 256, 8), "ssd": (512, 2, 64, 128)}.items():
        for name, function in forms(kind, numbers):
            if name == "compiled":
                continue  # of the same function; it needs a compiler
            # Triton's interpreter has no bf16.
            given = inputs(kind, numbers, "cpu", torch.float16 if name == "triton" else torch.bfloat16)
            want = plain(kind, given)
            apart = (function(*given).double() - want).norm() / want.norm()
            print(f"{kind} {'x'.join(map(str, numbers))} {name}: {apart:.1e}")
            if not apart < 2**-6:  # some roundings to bf16, of 2^-9 each
                raise SystemExit(f"torch_operations: {kind}, {name}: too far from its equation")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="?", choices=FUNCTIONS)
    parser.add_argument("shape", nargs="?")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.check:
        return check()
    numbers, found = tuple(map(int, options.shape.split("x"))), {}
    given = inputs(options.kind, numbers, options.device)
    for name, function in forms(options.kind, numbers):
        try:
            found[name] = microseconds(function, given, options.repeat, options.device)
        except Exception as why:  # torch.compile and Triton need more of a machine than a GPU
            found[f"{name}_why"] = str(why).splitlines()[0] if str(why) else type(why).__name__
    print(json.dumps(found))


if __name__ == "__main__":
    main()
