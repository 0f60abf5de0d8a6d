#!/usr/bin/env python3
"""Runs mutants of the conformance PTX through a driver library, each in up to five modes and seeds, until one catches it.

    run.py --driver LIBRARY [--tools FOLDER] [--sample N] [--seed S] [--kinds TEXT...] [--only TEXT] [--jobs N] [--list]

With --tools, mutants of the kernels that our compiler makes of ../compiled: FOLDER has cheems-opt and cheems-translate.

Without --sample, and with CHEEMS_TEST_LONG set, all of them run. A mutant is caught if its launch fails or writes what is not
expected. Those that are not must be harmless for a reason that mutants.py or proofs.py knows, or stand in survivors.txt with the
reason; each set of kernels has its own. Of the others, and of those whose reason there is "missed: ...", at least 95 % must be caught. The exit code is 1 if that
is not so, if a survivor does not stand there, if one that stands there as harmless is caught, or one exists no more, if one is caught that a proof
calls harmless, or if the library crashes or hangs. With --list survivors are printed as lines of that file.
"""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "emulator/test/conformance"))

from mutants import generate, harmless  # noqa: E402
from proofs import proof  # noqa: E402
from workers import Worker, loaded, settings  # noqa: E402

SETTINGS = [("late", 1), ("early", 1), ("late", 2), ("early", 2), ("late", 3)]
STRICT = {"CHEEMS_EMULATOR_STRICT": "1"}  # a mutant that is only warned of would count as missed
WITHOUT_DRAIN = {"CHEEMS_EMULATOR_WGMMA_DRAIN": "off"}  # for kernels that pass with it: without it the assembler may hide a missing wait
MISSED = "missed:"
LEAST_CAUGHT = 0.95
SECONDS = 60  # for one launch; the longest takes less than one


def known_survivors(file):
    """name -> reason"""
    known = {}
    for line in file.read_text().splitlines():
        if line and not line.startswith("#"):
            name, _, reason = line.partition(" -- ")
            known[name.strip()] = reason.strip()
            if not reason.strip():
                sys.exit(f"{file}: {name} has no reason")
    return known


class Pool(threading.local):
    """The processes of a thread: one for each mode and seed, and whether the assembler may wait by itself. They start when they are used."""

    def __init__(self, driver, source, all_workers):
        self.workers = {(setting, is_without_drain): Worker(driver, {**STRICT, **settings(*setting), **(WITHOUT_DRAIN if is_without_drain else {})}, SECONDS, source)
                        for setting in SETTINGS for is_without_drain in (False, True)}
        all_workers.extend(self.workers.values())
        self.without_drain = {}

    def is_without_drain(self, kernel, ptx):
        if kernel not in self.without_drain:
            self.without_drain[kernel] = "wgmma.wait_group" in ptx and all(
                self.workers[setting, True].run(kernel)[0] == "passed" for setting in SETTINGS[:2])
        return self.without_drain[kernel]


def main():
    with tempfile.TemporaryDirectory() as folder:
        run(pathlib.Path(folder))


