#!/usr/bin/env python3
"""What weights of fewer bits save and cost: size, perplexity, divergence from f32 and speed of each demo model.

    benchmarks/formats.py [--bins build/release/bin] [--threads 2] [--write README.md]

Perplexity is of benchmarks/shakespeare.txt in chunks of 256 tokens, its standard error left out; KL divergence is from the f32
model, "same top" how often both expect the same token most. Speeds are medians over --rounds rounds in which all take turns.
Size is of the whole file: code for every CPU and the tokenizer included, weights alone in brackets.
"""
import argparse, json, os, pathlib, re, statistics, subprocess, tempfile
from compare import replace
from machine import cores

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ("cheems-shakespeare", "doge-shakespeare")
FORMATS = ("f32", "bf16", "int8", "int4")
CONTEXT = 256


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def number(text, line):
    return float(re.search(rf"^{re.escape(line)}\s*[:=]?\s*([0-9.eE+-]+)", text, re.M)[1])


def predictions(a, model, base):
    text = run(a.bins / "cheems-perplexity", model, "-f", ROOT / "benchmarks/shakespeare.txt", "-c", CONTEXT, "--kl-base", base, "-t", a.threads)
    return number(text, "Final estimate: PPL"), number(text, "Mean KLD"), number(text, "Same top p")


def speeds(a, model):
    rows = json.loads(run(a.bins / "cheems-bench", model, "-p", 512, "-n", 128, "-r", 3, "-t", a.threads, "-o", "json"))
    return {row["test"][:2]: row["tokens_per_second_median"] for row in rows}


def measure(a, folder):
    """A line of the table for each format of each model."""
    lines = []
    for model in MODELS:
        paths = {weights: folder / f"{model}-{weights}.cheems" for weights in a.only}
        for weights, path in paths.items():
            run(a.bins / "cheems-compile", ROOT / "models" / model, "-o", path, "--weights", weights)
        found = {weights: predictions(a, path, paths["f32"]) for weights, path in paths.items()}
        rounds = [{weights: speeds(a, path) for weights, path in paths.items()} for _ in range(a.rounds)]
        for weights, path in paths.items():
            perplexity, divergence, same = found[weights]
            sections = json.loads(run(a.bins / "cheems-run", path, "--describe"))["file"]["sections"]
            bytes_of_weights = next(section["bytes"] for section in sections if section["name"] == "weights")
            prefill, decode = (statistics.median(turn[weights][test] for turn in rounds) for test in ("pp", "tg"))
            change = perplexity / found["f32"][0] - 1
            lines.append(f"| {model} | {weights} | {path.stat().st_size / 1e6:.2f} ({bytes_of_weights / 1e6:.2f}) MB | {perplexity:.3f} ({change:+.2%}) | "
                         f"{divergence:.6f} | {same:.2f} % | {decode:,.0f} | {prefill:,.0f} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=list(FORMATS), choices=FORMATS, metavar="FORMAT", help="these formats, f32 among them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="rewrite the table of this page")
    a = parser.parse_args()
    os.sched_setaffinity(0, cores(a.threads))
    with tempfile.TemporaryDirectory() as folder:
        lines = measure(a, pathlib.Path(folder))
    text = "\n".join(["| model | weights | file (its weights) | perplexity (to f32) | KL divergence | same top | decode, tokens/s | prefill 512, tokens/s |",
                      "|---|---|---|---|---|---|---|---|", *lines])
    print(text)
    if a.write:
        replace(a.write, "formats", text)


if __name__ == "__main__":
    main()
