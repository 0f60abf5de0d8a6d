#!/usr/bin/env python3
"""What cheems-serve delivers beside what the model alone does, and beside llama-server: writes the section "Serving" of a page.

    benchmarks/serve.py [--bins build/release/bin] [--work FOLDER] [--threads 2] [--only batching mix chat cost idle] [--quick] [--write PAGE]

batching  8 streams of Doge 160M in bf16, beside cheems-bench with 8 sequences and beside llama-server of the same dimensions
mix       long prompts and short chats at once: tokens a second, p99 of the time to the first token; beside llama-server
chat      the tenth turn of a chat of 4,000 tokens, Cheems of 320M: time to the first token, beside the prefill of what is new and 64
          tokens more, and beside the same turn without kept states
cost      8 streams of Doge 20M: CPU time of all threads but those that compute, time that scheduling and texts take, and a step beside
          that of cheems-bench, which finds the highest logits, too
idle      CPU time of a server that nobody asks

LLAMA_SERVER names a llama-server; without it, what is beside it is left out. Weights and prompts are random. Reports, never gates.
"""
import argparse, json, os, pathlib, random, statistics, sys, threading, time
import machine, random_gguf, random_model
from compare import BUSY, committed, quiet
from contenders import Missing, run
from models import MODELS, VOCABULARY
from page import replace
from streams import START, Served, Stream, percentile, rate, read_all

ROOT = pathlib.Path(__file__).resolve().parent.parent
PARTS = ("batching", "mix", "chat", "cost", "idle")
STREAMS = 8


def say(text):
    print(f"serve: {text}", file=sys.stderr, flush=True)


