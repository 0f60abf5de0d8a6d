"""The comparisons: what is set against what, at least how fast it should be, and what a recorded run says about it."""
import dataclasses, math, statistics
from typing import Optional, Tuple
from contenders import DEPTH, OPS, PROMPT, SEQUENCES, VARIANTS, Job
from kin import KIN
from models import MODELS, weights_of

# A ratio that would need more than NEARLY of the measured limit counts as met at ENOUGH of it: nobody can read faster.
NEARLY, ENOUGH = 0.95, 0.85
# A limit of a part of the work: while experts' rows are gathered, their bytes against the read bandwidth.
GATHER = "gather"


@dataclasses.dataclass(frozen=True)
class Row:
    key: str
    work: str
    against: str
    least: float
    ours: Job
    peers: Tuple[Job, ...] = ()  # the fastest of them counts
    limit: Optional[str] = None  # instead of peers
    least_with: Optional[Tuple[str, float]] = None  # with that feature of the CPU
    times: int = 1  # peers' rates are taken this many times
    beside: Tuple[Job, ...] = ()  # two jobs: the ratio is taken to theirs

    def jobs(self):
        return (self.ours, *self.peers, *self.beside)

    def threshold(self, features):
        return self.least_with[1] if self.least_with and self.least_with[0] in features else self.least


def cheems(model, test, how=""):
    return Job("cheems", how, model, test)


def torch(test, *dtypes):
    """Plain PyTorch as it comes and compiled, and transformers."""
    return tuple(Job(name, how, "doge-160M", test) for dtype in dtypes
                 for name, how in (("torch", dtype), ("torch", f"{dtype} compiled"), ("transformers", dtype)))


def llama(model, test, build=""):
    """llama.cpp with and without flash attention."""
    return tuple(Job("llama.cpp", " ".join(filter(None, (build, flash))), model, test) for flash in ("", "flash"))


LARGE = "cheems-1.3B"  # no cache holds it, nor a part that would matter


def rows():
    yield Row("decode-1.3B-read", f"decode, Cheems of 1.3B's shape, bf16, depth {DEPTH}", "measured read bandwidth", 0.90,
              cheems(LARGE, f"decode {DEPTH}"), limit="read", least_with=("amx_bf16", 0.85))
    for size, least in (("160M", 1.25), ("320M", 1.25), ("20M", 1.3)):
        model = f"doge-{size}"
        yield Row(f"decode-{size}-llama", f"decode, Doge {size} bf16, depth {DEPTH}", "llama.cpp bf16, same dimensions", least,
                  cheems(model, "decode"), llama(model, "decode"))
    single = cheems("doge-160M", "decode")
    yield Row("decode-160M-torch", f"decode, Doge 160M bf16, depth {DEPTH}", "PyTorch, the fastest of bf16 and f32, plain, compiled and transformers",
              1, single, torch("decode", "bf16", "f32"))
    yield Row("decode-160M-transformers", f"decode, Doge 160M bf16, depth {DEPTH}", "transformers eager, the faster of bf16 and f32",
              5, single, tuple(job for job in torch("decode", "bf16", "f32") if job.by == "transformers"))
    yield Row("decode-160M-batch", f"decode of {SEQUENCES} sequences at once, Doge 160M", f"{SEQUENCES} × the rate of one", 0.6,
              cheems("doge-160M", "batch"), (single,), times=SEQUENCES)
    work, ours = f"prefill {PROMPT}, Doge 160M bf16, as it comes", cheems("doge-160M", "prefill")
    yield Row("prefill-llama", work, "llama.cpp bf16, same dimensions", 1.25, ours, llama("doge-160M", "prefill"))
    yield Row("prefill-torch", work, "PyTorch, the fastest of bf16 and f32, plain, compiled and transformers", 1, ours, torch("prefill", "bf16", "f32"))
    work, ours = f"prefill {PROMPT}, Doge 160M, AVX-512 without BF16", cheems("doge-160M", "prefill", "avx512")
    yield Row("prefill-avx512-peak", work, "f32 FMA peak", 0.65, ours, limit="AVX-512 f32 FMA")
    yield Row("prefill-avx512-torch", work, "PyTorch f32, the fastest of plain, compiled and transformers", 2, ours, torch("prefill", "f32"))
    yield Row("prefill-avx512-llama", work, "llama.cpp bf16, built for AVX-512 alone", 2, ours, llama("doge-160M", "prefill", "avx512"))
    yield Row("prefill-amx-torch", f"prefill {PROMPT}, Doge 160M, AMX", "PyTorch bf16 (oneDNN), the fastest of plain, compiled and transformers",
              1.3, cheems("doge-160M", "prefill", "amx"), torch("prefill", "bf16"))
    work, ours = f"prefill {PROMPT}, Doge 160M, AVX2", cheems("doge-160M", "prefill", "avx2")
    yield Row("prefill-avx2-peak", work, "f32 FMA peak", 0.65, ours, limit="AVX2 f32 FMA")


