#!/usr/bin/env python3
"""A server under load from 64 connections, of which many leave, stall, err or ask for what costs much; then signals, a full disk, and nothing to do.

    load.py BIN_DIR MODEL [--requests N] [--connections 64] [--compiler BIN_DIR]

MODEL is a model folder, which cheems-compile of BIN_DIR, or of --compiler, compiles first. N is 600 unless it is given, with
CHEEMS_TEST_LONG 10,000. CHEEMS_TEST_SEED draws the requests. Checked is what docs/serve.md promises:

- Each request that was accepted ends once, and the server's log and the client agree in what: done, cancelled or refused.
- A greedy text is the one of cheems-run alone.
- At the end all slots are idle, gauges are zero, as many descriptors are open as at the start. After the second half of the requests
  the server has at most GROWTH more memory than after the first, both when it is idle, and it never has more than --memory says.
- A neighbour, who asks for little from another address meanwhile, is never refused, and waits at most NEIGHBOUR seconds for its first token.

Other times are told, and looked at by nobody. Against a sanitized BIN_DIR, what a sanitizer reports fails the run, and memory is told only.
"""
import argparse
import asyncio
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback

import faults
import load_hostile
from load_clients import Clients, WEIGHTS
from load_outcomes import Outcome, Timings
from load_server import Server, until

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The allocator may keep some 2 MiB of what was freed. A leak of 2 KiB a request is more in the long form
GROWTH = 6 << 20
PREFIX = "load-"
CONTEXT = 512
GAUGES = ["cheems:num_requests_running", "cheems:num_requests_waiting", "cheems:kv_cache_usage_perc", "llamacpp:requests_processing",
          "llamacpp:requests_deferred"]
FLAGS = ["--parallel", "4", "-t", "2", "-c", str(CONTEXT), "--max-queue", "52", "--body-timeout", "5", "--stall-timeout", "3",
         "--cache-ram", "4M", "--cache-exact", "--memory", "1G"]
# enough that costly requests are refused for what each of them takes, and never others for what all take
MEMORY = 1 << 30
# a slot is free as soon as one of four short texts has ended; far more than that, for a busy machine
NEIGHBOUR = 10


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else float("nan")


def told(name, values):
    return f"{name} p50 {1000 * percentile(values, 0.5):.1f} ms, p99 {1000 * percentile(values, 0.99):.1f} ms, of {len(values)}"