class Bench:
    def __init__(self, a):
        self.bins, self.work, self.threads, self.quick = a.bins.resolve(), a.work.resolve(), a.threads, a.quick
        self.draw = random.Random(0)

    def folder(self, model):
        """Random weights, with the tokenizer of a demo model and words for the rest of the ids: texts must come of all of them."""
        folder = self.work / f"serve-{model}"
        if not (folder / "config.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            tokenizer = json.loads((ROOT / "models/doge-shakespeare/tokenizer.json").read_text())
            words = tokenizer["model"]["vocab"]
            words.update({f"word{i}": i for i in range(len(words), VOCABULARY)})
            (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
            random_model.save(folder, MODELS[model])
        return folder

    def artefact(self, model):
        path, compiler, source = self.work / f"serve-{model}.cheems", self.bins / "cheems-compile", self.folder(model) / "config.json"
        if not path.exists() or max(each.stat().st_mtime for each in (compiler, source)) > path.stat().st_mtime:
            run([compiler, self.folder(model), "-o", path])
        return path

    def ours(self, model, slots, context, *more):
        return Served([self.bins / "cheems-serve", self.artefact(model), "--port", 0, "--parallel", slots, "-c", context, "-t", self.threads, *more])

    def llama(self, model, slots, context):
        binary = os.environ.get("LLAMA_SERVER")
        if not binary:
            raise Missing("LLAMA_SERVER names no llama-server")
        path = self.work / f"{model}.gguf"
        if not path.exists():
            random_gguf.save(path, MODELS[model], "bf16")
        port = 18000 + os.getpid() % 1000
        return Served([binary, "-m", path, "--port", port, "--parallel", slots, "-c", slots * context, "-t", self.threads, "--no-webui"], port)

    def alone(self, model, *test):
        """The last row of cheems-bench."""
        return json.loads(run([self.bins / "cheems-bench", self.artefact(model), "-t", self.threads, "-r", 1 if self.quick else 3, "--no-limits",
                               "-o", "json", *test]))[-1]

    def prompt(self, length):
        return [self.draw.randrange(1000, VOCABULARY) for _ in range(length)]

    # ---- parts

    def side_by_side(self, measure, model, context):
        """What is measured of our server, and of llama-server if there is one."""
        found = {}
        for name, start in (("cheems-serve", self.ours), ("llama-server", self.llama)):
            try:
                with start(model, STREAMS, context) as served:
                    found[name] = measure(served)
            except Missing as reason:
                if name == "cheems-serve":
                    raise
                found["missing"] = str(reason)
        return found

    def batching(self):
        model, depth, count = "doge-160M", 64 if self.quick else 512, 16 if self.quick else 128

        def measure(served):
            read_all([Stream(served.port, self.prompt(8), 8)])  # warm
            return rate(read_all([Stream(served.port, self.prompt(depth), count) for _ in range(STREAMS)]))

        found = self.side_by_side(measure, model, depth + 2 * count)
        row = self.alone(model, "-p", 0, "-n", count, "-d", depth, "-b", STREAMS)
        return dict(found, alone=row["tokens_per_second_median"], depth=depth, streams=STREAMS)

    def mix(self):
        model, chats, longs = "doge-160M", 12 if self.quick else 96, 2 if self.quick else 16
        shapes = [(128 if self.quick else 1536, 8)] * longs + [(32, 8 if self.quick else 48)] * chats
        self.draw.shuffle(shapes)
        prompts = [(self.prompt(length), count) for length, count in shapes]

        def measure(served):
            read_all([Stream(served.port, self.prompt(8), 8)])
            waiting = list(prompts)
            following = lambda: Stream(served.port, *waiting.pop()) if waiting else None
            begin = time.monotonic()
            done = read_all([following() for _ in range(STREAMS)], following)
            seconds = time.monotonic() - begin
            first = [stream.first_token() for stream in done]
            return dict(rate=sum(len(stream.times) for stream in done) / seconds, p50=statistics.median(first), p99=percentile(first, 0.99))

        return dict(self.side_by_side(measure, model, 2048), long=shapes.count(max(shapes)), short=chats)

    def chat(self):
        model, new, answer, turns = "cheems-320M", 64 if self.quick else 360, 8 if self.quick else 40, 3 if self.quick else 10
        firsts = {"kept": [], "off": []}
        with self.ours(model, 1, turns * (new + answer) + 64) as served:
            for _ in range(1 if self.quick else 3):
                history = []
                for turn in range(turns):
                    history += self.prompt(new)
                    for name, keeps in (("kept", True), ("off", False)):
                        if turn == turns - 1:
                            begin = time.monotonic()
                            status, text = served.ask("/completion", dict(prompt=history, n_predict=1, temperature=0, ignore_eos=True, cache_prompt=keeps))
                            firsts[name].append(time.monotonic() - begin)
                    if turn < turns - 1:
                        status, text = served.ask("/completion", dict(prompt=history, n_predict=answer, temperature=0, ignore_eos=True, return_tokens=True))
                        history += json.loads(text)["tokens"]
                cached = json.loads(text)["timings"]["cache_n"]
                if cached:
                    raise Missing("a turn without kept states used some")
            depth = len(history) - new
        # at the same depth, and from nothing
        deep, flat = (self.alone(model, "-p", new + 64, "-n", 0, "-d", before) for before in (depth, 0))
        return dict(tokens=len(history), new=new, **{name: statistics.median(each) for name, each in firsts.items()},
                    prefill=(new + 64) / deep["tokens_per_second_median"], flat=(new + 64) / flat["tokens_per_second_median"])

    def cost(self):
        """The server and cheems-bench take turns; both have warmed up. What requests cost at their beginning and end is left out."""
        model, depth, count, rounds = "doge-20M", 64, 64 if self.quick else 512, 1 if self.quick else 5
        found = dict(step=[], alone=[], http=[], tell=[], schedule=[])
        with self.ours(model, STREAMS, depth + 2 * count) as served:

            def spent():
                """Seconds of each thread, of parts of the engine's, and how many steps there were."""
                page = {part: served.metric("cheems:engine_seconds_total", f'part="{part}"') for part in ("tell", "schedule")}
                return served.cpu(), page, served.metric("cheems:iteration_tokens_total_count")

            def watch(streams, seen):
                for share in (0.2, 0.9):
                    while min(len(stream.times) for stream in streams) < share * count and time.monotonic() < end:
                        time.sleep(0.002)
                    seen.append(spent())

            for turn in range(1 + rounds):  # the first one warms up
                streams, seen = [Stream(served.port, self.prompt(depth), count) for _ in range(STREAMS)], []
                end = time.monotonic() + START
                watcher = threading.Thread(target=watch, args=(streams, seen))
                watcher.start()
                read_all(streams)
                watcher.join()
                bench = self.alone(model, "-p", 0, "-n", count, "-d", depth, "-b", STREAMS, "--greedy")
                if turn == 0:
                    continue
                (threads, before, first), (now, after, last) = seen
                used = sorted((seconds - threads.get(thread, 0) for thread, seconds in now.items()), reverse=True)
                # the session's threads compute: no others use as much
                found["http"].append(sum(used[self.threads :]) / (last - first))
                for part in after:
                    found[part].append((after[part] - before[part]) / (last - first))
                found["step"].append(STREAMS / rate(streams))
                found["alone"].append(STREAMS / bench["tokens_per_second_median"])
        return {name: statistics.median(values) for name, values in found.items()}

    def idle(self):
        seconds = 3 if self.quick else 10
        with self.ours("doge-20M", STREAMS, 1024) as served:
            read_all([Stream(served.port, self.prompt(8), 8)])
            time.sleep(1)
            before = sum(served.cpu().values())
            time.sleep(seconds)
            return dict(cpu=sum(served.cpu().values()) - before, seconds=seconds)


# ---- the page

def rows(results):
    """Work, what was measured, beside what, the ratio, the goal."""
    ms = lambda seconds: f"{1000 * seconds:.1f} ms"
    if "batching" in results:
        found = results["batching"]
        ours, work = found["cheems-serve"], f"{found['streams']} streams, Doge 160M bf16, depth {found['depth']}"
        yield work, f"{ours:.1f} tokens/s", f"cheems-bench: {found['alone']:.1f} tokens/s", ours / found["alone"], "at least 0.90", ours >= 0.9 * found["alone"]
        if "llama-server" in found:
            theirs = found["llama-server"]
            yield work, f"{ours:.1f} tokens/s", f"llama-server: {theirs:.1f} tokens/s", ours / theirs, "at least 1.50", ours >= 1.5 * theirs
    if "mix" in results:
        found = results["mix"]
        ours, work = found["cheems-serve"], f"{found['long']} long prompts and {found['short']} short chats, Doge 160M bf16"
        text = lambda each: f"{each['rate']:.1f} tokens/s, first token p50 {ms(each['p50'])}, p99 {ms(each['p99'])}"
        if "llama-server" in found:
            theirs = found["llama-server"]
            ratio = ours["p99"] / theirs["p99"]
            yield work, text(ours), "llama-server: " + text(theirs), ratio, "p99 at most 1.00", ratio <= 1
        else:
            yield work, text(ours), "-", None, "-", None
    if "chat" in results:
        found = results["chat"]
        work = f"last turn of a chat of {found['tokens']:,} tokens, {found['new']} of them new, Cheems 320M bf16: first token"
        for name, seconds in (("after the others", found["prefill"]), ("from nothing", found["flat"])):
            ratio = found["kept"] / seconds
            yield work, ms(found["kept"]), f"prefill of {found['new'] + 64} tokens {name}: {ms(seconds)}", ratio, "at most 1.20", ratio <= 1.2
        yield work, ms(found["kept"]), f"without kept states: {ms(found['off'])}", found["kept"] / found["off"], "-", None
    if "cost" in results:
        found = results["cost"]
        work, text = "8 streams, Doge 20M bf16: a step", f"step: {1000 * found['step']:.3f} ms"
        share = (found["http"] + found["schedule"]) / found["step"]
        measured = f"HTTP: {1e6 * found['http']:.1f} µs of CPU time, scheduling: {1e6 * found['schedule']:.1f} µs"
        yield work, measured, text, share, "below 0.03", share < 0.03
        yield work, f"texts and events of 8 tokens: {1e6 * found['tell']:.1f} µs", text, found["tell"] / found["step"], "-", None
        between = found["step"] / found["alone"] - 1
        yield work, text, f"cheems-bench --greedy: {1000 * found['alone']:.3f} ms", between, "below 0.03", between < 0.03
    if "idle" in results:
        found = results["idle"]
        yield "idle", f"{1000 * found['cpu']:.1f} ms of CPU time", f"{found['seconds']} s", found["cpu"] / found["seconds"], "below 0.01", found["cpu"] < 0.01 * found["seconds"]


def section(results):
    settings, computer = results["settings"], results["machine"]
    lines = [f"- commit {settings['commit']}, {settings['date']}; {settings['threads']} threads",
             f"- CPU: {computer['cpu']}; {computer['cpus']} CPUs{' of a virtual machine' if computer['virtual'] else ''}; "
             f"features: {', '.join(computer['features']) or 'none of those that matter'}",
             f"- others before the run: {results['before']['others']:.2f} CPUs, the host took {results['before']['stolen']:.2f}"]
    missing = sorted({found["missing"] for found in results.values() if isinstance(found, dict) and "missing" in found})
    lines += [f"- left out: {reason}" for reason in missing]
    lines += ["", "| work | measured | beside it | ratio | goal | verdict |", "|---|---|---|---|---|---|"]
    for work, measured, beside, ratio, goal, met in rows(results):
        verdict = "-" if met is None else "met" if met else "missed"
        lines.append(f"| {work} | {measured} | {beside} | {'-' if ratio is None else f'{ratio:.3f}'} | {goal} | {verdict} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/cheems-compare"), help="folder of generated models")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=list(PARTS), choices=PARTS, metavar="PART", help="these parts alone")
    parser.add_argument("--quick", action="store_true", help="briefly, and whatever else runs: to see that all of it runs")
    parser.add_argument("--json", type=pathlib.Path, help="keep what was measured in this file")
    parser.add_argument("--recorded", type=pathlib.Path, help="measure nothing: take such a file")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="rewrite the section of this page")
    a = parser.parse_args()
    if a.write and (a.quick or a.only != list(PARTS)) and not a.recorded:
        parser.error("--write replaces a whole section: leave --only and --quick away")
    if a.write and not a.recorded and not committed()[1]:
        parser.error("--write names the commit that was measured, and there are changes that are not committed")
    if a.recorded:
        results = json.loads(a.recorded.read_text())
    else:
        settings = dict(threads=a.threads, commit=committed()[0], date=time.strftime("%Y-%m-%d"))
        results = dict(machine=machine.describe(), settings=settings, before=quiet(machine.Watch()))
        if results["before"]["others"] > BUSY and not a.quick:
            raise SystemExit(f"serve: other programs keep {results['before']['others']:.2f} CPUs busy; figures beside them mean nothing: run it when they have ended")
        bench = Bench(a)
        for part in a.only:
            try:
                results[part] = getattr(bench, part)()
                say(f"{part}: {results[part]}")
            except Missing as reason:
                raise SystemExit(f"serve: {part}: {reason}")
    if a.json:
        a.json.write_text(json.dumps(results, indent=1) + "\n")
    print(section(results))
    if a.write:
        replace(a.write, "serving", section(results))


if __name__ == "__main__":
    main()
