#!/usr/bin/env python3
"""What weights of fewer bits save and cost: size, perplexity, divergence from f32 and speed of each demo model.

    benchmarks/formats.py [--bins build/release/bin] [--threads 2] [--write README.md]

Perplexity is of benchmarks/shakespeare.txt in chunks of 256 tokens, its standard error left out; KL divergence is from the f32
model, "same top" how often both expect the same token most. Speeds are medians over --rounds rounds in which all take turns.
Size is of the whole file: code for every CPU and the tokenizer included, weights alone in brackets.
"""
import argparse, json, os, pathlib, re, statistics, subprocess, tempfile
from page import replace
from machine import cores

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ("cheems-shakespeare", "doge-shakespeare")
FORMATS = ("f32", "bf16", "int8", "int4")
CONTEXT = 256
# what rounding may cost at most, from simulations in PyTorch
PERPLEXITY = {"int8": 0.002, "int4": 0.02}
DIVERGENCE = {"int8": 0.001, "int4": 0.03}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def number(text, line):
    return float(re.search(rf"^{re.escape(line)}\s*[:=]?\s*([0-9.eE+-]+)", text, re.M)[1])


def predictions(bins, threads, model, base):
    text = run(bins / "cheems-perplexity", model, "-f", ROOT / "benchmarks/shakespeare.txt", "-c", CONTEXT, "--kl-base", base, "-t", threads)
    return number(text, "Final estimate: PPL"), number(text, "Mean KLD"), number(text, "Same top p")


def speeds(bins, threads, model):
    rows = json.loads(run(bins / "cheems-bench", model, "-p", 512, "-n", 128, "-r", 3, "-t", threads, "-o", "json"))
    return {row["test"][:2]: row["tokens_per_second_median"] for row in rows}


def measure(bins, threads, rounds, folder, formats=FORMATS):
    """Measures each model and format: bytes, what it predicts, how fast it is."""
    found = []
    for model in MODELS:
        paths = {weights: folder / f"{model}-{weights}.cheems" for weights in formats}
        for weights, path in paths.items():
            run(bins / "cheems-compile", ROOT / "models" / model, "-o", path, "--weights", weights)
        predicted = {weights: predictions(bins, threads, path, paths["f32"]) for weights, path in paths.items()}
        turns = [{weights: speeds(bins, threads, path) for weights, path in paths.items()} for _ in range(rounds)]
        for weights, path in paths.items():
            perplexity, divergence, same = predicted[weights]
            sections = json.loads(run(bins / "cheems-run", path, "--describe=json"))["file"]["sections"]
            prefill, decode = (statistics.median(turn[weights][test] for turn in turns) for test in ("pp", "tg"))
            found.append(dict(model=model, weights=weights, bytes=path.stat().st_size,
                              weight_bytes=next(section["bytes"] for section in sections if section["name"] == "weights"),
                              perplexity=perplexity, change=perplexity / predicted["f32"][0] - 1, divergence=divergence, same=same,
                              decode=decode, prefill=prefill))
    return found


def table(found):
    return "\n".join(["| model | weights | file (its weights) | perplexity (to f32) | KL divergence | same top | decode, tokens/s | prefill 512, tokens/s |",
                      "|---|---|---|---|---|---|---|---|",
                      *(f"| {row['model']} | {row['weights']} | {row['bytes'] / 1e6:.2f} ({row['weight_bytes'] / 1e6:.2f}) MB | {row['perplexity']:.3f} "
                        f"({row['change']:+.2%}) | {row['divergence']:.6f} | {row['same']:.2f} % | {row['decode']:,.0f} | {row['prefill']:,.0f} |"
                        for row in found)])


def verdicts(found):
    """What rounding may cost at most, and whether it does not: lines of a table, and how many are missed."""
    lines, missed = ["| model | weights | measure | got | at most | verdict |", "|---|---|---|---|---|---|"], 0
    for row in found:
        for measure, form, most in (("perplexity to f32", "{:+.2%}", PERPLEXITY), ("KL divergence", "{:.6f}", DIVERGENCE)):
            if row["weights"] in most:
                value = row["change" if measure.startswith("perplexity") else "divergence"]
                met = value <= most[row["weights"]]
                missed += not met
                lines.append(f"| {row['model']} | {row['weights']} | {measure} | {form.format(value)} | {form.format(most[row['weights']])} | "
                             f"{'met' if met else 'missed'} |")
    return "\n".join(lines), missed


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", nargs="+", default=list(FORMATS), choices=FORMATS, metavar="FORMAT", help="these formats, f32 among them")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recorded", type=pathlib.Path, help="measure nothing: take what compare.py --json kept")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="rewrite the table of this page")
    a = parser.parse_args()
    if a.recorded:
        found = json.loads(a.recorded.read_text())["formats"]
    else:
        os.sched_setaffinity(0, cores(a.threads))
        with tempfile.TemporaryDirectory() as folder:
            found = measure(a.bins, a.threads, a.rounds, pathlib.Path(folder), a.only)
    print(table(found))
    if a.write:
        replace(a.write, "formats", table(found))


if __name__ == "__main__":
    main()