def run(folder):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--tools", type=pathlib.Path)
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CHEEMS_TEST_SEED", "1")))
    parser.add_argument("--kinds", nargs="+", default=[""], help="kinds that have one of these texts")
    parser.add_argument("--only", default="", help="mutants whose name has this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()

    begin, survivors = time.time(), HERE / "survivors.txt"
    if options.tools:
        sys.path.insert(0, str(HERE.parent / "compiled"))
        from compiled import build
        survivors = HERE.parent / "compiled" / "survivors.txt"
        build(options.tools, folder)
        source = HERE.parent / "compiled/compiled.py", folder
    else:
        source = None
    texts = {kernel.name: kernel.ptx().decode() for kernel in loaded(source)}
    everything = [mutant for name, ptx in texts.items() for mutant in generate(name, ptx, is_numbered=source is not None)]
    mutants = [mutant for mutant in everything
               if options.only in mutant.name and any(text in mutant.kind for text in options.kinds)]
    total = len(mutants)
    if options.sample and options.sample < total and "CHEEMS_TEST_LONG" not in os.environ:
        mutants = random.Random(options.seed).sample(mutants, options.sample)
    known, all_workers = known_survivors(survivors), []
    pool_of = Pool(options.driver, source, all_workers)

    def tried(mutant):
        """(mutant, how it was caught or "survived" or what is wrong with the library, where, whether it changes nothing)"""
        text, is_without_drain = mutant.text(texts[mutant.kernel]), pool_of.is_without_drain(mutant.kernel, texts[mutant.kernel])
        for setting in SETTINGS:
            result, why = pool_of.workers[setting, is_without_drain].run(mutant.kernel, text)
            if result != "passed":
                return mutant, result, why, setting, False
        same = mutant.probe is not None and pool_of.workers[SETTINGS[0], False].run(
            mutant.kernel, mutant.text(texts[mutant.kernel], probe=True))[0] == "passed"
        return mutant, "survived", "", None, same

    def passes(kernel):
        """What is wrong without mutation, if something is."""
        results = (pool_of.workers[setting, False].run(kernel) for setting in SETTINGS)
        return next((f"{kernel} is wrong itself: {why}" for result, why in results if result != "passed"), None)

    caught, of_kind, where, bad = 0, collections.Counter(), collections.Counter(), []
    reasons, listed = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        if source:  # the conformance set has a test of its own
            bad += filter(None, pool.map(passes, dict.fromkeys(mutant.kernel for mutant in mutants)))
        for mutant, result, why, setting, same in pool.map(tried, mutants):
            of_kind[mutant.kind, "all"] += 1
            if result in ("finding", "wrong"):
                caught += 1
                where[setting] += 1
                of_kind[mutant.kind, "caught"] += 1
                if mutant.name in known and known[mutant.name].startswith(MISSED):
                    print(f"{mutant.name} is no longer missed: {why}")
                elif mutant.name in known:
                    bad.append(f"{mutant.name} stands in {survivors.name}, but is caught: {why}")
                if proof(mutant, texts[mutant.kernel]):
                    bad.append(f"{mutant.name} is harmless by a proof, but is caught: {why}")
            elif result != "survived":
                bad.append(f"{mutant.name}: {result}: {why}")
            elif harmless(mutant, texts[mutant.kernel], same):
                reasons[harmless(mutant, texts[mutant.kernel], same)] += 1
                of_kind[mutant.kind, "harmless"] += 1
                if mutant.name in known:
                    bad.append(f"{mutant.name} stands in {survivors.name}, but needs no reason")
            else:
                listed += mutant.name in known and not known[mutant.name].startswith(MISSED)
                if options.list:
                    print(f"{mutant.name} -- {known.get(mutant.name, '')}\t[{mutant.was}]")
                elif mutant.name not in known:
                    bad.append(f"{mutant.name} survived: {mutant.was}")
    for worker in all_workers:
        worker.close()

    for kind in dict.fromkeys(kind for kind, _ in of_kind):
        print(f"{kind}: {of_kind[kind, 'caught']} of {of_kind[kind, 'all']} caught, {of_kind[kind, 'harmless']} harmless by themselves")
    for setting in SETTINGS:
        print(f"caught first by {setting[0]}, seed {setting[1]}: {where[setting]}")
    for reason, number in reasons.items():
        print(f"{number} are harmless: {reason}")
    print(f"{listed} are harmless for reasons in {survivors.name}")
    if total == len(everything):
        bad += [f"{name} stands in {survivors.name}, but is no mutant" for name in known.keys() - {one.name for one in everything}]
    counted = len(mutants) - sum(reasons.values()) - listed
    share = caught / counted if counted else 0
    print(f"{time.time() - begin:.1f} s for {len(mutants)} of {total} mutants, seed {options.seed}")
    print(f"{caught} of the other {counted} caught: {100 * share:.1f} %")
    if share < LEAST_CAUGHT and not options.only:
        bad.append(f"less than {100 * LEAST_CAUGHT:.0f} % are caught")
    for line in bad:
        print(line)
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
