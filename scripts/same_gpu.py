#!/usr/bin/env python3
"""Says whether two builds make the same of a model for GPUs: kernels, and what each step launches. For changes that should not change it.

    same_gpu.py OLD_BIN NEW_BIN [--models NAME,...] [--weights TYPE,...] [--ptxas PTXAS [--disassembler NVDISASM]]

OLD_BIN and NEW_BIN are folders of tools, with the libraries of their builds in ../lib. The models are those of test/golden/models and
models, and one layer of each kind of published models, in all types of weights, for both architectures.

- Kernels: PTX is compared with all symbols named by their first use. Kernels that differ are listed. One that is gone counts if a step
  launched it. With ptxas it is said of them whether
  the machine code is equal; with nvdisasm, too, whether registers, shared memory, spills and the counts of opcodes are.
- Launches of steps of 1 to 512 rows: kernel, grid, and arguments. An address within weights or the state is its offset. One within the
  workspace only counts as that. No kernel runs (same_gpu/tracing_driver.cpp).
- Memory: no more may be allocated at any time.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))

import models as published  # noqa: E402
import random_model  # noqa: E402

ARCHITECTURES = {"sm_80": "80", "sm_90a": "90"}
WEIGHTS = ("stored", "f32", "bf16", "f16", "int8", "int4")
# both kinds of layers in place of all of them
LAYERS = {"doge-160M": 1, "doge-320M": 1, "doge-moe-480M": 1, "cheems-320M": 2, "cheems-1.3B": 2}


class Refused(Exception):
    """What a program says why it does not do it."""


def run(*words, **settings):
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, capture_output=True, text=True, env={**os.environ, **settings})
    if done.returncode:
        raise Refused((done.stderr.strip() or f"exit {done.returncode}").splitlines()[-1])
    return done.stdout


# ---- kernels

SYMBOL = re.compile(r"%[A-Za-z_]+\d+|\$?[A-Za-z_][\w$]*")
WORDS = re.compile(r"%([A-Za-z_]+)\d+")


def normalized(name, body):
    """The kernel's text with registers, labels and what carries its name called by their first use."""
    names = collections.defaultdict(dict)

    def rename(match):
        word = match.group()
        register = WORDS.fullmatch(word)
        if register:
            kind = "%" + register.group(1)
        elif word.startswith("$"):
            kind = "$"
        elif word == name or word.startswith(name + "_param_"):
            return word.replace(name, "KERNEL", 1)
        else:
            return word
        return f"{kind}{names[kind].setdefault(word, len(names[kind]))}"

    lines = (line.split("//")[0].strip() for line in body.splitlines())
    return "\n".join(SYMBOL.sub(rename, line) for line in lines if line)


def kernels(text):
    """Returns what stands before a module's kernels, and the kernels by name."""
    head, *parts = re.split(r"^\.visible \.entry ", text, flags=re.MULTILINE)
    found = {}
    for part in parts:
        name = re.match(r"[\w$]+", part).group()
        found[name] = part
    return "\n".join(line for line in head.splitlines() if not line.lstrip().startswith("//")), found


class Assembler:
    """What ptxas makes of kernels."""

    def __init__(self, ptxas, disassembler, work):
        self.ptxas, self.disassembler, self.work = ptxas, disassembler, work

    def code(self, head, name, body, architecture):
        """Machine code; and registers, shared memory, spills and opcodes."""
        source, cubin = self.work / "kernel.ptx", self.work / "kernel.cubin"
        source.write_text(head + "\n.visible .entry " + re.sub(rf"\b{re.escape(name)}(?=\(|_param_)", "KERNEL", body))
        done = subprocess.run([self.ptxas, "-v", f"-arch={architecture}", "-o", cubin, source], capture_output=True, text=True)
        if done.returncode:
            raise Refused(f"ptxas: {done.stderr.strip()}")
        resources = [line for line in done.stderr.splitlines() if "spill" in line or "Used" in line]
        opcodes = None
        if self.disassembler:
            listing = run(self.disassembler, "-c", cubin)
            opcodes = collections.Counter(re.findall(r"^\s*/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", listing, re.MULTILINE))
        return cubin.read_bytes(), (resources, opcodes)


