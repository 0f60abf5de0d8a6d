#!/usr/bin/env python3
"""The tables of docs/performance.md and docs/gpu-counts.md that say what a GPU is asked for, each row beside its least, and what time that takes.

    gpu_table.py BIN DRIVER [--write] [--rows NAME...] [--archs ARCH...] [--only TEXT]
    gpu_table.py BIN DRIVER --quick
    gpu_table.py --write | --check

BIN is the folder of the tools, DRIVER is libcheems-cuda-emulator.so. Every row is made of whatever kernels the compiler makes now, and kept in
docs/performance/gpu-table.json. --rows takes decode, matmuls, attention, ssd, experts, launches, registers, times; --only counts the work whose
name has TEXT. --write puts all that is kept into the pages; without BIN nothing is counted. --check fails if the pages differ. --quick counts
small shapes, prints them and keeps nothing. A row that misses its limit says so with its figure, and one that cannot be made says why.

Each counted launch finds empty caches, so counts of layers can be added: those of one layer of a kind are the difference of two models.
"""
import argparse
import dataclasses
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "scripts/gpu_rows"), str(ROOT / "scripts/gpu_check"), str(ROOT / "benchmarks")]

import page  # noqa: E402
import record  # noqa: E402
import resources  # noqa: E402
import rows  # noqa: E402
import time_model  # noqa: E402
from counting import ARCHITECTURES, Bench, Refused  # noqa: E402

PAGE, COUNTS = ROOT / "docs" / "performance.md", ROOT / "docs" / "gpu-counts.md"
TIMES = "times"


def say(text):
    print(text, file=sys.stderr, flush=True)


def counted(bench, work):
    """The rows; or a text that says why there are none."""
    try:
        return list(work.count(bench))
    except Refused as why:
        return str(why)


def show(architecture, work, found):
    for one in [found] if isinstance(found, str) else found:
        text = one if isinstance(one, str) else f"{one.what} | {record.limit(one)} | {record.cell(one)}"
        say(f"{architecture} | {work} | {text}")


def count(options, sizes, keep):
    """All work that is wanted; keep(part, architecture, name, what is found)."""
    works = [work for work in rows.all_works(sizes) if work.group in options.rows and options.only in work.name]
    for architecture in options.archs:
        bench = Bench(options.bin.resolve(), options.driver.resolve(), architecture)
        for work in works:
            found = counted(bench, work)
            show(architecture, work.name, found)
            keep("rows", architecture, work.name, found if isinstance(found, str) else [dataclasses.asdict(row) for row in found])
        for label, name in sizes.shapes.items():
            if "registers" in options.rows and options.only in label:
                keep("kernels", architecture, label, resources.table_of(bench, name))
            if TIMES in options.rows and options.only in label:
                keep("times", architecture, label, list(rows.speeds(bench, label, name)))
        bench.folder.cleanup()


def tables(kept, works):
    """(page, its part) -> text"""
    found = {(PAGE, "gpu table"): record.verdicts(kept, works), (PAGE, "gpu times"): record.times(kept, time_model.GAPS)}
    return found | {(COUNTS, f"kernels {architecture}"): record.kernels(kept, architecture) for architecture in ARCHITECTURES}


def main():
    groups = list(dict.fromkeys(work.group for work in rows.all_works(rows.FULL))) + [TIMES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, nargs="?")
    parser.add_argument("driver", type=pathlib.Path, nargs="?")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", nargs="+", default=groups, choices=groups)
    parser.add_argument("--archs", nargs="+", default=list(ARCHITECTURES), choices=ARCHITECTURES)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    if options.bin and not options.driver:
        parser.error("BIN needs DRIVER, the software GPU that counts")
    if not options.bin and (options.quick or not (options.write or options.check)):
        parser.error("nothing to do: give BIN and DRIVER to count, or --write or --check for what is kept")
    if options.quick:
        count(options, rows.QUICK, lambda *_: None)
        return
    kept = record.Record()
    if options.bin:
        count(options, rows.FULL, kept.keep)
    differ = False
    for (file, part), text in tables(kept, rows.all_works(rows.FULL)).items():
        if options.write:
            page.replace(file, part, text)
        elif options.check and f"<!-- {part}: begin -->\n{text}\n<!-- {part}: end -->" not in file.read_text():
            differ = True
            print(f"{file.name}: {part} is not what {record.FILE.name} has; run scripts/gpu_table.py --write")
    sys.exit(differ)


if __name__ == "__main__":
    main()
