"""Times of the kernels of a layer and the head, beside the least that the work could take on this GPU."""
import json
import shutil
import sys

import time_model
from session import DATA, HERE, ROOT, Failed

sys.path.insert(0, str(ROOT / "benchmarks"))

import random_model  # noqa: E402

TITLE = "Times of kernels beside their least"
REPEATS, RUNS = 20, 5  # of a launch in a row, and of such rows
LARGE = 2  # microseconds: what takes less is bound by the launch, and compared with nothing


def least(one, gpu):
    """Microseconds: the larger of what its least reads take, and its matmuls on tensor cores. Writes may stay in a cache."""
    moved = one["least_read"] / gpu["bandwidth"] if gpu["bandwidth"] else 0
    cycles = (one["least_tensor"] or 0) * one["multiprocessors"] / gpu["multiprocessors"]
    return 1e6 * max(moved, cycles / (1000 * gpu["clock"]))


def predicted(one, session):
    """Microseconds by the model of time: of the known GPU whose name this one's begins with, else of the first of its architecture."""
    gpu = time_model.gpu_named(session.gpu["name"]) or next(
        gpu for gpu in time_model.gpus() if gpu.architecture == int(session.architecture[3:5]))
    return 1e6 * time_model.seconds(one["counts"], gpu, time_model.GAPS[0])


def run(session, result):
    source, folder = DATA / "kernels" / session.architecture, session.work / "kernels"
    shutil.copytree(source, folder)
    counts = json.loads((folder / "counts.json").read_text())
    with open(folder / "parameters.bin", "wb") as file:
        random_model.write(file, counts["parameter_bytes"] // 2, "bf16", 0.02)
    # The software GPU has no caches, and its times are none.
    how = (1, 1, 1 << 20) if session.is_software else (REPEATS, RUNS, session.gpu["cache"] * 5 // 4)
    result["model"] = counts["model"]
    launches = iter(counts["launches"])
    try:
        for line in session.lines(sys.executable, HERE / "step_times.py", session.driver, folder, *how):
            timed, counted = json.loads(line), next(launches, {"name": "none"})
            # Both follow the plan, so they have the same launches.
            if timed["kernel"] != counted["name"]:
                raise Failed(f"other kernels were launched than were counted: {timed['kernel']}, and not {counted['name']}")
            result.row({**timed, **counted, "least": least(counted, session.gpu), "predicted": predicted(counted, session)})
            for failure in () if session.is_software else too_fast(result["rows"][-1]):
                result.fail(failure)
    except Failed as why:
        raise Failed(f"{len(result['rows'])} of {len(counts['launches'])} launches were timed, and then: {why}") from None
    rest = [one["name"] for one in launches]
    if rest:
        raise Failed(f"these kernels were counted, and not launched: {', '.join(rest)}")


def too_fast(row):
    """What is faster than it can be was not run, or not counted."""
    if row["least"] > LARGE and row["cold"] < 0.8 * row["least"]:
        yield f"{row['kernel']} {row['of']}, {row['step_name']}: {row['cold']:.2f} us, and {row['least']:.2f} is its least"


def page(result):
    lines = [f"Of one layer and the head of {result['model']}, in bf16. Microseconds: the least that reads and matmuls take on this GPU, "
             "what the model of time predicts (scripts/gpu_check/time_model.py, with 1 µs between kernels), the kernel with empty caches, and the "
             "kernel when the launch before it was the same one. The last three have the gap between launches."]
    steps = list(dict.fromkeys(one["step_name"] for one in result["rows"]))
    for name in steps:
        lines += ["", f"**{name}**", "", "| kernel | shape | blocks | bytes read | least bytes | cycles of the busiest pipe | least µs "
                  "| predicted µs | µs | of the least | µs again |", "|---" * 11 + "|"]
        for one in result["rows"]:
            if one["step_name"] == name:
                ratio = f"{one['cold'] / one['least']:.1f}" if one["least"] > LARGE else ""
                pipe, cycles = one["busiest"]
                lines.append(f"| `{one['kernel']}` {one['of']} | {one['shape']} | {one['blocks']:,} | {one['read']:,} "
                             f"| {one['least_read']:,} | {cycles:,.0f} ({pipe}) | {one['least']:.2f} | {one['predicted']:.2f} | {one['cold']:.2f} | {ratio} "
                             f"| {one['warm']:.2f} |")
    local = dict.fromkeys(f"`{one['kernel']}`: {one['local']} bytes" for one in result["rows"] if one["local"])
    if local:
        lines += ["", f"A thread of these kernels has local memory, so registers are spilled as the driver compiles them: {', '.join(local)}."]
    return lines
