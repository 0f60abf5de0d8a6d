#!/usr/bin/env python3
"""Runs Cheems and its peers side by side and says how they compare: tables with ratios, and pictures.

    LLAMA_BENCH=PATH LLAMA_BENCH_AVX512=PATH python3 benchmarks/compare.py --work FOLDER [--write docs/performance.md]

All use the same CPUs and as many threads, and take turns: each round runs every program once. Rates are medians over
rounds, ratios medians of the ratios within a round. Models are generated into --work once. PyTorch and transformers run
in the Python that runs this script (pip install torch transformers); LLAMA_BENCH names a llama-bench for this CPU,
LLAMA_BENCH_AVX512 one built with AVX-512 F, BW, CD, DQ and VL alone. A row whose peer did not run is missed.
"""
import argparse, json, os, pathlib, sys, time
import charts, machine, modules, pictures, table, weights
from contenders import DEPTH, PROMPT, Missing, Runner

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUSY = 0.1  # CPUs


def say(text):
    print(f"compare: {text}", file=sys.stderr, flush=True)


def chosen(words):
    """Rows and figures that begin with one of these words, all without words; and the runs that they need."""
    wanted = lambda key: not words or any(key.startswith(word) for word in words)
    rows = [row for row in (*table.rows(), *modules.rows(), *weights.rows()) if wanted(row.key)]
    figures = {key: jobs for key, jobs in modules.figures().items() if wanted(key)}
    needed = {job for row in rows for job in row.jobs()} | {job for jobs in figures.values() for job in jobs}
    if not words:
        needed |= {*table.all_jobs(), *weights.all_jobs()}
    elif "weights" in words:
        needed |= set(weights.all_jobs())
    return rows, figures, [job for job in dict.fromkeys((*table.all_jobs(), *modules.all_jobs(), *weights.all_jobs())) if job in needed]


def measure(jobs, a):
    """Runs these jobs, in rounds; everything that the tables and the pictures are made from."""
    cores = machine.cores(a.threads)
    settings = dict(threads=a.threads, cores=cores, rounds=a.repeat, count=a.count, prompt=PROMPT, depth=DEPTH, quick=a.quick)
    results = dict(machine=machine.describe(), settings=settings, load=os.getloadavg()[0], busy=[], limits={}, samples={}, missing={})
    runner = Runner(a.bins.resolve(), a.work.resolve(), a.threads, a.count, 1 if a.quick else 3, a.patience)
    a.work.mkdir(parents=True, exist_ok=True)
    for job in list(jobs):
        try:
            if a.quick and modules.long(job):
                raise Missing("too long for --quick")
            runner.prepare(job)
        except Missing as reason:
            say(f"{job.name()}, {job.model}, {job.test}: left out: {reason}")
            results["missing"][job.key()] = str(reason)
            jobs.remove(job)
    if results["load"] > BUSY * len(os.sched_getaffinity(0)):
        say(f"load average {results['load']:.2f} before the first run; figures of a busy machine mean little")
    os.sched_setaffinity(0, cores)  # children inherit it
    for turn in range(a.repeat):
        watch, limits = machine.Watch(), {}
        # another one begins each round, so that nobody always follows the same neighbour's heat
        first = turn * 5 % max(1, len(jobs))
        due = [job for job in jobs[first:] + jobs[:first] if turn < modules.rounds(job)]
        for job in due:
            try:
                rate, notes, measured = runner.sample(job, due)
            except Missing as reason:
                say(f"{job.name()}, {job.model}, {job.test}: {reason}")
                results["missing"][job.key()] = str(reason)
                results["samples"].pop(job.key(), None)
                jobs = [other for other in jobs if other != job]
                continue
            sample = results["samples"].setdefault(job.key(), dict(rates=[], limits={}, notes=notes))
            sample["rates"].append(rate)
            for name, value in measured.items():
                sample["limits"].setdefault(name, []).append(value)
                limits.setdefault(name, []).append(value)
            say(f"round {turn + 1} of {a.repeat}: {job.name()}, {job.model}, {job.test}: {rate:.1f} tokens/s")
        for name, values in limits.items():
            results["limits"].setdefault(name, []).append(table.median(values))
        others, stolen = watch.others()
        results["busy"].append(dict(others=round(others, 3), stolen=round(stolen, 3)))
        if others > BUSY or stolen > BUSY:
            say(f"busy machine: others used {others:.2f} CPUs in round {turn + 1}, the host took {stolen:.2f}; repeat it when it is quiet")
    for job in jobs:
        told, expected = results["samples"].get(job.key(), {}).get("notes", {}).get("bytes"), modules.bytes_of(job, settings)
        if told and expected and abs(told / expected - 1) > 0.03:
            say(f"{job.name()}, {job.model}, {job.test}: cheems-bench counts {told / 1e6:.1f} MB a token, "
                f"models.py {expected / 1e6:.1f}; one of them is wrong")
    return results


