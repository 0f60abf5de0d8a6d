#!/usr/bin/env python3
"""Compiles a small checkpoint with both pipelines and compares its logits and greedy tokens with the recorded ones.

    golden.py BIN_DIR MODEL_DIR [--without-int8]

MODEL_DIR/golden.safetensors holds input_ids [B,T], logits [B,T,V] and perhaps greedy_ids [1,N], which continue the first
row. Each pipeline runs at one and two threads and with the prompt whole and in chunks of 64, 7 and 1; not every pair of
those, because threads do not show in a result, as another test says. The fast pipeline's artefact has a variant for each
kind of CPU: all that run here are forced in turn and share those ways, but of those with the same entries one; one that this
CPU has, by /proc/cpuinfo, and that does not run is a failure. The error is the largest difference over the
golden's standard deviation: below 1e-3 for a float32 checkpoint, 6e-2 for a bfloat16 one. In a batch, the last row gives
the same bits as by itself. With weights rounded to int8, in this machine's best variant, the root mean square of the error is
below 0.15. The scalar pipeline and int8 are for one model in twelve, which CHEEMS_TEST_SEED draws, and for all where CHEEMS_TEST_LONG is set.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import variants

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from recorded import BOUNDS, Golden, stored_type

# every other one has both numbers of threads
WAYS = [("-t", 1), ("-t", 2, "--prefill-chunk", 64), ("-t", 2, "--prefill-chunk", 1), ("-t", 1, "--prefill-chunk", 7)]
INT8_BOUND = 0.15
UNSUPPORTED = 3


def run(*command, variant=""):
    """Standard output; None where the variant does not run on this machine."""
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, "CHEEMS_CPU": variant})
    if variant and result.returncode == UNSUPPORTED:
        return None
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


def variants_here(bins, artefact):
    """Names of an artefact's variants; of those that run on this machine, best first; and of the latter one for each code."""
    held = {variant["name"]: variant for variant in json.loads(run(bins / "cheems-run", artefact, "--describe=json"))["images"][0]["variants"]}
    here = [name for name in held if run(bins / "cheems-run", artefact, "--describe", variant=name) is not None]
    distinct = {}
    for name in here:
        same = distinct.setdefault((held[name]["decode"], held[name]["general"]), name)
        if same != name:
            print(f"{artefact.stem}: the entries of {name} are those of {same}, which runs")
    return list(held), here, list(distinct.values())


def plan(names):
    """(variant, way) to run: with several variants half of the ways for each, at one and at two threads."""
    share = 1 if len(names) == 1 else 2
    return [(name, WAYS[way]) for i, name in enumerate(names) for way in range(i % share, len(WAYS), share)]


def main():
    bins, model = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    golden, dtype = Golden(model), stored_type(model)
    done = failures = 0
    with tempfile.TemporaryDirectory() as folder:
        logits = pathlib.Path(folder) / "logits.safetensors"
        pipelines = ["fast"] + ["scalar"] * variants.drawn(f"{model.name} scalar", 12)
        for pipeline in pipelines:
            artefact = pathlib.Path(folder) / f"{pipeline}.cheems"
            run(bins / "cheems-compile", model, "-o", artefact, "--pipeline", pipeline,
                *(variants.compile_flags(model.name) if pipeline == "fast" else []))
            held, here, distinct = variants_here(bins, artefact)
            if pipeline == "fast":
                lost = variants.report(model.name, held, here)
                done += len(lost)
                failures += len(lost)
            for variant, how in plan(distinct):
                def compute(ids):
                    run(bins / "cheems-run", artefact, "--input-ids", ids, "--logits", logits, *how, variant=variant)

                compute(golden.path)
                error = golden.error(logits)
                ok = error <= BOUNDS[dtype]
                line = f"{model.name} {pipeline} {variant} {' '.join(map(str, how))}: error {error:.1e} ({dtype})"
                if golden.shape[0] > 1:
                    alone = golden.alone(logits, compute)
                    line += f", a row alone {'same' if alone else 'DIFFERENT'}"
                    ok = ok and alone
                if golden.greedy:
                    ids = run(bins / "cheems-run", artefact, "--prompt-ids", golden.prompt, "-n", len(golden.greedy),
                              "--temp", 0, "--ignore-eos", "--print-ids", *how, variant=variant)
                    same = [int(word) for word in ids.replace(",", " ").split()] == golden.greedy
                    line += f", greedy {'same' if same else 'DIFFERENT'}"
                    ok = ok and same
                print(line)
                done += 1
                failures += not ok
        if "--without-int8" not in sys.argv[3:] and variants.drawn(f"{model.name} int8", 12):
            artefact = pathlib.Path(folder) / "int8.cheems"
            run(bins / "cheems-compile", model, "-o", artefact, "--weights", "int8", "--cpu", "native")
            run(bins / "cheems-run", artefact, "--input-ids", golden.path, "--logits", logits)
            error = golden.mean_square_root(logits)
            print(f"{model.name} int8: r.m.s. error {error:.3f}")
            done += 1
            failures += not error <= INT8_BOUND
    sys.exit(f"{failures} of {done} runs failed" if failures else 0)


main()
