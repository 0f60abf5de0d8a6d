"""Decoding and prefill of published shapes with random numbers, by cheems-bench."""
import json

import time_model
from session import BIN, DATA, Failed

TITLE = "Decoding and prefill"
LEAST = 0.85  # of the measured bandwidth, decoding one sequence of the largest shape


def bench(session, file, shape):
    tests = session.pack["tests"]
    common = ["--device", "cuda", "--no-limits", "-o", "json", "-r", tests["repeat"]]
    prefill = session.run(BIN / "cheems-bench", file, *common, "-p", tests["prompt"], "-n", 0)
    decode = session.run(BIN / "cheems-bench", file, *common, "-p", 0, "-n", tests["count"], "-d", tests["depth"], "-b", tests["sequences"])
    for one in json.loads(prefill) + json.loads(decode):
        yield {"shape": shape, "test": one["test"], "rate": one["tokens_per_second_median"], "sequences": one["sequences"],
               "bandwidth": 1e9 * one["gigabytes_per_second"], "flops": 1e9 * one["gigaflops_per_second"], "load": one["load_seconds"],
               "seconds": one["seconds"]}


def run(session):
    rows, failures = [], []
    for shape in session.pack["shapes"]:
        file = session.work / f"{shape}.cheems"
        try:
            session.python("artefact.py", "fill", DATA / "shapes" / f"{shape}.cut", file)
            session.run(BIN / "cheems-run", file, "--device", "cuda", "--verify")
            rows += bench(session, file, shape)
        except Failed as why:
            failures.append(f"{shape}: {why}")
        file.unlink(missing_ok=True)
    failures += [f"{one['shape']}, {one['test']}: no rate" for one in rows if not one["rate"] > 0]
    known = time_model.card_named(session.card["name"])
    return {"rows": rows, "bandwidth": session.card["bandwidth"], "measured": known.bytes if known else 0, "failures": failures or ([] if rows else ["nothing was timed"])}


def page(result):
    lines = [f"The goal is {LEAST} of the measured bandwidth (runtime/CUDA/Cards.def), decoding one sequence of the last shape.", "",
             "| shape | test | tokens/s | GB/s that a step must read | of what the driver tells | of what was measured | TFLOP/s |", "|---" * 7 + "|"]
    for one in result["rows"]:
        decodes = one["test"].startswith("tg")
        share = lambda of: f"{one['bandwidth'] / of:.2f}" if decodes and of else ""
        lines.append(f"| {one['shape']} | {one['test']} | {one['rate']:,.0f} | {one['bandwidth'] / 1e9:,.0f} | {share(result['bandwidth'])} "
                     f"| {share(result['measured'])} | {one['flops'] / 1e12:.1f} |")
    return lines
