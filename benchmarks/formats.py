#!/usr/bin/env python3
"""What weights of fewer bits save and cost: size, perplexity, divergence from f32 and speed of each demo model.

    benchmarks/formats.py [--bins build/release/bin] [--threads 2] [--write README.md]
    benchmarks/formats.py --folder FOLDER [--chunks N] [--write README.md]

Perplexity is of benchmarks/shakespeare.txt in chunks of 256 tokens, its standard error left out; KL divergence is from the f32
model, "same top" how often both expect the same token most. Speeds are medians over --rounds rounds in which all take turns.
Size is of the whole file: code for every CPU and the tokenizer included, weights alone in brackets.

With --folder it is the same of the model in this folder, also with keys and values of 8 bits. f32 is then a copy of the folder with tensors of
f32, so that its keys and values are f32, too. Nothing is timed, so other programs may run.
"""
import argparse, json, os, pathlib, re, shutil, statistics, subprocess, tempfile
from page import replace
from machine import cores

ROOT = pathlib.Path(__file__).resolve().parent.parent
MODELS = ("cheems-shakespeare", "doge-shakespeare")
FORMATS = ("f32", "bf16", "int8", "int4")
# of a model of one's own: weights, and keys and values
PAIRS = (("f32", "stored"), ("bf16", "stored"), ("int8", "stored"), ("int4", "stored"), ("bf16", "int8"), ("int8", "int8"), ("int4", "int8"))
CONTEXT = 256
# what rounding may cost at most, from simulations in PyTorch
PERPLEXITY = {"int8": 0.002, "int4": 0.02}
DIVERGENCE = {"int8": 0.001, "int4": 0.03}


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def number(text, line):
    return float(re.search(rf"^{re.escape(line)}\s*[:=]?\s*([0-9.eE+-]+)", text, re.M)[1])


def predictions(bins, threads, model, base, chunks=0):
    text = run(bins / "cheems-perplexity", model, "-f", ROOT / "benchmarks/shakespeare.txt", "-c", CONTEXT, "--chunks", chunks, "--kl-base", base,
               "-t", threads)
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
            prefill, decode = (statistics.median(turn[weights][test] for turn in turns) for test in ("pp", "tg"))
            found.append(dict(model=model, weights=weights, bytes=path.stat().st_size,
                              weight_bytes=describe(bins, path)[0],
                              perplexity=perplexity, change=perplexity / predicted["f32"][0] - 1, divergence=divergence, same=same,
                              decode=decode, prefill=prefill))
    return found


def describe(bins, path):
    """The bytes of a file's weights, and the type of its keys and values."""
    told = json.loads(run(bins / "cheems-run", path, "--describe=json"))
    return next(section["bytes"] for section in told["file"]["sections"] if section["name"] == "weights"), told["kv_type"]


def widened(source, folder):
    """A copy of a model folder, where a tensor of bf16 is one of f32."""
    folder.mkdir()
    for path in source.glob("*.json"):
        shutil.copy(path, folder)
    config = json.loads((source / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "torch_dtype": "float32"}))
    data = (source / "model.safetensors").read_bytes()
    body = 8 + int.from_bytes(data[:8], "little")
    header, parts, offset = {}, [], 0
    for name, entry in json.loads(data[8:body]).items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        stored = data[body + start : body + end]
        if entry["dtype"] == "BF16":
            # the upper half of an f32 is a bf16
            wide = bytearray(2 * len(stored))
            wide[2::4], wide[3::4] = stored[0::2], stored[1::2]
        elif entry["dtype"] == "F32":
            wide = stored
        else:
            raise SystemExit(f"formats: {source} has tensor {name} of type {entry['dtype']}; only BF16 and F32 are known here")
        header[name] = dict(dtype="F32", shape=entry["shape"], data_offsets=[offset, offset + len(wide)])
        offset += len(wide)
        parts.append(wide)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(folder / "model.safetensors", "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for part in parts:
            file.write(part)
    return folder


def measure_folder(bins, threads, source, folder, chunks):
    """What a model predicts and how large its weights are, in each pair of formats; f32 is first."""
    found, base = [], folder / "f32.cheems"
    run(bins / "cheems-compile", widened(source, folder / "f32"), "-o", base, "--cpu", "native")
    for weights, entries in PAIRS:
        path = base if weights == "f32" else folder / f"{weights}-{entries}.cheems"
        if path != base:
            run(bins / "cheems-compile", source, "-o", path, "--weights", weights, "--kv", entries, "--cpu", "native")
        perplexity, divergence, same = predictions(bins, threads, path, base, chunks)
        size, kind = describe(bins, path)
        found.append(dict(model=source.name, weights=weights, entries=kind, weight_bytes=size, perplexity=perplexity,
                          change=perplexity / (found[0]["perplexity"] if found else perplexity) - 1, divergence=divergence, same=same))
        if path != base:
            path.unlink()
    return found


def folder_table(found):
    return "\n".join(["| model | weights | keys and values | its weights | perplexity (to f32) | KL divergence | same top |", "|---|---|---|---|---|---|---|",
                      *(f"| {row['model']} | {row['weights']} | {row['entries']} | {row['weight_bytes'] / 1e6:.1f} MB | {row['perplexity']:.3f} "
                        f"({row['change']:+.2%}) | {row['divergence']:.6f} | {row['same']:.2f} % |" for row in found)])


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
    parser.add_argument("--folder", type=pathlib.Path, help="a model folder in place of the demo models")
    parser.add_argument("--chunks", type=int, default=0, help="with --folder: how many chunks of the text are read at most; 0, the default: all")
    parser.add_argument("--recorded", type=pathlib.Path, help="measure nothing: take what compare.py --json kept")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help="rewrite the table of this page")
    a = parser.parse_args()
    if a.folder:
        with tempfile.TemporaryDirectory() as folder:
            text = folder_table(measure_folder(a.bins, a.threads, a.folder.resolve(), pathlib.Path(folder), a.chunks))
        print(text)
        if a.write:
            replace(a.write, "real-formats", text)
        return
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
