#!/usr/bin/env python3
"""Counts of a program that runs on the emulator's driver, as it finds them after it: counts.py LIBRARY

Each number is computed by hand from the kernels below and the definitions of README.md.
"""
import ctypes as C
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "conformance"))
from driver import Driver  # noqa: E402

# A thread reads its word, adds it to itself in f32, takes 2 to its power and writes it. Each block meets twice, and lane i of a
# warp writes word 2i of shared memory: two turns where one would do.
WORK = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry work(.param .u64 in, .param .u64 out) {
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<2>;
  .shared .align 4 .b8 words[512];
  ld.param.u64 %rd0, [in];
  ld.param.u64 %rd1, [out];
  mov.u32 %r0, %ctaid.x;
  mov.u32 %r1, %tid.x;
  mad.lo.s32 %r2, %r0, 64, %r1;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd0, %rd0, %rd2;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.f32 %f0, [%rd0];
  add.f32 %f0, %f0, %f0;
  ex2.approx.f32 %f0, %f0;
  mov.u32 %r3, words;
  shl.b32 %r4, %r1, 3;
  add.s32 %r3, %r3, %r4;
  bar.sync 0;
  st.shared.f32 [%r3], %f0;
  bar.sync 0;
  st.global.f32 [%rd1], %f0;
  ret;
}
.visible .entry nothing() { ret; }
"""
BLOCKS, THREADS = 3, 64
WARPS = BLOCKS * THREADS // 32
BYTES = BLOCKS * THREADS * 4
SECTORS = BYTES // 32


def program(library):
    driver = Driver(library)
    source, target = driver.allocate(bytes(BYTES)), driver.allocate(b"", BYTES)
    arguments = [C.c_uint64(source), C.c_uint64(target)]
    work = lambda: driver.launch(WORK, "work", (BLOCKS, 1, 1), (THREADS, 1, 1), 0, [bytes(a) for a in arguments])
    work()
    work()
    driver.call("cuProfilerStart")
    work()
    driver.launch(WORK, "nothing", (1, 1, 1), (32, 1, 1), 0, [])
    driver.read(target, BYTES)
    driver.call("cuProfilerStop")
    driver.call("cuMemcpyDtoD_v2", C.c_uint64(target), C.c_uint64(source), C.c_size_t(64))
    driver.free()


def counted(library, name, **settings):
    """What the file `name` holds after a run of the program."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / name
        environment = {**os.environ, "CHEEMS_EMULATOR_COUNTS": str(file), **settings}
        done = subprocess.run([sys.executable, __file__, library, "--program"], env=environment, capture_output=True, text=True)
        assert done.returncode == 0 and not done.stderr, (done.returncode, done.stdout, done.stderr)
        return file.read_text()


def check(got, wanted, where=""):
    for key, value in wanted.items():
        if isinstance(value, dict):
            check(got[key], value, f"{where}.{key}")
        else:
            assert got[key] == value, f"{where}.{key} is {got[key]}, not {value}"


