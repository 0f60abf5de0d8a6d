#!/usr/bin/env python3
"""Runs the conformance kernels through a CUDA driver and compares what they write with numpy.

    run.py --driver LIBRARY [--mode early late] [--seeds N] [--only TEXT] [--arch 80] [--jobs N]

Each mode and seed has a process of its own, with CHEEMS_EMULATOR_MODE and CHEEMS_EMULATOR_SEED set; a GPU's driver does not
read them. The last line is 'N passed, M failed'; the exit code is 1 if any failed.
"""
import argparse
import concurrent.futures
import os
import pathlib
import sys
import threading
import time

from kernels import load
from workers import Worker, settings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, required=True)
    parser.add_argument("--mode", nargs="+", default=["early", "late"], choices=["early", "late"])
    parser.add_argument("--seeds", type=int, default=1, help="1 to this")
    parser.add_argument("--only", default="", help="kernels whose name has this text")
    parser.add_argument("--arch", type=int, default=90, choices=[80, 90], help="the emulated GPU; kernels of later ones are left out")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    os.environ["CHEEMS_EMULATOR_ARCH"] = str(options.arch)
    begin = time.time()
    names = [kernel.name for kernel in load(options.only) if int(kernel.target[3:5]) <= options.arch]
    own, workers = threading.local(), []

    def run(task):
        mode, seed, name = task
        if getattr(own, "setting", None) != (mode, seed):
            if hasattr(own, "worker"):
                own.worker.close()
            own.setting, own.worker = (mode, seed), Worker(options.driver, settings(mode, seed))
            workers.append(own.worker)
        return (*task, *own.worker.run(name))

    tasks = [(mode, seed, name) for seed in range(1, options.seeds + 1) for mode in options.mode for name in names]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for mode, seed, name, result, why in pool.map(run, tasks):
            if result != "passed":
                failed += 1
                print(f"{name}, {mode}, seed {seed}: {result}: {why}", flush=True)
    for worker in workers:
        worker.close()
    print(f"{time.time() - begin:.1f} s, {options.jobs} processes at once")
    print(f"{len(tasks) - failed} passed, {failed} failed")
    sys.exit(failed > 0 or not tasks)


if __name__ == "__main__":
    main()
