"""The paper's modules and its models' shapes: what is set against what, and the runs that the figures are drawn from."""
import math
from contenders import KINDS, LONG, OPS, Job
from models import MODELS, WINDOW, weights_of
from table import GATHER, LARGE, Row, cheems, work_of

CHEEMS, DENSE, DOGE = "cheems-320M", "dense-320M", "doge-cdmoe-320M"
PAIR, DENSE_PAIR = "cheems-320M-pair", "dense-320M-pair"
HIDDEN, RETRIEVED, BLOCK = 768, 32, 512
TABLES = tuple(1 << shift for shift in (10, 12, 14, 16, 18, 20))
RATIOS = (0.25, 1.0)  # rows that a token retrieves to the square root of the experts: the ends of the paper's range
DEEP = 100000
WAYS = "the fastest of f32 and bf16, plain and compiled"
LENGTHS = (512, 2048, 8192, 32768, 131072)
MILLION = (1000, 10000, 100000, 1000000)
FLAT = 1 / 1.15  # of the rate at the shorter length: what "flat" leaves for noise


def ssd(rows):
    return f"{rows}x12x64x128"


def attention(rows):
    return f"{rows}x8x128x1024"


def experts(rows, count, retrieved=RETRIEVED):
    return f"{rows}x{HIDDEN}x{count}x{retrieved}"


def name(count):
    return f"{count >> 20}M" if count >= 1 << 20 else f"{count >> 10}k"


def operation(op, shape, how=""):
    return Job("cheems", how, shape, op)


def torch(op, shape, how=""):
    return Job("torch", how, shape, op)


def best(op, shape, kind="", compiled=True):
    """PyTorch in each way that may be its best."""
    ways = ("", "bf16", "compiled", "bf16 compiled") if compiled else ("", "bf16")
    return tuple(torch(op, shape, " ".join(filter(None, (kind, way)))) for way in ways)


def rows():
    work, ours, peers = "SSD, 12 heads of 64, states of 128", operation("ssd", ssd(8192)), best("ssd", ssd(8192))
    yield Row("modules-ssd-torch", f"{work}, 8192 tokens", f"PyTorch, chunked, {WAYS}", 10, ours, peers)
    yield Row("modules-ssd-amx", f"{work}, 8192 tokens, AMX", "AMX bf16 peak", 0.15, operation("ssd", ssd(8192), "amx"), limit="AMX bf16")
    yield Row("modules-ssd-avx512", f"{work}, 8192 tokens, AVX-512 without BF16", "f32 FMA peak", 0.5, operation("ssd", ssd(8192), "avx512"),
              limit="AVX-512 f32 FMA")
    for length in (65536, 524288, 1048576):
        yield Row(f"modules-ssd-flat-{name(length)}", f"{work}, {length} tokens", "itself, 8192 tokens", FLAT, operation("ssd", ssd(length)), (ours,))
    work, ours, peers = "dynamic mask attention, 8 heads of 128, window 1024", operation("attention", attention(8192)), best("attention", attention(8192))
    yield Row("modules-attention-torch", f"{work}, 8192 tokens", f"PyTorch, topk and SDPA, {WAYS}", 20, ours, peers)
    yield Row("modules-attention-flat", f"{work}, 32768 tokens", "itself, 8192 tokens", FLAT, operation("attention", attention(32768)), (ours,))
    for tokens in (1, BLOCK):
        work = f"CDMoE, hidden {HIDDEN}, {RETRIEVED} retrieved, {tokens} token{'s' * (tokens > 1)}"
        for count in TABLES[::2] + TABLES[-1:]:
            yield Row(f"modules-experts-{tokens}-{name(count)}-torch", f"{work}, {name(count)} experts", f"PyTorch, {WAYS}", 10,
                      operation("experts", experts(tokens, count)), best("experts", experts(tokens, count), "cdmoe"))
        last = operation("experts", experts(tokens, TABLES[-1]))
        yield Row(f"modules-experts-{tokens}-1M-read", f"{work}, 1M experts, the gather of rows", "measured read bandwidth", 0.5, last, limit=GATHER)
        yield Row(f"modules-experts-{tokens}-1M-flat", f"{work}, 1M experts", "itself, 64k experts", 1 / 1.5, last, (operation("experts", experts(tokens, 65536)),))
    for count in TABLES[:2]:
        yield Row(f"modules-experts-{name(count)}-loop", f"CDMoE, hidden {HIDDEN}, {RETRIEVED} retrieved, {BLOCK} tokens, {name(count)} experts",
                  "PyTorch, a loop over experts as published, the faster of f32 and bf16", 100, operation("experts", experts(BLOCK, count)),
                  best("experts", experts(BLOCK, count), "onehot", compiled=False))
    for depth in (0, WINDOW):
        yield Row(f"modules-decode-{depth}", f"decode, Cheems of 1.3B's shape, bf16, window {WINDOW}, depth {depth}", "measured read bandwidth", 0.85,
                  cheems(LARGE, f"decode {depth}"), limit="read")
    yield Row("modules-decode-deep", f"decode, Cheems of 320M's shape, bf16, window {WINDOW}, depth {DEEP}", f"itself, depth {WINDOW}", FLAT,
              cheems(CHEEMS, f"decode {DEEP}"), (cheems(CHEEMS, f"decode {WINDOW}"),))
    gaps = [(length, cheems(CHEEMS, f"prefill {length}"), cheems(DENSE, f"prefill {length}")) for length in (2048, 8192, 32768)]
    for i, (length, ours, twin) in enumerate(gaps):
        work = f"prefill {length}, Cheems of 320M's shape"
        if length == 8192:
            yield Row("modules-prefill-8192", work, "its dense-attention twin, ours", 1, ours, (twin,))
        if i:
            yield Row(f"modules-prefill-gap-{length}", f"{work}, to its twin", f"the same ratio at {gaps[i - 1][0]}", 1, ours, (twin,), beside=gaps[i - 1][1:])