def further():
    """What only the pictures and the table of all rates show: every variant, and the rest of the peers."""
    for test in ("decode", "prefill"):
        for variant in VARIANTS:
            yield cheems("doge-160M", test, variant)
        yield from llama("doge-160M", test)
        yield from torch(test, "bf16", "f32")


def work_of(job, settings, notes={}):
    """What a token costs at least: its share of the bytes that a step must read, and of the operations on them. Of single
    operations, rounded weights and models with SSD, what cheems-bench counts; nothing where it did not run."""
    if job.test in OPS or " " in job.test or weights_of(job.model)[1]:
        return notes.get("bytes"), notes.get("operations")
    model = KIN.get(job.model) or MODELS[job.model]
    number = 4 if "f32" in job.how.split() else 2
    if job.test == "prefill":
        return model.step_bytes(PROMPT, number, number) / PROMPT, model.prefill_flops(PROMPT) / PROMPT
    together = SEQUENCES if job.test == "batch" else 1
    depth = DEPTH + settings["count"] // 2
    return model.step_bytes(depth, number, number, together) / together, model.matmul_flops(1, 1)


def median(rates):
    return statistics.median(rates) if rates else None


def rates(results, job):
    return results["samples"].get(job.key(), {}).get("rates", [])


def limit_name(limit):
    return "read bandwidth" if limit == "read" else f"{limit} peak"


def shares(results, job):
    """Returns {limit: share}: how much of each limit this job reached, if it could meet the limit. Shares are medians over rounds. A limit
    counts as the job's own run measured it, or else as the round did. What rounds to no share is left out, and the share of memory's
    bandwidth where the last cache holds what is read."""
    sample = results["samples"].get(job.key(), {})
    found = {}
    for limit, work in zip(("read", sample.get("notes", {}).get("unit")), work_of(job, results["settings"], sample.get("notes", {}))):
        if work is None or limit == "read" and cached(results, job):
            continue
        measured = sample.get("limits", {}).get(limit) or results["limits"].get(limit, [])
        share = median([rate * work / 1e9 / most for rate, most in zip(rates(results, job), measured)])
        if share is not None and share >= 0.005:
            found[limit] = share
    return found


def gathered(results, job):
    """The share of the read bandwidth at which experts' rows came while they were gathered, if that was told."""
    sample = results["samples"][job.key()]
    rate, read = sample.get("notes", {}).get("gathered"), median(sample["limits"].get("read", []))
    return rate / read if rate and read else None


def cached(results, job):
    """Whether the last cache holds all that a step reads, so that memory is no limit: of a model its weights and states, of
    experts both tables, of other operations what their rows are read from and written to."""
    notes = results["samples"].get(job.key(), {}).get("notes", {})
    if job.test == "experts":
        _, hidden, experts, _ = (int(word) for word in job.model.split("x"))
        size = 2 * 2 * hidden * experts
    else:
        tokens = int(job.model.split("x")[0]) if job.test in OPS else {"decode": 1, "batch": SEQUENCES, "prefill": PROMPT}.get(job.test.split()[0])
        size = (work_of(job, results["settings"], notes)[0] or math.inf) * (PROMPT if job.test.startswith("prefill ") else tokens)
    return size < max(results["machine"]["caches"].values(), default=0)


