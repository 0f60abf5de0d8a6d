#!/usr/bin/env python3
"""Says whether two builds compute the same: logits bit for bit, and greedy tokens; for changes that should not change what is computed.

    same_bits.py OLD_BIN NEW_BIN            all of it; half an hour and more
    same_bits.py OLD_BIN NEW_BIN --code     the machine code alone: .text of each artefact, for changes that should not change code
    --models NAME,...                       of test/golden/models and models; all otherwise

OLD_BIN and NEW_BIN are folders of tools. Three models go through every combination of weights, key formats and grouping of
experts, in every variant of code that this CPU runs, on one thread and two, prompts whole and in chunks; each other model
through one choice of each. The ids are those of each model's golden.
"""
import argparse
import hashlib
import itertools
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
FULL = ("cheems-moe", "doge-window", "doge-untied-bf16")
WEIGHTS, KEYS, GROUPS = ("stored", "f32", "bf16", "int8", "int4"), ("stored", "int8"), ("0", "16")
THREADS, CHUNKS = ("1", "2"), ("0", "7", "64")
# What /proc/cpuinfo must list for a variant of the code to run.
VARIANTS = {"avx2": "avx2", "avxvnni": "avx_vnni", "avx512": "avx512f", "avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16",
            "amx": "amx_bf16"}


def variants():
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    return [name for name, flag in VARIANTS.items() if flag in flags]


def run(*words):
    """What it prints."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"same_bits: {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def digest(data):
    return hashlib.sha256(data).hexdigest()


def compilations(name):
    """Options of cheems-compile, one list each."""
    every = itertools.product(WEIGHTS, KEYS, GROUPS) if name in FULL else [("stored", "stored", "0"), *((w, "stored", "0") for w in WEIGHTS[1:]),
                                                                        ("stored", "int8", "0"), ("stored", "stored", "16")]
    for weights, keys, group in every:
        yield ["--weights", weights, "--kv", keys, "--group-experts", group]


def ways(name):
    """Options of cheems-run, one list each."""
    every = itertools.product(THREADS, CHUNKS) if name in FULL else [("1", "0"), ("2", "7")]
    for threads, chunk in every:
        yield ["-t", threads, *(["--prefill-chunk", chunk] if chunk != "0" else [])]


def results(bins, folder, code, work):
    """What a build makes of a model, by what was asked: digests of logits and tokens, or of code."""
    name, golden = folder.name, folder / "golden.safetensors"
    for variant, options in itertools.product(variants(), compilations(name)):
        artefact, logits = work / "model.cheems", work / "logits.safetensors"
        options = ["--cpu", variant, *options]
        run(bins / "cheems-compile", folder, "-o", artefact, *options)
        if code:
            run("llvm-objcopy-22", f"--dump-section=.text={work / 'text'}", artefact, work / "unused")
            yield f"{name} {' '.join(options)}", digest((work / "text").read_bytes())
            continue
        for way in ways(name):
            key = f"{name} {' '.join(options)} {' '.join(way)}"
            run(bins / "cheems-run", artefact, "--input-ids", golden, "--logits", logits, *way)
            yield key + " logits", digest(logits.read_bytes())
            ids = run(bins / "cheems-run", artefact, "--prompt-ids", "5,6,7,8,9,5,6,7,8,9,11", "-n", 12, "--temp", 0, "--ignore-eos",
                      "--print-ids", *way)
            yield key + " tokens", digest(ids.encode())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--code", action="store_true", help="compare machine code alone")
    parser.add_argument("--models", help="names, with commas between; all otherwise")
    a = parser.parse_args()
    folders = [path.parent for where in ("test/golden/models", "models") for path in sorted((ROOT / where).glob("*/golden.safetensors"))]
    if a.models:
        folders = [folder for folder in folders if folder.name in a.models.split(",")]
    count = different = 0
    with tempfile.TemporaryDirectory() as work:
        for folder in folders:
            sides = [dict(results(bins.resolve(), folder, a.code, pathlib.Path(work))) for bins in (a.old, a.new)]
            for key in sorted(set(sides[0]) | set(sides[1])):
                count += 1
                if sides[0].get(key) != sides[1].get(key):
                    different += 1
                    print(f"different: {key}", flush=True)
            print(f"{folder.name}: {len(sides[0])} compared", flush=True)
    print(f"{count - different} the same, {different} different")
    sys.exit(1 if different or not count else 0)


main()
