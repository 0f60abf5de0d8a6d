#!/usr/bin/env python3
"""Runs Cheems and its peers side by side and says how they compare: tables with ratios, and pictures.

    LLAMA_BENCH=PATH LLAMA_BENCH_AVX512=PATH python3 benchmarks/compare.py --work FOLDER [--write docs/performance.md]

All use the same CPUs and as many threads, and take turns: each round runs every program once. Rates are medians over
rounds, ratios medians of the ratios within a round. Models are generated into --work once. PyTorch and transformers run
in the Python that runs this script (pip install torch transformers); LLAMA_BENCH names a llama-bench for this CPU,
LLAMA_BENCH_AVX512 one built with AVX-512 F, BW, CD, DQ and VL alone. A row whose peer did not run is missed.

Beside other load nothing is measured: the run does not begin, a round that something else disturbed is thrown away and made
again, and after three such the run ends. --write takes one whole run of a committed tree and replaces every table and picture.
"""
import argparse, datetime, json, os, pathlib, subprocess, sys, tempfile, time
import charts, costs, formats, machine, modules, pictures, table, weights
from contenders import DEPTH, PROMPT, Missing, Runner
from page import replace

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUSY = 0.1  # CPUs
DISTURBED = 3  # rounds that may be thrown away


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


def committed():
    """The commit of this tree, and whether it is all that is here."""
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--", "include", "lib", "runtime", "server", "tools", "benchmarks")
    return git("rev-parse", "--short=10", "HEAD") or "unknown", not changed


def quiet(watch, seconds=5):
    """What others take of the machine while this process sleeps."""
    time.sleep(seconds)
    others, stolen = watch.others()
    return dict(others=round(others, 3), stolen=round(stolen, 3))


def sample_all(runner, due, turn, a):
    """One round: samples and reasons for missing ones, by key."""
    samples, missing = {}, {}
    for job in due:
        try:
            rate, notes, limits = runner.sample(job, due)
        except Missing as reason:
            say(f"{job.name()}, {job.model}, {job.test}: {reason}")
            missing[job.key()] = str(reason)
            continue
        samples[job.key()] = rate, notes, limits
        say(f"round {turn + 1} of {a.repeat}: {job.name()}, {job.model}, {job.test}: {rate:.1f} tokens/s")
    return samples, missing


def keep(results, samples):
    """Adds a round's samples, and of each limit that they measured the median."""
    limits = {}
    for key, (rate, notes, measured) in samples.items():
        sample = results["samples"].setdefault(key, dict(rates=[], limits={}, notes=notes))
        sample["rates"].append(rate)
        for name, value in measured.items():
            sample["limits"].setdefault(name, []).append(value)
            limits.setdefault(name, []).append(value)
    for name, values in limits.items():
        results["limits"].setdefault(name, []).append(table.median(values))


def check_bytes(results, jobs, bytes_of=modules.bytes_of):
    """Says where our program and models.py count different bytes."""
    for job in jobs:
        told, expected = results["samples"].get(job.key(), {}).get("notes", {}).get("bytes"), bytes_of(job, results["settings"])
        if told and expected and abs(told / expected - 1) > 0.03:
            say(f"{job.name()}, {job.model}, {job.test}: cheems-bench counts {told / 1e6:.1f} MB a token, "
                f"models.py {expected / 1e6:.1f}; one of them is wrong")


