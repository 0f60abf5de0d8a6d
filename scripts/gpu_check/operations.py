"""Times of single operations by cheems-bench, beside goals and, if Python has it, PyTorch.

Goals are rates: at least so much of the GPU's matmuls or memory, as runtime/CUDA/GPUs.def says that others measured them, of what
FlashAttention-3 reached, or of SSD in Triton, which is timed here. A goal that is missed is said, and is no failure.
"""
import json
import sys

import time_model
from session import DATA, FILLING, ROOT, Failed
from torch_speed import torch_version

TITLE = "Operations"
# TFLOP/s of FlashAttention-3 by the size of a head: forward, causal, 8,192 rows of fp16, on an H100 SXM5 (arXiv:2407.08608, Figure 5)
FLASH_ATTENTION = {64: 460, 128: 602}
LEAST = {"matmul": 0.75, "attention": 1 / 1.3, "ssd": 2.0, "experts": 0.85}


def fill(session):
    """The compiled operations, with random numbers."""
    folder = session.work / "operations"
    folder.mkdir(exist_ok=True)
    for cut in (DATA / "operations").glob("*.cut"):
        session.python("artefact.py", "fill", cut, folder / cut.with_suffix(".cheems").name, seconds=FILLING)
    return folder


def timed(session, folder, one):
    rows, *_ = map(int, one["shape"].split("x"))
    command = ["--device", "cuda", "--no-limits", "-o", "json", "-r", session.pack["tests"]["repeat"], "--compiled", folder,
               "--ops", one["kind"], "--shapes", one["shape"], "--prefill-chunk", rows]
    found = json.loads(session.run(ROOT / "bin/cheems-bench", *command))[0]
    return {**one, "microseconds": 1e6 * sorted(found["seconds"])[len(found["seconds"]) // 2], "operations": found["operations"],
            "bytes": found["bytes"]}


def torch_times(session, one):
    """Microseconds by form: eager, compiled; of SSD also in Triton."""
    text = session.run(sys.executable, ROOT / "benchmarks/torch_operations.py", one["kind"], one["shape"], "--device", "cuda", seconds=30)
    return json.loads(text.splitlines()[-1])


def reached(row, gpu):
    """(of what, how much of it); nothing where there is nothing to compare with."""
    rate = 1e6 / row["microseconds"]
    if row["kind"] == "ssd":
        triton = row["torch"].get("triton")
        return ("SSD in Triton", triton / row["microseconds"]) if triton else None
    if not gpu:
        return None
    if row["kind"] == "attention":
        size = int(row["shape"].split("x")[2])
        is_hopper = gpu.architecture == 90 and size in FLASH_ATTENTION
        return ("FlashAttention-3", row["operations"] * rate / (1e12 * FLASH_ATTENTION[size])) if is_hopper else None
    if row["kind"] == "matmul":
        return "the GPU's products", row["operations"] * rate / gpu.operations
    return "the GPU's bandwidth", row["bytes"] * rate / gpu.bytes


def run(session, result):
    folder, gpu = fill(session), time_model.gpu_named(session.gpu["name"])
    has_torch = session.torch and torch_version(session)
    for one in session.pack["operations"]:
        try:
            row = {**timed(session, folder, one), "torch": {}}
        except Failed as why:
            result.fail(f"{one['kind']} {one['shape']}: {why}")
            continue
        if has_torch:
            try:
                row["torch"] = torch_times(session, one)
            except Failed as why:
                row["torch"] = {"why": str(why)}
        goal = reached(row, gpu)
        if goal:
            row.update(of=goal[0], share=goal[1], least=LEAST[one["kind"]])
        result.row(row)
        if not row["microseconds"] > 0:
            result.fail(f"{one['kind']} {one['shape']}: no time")


def page(result):
    lines = ["Microseconds of the operation's kernels, with bf16. PyTorch computes the same from the same shapes, as a whole.", "",
             "| operation | µs | TFLOP/s | GB/s | reached | goal | PyTorch: eager, compiled, Triton, µs |", "|---" * 7 + "|"]
    for one in result["rows"]:
        rate = 1e6 / one["microseconds"]
        share, goal = "", ""
        if "share" in one:
            met = "" if one["share"] >= one["least"] else "**missed:** "
            share, goal = f"{met}{one['share']:.2f} of {one['of']}", f"{one['least']:.2f}"
        beside = ", ".join(f"{one['torch'][form]:,.1f}" for form in ("eager", "compiled", "triton") if form in one["torch"])
        lines.append(f"| {one['kind']} {one['shape']} | {one['microseconds']:,.1f} | {one['operations'] * rate / 1e12:,.1f} "
                     f"| {one['bytes'] * rate / 1e9:,.0f} | {share} | {goal} | {beside or one['torch'].get('why', '')} |")
    return lines