def main(library):
    text = counted(library, "counts.json", CHEEMS_EMULATOR_SM="2")
    counts = json.loads(text)
    check(counts, {"architecture": 90, "multiprocessors": 2, "cache_bytes": 50 << 20, "sector_bytes": 32})
    before, profiled, after = counts["steps"]

    # ---- twice the same kernel: the second time all is in the cache
    (work,) = before["kernels"]
    per_launch = {
        "alu": 7,  # 3 mov, 2 add.s64, shl, add.s32
        "fma": 3,  # mad, mul.wide, add.f32
        "mufu": 1,
        "lsu": 5,  # 2 ld.param, ld and st.global, st.shared
        "control": 3,  # 2 bar, ret
    }
    check(work, {
        "kernel": "work", "launches": 2, "blocks": 2 * BLOCKS, "threads_per_block": THREADS, "shared_bytes_per_block": 512,
        "resident_blocks": 32, "occupancy": 1.0, "barriers": 2 * 2 * WARPS,
        "shared_wavefronts": 2 * 2 * WARPS, "bank_conflicts": 2 * WARPS,
        "global_requests": 2 * 2 * WARPS, "global_sectors": 2 * 2 * SECTORS,
        "dram_read_sectors": SECTORS, "dram_write_sectors": SECTORS, "compulsory_bytes": 2 * 2 * BYTES,
    }, "work")
    executed = 2 * WARPS
    instructions = {pipe: count * executed for pipe, count in per_launch.items()}
    assert work["warp_instructions"] == instructions, work["warp_instructions"]
    # 32 lanes by results a cycle: 64 integer ones, 128 of f32, 16 of MUFU, 32 of the load-store units
    check(work["cycles"], {"alu": 7 * executed / 2, "fma": executed * (0.5 + 0.5 + 0.25), "mufu": 2 * executed,
                           "lsu": 5 * executed}, "cycles")
    assert "control" not in work["cycles"]
    check(before["host_copies"], {"to_device": {"copies": 1, "bytes": BYTES}, "to_host": {"copies": 0, "bytes": 0}})

    # ---- the step between cuProfilerStart and cuProfilerStop: what is written again is written back again
    work, nothing = profiled["kernels"]
    check(work, {"launches": 1, "dram_read_sectors": 0, "dram_write_sectors": SECTORS, "compulsory_bytes": 2 * BYTES}, "step 1")
    check(nothing, {"kernel": "nothing", "launches": 1, "barriers": 0, "global_requests": 0, "compulsory_bytes": 0,
                    "warp_instructions": {"control": 1}}, "nothing")
    check(profiled["host_copies"], {"to_host": {"copies": 1, "bytes": BYTES}})
    assert after["kernels"] == []
    check(after["host_copies"], {"within_device": {"copies": 1, "bytes": 64}})

    # ---- the GPU and the host
    on_80 = json.loads(counted(library, "counts.json", CHEEMS_EMULATOR_SM="2", CHEEMS_EMULATOR_ARCH="80"))
    check(on_80, {"architecture": 80, "cache_bytes": 40 << 20})
    check(on_80["steps"][0]["kernels"][0]["cycles"], {"fma": executed * 1.5}, "sm_80")
    for threads in "1", "2":
        assert counted(library, "c", CHEEMS_EMULATOR_SM="2", CHEEMS_EMULATOR_THREADS=threads) == text, "threads matter"

    # ---- with caches that each launch finds empty
    before, profiled, _ = json.loads(counted(library, "counts.json", CHEEMS_EMULATOR_SM="2", CHEEMS_EMULATOR_CACHE="cold"))["steps"]
    check(before["kernels"][0], {"launches": 2, "dram_read_sectors": 2 * SECTORS, "dram_write_sectors": 2 * SECTORS}, "cold")
    check(profiled["kernels"][0], {"launches": 1, "dram_read_sectors": SECTORS, "dram_write_sectors": SECTORS}, "cold, step 1")

    # ---- as tables
    table = counted(library, "counts.txt", CHEEMS_EMULATOR_SM="2")
    assert table.startswith("sm_90, 2 multiprocessors\n\nstep 0\n\nkernel "), table
    for part in ("\nstep 1\n", "\nstep 2\n", f"copies to_host: 1, {BYTES} bytes\n", "\nwarp instructions", "\ncycles of a pipe"):
        assert part in table, (part, table)

    # ---- a file that cannot be written is told
    environment = {**os.environ, "CHEEMS_EMULATOR_COUNTS": "/nowhere/counts.json"}
    done = subprocess.run([sys.executable, __file__, library, "--program"], env=environment, capture_output=True, text=True)
    assert "cannot write /nowhere/counts.json" in done.stderr, done.stderr
    print("counts are as computed by hand")


if sys.argv[2:] == ["--program"]:
    program(sys.argv[1])
else:
    main(sys.argv[1])
