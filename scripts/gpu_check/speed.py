"""Decoding and prefill of published shapes with random numbers, by cheems-bench."""
import json

from session import BIN, DATA, Failed

TITLE = "Decoding and prefill"


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
    return {"rows": rows, "bandwidth": session.card["bandwidth"], "failures": failures or ([] if rows else ["nothing was timed"])}


def page(result):
    lines = ["| shape | test | tokens/s | GB/s that a step must read | of the card's | TFLOP/s |", "|---|---|---|---|---|---|"]
    for one in result["rows"]:
        decodes = one["test"].startswith("tg")
        share = f"{100 * one['bandwidth'] / result['bandwidth']:.0f} %" if decodes and result["bandwidth"] else ""
        lines.append(f"| {one['shape']} | {one['test']} | {one['rate']:,.0f} | {one['bandwidth'] / 1e9:,.0f} | {share} "
                     f"| {one['flops'] / 1e12:.1f} |")
    return lines