def take_turns(jobs, a, make=Runner, rounds=modules.rounds, long=modules.long):
    """Runs these jobs, in rounds: what was measured, and the runner. A job runs in the first `rounds` of them, and not at all with --quick if it
    is `long`."""
    cores, (commit, _) = machine.cores(a.threads), committed()
    settings = dict(threads=a.threads, cores=cores, rounds=a.repeat, count=a.count, prompt=PROMPT, depth=DEPTH, quick=a.quick,
                    commit=commit, date=datetime.date.today().isoformat())
    jobs, watch, begin = list(jobs), machine.Watch(), time.monotonic()
    results = dict(machine=machine.describe(), settings=settings, before=quiet(watch), busy=[], limits={}, samples={}, missing={}, costs={}, formats=[])
    if results["before"]["others"] > BUSY and not a.quick:
        raise SystemExit(f"compare: other programs keep {results['before']['others']:.2f} CPUs busy; figures beside them mean nothing: run it when they have ended")
    runner = make(a.bins.resolve(), a.work.resolve(), a.threads, a.count, 1 if a.quick else 3, a.patience)
    a.work.mkdir(parents=True, exist_ok=True)
    for job in list(jobs):
        try:
            if a.quick and long(job):
                raise Missing("too long for --quick")
            runner.prepare(job)
        except Missing as reason:
            say(f"{job.name()}, {job.model}, {job.test}: left out: {reason}")
            results["missing"][job.key()] = str(reason)
            jobs.remove(job)
    os.sched_setaffinity(0, cores)  # children inherit it
    turn = disturbed = 0
    while turn < a.repeat:
        watch.others()
        # another one begins each round, so that nobody always follows the same neighbour's heat
        first = turn * 5 % max(1, len(jobs))
        due = [job for job in jobs[first:] + jobs[:first] if turn < rounds(job)]
        samples, missing = sample_all(runner, due, turn, a)
        others, stolen = watch.others()
        if others > BUSY and not a.quick:
            disturbed += 1
            say(f"others used {others:.2f} CPUs in round {turn + 1}: thrown away")
            if disturbed == DISTURBED:
                raise SystemExit(f"compare: {DISTURBED} rounds were disturbed by other programs; run it when they have ended")
            continue
        keep(results, samples)
        results["missing"].update(missing)
        for key in missing:
            results["samples"].pop(key, None)
        jobs = [job for job in jobs if job.key() not in missing]
        results["busy"].append(dict(others=round(others, 3), stolen=round(stolen, 3)))
        turn += 1
    results["minutes"] = (time.monotonic() - begin) / 60
    return results, runner


def measure(jobs, a):
    """Everything that the tables and the pictures are made from."""
    begin = time.monotonic()
    results, runner = take_turns(jobs, a)
    if not a.only and not a.quick:
        results["costs"] = costs.measure(runner, say)
        with tempfile.TemporaryDirectory() as folder:
            results["formats"] = formats.measure(a.bins.resolve(), a.threads, min(a.repeat, 3), pathlib.Path(folder))
    check_bytes(results, jobs)
    results["minutes"] = (time.monotonic() - begin) / 60
    return results


def report(results, rows, jobs):
    """Markdown of some rows of a run, and of every rate after them."""
    verdicts = [table.judge(row, results) for row in rows]
    missed = sum(answer.verdict.startswith("missed") for answer in verdicts)
    return "\n\n".join([table.main_table(verdicts, results["machine"]["features"]), f"{missed} of {len(verdicts)} rows missed.",
                        "### Every rate", table.rates_table(results, jobs)])


def parts(results, rows):
    """The parts of the page that this run has anything for, with their text."""
    starting = lambda part: [row for row in rows if row.key.startswith(part)]
    yield "machine", table.machine_text(results)
    for part, own, ran in (("compare", [row for row in rows if not row.key.startswith(("modules", "weights"))], table.all_jobs()),
                           ("modules", starting("modules"), modules.all_jobs()), ("weights", starting("weights"), weights.all_jobs())):
        if any(row.ours.key() in results["samples"] for row in own):
            yield part, report(results, own, ran)
    if results["formats"]:
        text, missed = formats.verdicts(results["formats"])
        yield "precision", f"{text}\n\nRows missed: {missed}."
    if results["costs"]:
        yield "costs", costs.table(results)


def draw(results, figures, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, picture in {**pictures.all_pictures(results), **charts.all_charts(results, figures)}.items():
        (folder / f"{name}.svg").write_text(picture)


def main():
    keys = [row.key for row in (*table.rows(), *modules.rows(), *weights.rows())] + list(modules.figures())
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog="ROW is one of, or the beginning of: " + ", ".join(keys))
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/cheems-compare"), help="folder of generated models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, help="rounds; 5, or 1 with --quick; what takes long runs in the first or the first two alone")
    parser.add_argument("--count", type=int, help="tokens decoded per run; 32, or 8 with --quick")
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
    if a.write and (a.only or a.quick):
        parser.error("--write replaces all tables by those of one whole run: leave --only and --quick away")
    if a.write and not a.recorded and not committed()[1]:
        parser.error("--write names the commit that was measured, and there are changes that are not committed")
    results = json.loads(a.recorded.read_text()) if a.recorded else measure(jobs, a)
    if a.json:
        a.json.write_text(json.dumps(results, indent=1) + "\n")
    for part, text in parts(results, rows):
        print(text)
        if a.write:
            replace(a.write, part, text)
    if a.write:
        draw(results, figures, a.write.with_suffix(""))
    if not a.recorded:
        say(f"{results['minutes']:.0f} minutes")


if __name__ == "__main__":
    main()
