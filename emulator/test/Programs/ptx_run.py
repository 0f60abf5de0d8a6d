#!/usr/bin/env python3
"""cheems-ptx-run from outside: results, findings, counts, files and mistakes. ptx_run.py PROGRAM CONFORMANCE_FOLDER"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(sys.argv[1])
PTX = pathlib.Path(sys.argv[2]) / "ptx/vadd.sm_90.ptx"
SCALE = """.version 8.5
.target sm_90a
.address_size 64
.visible .entry scale(.param .u64 x, .param .f32 factor) {
  .reg .b64 %rd<4>; .reg .b32 %r<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [x];
  ld.param.f32 %f1, [factor];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd1, %rd1, %rd2;
  ld.global.f32 %f2, [%rd1];
  mul.f32 %f2, %f2, %f1;
  st.global.f32 [%rd1], %f2;
  ret;
}
"""


def run(*words, text="", code=0):
    done = subprocess.run([TOOL, *map(str, words)], input=text, capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done.stdout if code == 0 else done.stderr


def scale(*words, text=SCALE, code=0):
    return run("-", *words, text=text, code=code)


def vadd(length, *words, code=0):
    return run(PTX, "--grid", 4, "--block", 128, "--buffer", f"x:f32[{length}]=iota", "--buffer", "y:f32[1000]=1",
               "--buffer", "o:f32[1000]=none", "--arg", "u32:998", "--arg", "u64:0", "--arg", "u64:0", *words, code=code)


# results: text of standard input, values, what was not written
printed = scale("--block", 4, "--buffer", "x:f32[2x2]=iota", "--arg", "f32:0.5", "--print", "x")
assert printed == "x: f32[2x2]\n 0 0.5\n 1 1.5\n", printed
assert vadd(1000, "--print", "o").endswith(" 996 997 998 ? ?\n")
scale("--block", 2, "--buffer", "x:f32[2]=3,5", "--arg", "f32:2", "--expect", "x=6,10")
scale("--block", 2, "--buffer", "x:f32[2]=3,5", "--arg", "f32:2", "--expect", "x=6.1,9.9", "--tolerance", 0.02)
told = scale("--block", 2, "--buffer", "x:f32[2]=3,5", "--arg", "f32:2", "--expect", "x=6,11", code=1)
assert told == "cheems-ptx-run: x: 1 of 2 elements are wrong; element 1 is 10, not 11\n", told

# a pointer to a buffer that is no parameter by itself
printed = scale("--block", 2, "--memory", "m:f32[2]=3", "--arg", "&m", "--arg", "f32:3", "--print", "m")
assert printed == "m: f32[2]\n 9 9\n", printed

# findings: the rule, the place and the line
told = vadd(900, code=1)
assert "out-of-bounds" in told and "kernel vadd, ptx line 4" in told, told
told = scale("--buffer", "x:f32[1]=none", "--arg", "f32:1", code=1)
assert "uninitialised" in told and "ptx line 11, block (0, 0, 0), warp 0, lane 0" in told, told

# warnings: a line on stderr, and the launch goes on; in strict mode an error
COPY = SCALE.replace("  ret;", "  .shared .align 16 .b8 s[16];\n  cp.async.ca.shared.global [s], [%rd1], 4;\n  ret;")
done = subprocess.run([TOOL, "-", "--buffer", "x:f32[1]=1", "--arg", "f32:2", "--print", "x"], input=COPY, capture_output=True, text=True,
                      env={**os.environ, "CHEEMS_EMULATOR_STRICT": "0"})
assert (done.returncode, done.stdout) == (0, "x: f32[1]\n 2\n"), done
assert done.stderr.startswith("cheems-ptx-run: warning: copy-in-flight-at-exit: "), done.stderr
done = subprocess.run([TOOL, "-", "--buffer", "x:f32[1]=1", "--arg", "f32:2"], input=COPY, capture_output=True, text=True,
                      env={**os.environ, "CHEEMS_EMULATOR_STRICT": "1"})
assert done.returncode == 1 and done.stderr.startswith("cheems-ptx-run: copy-in-flight-at-exit: "), done

# what the kernel prints comes before the buffers, and an assertion ends the run
PRINTING = SCALE.replace(".visible .entry", """.extern .func (.param .b32 s) vprintf(.param .b64 f, .param .b64 l);
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.global .align 1 .b8 text[7] = {116, 37, 100, 32, 104, 105, 0};
.visible .entry""")
HELLO = """  .local .align 8 .b8 list[8];
  st.local.u32 [list], %r1;
  mov.u64 %rd2, list;
  cvta.local.u64 %rd2, %rd2;
  mov.u64 %rd3, text;
  call (%r2), vprintf, (%rd3, %rd2);
