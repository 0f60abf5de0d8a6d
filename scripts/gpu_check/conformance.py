"""Kernels of a compiler proven on hardware, and single instructions: the GPU beside the software GPU, bit for bit."""
import queue
import re
import sys

from session import DATA, HERE, ROOT

sys.path.insert(0, str(ROOT / "emulator/test/conformance"))

import recorded_kernels  # noqa: E402
from workers import Worker  # noqa: E402

TITLE = "Instructions and kernels beside the software GPU"
AT_ONCE = 4  # processes; most of their time is the driver's assembler
INEXACT = r"\b(?:mma|wgmma)\.\S+|\b\w+\.approx\S*|\bdiv\.full\S*|\b(?:red|atom)\.\S*add\S*f\d\d"


class Process(Worker):
    def __init__(self, session):
        super().__init__(session.driver, session.environment({}), session.call)
        self.command = [sys.executable, str(HERE / "recorded_kernels.py"), str(session.driver), str(DATA / "conformance")]


def row(kernel, state, found):
    exact = all(output["exact"] for output in kernel.entry["outputs"])
    one = {"name": kernel.name, "instruction": kernel.entry.get("instruction"), "exact": exact, "state": state}
    return {**one, **found} if isinstance(found, dict) else {**one, "why": found}


def suspects(kernel, rows):
    """Which instructions of a kernel may be why it differs: those that differ by themselves, else those that the ISA leaves open."""
    text = kernel.entry["text"]
    alone = [one["instruction"] for one in rows if one["instruction"] and one["state"] != "same" and one["instruction"] in text]
    return sorted(set(alone or re.findall(INEXACT, text)))


def run(session, result):
    kernels, idle = recorded_kernels.load(DATA / "conformance"), queue.SimpleQueue()
    processes = [Process(session) for _ in range(AT_ONCE)]
    for process in processes:
        idle.put(process)

    def one_row(kernel):
        session.go_on()
        if session.left() <= 0:
            return row(kernel, "failed", "no time is left")
        process = idle.get()
        state, found = process.run(kernel.name)
        idle.put(process)
        return row(kernel, found["state"], found) if state == "done" else row(kernel, "failed", f"{state}: {found}")

    rows = result["rows"]
    try:
        for one in session.together(one_row, kernels, AT_ONCE):
            result.row(one)
            if one.get("why", "").startswith("hung"):
                session.hung(f"the kernel {one['name']}")
    finally:
        for process in processes:
            process.close()
        by_name = {kernel.name: kernel for kernel in kernels}
        for one in rows:
            if one["state"] in ("near", "wrong") and not one["instruction"]:
                one["suspects"] = suspects(by_name[one["name"]], rows)
        ran = [one for one in rows if one["state"] != "left out"]
        for one in ran:
            if one["state"] in ("wrong", "failed"):
                result.fail(line(one))
        if len({bool(one["instruction"]) for one in ran}) < 2:
            result.fail("no kernel, or no instruction, was run")


def line(one):
    if "why" in one:
        return f"{one['name']}: {one['state']}: {one['why']}"
    return (f"{one['name']}: {one['state']}: {one['differ']} of {one['of']} numbers differ, by up to {one['units']} units of the last place"
            + (f", {one['error']:.2g} of what is allowed" if not one["exact"] else "")
            + (f"; perhaps {', '.join(one['suspects'])}" if one.get("suspects") else ""))


def page(result):
    lines = ["| what | run | the same bits | other bits, within their bound | wrong |", "|---|---|---|---|---|"]
    for name, of in (("instructions that the ISA determines", lambda one: one["instruction"] and one["exact"]),
                     ("instructions with an error", lambda one: one["instruction"] and not one["exact"]),
                     ("kernels of whole numbers or copies", lambda one: not one["instruction"] and one["exact"]),
                     ("other kernels", lambda one: not one["instruction"] and not one["exact"])):
        of_kind = [one for one in result["rows"] if of(one) and one["state"] != "left out"]
        count = lambda *states: sum(one["state"] in states for one in of_kind)
        lines.append(f"| {name} | {len(of_kind)} | {count('same')} | {count('near')} | {count('wrong', 'failed')} |")
    left_out = sum(one["state"] == "left out" for one in result["rows"])
    if left_out:
        lines += ["", f"{left_out} are not for this GPU."]
    differing = [one for one in result["rows"] if one["state"] == "near"]
    return lines + ([""] if differing else []) + [f"- {line(one)}" for one in differing]