def make_cases(bins, artefact, count, draw):
    """Prompts of Shakespeare, and what cheems-run makes of them."""
    text = (ROOT / "benchmarks/shakespeare.txt").read_text()
    cases = []
    for i in range(count):
        begin, length = draw.randrange(len(text) - 2000), draw.choice([8, 40, 200, 600])
        # some begin alike, so that states are used again
        prompt = cases[i // 2]["prompt"] + text[begin : begin + 40] if i % 3 == 2 else text[begin : begin + length].strip() or "ROMEO:"
        tokens = draw.randint(1, 24)
        said = subprocess.run([bins / "cheems-run", artefact, "-p", prompt, "-n", str(tokens), "-c", str(CONTEXT), "--temp", "0", "-t", "2", "--json"],
                              check=True, capture_output=True, text=True).stdout
        cases.append(dict(prompt=prompt, tokens=tokens, text=json.loads(said)["text"]))
    return cases, text[:6000]


class Load:
    def __init__(self, server, cases, long, seed):
        self.server, self.seed = server, seed
        self.timings, self.over = Timings(), False
        self.clients = Clients(server.port, cases, long, self.timings)
        self.outcomes, self.waits = [], []

    def kinds(self, count):
        """Draws the kinds of so many clients. A few kinds are slow, and come at fixed indices."""
        draw = random.Random(self.seed)
        kinds = draw.choices(list(WEIGHTS), list(WEIGHTS.values()), k=count)
        slow = max(2, count // 200)
        for i in range(slow):
            kinds[i * count // slow] = "late_body"
        for i in range(max(1, count // 2000)):
            kinds[count // 4 + i * 1000] = "never_read"
        return kinds

    async def worker(self, queue, held):
        while queue:
            index, kind = queue.pop()
            draw = random.Random(self.seed * 1000003 + index)
            id = f"{PREFIX}{index:06d}"
            try:
                outcomes = await getattr(self.clients, kind)(id, draw)
            except Exception as error:
                outcomes = [Outcome(id, kind, "left", wrong="".join(traceback.format_exception_only(type(error), error)).strip(), seen=False)]
            held += [each for each in outcomes if not isinstance(each, Outcome)]
            self.outcomes += [each for each in outcomes if isinstance(each, Outcome)]
            if any(each.status == 429 for each in self.outcomes[-len(outcomes):]):
                await asyncio.sleep(draw.uniform(0.1, 0.5))  # as a client would

    async def neighbour(self):
        while not self.over:
            outcome, seconds = await self.clients.neighbour(f"{PREFIX}near{len(self.waits)}")
            self.outcomes.append(outcome)
            self.waits.append(seconds)
            await asyncio.sleep(0.2)

    async def run(self, kinds, connections):
        """`kinds` by number; the seconds that they took."""
        queue, held = list(reversed(kinds)), []
        self.over, begin = False, time.monotonic()
        neighbour = asyncio.create_task(self.neighbour())
        await asyncio.gather(*(self.worker(queue, held) for _ in range(connections)))
        seconds = time.monotonic() - begin
        self.over = True
        await neighbour
        # those that read nothing stay until the server has given them up
        for _ in range(600):
            if not held or sum(record.get("end") == "stalled" for record in self.server.records()[0]) >= len(held):
                break
            await asyncio.sleep(0.1)
        for line in held:
            line.close(reset=True)
        return seconds


def account(load, records, metrics):
    """What the log and the clients tell apart, as one line each, and how often each end came."""
    wrong = [f"{each.id} ({each.kind}): {each.wrong}" for each in load.outcomes if each.wrong]
    lines = {}
    for record in records:
        if record["id"].startswith(PREFIX):
            lines.setdefault(record["id"], []).append(record)
    counts = dict(done=0, cancelled=0, refused=0, unseen=0)
    sure = maybe = 0  # texts that the engine finished for sure, or perhaps
    late = 0  # requests that it may have begun and refused then
    for each in load.outcomes:
        found = lines.pop(each.id, [])
        if len(found) > 1 or (each.seen and not found):
            wrong.append(f"{each.id} ({each.kind}): {len(found)} lines in the log in place of one")
            continue
        if not found:
            counts["unseen"] += 1
            maybe += each.choices
            continue
        status, end = found[0]["status"], found[0]["end"]
        theirs = "refused" if status >= 400 and end == "done" else "done" if end == "done" else "cancelled"
        counts[theirs] += 1
        agree = theirs == each.end and status == each.status if each.end != "left" else end in ("done", "dropped", "stalled")
        if not agree:
            wrong.append(f"{each.id} ({each.kind}): {each.end} with {each.status} for its client, {end} with {status} in the log")
        sure += each.choices if each.end == "done" else 0
        maybe += each.choices if each.end in ("left", "refused") else 0
        late += each.costly and each.end == "refused"
    wrong += [f"{id}: in the log, but nobody asked" for id in lines]
    ended = {reason: metrics[f'cheems:request_success_total{{finished_reason="{reason}"}}'] for reason in ("stop", "length", "abort", "error")}
    finished = ended["stop"] + ended["length"]
    if not sure <= finished <= sure + maybe or ended["abort"] > maybe or ended["error"] > late:
        wrong.append(f"the engine counts {ended}, the clients {sure} whole texts and {maybe} that they left")
    stalled, unread = sum(record["end"] == "stalled" for record in records), sum(each.kind == "never read" for each in load.outcomes)
    if stalled != unread:
        wrong.append(f"{stalled} answers stalled in the log, of {unread} clients that read nothing")
    full = sum(record["status"] == 429 for record in records)
    if metrics["cheems:requests_refused_total"] < full:
        wrong.append(f"{full} requests were refused with 429, the engine counts {metrics['cheems:requests_refused_total']:.0f}")
    return wrong, counts


def settle(server, descriptors):
    """Waits until nothing is left of what clients asked; the memory that stays."""
    # a request whose client has left may still wait to be read, or for a slot: no one number says that all is over
    until("descriptors are still open", lambda: server.descriptors() <= descriptors)
    until("some slot is still busy", lambda: server.busy_slots() == 0)
    until("some gauge is not zero", lambda: not any(server.metrics()[name] for name in GAUGES))
    server.ask("/tokenize", dict(content="ab" * 50_000))  # after a long text memory goes back to the system
    time.sleep(0.3)
    return server.resident()


def check_load(server, cases, long, options, seed):
    start = server.descriptors()
    load = Load(server, cases, long, seed)
    kinds = list(enumerate(load.kinds(options.requests)))
    seconds, idle = 0, []
    for half in (kinds[:len(kinds) // 2], kinds[len(kinds) // 2:]):
        seconds += asyncio.run(load.run(half, options.connections))
        idle.append(settle(server, start))
    metrics = server.metrics()
    until("the log lacks lines", lambda: {each.id for each in load.outcomes if each.seen} <= {record.get("id") for record in server.records()[0]}, 20)
    wrong, counts = account(load, server.records()[0], metrics)
    print(f"{len(load.outcomes)} requests of {options.requests} clients on {options.connections} connections in {seconds:.1f} s: "
          + ", ".join(f"{number} {name}" for name, number in counts.items()))
    print(told("time to first token", load.timings.first) + "; " + told("between tokens", load.timings.between))
    print(f"{start} descriptors before and after; idle with {idle[0] >> 10} KiB after the first half, {idle[1] >> 10} KiB after the second")
    if idle[1] > idle[0] + GROWTH:
        text = f"memory grew by {(idle[1] - idle[0]) >> 10} KiB in the second half"
        wrong += [] if options.sanitized else [text]
        print(text)
    print(told("a neighbour's first token", load.waits) + f"; at most {server.peak() >> 10} KiB in all")
    if not options.sanitized and max(load.waits) > NEIGHBOUR:
        wrong.append(f"a neighbour waited {max(load.waits):.1f} s for its first token")
    if not options.sanitized and server.peak() > MEMORY:
        wrong.append(f"the server had {server.peak() >> 10} KiB of memory, with --memory {MEMORY >> 10} KiB")
    if not counts["done"] or not counts["cancelled"] or not counts["refused"]:
        wrong.append(f"not every kind of end came: {counts}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--requests", type=int, default=10000 if os.environ.get("CHEEMS_TEST_LONG") else 600)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--compiler", type=pathlib.Path, help="folder of the compiler, where BIN_DIR has none")
    parser.add_argument("--sanitized", action="store_true", help="the server is a sanitized one: tell its memory only")
    options = parser.parse_args()
    options.bins = options.bins.resolve()
    compiler = (options.compiler or options.bins) / "cheems-compile"
    for binary in (compiler, options.bins / "cheems-run", options.bins / "cheems-serve"):
        if not binary.exists():
            print(f"skipped: serve-load: {binary} is not built")
            return 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))  # so that the servers end, too
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    seed = int(os.environ.get("CHEEMS_TEST_SEED", "1"))
    print(f"seed {seed}")
    with tempfile.TemporaryDirectory() as folder:
        artefact = pathlib.Path(folder) / "model.cheems"
        subprocess.run([compiler, options.model, "--cpu", "x86-64-v3", "-o", artefact], check=True)
        cases, long = make_cases(options.bins, artefact, 40 if options.requests > 2000 else 16, random.Random(seed))
        binary = options.bins / "cheems-serve"
        template, slots = pathlib.Path(folder) / "template.jinja", pathlib.Path(folder) / "load-slots"
        template.write_text(load_hostile.TEMPLATE)
        slots.mkdir()
        server = Server(binary, artefact, *FLAGS, "--chat-template-file", template, "--slot-save-path", slots)
        try:
            server.until_ready()
            wrong = check_load(server, cases, long, options, seed)
            code = server.end()
        except Exception:
            server.end(9)
            print("\n".join(server.records()[1]), file=sys.stderr)  # what a sanitizer found
            raise
        finally:
            server.end(9)
        _, others = server.records()
        wrong += [f"the server ended with {code}"] if code else []
        wrong += [f"the server said: {line}" for line in others]
        for check in (faults.drains, faults.starts_again, faults.full_disk, faults.idles):
            wrong += check(binary, artefact, cases, FLAGS, pathlib.Path(folder))
    for line in wrong[:200]:
        print("FAILED:", line)
    print(f"{len(wrong)} things are wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