def bound(results, job):
    """What holds a job back, in words: the limit it came nearest to, and the share of it."""
    found, held = shares(results, job), cached(results, job)
    if not found:
        return "fits the last cache" if held else "limits not measured"
    words = [f"{share:.0%} of {limit_name(limit)}" for limit, share in sorted(found.items(), key=lambda item: -item[1])]
    if job.test in OPS:
        notes = results["samples"][job.key()]["notes"]
        if not held or notes["limit"] != "memory":
            return f"{notes['limit']}, {notes['share']:.0%} of it: " + ", ".join(words)
    if held:
        return "fits the last cache: " + ", ".join(words)
    nearest = max(found, key=found.get)
    if found[nearest] < 0.5:
        return "short of both limits: " + ", ".join(words)
    return ("memory: " if nearest == "read" else "arithmetic: ") + ", ".join(words)


@dataclasses.dataclass
class Verdict:
    row: Row
    ours: Optional[float] = None
    theirs: Optional[float] = None
    faster: str = ""  # which peer that was
    ratio: Optional[float] = None
    verdict: str = "missed"
    bound: str = ""


def judge(row, results):
    features, samples = results["machine"]["features"], results["samples"]
    answer = Verdict(row, ours=median(rates(results, row.ours)))
    if row.ours.how and VARIANTS[row.ours.how] not in features:
        answer.verdict, answer.bound = "not on this machine", f"no {VARIANTS[row.ours.how]}"
        return answer
    if answer.ours is None:
        answer.verdict, answer.bound = "missed: not run", results["missing"].get(row.ours.key(), "")
        return answer
    answer.bound = bound(results, row.ours)
    least = row.threshold(features)
    reached = shares(results, row.ours)
    if row.limit in ("read", GATHER) and cached(results, row.ours):
        answer.verdict = "no share: fits the last cache"
        return answer
    if row.limit:
        answer.ratio = gathered(results, row.ours) if row.limit == GATHER else reached.get(row.limit)
        if answer.ratio is None:
            answer.verdict = "missed: limit not measured"
        else:
            answer.verdict = "met" if answer.ratio >= least else "missed"
        return answer
    ran = [job for job in row.peers if rates(results, job)]
    if not ran:
        answer.verdict = "missed: peer not run"
        answer.bound += "; " + results["missing"].get(row.peers[0].key(), "no sample")
        return answer
    peer = max(ran, key=lambda job: median(rates(results, job)))
    answer.theirs, answer.faster = median(rates(results, peer)) * row.times, peer.name()
    answer.ratio = median([ours / (theirs * row.times) for ours, theirs in zip(rates(results, row.ours), rates(results, peer))])
    if row.beside:
        ours, theirs = (median(rates(results, job)) for job in row.beside)
        if not ours or not theirs:
            answer.ratio, answer.verdict = None, "missed: not run"
            return answer
        answer.ratio /= ours / theirs
    if answer.ratio >= least:
        answer.verdict = "met"
    elif row.ours.test not in OPS and reached and not cached(results, row.ours):
        share = max(reached.values())
        if share * least / answer.ratio > NEARLY and share >= ENOUGH:
            answer.verdict = f"met: {share:.0%} of the limit"
    return answer