"""
FAIL = "  mov.u64 %rd3, text;\n  call __assertfail, (%rd3, %rd3, 7, %rd3, 1);\n"
words = ["--buffer", "x:f32[1]=1", "--arg", "f32:2", "--print", "x"]
printed = scale(*words, text=PRINTING.replace("  ret;", HELLO + "  ret;"))
assert printed == "t0 hix: f32[1]\n 2\n", printed
told = scale(*words, text=PRINTING.replace("  ret;", FAIL + "  ret;"), code=1)
assert told.startswith("cheems-ptx-run: assert: t%d hi:7: t%d hi: the assertion 't%d hi' failed.\n"), told

# files and counts
with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    scale("--block", 4, "--buffer", "x:f32[4]=iota", "--arg", "f32:2", "--save", f"x={folder}/x.npy",
          "--counts", folder / "counts.json")
    scale("--block", 4, "--buffer", f"x:f32[4]=@{folder}/x.npy", "--arg", "f32:2", "--expect", "x=0,4,8,12")
    assert '"scale"' in json.dumps(json.loads((folder / "counts.json").read_text()))
    table = scale("--block", 4, "--buffer", "x:f32[4]=iota", "--arg", "f32:2", "--counts", "-")
    assert "kernel  launches  blocks  threads" in table and "\nscale " in table, table
    scale("--block", 4, "--buffer", "x:f32[4]=iota", "--arg", "f32:2", "--counts", folder / "counts.txt")
    assert (folder / "counts.txt").read_text() == table
assert scale("--list").startswith("scale: 8 4 bytes, up to 1024 threads, 0 bytes of shared memory")

# mistakes: a line each
for words, code, part in [
    (["--grid", "0"], 2, "'0' is no list of whole numbers"),
    (["--block", "1,2,3,4"], 2, "more than three extents"),
    (["--buffer", "x:f32[4]"], 2, "write NAME:TYPE[EXTENTS]=VALUES"),
    (["--buffer", "x:f32[1]=1", "--buffer", "x:f32[1]=1"], 2, "two buffers are named x"),
    (["--arg", "5"], 2, "write TYPE:NUMBER"),
    (["--arg", "&x"], 2, "no buffer is named 'x'"),
    (["--print", "x"], 2, "no buffer is named 'x'"),
    (["--mode", "soon"], 2, "soon"),
    (["--arch", "70"], 2, "70"),
    (["--kernel", "other"], 1, "no kernel 'other'"),
    ([], 1, "scale has 2 parameters, but 0 are given"),
    (["--buffer", "x:f32[1]=1", "--arg", "f64:1"], 1, "parameter 1 of scale has 4 bytes, but 'f64:1' has 8"),
    (["--block", 1025], 1, "scale takes up to 1024"),
    (["--grid", 3, "--cluster", 2], 1, "divides the grid"),
    (["--shared", 300000], 1, "shared memory"),
]:
    told = scale(*words, code=code)
    assert told.startswith("cheems-ptx-run: ") and part in told and told.count("\n") == 1, (words, told)
told = scale(text=SCALE.replace("mul.f32 ", "mul.f31 "), code=1)
assert "ptx line 12: " in told and "f31" in told, told
told = scale(text=SCALE.replace("[factor]", "[factors]"), code=1)
assert told == "cheems-ptx-run: ptx line 7: column 22: 'factors' is not declared\n", told
print("passed")