def retrieved(count, ratio):
    return round(ratio * math.isqrt(count))


def figures():
    """The runs of each figure, in the order of its lines."""
    tables = [(count, experts(BLOCK, count, retrieved(count, ratio))) for ratio in RATIOS for count in TABLES]
    lines = [(operation, "")] + [(torch, kind) for kind in KINDS[:4]]
    return {"figure-experts": [make("experts", shape, kind) for make, kind in lines for _, shape in tables],
            "figure-lengths": [cheems(model, f"prefill {length}") for model in (CHEEMS, DOGE, DENSE) for length in LENGTHS],
            "figure-million": [cheems(model, f"prefill {length}") for model in (PAIR, DENSE_PAIR) for length in MILLION]}


def all_jobs():
    jobs = [job for row in rows() for job in row.jobs()] + [job for jobs in figures().values() for job in jobs]
    # a curve's runs in rising order: the time of each says whether the next is worth it
    size = lambda job: int(job.model.split("x")[2]) if job.test == "experts" else 0 if job.test in OPS else job.tokens()
    return sorted(dict.fromkeys(jobs), key=lambda job: (job.test in OPS, size(job)))


def rounds(job):
    """At most so many: these take long, or serve figures alone."""
    if job.test not in OPS and " " not in job.test:
        return math.inf
    if job.test in OPS:
        large = job.test == "experts" and int(job.model.split("x")[2]) > 65536 or int(job.model.split("x")[0]) > 65536
        return 1 if large or not any(job in row.jobs() for row in rows()) else 2
    return 1 if job.tokens() >= LONG or job.model not in (CHEEMS, DENSE) else 2


def long(job):
    """Whether a short look at everything leaves it out."""
    if job.test not in OPS:
        return job.tokens() > 4096
    sizes = [int(word) for word in job.model.split("x")]
    return sizes[0] > 8192 or job.test == "experts" and sizes[2] > 4096 or job.by == "torch" and job.test == "attention"


def bytes_of(job, settings):
    """What models.py counts for a token, to be held against cheems-bench; nothing where it does not count."""
    if weights_of(job.model)[1]:
        return None
    if job.test.startswith("decode "):
        return MODELS[job.model].step_bytes(job.tokens() + settings["count"] // 2)
    return work_of(job, settings)[0]