def compare_kernels(texts, architecture, assembler):
    """What differs, a line each; of each side a name for each kernel, equal for those that are the same; those that only the old side has."""
    sides = [kernels(text) for text in texts]
    bodies = [{name: normalized(name, body) for name, body in found.items()} for _, found in sides]
    names = [dict(side) for side in bodies]
    differences = []
    if normalized("", sides[0][0]) != normalized("", sides[1][0]):
        differences.append("what stands before the kernels")
    old, new = (collections.Counter(side.values()) for side in bodies)
    for name, body in bodies[1].items():
        if old[body]:
            continue
        if name not in bodies[0]:
            differences.append(f"kernel {name} is new")
            continue
        names[0][name] = names[1][name] = "differs: " + name
        said = "differs"
        if assembler:
            (old_code, old_cost), (new_code, new_cost) = (assembler.code(head, name, found[name], architecture) for head, found in sides)
            if old_code == new_code:
                said = "differs in PTX alone"
            elif old_cost == new_cost and old_cost[1] is not None:
                said = "differs in the order of its instructions"
            else:
                said = f"differs: {old_cost[0]} became {new_cost[0]}"
        differences.append(f"kernel {name} {said}")
    gone = [name for name, body in bodies[0].items() if not new[body] and name not in bodies[1]]
    return differences, names, gone


# ---- launches

def steps(text, names):
    """Reads a driver's file: the launches by step, and the most bytes that were allocated at once."""
    parts, current, sizes, order = {}, "before", {}, []
    living = most = 0
    weights = state = None
    for line in text.splitlines():
        one = json.loads(line)
        if "mark" in one:
            current = one["mark"]
            if current.startswith("memory "):
                weights, state, _ = (int(word) for word in current.split()[1:])
            elif current.startswith("refused: "):
                parts[last] = [current]
                continue
            parts[current], last = [], current
        elif "allocation" in one:
            sizes[one["allocation"]] = one["bytes"]
            order.append(one["allocation"])
            living += one["bytes"]
            most = max(most, living)
        elif "free" in one:
            living -= sizes[one["free"]]
        else:
            parts[current].append(one)
    kinds = {order[0]: "weights"}
    if sizes[order[0]] != weights:
        raise Refused(f"the first allocation has {sizes[order[0]]} bytes, and weights have {weights}")
    for pool, number in enumerate(order[1:]):
        if state <= 0:
            break
        kinds[number] = f"state {pool}"
        state -= sizes[number]
    if state:
        raise Refused("the allocations after the weights are not those of the state")

    def argument(value):
        if isinstance(value, dict):
            return {**value, "map": argument(value["map"])}
        if isinstance(value, list):
            kind = kinds.get(value[0], "workspace")
            return kind if kind == "workspace" else [kind, value[1]]
        return value

    for launches in parts.values():
        for launch in launches:
            if isinstance(launch, dict):
                launch["arguments"] = [argument(value) for value in launch["arguments"]]
                launch["kernel"] = names[launch.pop("launch")]
    return parts, most


def compare_steps(traces):
    (old, old_bytes), (new, new_bytes) = traces
    if new_bytes > old_bytes:
        yield f"{new_bytes} bytes are allocated at once, and {old_bytes} were"
    for step in [*old, *(step for step in new if step not in old)]:
        if step.startswith("memory "):
            continue
        before, after = old.get(step), new.get(step)
        if before == after:
            continue
        if before is None or after is None:
            yield f"{step}: is {'gone' if after is None else 'new'}"
        elif len(before) != len(after):
            yield f"{step}: {len(before)} launches became {len(after)}"
        else:
            at = next(i for i, (a, b) in enumerate(zip(before, after)) if a != b)
            a, b = before[at], after[at]
            which = [key for key in a if a[key] != b.get(key)] if isinstance(a, dict) and isinstance(b, dict) else [f"{a} became {b}"]
            yield f"{step}: launch {at} of {len(before)} has another {', '.join(which)}"


# ---- all of it