def report(results, rows, jobs):
    """Markdown of a run: the machine, the comparisons, every rate."""
    verdicts = [table.judge(row, results) for row in rows]
    missed = sum(answer.verdict.startswith("missed") for answer in verdicts)
    return "\n\n".join([table.machine_text(results), table.main_table(verdicts, results["machine"]["features"]),
                        f"{missed} of {len(verdicts)} rows missed.", "### Every rate", table.rates_table(results, jobs)])


def replace(path, part, text):
    """Puts the text between the markers of a page for this part of it."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    page = path.read_text()
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(begin) > page.index(end):
        raise SystemExit(f"compare: {path} lacks the lines {begin} and {end}, once each and in this order; the table goes between them")
    path.write_text(page[: page.index(begin) + len(begin)] + "\n" + text + "\n" + page[page.index(end) :])


def draw(results, beside_peers, figures, folder):
    """The figures asked for; those of models beside their peers only where these were."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in {**(pictures.all_pictures(results) if beside_peers else {}), **charts.all_charts(results, figures)}.items():
        (folder / f"{name}.svg").write_text(picture)


def main():
    keys = [row.key for row in (*table.rows(), *modules.rows(), *weights.rows())] + list(modules.figures())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="ROW is one of, or the beginning of: " + ", ".join(keys))
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/cheems-compare"), help="folder of generated models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, help="rounds; 5, or 1 with --quick; what takes long runs in the first or the first two alone")
    parser.add_argument("--count", type=int, help="tokens decoded a run; 32, or 8 with --quick")
    parser.add_argument("--patience", type=float, default=200, metavar="SECONDS", help="prompts that would take longer than this, 200, are left out")
    parser.add_argument("--only", action="append", default=[], metavar="ROW", help="these rows alone; may be given again")
    parser.add_argument("--quick", action="store_true", help="one short round without what takes long: to see that all of it runs")
    parser.add_argument("--json", type=pathlib.Path, help="keep what was measured in this file")
    parser.add_argument("--recorded", type=pathlib.Path, help="measure nothing: take such a file")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="rewrite the table of this page, and the pictures in the folder of its name")
    a = parser.parse_args()
    a.repeat, a.count = a.repeat or (1 if a.quick else 5), a.count or (8 if a.quick else 32)
    rows, figures, jobs = chosen(a.only)
    if not rows and not figures:
        parser.error(f"no row is called {', '.join(a.only)}; there are: {', '.join(keys)}")
    start = time.monotonic()
    results = json.loads(a.recorded.read_text()) if a.recorded else measure(jobs, a)
    if a.json:
        a.json.write_text(json.dumps(results, indent=1) + "\n")
    starting = lambda part: [row for row in rows if row.key.startswith(part)]
    for part, own, ran in (("compare", [row for row in rows if not row.key.startswith(("modules", "weights"))], table.all_jobs()),
                           ("modules", starting("modules"), modules.all_jobs()), ("weights", starting("weights"), weights.all_jobs())):
        if any(row.ours.key() in results["samples"] for row in own):
            text = report(results, own, ran)
            print(text)
            if a.write:
                replace(a.write, part, text)
    if a.write:
        draw(results, not all(row.key.startswith(("modules", "weights")) for row in rows), figures, a.write.with_suffix(""))
    if not a.recorded:
        say(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
