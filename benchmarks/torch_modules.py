#!/usr/bin/env python3
"""Times the paper's modules in PyTorch on the CPU, and prints one line of JSON per case.

    benchmarks/torch_modules.py [--threads 2] [--dtype f32|bf16] [--compile] CASE...

A case is ssd=ROWSxHEADSxSIZExSTATE, attention=ROWSxHEADSxSIZExWINDOW or KIND=ROWSxHIDDENxEXPERTSxRETRIEVED, as the shapes of
cheems-bench. SSD is the chunked form of the paper's listing: four batched matmuls a chunk of 256. Attention keeps the
WINDOW keys of the largest mask before each query: topk and one fused call. The kinds of expert retrieval, all of single rows
and without the dense layers beside them, so of equal work:
cdmoe: one head of product keys, activation times softmax; pkm: product keys, a weighted sum of the second table's rows alone;
peer: as cdmoe, its rows retrieved by 8 heads; loop: a router over all experts, then a loop over them, each for its own tokens;
onehot: the same, who retrieved whom from a one-hot mask, as the published code does, which costs tokens times experts of memory.
--compile has torch.compile make one program of a case before it is timed. Needs: pip install torch, a C++ compiler to compile.
"""
import argparse, json, math, statistics, time
import torch
import torch.nn.functional as F

CHUNK, QUERY, PEER_HEADS = 256, 64, 8


def ssd(rows, heads, size, state):
    x, B, C = torch.randn(1, rows, heads, size), torch.randn(1, rows, heads, state), torch.randn(1, rows, heads, state)
    dt, A, D = F.softplus(torch.randn(1, rows, heads)), -torch.rand(heads), torch.ones(heads)

    def run(x, dt, A, B, C, D):
        skip = D[:, None] * x
        x, decay = x * dt[..., None], A * dt
        x, B, C = (m.unflatten(1, (-1, CHUNK)).transpose(2, 3) for m in (x, B, C))
        decay = decay.unflatten(1, (-1, CHUNK)).transpose(2, 3).cumsum(-1)
        between = (decay[..., :, None] - decay[..., None, :]).masked_fill(torch.ones(CHUNK, CHUNK, dtype=torch.bool).triu(1), -math.inf)
        y = ((C @ B.transpose(-1, -2)) * between.exp()) @ x
        made = (x * (decay[..., -1:] - decay).exp()[..., None]).transpose(-1, -2) @ B
        held, before = torch.zeros_like(made[:, 0]), []
        for chunk in range(made.shape[1]):
            before.append(held)
            held = held * decay[:, chunk, :, -1].exp()[..., None, None] + made[:, chunk]
        y = y + (C @ torch.stack(before, 1).transpose(-1, -2)) * decay.exp()[..., None]
        return y.transpose(2, 3).flatten(1, 2) + skip

    return lambda: run(x, dt, A, B, C, D)


def attention(rows, heads, size, window):
    query, key, value = (torch.randn(1, heads, rows, size) for _ in range(3))
    mask, later = torch.rand(1, heads, 1, rows), torch.ones(rows, rows, dtype=torch.bool).triu(1)

    def run():
        seen = mask.expand(1, heads, rows, rows).masked_fill(later, -math.inf)
        if window < rows:
            best = seen.topk(window, -1)
            seen = torch.full_like(seen, -math.inf).scatter_(-1, best.indices, best.values)
        return F.scaled_dot_product_attention(query, key, value, attn_mask=seen)

    return run


def numbers(*shape):
    """Acts as `randn`, which takes a minute over the largest tables: a prime count of numbers, again and again."""
    count = math.prod(shape)
    return torch.randn(min(count, 262147)).repeat(-(-count // 262147))[:count].view(shape)


class Experts:
    """The kinds over one pair of tables."""

    def __init__(self, hidden, experts):
        self.hidden, self.experts, self.keys = hidden, experts, math.isqrt(experts)
        self.down, self.up = numbers(experts, hidden), numbers(experts, hidden)

    def retrieve(self, x, heads, count):
        """Scores and rows [tokens, heads, count] by product keys."""
        query, keys = torch.randn(self.hidden, heads * QUERY), torch.randn(2, heads, self.keys, QUERY // 2)

        def run():
            halves = torch.einsum("tphn,phkn->pthk", (x @ query).view(-1, 2, heads, QUERY // 2), keys)
            (first, second), (row, column) = halves.topk(min(count, self.keys), -1)
            score, at = (first[..., :, None] + second[..., None, :]).flatten(-2).topk(count, -1)
            return score, (row[..., :, None] * self.keys + column[..., None, :]).flatten(-2).gather(-1, at)

        return run

    def mix(self, x, heads, count):
        retrieve = self.retrieve(x, heads, count)

        def run():
            score, ids = retrieve()
            weight = F.silu(torch.einsum("td,thkd->thk", x, self.down[ids])) * score.softmax(-1)
            return torch.einsum("thk,thkd->td", weight, self.up[ids])

        return run

    def cdmoe(self, x, count):
        return self.mix(x, 1, count)

    def peer(self, x, count):
        return self.mix(x, PEER_HEADS, max(1, count // PEER_HEADS))

    def pkm(self, x, count):
        retrieve = self.retrieve(x, 1, count)

        def run():
            score, ids = retrieve()
            return F.embedding_bag(ids.flatten(1), self.up, per_sample_weights=score.softmax(-1).flatten(1), mode="sum")

        return run

    def loop(self, x, count, onehot=False):
        router = numbers(self.experts, self.hidden)

        def run():
            gate, ids = F.softmax(x @ router.T, -1).topk(count, -1)
            y = torch.zeros_like(x)
            mask = F.one_hot(ids, self.experts).permute(2, 0, 1) if onehot else None
            for expert in range(self.experts):
                token, slot = torch.where(mask[expert] if onehot else ids == expert)
                hit = F.silu(x[token] @ self.down[expert][:, None]) * self.up[expert]
                y.index_add_(0, token, hit * gate[token, slot, None])
            return y

        return run

    def onehot(self, x, count):
        return self.loop(x, count, True)


def timed(run, repeat, most):
    """Median seconds of `repeat` runs after one to warm up; as few as fit into `most` seconds, at least one."""
    seconds, start = [], time.perf_counter()
    while len(seconds) <= repeat and (not seconds or time.perf_counter() - start + seconds[-1] < most):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[1:] or seconds)


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="+")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="f32", choices=["f32", "bf16"])
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--most", type=float, default=5, help="seconds of a case that no further run begins after")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    torch.set_default_dtype({"f32": torch.float32, "bf16": torch.bfloat16}[a.dtype])
    tables = None
    for case in a.case:
        kind, shape = case.split("=")
        sizes = [int(word) for word in shape.split("x")]
        if kind in ("ssd", "attention"):
            run = {"ssd": ssd, "attention": attention}[kind](*sizes)
        else:
            rows, hidden, experts, count = sizes
            if tables is None or (tables.hidden, tables.experts) != (hidden, experts):
                tables = None  # the old ones go first
                tables = Experts(hidden, experts)
            kinds = {"cdmoe": tables.cdmoe, "peer": tables.peer, "pkm": tables.pkm, "loop": tables.loop, "onehot": tables.onehot}
            run = kinds[kind](torch.randn(rows, hidden), count)
        if a.compile:
            run = torch.compile(run)
            run()
        seconds = timed(run, a.repeat, a.most)
        print(json.dumps(dict(case=case, dtype=a.dtype, threads=a.threads, seconds=seconds, tokens_per_second=sizes[0] / seconds,
                              version=torch.__version__)), flush=True)


main()
