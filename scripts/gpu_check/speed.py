"""Decoding and prefill of published shapes with random numbers, by cheems-bench: as users run it, and with parts switched off."""
import json

import time_model
from session import BIN, DATA, FILLING, Failed

TITLE = "Decoding and prefill"
LEAST = 0.85  # of the measured bandwidth, decoding one sequence of the largest shape
# What one sequence is timed with, too
WAYS = {"no overlap": {"CHEEMS_CUDA_OVERLAP": "off"}, "no graphs": {"CHEEMS_CUDA_GRAPHS": "off"},
        "carve-out 100 %": {"CHEEMS_CUDA_CARVEOUT": "100"}}


def bench(session, file, shape, way, *test, **settings):
    """Rows of the report."""
    def timed(image):
        return session.run(BIN / "cheems-bench", file, "--device", "cuda", "--no-limits", "-o", "json", "-r", session.pack["tests"]["repeat"],
                           *test, CHEEMS_CUDA_IMAGE=image, **settings)
    text, image, instead = session.first_image(timed)
    for one in json.loads(text):
        yield {"shape": shape, "test": one["test"], "way": way, "image": image, "instead": instead, "rate": one["tokens_per_second_median"],
               "sequences": one["sequences"], "bandwidth": 1e9 * one["gigabytes_per_second"], "flops": 1e9 * one["gigaflops_per_second"],
               "load": one["load_seconds"], "seconds": one["seconds"]}


def rows_of(session, file, shape):
    tests = session.pack["tests"]
    prefill = ("-p", tests["prompt"], "-n", 0)
    decode = ("-p", 0, "-n", tests["count"], "-d", tests["depth"])
    yield from bench(session, file, shape, "", *prefill)
    yield from bench(session, file, shape, "", *decode, "-b", tests["sequences"])
    for way, settings in WAYS.items():
        if "graphs" not in way:  # prompts are none
            yield from bench(session, file, shape, way, *prefill, **settings)
        yield from bench(session, file, shape, way, *decode, "-b", 1, **settings)


def run(session, result):
    known = time_model.gpu_named(session.gpu["name"])
    result.update(bandwidth=session.gpu["bandwidth"], measured=known.bytes if known else 0)
    for shape in session.pack["shapes"]:
        file = session.work / f"{shape}.cheems"
        try:
            session.python("artefact.py", "fill", DATA / "shapes" / f"{shape}.cut", file, seconds=FILLING)
            session.run(BIN / "cheems-run", file, "--device", "cuda", "--verify", seconds=FILLING)
            for one in rows_of(session, file, shape):
                result.row(one)
                if not one["rate"] > 0:
                    result.fail(f"{shape}, {one['test']}: no rate")
                if one["instead"]:
                    result.fail(f"{shape}, {one['test']}: timed with {one['image']}, because {one['instead']}")
        except Failed as why:
            result.fail(f"{shape}: {why}")
        file.unlink(missing_ok=True)


def page(result):
    lines = [f"The goal is {LEAST} of the measured bandwidth (runtime/CUDA/GPUs.def), decoding one sequence of the last shape.", "",
             "| shape | test | how | tokens/s | GB/s that a step must read | of what the driver tells | of what was measured | TFLOP/s |",
             "|---" * 8 + "|"]
    for one in result["rows"]:
        decodes = one["test"].startswith("tg")
        share = lambda of: f"{one['bandwidth'] / of:.2f}" if decodes and of else ""
        how = ", ".join(filter(None, [one["way"], one["instead"] and one["image"]]))
        lines.append(f"| {one['shape']} | {one['test']} | {how} | {one['rate']:,.0f} | {one['bandwidth'] / 1e9:,.0f} | {share(result['bandwidth'])} "
                     f"| {share(result['measured'])} | {one['flops'] / 1e12:.1f} |")
    return lines