class Build:
    def __init__(self, bins, tracer):
        self.bins, self.libraries, self.tracer = bins.resolve(), bins.resolve().parent / "lib", tracer

    def ptx(self, folder, options, architecture, work):
        output = work / "kernels.ptx"
        run(self.bins / "cheems-compile", folder, "--target", "cuda", "--cuda-arch", architecture, "--emit", "ptx", "-o", output, *options)
        return output.read_text()

    def trace(self, folder, options, architecture, work):
        artefact, file = work / "model.cheems", work / "trace"
        run(self.bins / "cheems-compile", folder, "--target", "cuda", "--cuda-arch", architecture, "-o", artefact, *options)
        run(sys.executable, ROOT / "scripts/same_gpu/steps.py", self.libraries / "libcheems.so", artefact, self.tracer,
            TRACING_DRIVER_BEHIND=str(self.libraries / "libcheems-cuda-emulator.so"), TRACING_DRIVER_FILE=str(file),
            CHEEMS_CUDA_DRIVER=str(self.tracer), CHEEMS_CUDA_GRAPHS="off", CHEEMS_EMULATOR_ARCH=ARCHITECTURES[architecture])
        return file.read_text()


def compare(builds, folder, options, architecture, assembler, work):
    try:
        texts = [builds[0].ptx(folder, options, architecture, work)]
    except Refused as refused:
        try:
            builds[1].ptx(folder, options, architecture, work)
        except Refused as now:
            return [] if str(refused) == str(now) else [f"it was refused: {refused}; now: {now}"]
        return [f"it was refused: {refused}"]
    texts.append(builds[1].ptx(folder, options, architecture, work))
    differences, names, gone = compare_kernels(texts, architecture, assembler)
    traces = [steps(build.trace(folder, options, architecture, work), side) for build, side in zip(builds, names)]
    launched = {launch["kernel"] for launches in traces[0][0].values() for launch in launches if isinstance(launch, dict)}
    for name in gone:
        if names[0][name] in launched:
            differences.append(f"kernel {name} is gone")
        else:
            print(f"{folder.name} {' '.join(options)} {architecture}: kernel {name}, which no step launched, is gone", flush=True)
    return differences + list(compare_steps(traces))


def folders(wanted, work):
    """Names and folders of models; those of published models are made, and removed again."""
    for path in [path.parent for where in ("test/golden/models", "models") for path in sorted((ROOT / where).glob("*/config.json"))]:
        if not wanted or path.name in wanted:
            yield path.name, path
    for name, layers in LAYERS.items():
        if wanted and name not in wanted:
            continue
        folder = work / name
        kinds = {} if layers == 1 else {"period": layers}
        random_model.save(folder, dataclasses.replace(published.MODELS[name], layers=layers, **kinds))
        yield name, folder
        for path in folder.iterdir():
            path.unlink()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--models", help="names, with commas between; all otherwise")
    parser.add_argument("--weights", default=",".join(WEIGHTS), help="types of weights, with commas between; all otherwise")
    parser.add_argument("--ptxas", help="assembles kernels that differ")
    parser.add_argument("--disassembler", help="nvdisasm, for the opcodes of kernels that differ")
    a = parser.parse_args()
    count = different = 0
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        tracer = work / "tracing_driver.so"
        run("clang++-22", "-std=c++17", "-O1", "-shared", "-fPIC", f"-I{ROOT}", ROOT / "scripts/same_gpu/tracing_driver.cpp", "-o", tracer)
        builds = [Build(bins, tracer) for bins in (a.old, a.new)]
        assembler = a.ptxas and Assembler(a.ptxas, a.disassembler, work)
        for model, folder in folders(a.models and a.models.split(","), work):
            begin = different
            for weights in a.weights.split(","):
                for architecture in ARCHITECTURES:
                    count += 1
                    found = compare(builds, folder, ["--weights", weights], architecture, assembler, work)
                    different += bool(found)
                    for line in found:
                        print(f"{model} {weights} {architecture}: {line}", flush=True)
            print(f"{model}: {'the same' if begin == different else 'different'}", flush=True)
    print(f"{count - different} the same, {different} different")
    sys.exit(1 if different or not count else 0)


main()