def number(value):
    return "–" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def main_table(verdicts, features):
    lines = ["| work | against | ours, tokens/s | theirs | ratio | at least | verdict | what bounds ours |",
             "|---|---|---|---|---|---|---|---|"]
    for answer in verdicts:
        row, least = answer.row, answer.row.threshold(features)
        form = (lambda ratio: f"{ratio:.0%}") if row.limit or row.times > 1 else (lambda ratio: f"{ratio:.{0 if ratio >= 100 else 2}f}×")
        theirs = "–" if answer.theirs is None else number(answer.theirs) + (f" ({answer.faster})" if len(row.peers) > 1 else "")
        lines.append(f"| {row.work} | {row.against} | {number(answer.ours)} | {theirs} | "
                     f"{'–' if answer.ratio is None else form(answer.ratio)} | {form(least)} | {answer.verdict} | {answer.bound} |")
    return "\n".join(lines)


def rates_table(results, jobs):
    """Every rate that was measured, in the order of the jobs."""
    lines = ["| program | model or shape | test | tokens/s | GB/s | share of the limits |", "|---|---|---|---|---|---|"]
    names = {"prefill": f"prefill {PROMPT}", "decode": f"decode, depth {DEPTH}", "batch": f"decode, {SEQUENCES} sequences"}
    for job in jobs:
        rate = median(rates(results, job))
        if rate is None:
            continue
        needed, _ = work_of(job, results["settings"], results["samples"][job.key()].get("notes", {}))
        parts = ", ".join(["fits the last cache"] * (job.by == "cheems" and cached(results, job)) +
                          [f"{share:.0%} of {limit_name(limit)}" for limit, share in shares(results, job).items()])
        lines.append(f"| {job.name()} | {job.model} | {names.get(job.test, job.test)} | {number(rate)} | "
                     f"{'–' if job.test.startswith('prefill') or not needed else number(rate * needed / 1e9)} | {parts} |")
    return "\n".join(lines)


def all_jobs():
    return list(dict.fromkeys([job for row in rows() for job in row.jobs()] + list(further())))


def machine_text(results, what="all tables and pictures of this page are of one run"):
    described, settings, limits = results["machine"], results["settings"], results["limits"]
    caches = ", ".join(f"{name} {size >> 10} KiB" if size < 1 << 20 else f"{name} {size >> 20} MiB" for name, size in described["caches"].items())
    measured = "; ".join(f"{limit_name(name)} {number(median(values))} {'GB/s' if name == 'read' else 'GFLOP/s'}"
                         for name, values in limits.items() if values and name != "region")
    versions = sorted({f"{key.split('/')[0]} {sample['notes'][field]}" for key, sample in results["samples"].items()
                       for field in ("version", "build") if field in sample["notes"]})
    forced = sorted({f"{key.split('/')[0]}: {sample['notes']['forced']}" for key, sample in results["samples"].items() if "forced" in sample["notes"]})
    left_out = sorted({f"{key.split('/')[0]}: {reason}" for key, reason in results["missing"].items()
                       if not key.startswith("cheems/") and "illegal instruction" in reason})
    others = max((busy["others"] for busy in results["busy"]), default=0)
    stolen = max((busy["stolen"] for busy in results["busy"]), default=0)
    return "\n".join([
        f"- commit {settings['commit']}, {settings['date']}; {what} of {results['minutes']:.0f} minutes",
        f"- CPU: {described['cpu']}, family {described['family']}, model {described['model']}, stepping {described['stepping']}; "
        f"{described['cpus']} CPUs{' of a virtual machine' if described['virtual'] else ''}; {caches}; "
        f"{described['memory'] / 2**30:.0f} GiB of memory; {described['system']}",
        f"- features: {', '.join(described['features'])}",
        f"- {settings['threads']} threads on CPUs {', '.join(map(str, settings['cores']))} for everyone; "
        + ("one short round, to see that all runs: **these figures mean nothing**" if settings["quick"] else f"{settings['rounds']} rounds"),
        f"- measured limits of these threads: {measured or 'none'}",
        f"- peers: {', '.join(versions) or 'none'}",
        *(f"- {words}" for words in (*forced, *left_out)),
        f"- others before the first round: {results['before']['others']:.2f} CPUs; in the worst round other processes kept {others:.2f} CPUs busy, "
        f"the host took {stolen:.2f}",
    ])
