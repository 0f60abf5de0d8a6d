#!/usr/bin/env python3
"""The model of time and the judgements of scripts/gpu_table.py by hand, the pages, and the script with small shapes: gpu_table.py BIN DRIVER"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "scripts/gpu_check"), str(ROOT / "scripts/gpu_rows")]

import record  # noqa: E402
import resources  # noqa: E402
import rows  # noqa: E402
import time_model  # noqa: E402

KERNEL = {"launches": 2, "blocks": 264, "threads_per_block": 128, "resident_blocks": 1, "barriers": 0, "cycles": {},
          "dram_read_sectors": 0, "dram_write_sectors": 0}


def near(got, wanted):
    assert abs(got - wanted) <= 1e-9 * abs(wanted), (got, wanted)


def by_hand():
    gpu = next(gpu for gpu in time_model.gpus() if gpu.name == "NVIDIA H100")
    assert time_model.gpu_named("NVIDIA H100 80GB HBM3") == gpu and time_model.gpu_named("NVIDIA Something") is None
    take = lambda gap=0.0, **counts: time_model.seconds({**KERNEL, **counts}, gpu, gap)
    near(take(gap=1e-6), 2e-6)
    near(take(dram_read_sectors=10**6, dram_write_sectors=10**6), 64e6 / gpu.bytes)
    near(take(cycles={"alu": 132e3, "lsu": 66e3}), 1e3 / gpu.clock)
    near(take(cycles={"tensor": 132e3}), 2 * 132e3 * 2048 / gpu.operations)
    # two launches of one block each: one multiprocessor works
    near(take(blocks=2, cycles={"tensor": 1e3}), 2 * 1e3 * 2048 * 132 / gpu.operations)
    # each of the 264 blocks meets once, in one wave per launch
    near(take(barriers=4 * 264), 2 * time_model.BARRIER_CYCLES / gpu.clock)
    # the longest counts, not the sum
    near(take(dram_read_sectors=10**6, cycles={"alu": 132}), 32e6 / gpu.bytes)


def judged():
    """A limit is of a ratio if there is a least, else of the number itself."""
    assert rows.Row("", 1.05, 1.0, 1.05).met and not rows.Row("", 1.06, 1.0, 1.05).met
    assert rows.Row("", 0, None, 0).met and not rows.Row("", 1, None, 0).met
    assert record.cell(rows.Row("", 3.0, 2.0, 1.6, "alu")) == "1.50 (3 of 2, alu)"
    assert record.cell(rows.Row("", 6, None, 5)) == "**missed:** 6"
    # two heads of 2 numbers, 4 rows in blocks of 2: a block sees 2 keys, the other 4
    near(rows.keys_once(4, 2, 2, 2), 2 * ((2 + 4) * (2 * 2 * 2 + 4) + 4 * 2 * 6))
    # a window of 1: both blocks see their own two rows, and the second one key more
    near(rows.keys_once(4, 2, 2, 2, 1), 2 * ((2 + 3) * (2 * 2 * 2 + 4 + 8) + 4 * 2 * 6))
    # 64 columns: four warps multiply m64n64k16, and read 64 and 64 rows of 16 numbers of 2 bytes
    near(rows.operand_bytes({"warp_instructions": {"tensor": 4}, "cycles": {"tensor": 64 * 64 * 16 / 2048}}, 2048), 2 * 64 * 16 * 2)
    assert rows.operand_bytes({"warp_instructions": {"tensor": 4}, "cycles": {"tensor": 4 * 16 * 8 * 16 / 1024}}, 1024) == 0


REPORT = """ptxas info    : Compiling entry function 'a' for 'sm_80'
ptxas info    : Function properties for a
    16 bytes stack frame, 12 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 16 bytes cumulative stack size
ptxas info    : Compiling entry function 'b_1' for 'sm_80'
ptxas info    : Function properties for b_1
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 61 registers
"""
PTX = """.visible .entry a(
.param .u64 a_param_0
)
.reqntid 128
{
ret;
}
.visible .entry b_1()
.reqntid 64
.minnctapersm 2
{
ret;
}
"""


def resources_by_hand():
    assert resources.report(REPORT) == {"a": (255, 16), "b_1": (61, 0)}
    assert resources.wishes(PTX) == {"a": None, "b_1": 2}
    once = resources.without_wish(PTX, ["a"])
    assert resources.wishes(once) == {"a": 1, "b_1": 2} and once.replace(".minnctapersm 1\n", "") == PTX
    launches = "  cheems_tile.kernel @a(%x: memref<2xf32>) warps(4) shared(98304) {\n  cheems_tile.kernel @b_1(%y: index) warps(2) shared(0) {\n"
    assert resources.launched(launches) == {"a": (128, 98304), "b_1": (64, 0)}
    a, b = resources.Kernel("a", 128, 255, 16, 98304, 1), resources.Kernel("b_1", 64, 61, 0, 0, 2)
    assert a.limits("sm_80") == {"registers": 2, "shared memory": 1, "warps": 16, "blocks": 32} and a.blocks("sm_90a") == 2
    assert b.blocks("sm_80") == 16  # 64 registers of 64 threads


def kept():
    """What is kept comes back, and a table has both architectures beside each other."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "kept.json"
        one = {"what": "MB read", "got": 2.0, "least": 1.0, "most": 1.05, "note": ""}
        record.Record(file).keep("rows", "sm_90a", "work", [one])
        record.Record(file).keep("rows", "sm_80", "work", "ptxas: no")
        again = record.Record(file)
    assert again.rows("sm_90a", "work") == {"MB read": rows.Row("MB read", 2.0, 1.0, 1.05)}
    works = [rows.Work("decode", "work", None), rows.Work("decode", "other", None)]
    lines = record.verdicts(again, works).splitlines()
    assert lines[2] == "| work | MB read | 1.05 | **missed:** 2.00 (2 of 1) | ptxas: no |", lines
    assert lines[3] == "| other |  |  | not counted yet | not counted yet |", lines
    assert "counted for an H100 (sm_90a): 0 of 1 rows met" in lines[-1], lines


def pages():
    """They have what is kept, and all that is kept is a row of the table that some architecture has."""
    subprocess.run([sys.executable, ROOT / "scripts/gpu_table.py", "--check"], check=True)
    known, names = record.Record(), {work.name for work in rows.all_works(rows.FULL)}
    counted = [set(known.data["rows"].get(architecture, {})) for architecture in record.GPUS]
    assert set.union(*counted) == names, set.union(*counted) ^ names


def small_table(tools, driver):
    command = [sys.executable, ROOT / "scripts/gpu_table.py", tools, driver, "--quick", "--archs", "sm_90a", "--rows", "products", "ssd", "experts"]
    done = subprocess.run(command, capture_output=True, text=True)
    print(done.stderr)
    assert done.returncode == 0
    found = [line.split(" | ") for line in done.stderr.splitlines()]
    assert all(len(row) == 5 for row in found), found
    assert len(found) == 2 * 4 + 2 + 2 * 2, found
    for architecture, _, what, _, reached in found:
        # What misses its limit: docs/performance.md says why. A short prompt of SSD has few rows for each state.
        if what not in ("shared bytes per FLOP", "warpgroups of a block, too few", "MB moved, to x, b, c, step and y"):
            assert "missed" not in reached, (what, reached)
        if what == "MB moved":
            assert float(re.match(r"[\d.]+", reached)[0]) >= 1, reached  # no product moves less than its least


by_hand()
judged()
resources_by_hand()
kept()
pages()
small_table(*sys.argv[1:])
