#!/usr/bin/env python3
"""The model of time by hand, and scripts/gpu_table.py with small shapes: gpu_table.py BIN DRIVER

Which rows are missed is no matter here: the table says so.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/gpu_check"))

import time_model  # noqa: E402

KERNEL = {"launches": 2, "blocks": 264, "threads_per_block": 128, "resident_blocks": 1, "barriers": 0, "cycles": {},
          "dram_read_sectors": 0, "dram_write_sectors": 0}


def near(got, wanted):
    assert abs(got - wanted) <= 1e-9 * abs(wanted), (got, wanted)


def by_hand():
    card = next(card for card in time_model.cards() if card.name == "NVIDIA H100")
    assert time_model.card_named("NVIDIA H100 80GB HBM3") == card and time_model.card_named("NVIDIA Something") is None
    take = lambda gap=0.0, **counts: time_model.seconds({**KERNEL, **counts}, card, gap)
    near(take(gap=1e-6), 2e-6)
    near(take(dram_read_sectors=10**6, dram_write_sectors=10**6), 64e6 / card.bytes)
    near(take(cycles={"alu": 132e3, "lsu": 66e3}), 1e3 / card.clock)
    near(take(cycles={"tensor": 132e3}), 2 * 132e3 * 2048 / card.operations)
    # two launches of one block each: one multiprocessor works
    near(take(blocks=2, cycles={"tensor": 1e3}), 2 * 1e3 * 2048 * 132 / card.operations)
    # each of the 264 blocks meets once, in one wave per launch
    near(take(barriers=4 * 264), 2 * time_model.BARRIER_CYCLES / card.clock)
    # the longest counts, not the sum
    near(take(dram_read_sectors=10**6, cycles={"alu": 132}), 32e6 / card.bytes)


def small_table(tools, driver):
    command = [sys.executable, ROOT / "scripts/gpu_table.py", tools, driver, "--quick", "--archs", "sm_90a", "--rows", "products", "experts"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines() if line.startswith("| ")][2:]
    print(done.stdout)
    products = [row for row in rows if row[0].startswith("product")]
    assert len(products) == 12 and len(rows) == 16, rows
    assert all(row[-1] in ("met", "missed") for row in rows), rows
    for row in products:
        if row[1].startswith("MB moved"):
            assert float(row[2]) >= 1, row  # no product moves less than its least
        if row[1] == "bank conflicts":
            assert row[-1] == "met", row


by_hand()
small_table(*sys.argv[1:])
