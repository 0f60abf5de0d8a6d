#!/usr/bin/env python3
"""Times a Doge model folder in cheems-run and in transformers, side by side, and prints both and their ratio.

    benchmarks/decode.py BIN_DIR MODEL_DIR [--threads 2] [--depth 512] [--count 64] [--cpu portable|native]

Prefill is `depth` tokens at once, decode `count` greedy tokens after them; the median of `--repeat` rounds, in which
the programs take turns. transformers runs eager in bf16 and in f32. Needs: pip install torch transformers numpy.
"""
import argparse, pathlib, re, statistics, subprocess, tempfile, time


def cheems(bins, model, ids, count, threads):
    """Prefill and decode tokens a second, from the statistics cheems-run prints."""
    run = subprocess.run([bins / "cheems-run", model, "--prompt-ids", ",".join(map(str, ids)), "-n", str(count),
                          "--temp", "0", "--ignore-eos", "--print-ids", "-t", str(threads)],
                         capture_output=True, text=True, check=True)
    return [float(x) for x in re.findall(r"([0-9.]+) tokens/s", run.stderr)[:2]]


def transformers(model, ids, count):
    """The same of a loaded transformers model."""
    import torch
    with torch.inference_mode():
        tokens = torch.tensor([ids])
        start = time.perf_counter()
        out = model(tokens, use_cache=True, logits_to_keep=1)
        prefill = time.perf_counter() - start
        start = time.perf_counter()
        for _ in range(count):
            token = out.logits[:, -1:].argmax(-1)
            out = model(token, past_key_values=out.past_key_values, use_cache=True)
        decode = time.perf_counter() - start
    return [len(ids) / prefill, count / decode]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--depth", type=int, default=512)
    parser.add_argument("--count", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cpu", default="portable")
    a = parser.parse_args()
    import torch
    from transformers import AutoModelForCausalLM
    torch.set_num_threads(a.threads)
    load = lambda dtype: AutoModelForCausalLM.from_pretrained(a.model, dtype=dtype, attn_implementation="eager").eval()
    peers = {"transformers bf16": load(torch.bfloat16), "transformers f32": load(torch.float32)}
    ids = [i * 7919 % peers["transformers f32"].config.vocab_size for i in range(a.depth)]
    rows = {}
    with tempfile.TemporaryDirectory() as work:
        artefact = pathlib.Path(work) / "model.cheems"
        subprocess.run([a.bins / "cheems-compile", a.model, "-o", artefact, "--cpu", a.cpu], check=True)
        for _ in range(a.repeat):
            rows.setdefault(f"cheems --cpu {a.cpu}", []).append(cheems(a.bins, artefact, ids, a.count, a.threads))
            for name, model in peers.items():
                rows.setdefault(name, []).append(transformers(model, ids, a.count))
    ours = None
    print(f"| {a.threads} threads | pp{a.depth} tokens/s | tg{a.count} @ d{a.depth} tokens/s | decode, ours to theirs |")
    print("|---|---|---|---|")
    for name, samples in rows.items():
        prefill, decode = (statistics.median(column) for column in zip(*samples))
        ours = ours or decode
        print(f"| {name} | {prefill:.1f} | {decode:.1f} | {ours / decode:.2f} |")


main()
