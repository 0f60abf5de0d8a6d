#!/usr/bin/env python3
"""Does what docs/tutorial.md says, in a copy of the sources: run_tutorial.py BIN_DIR FOLDER

The page's additions and commands are carried out one by one, in its order, in FOLDER/sources. Every command must succeed. Every
test that the page adds must be among those that its commands run, and pass. Programs that the page does not build come from
BIN_DIR, as a reader has them who has built the tree. At last the logits of the model that the page limits are held to the equation.

Most of it is compiling, so it is a long test.
"""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("scripts", "test/Interpreter/Inputs")]
import tensors
import tutorial

# Matches how lit and GoogleTest name what has passed.
PASSED = re.compile(r"^(?:PASS: \w+ :: |\[ +OK \] (?:\w*/)?)([\w./-]+?)(?:/\w+)?(?: \(.*)?$", re.M)


def tests(path, text):
    """Names of the tests in a new file."""
    if path.startswith("test/") and path.endswith(".mlir"):
        return [path[len("test/"):]]
    return [f"{suite}.{name}" for suite, name in re.findall(r"^TEST(?:_[FP])?\((\w+), (\w+)\)", text, re.M)]


def run(folder, command):
    """What it prints."""
    print(f"$ {command}", flush=True)
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder.parent / "cache")}
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print("\n".join(done.stdout.splitlines()[-40:]), flush=True)
    if done.returncode:
        sys.exit(f"docs/tutorial.md: '{command}' ends with {done.returncode}")
    return done.stdout


def prepare(folder, bins, built):
    """A copy that is configured, with the programs that nobody will build there."""
    shutil.rmtree(folder.parent, ignore_errors=True)
    tutorial.copy(folder)
    run(folder, "cmake --preset release")
    into = folder / "build/release/bin"
    into.mkdir(exist_ok=True)
    for program in bins.glob("cheems-*"):
        if program.name not in built:
            shutil.copy(program, into)


def logits(folder, model):
    """Computes the logits of the ids in the model's golden file."""
    out = folder.parent / "logits.safetensors"
    run(folder, f"build/release/bin/cheems-run {model} --input-ids {model}/golden.safetensors --logits {out}")
    return tensors.read(out)["logits"][2]


def check_limit(folder, model, limited):
    limit = json.loads((folder / limited / "config.json").read_text())["final_logit_softcapping"]
    # a division, a tanh of at most 5 units in the last place, a product
    bound = 12 * 2**-24 * limit
    free, capped = logits(folder, model), logits(folder, limited)
    if len(free) != len(capped):
        sys.exit(f"docs/tutorial.md: {len(free)} logits become {len(capped)}")
    worst = max((abs(y - limit * math.tanh(x / limit)), x, y) for x, y in zip(free, capped))
    print(f"{len(free)} logits of up to {max(map(abs, free)):.3g}: the worst of those inside {limit} is off by {worst[0]:.3g}")
    if not worst[0] <= bound:
        sys.exit(f"docs/tutorial.md: the limit makes {worst[1]} to {worst[2]}, and may be off by {bound:.3g}")
    if not max(map(abs, free)) > limit:
        sys.exit("docs/tutorial.md: no logit is outside its limit, so that it shows nothing")


def main():
    bins, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve() / "sources"
    steps = list(tutorial.steps())
    built = {word for kind, *rest in steps if kind == "run" and rest[0].startswith("cmake --build") for word in rest[0].split()}
    prepare(folder, bins, built)
    wanted, passed = set(), set()
    for step in steps:
        if step[0] != "run":
            tutorial.add(folder, step, write=True)
            if step[0] == "create":
                wanted.update(tests(*step[1:]))
            continue
        output = run(folder, step[1])
        names = PASSED.findall(output)
        if re.search(r"\blit\b|--gtest_filter", step[1]) and not names:
            sys.exit(f"docs/tutorial.md: '{step[1]}' runs no test")
        passed.update(names)
    if not wanted or not wanted <= passed:
        sys.exit(f"docs/tutorial.md adds tests that none of its commands runs: {', '.join(sorted(wanted - passed)) or 'none at all'}")
    print(f"{len(wanted)} tests of the page have passed")
    check_limit(folder, "models/cheems-shakespeare", "build/capped")
    shutil.rmtree(folder.parent)


main()
