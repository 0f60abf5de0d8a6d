"""Kernels that our compiler makes, with the launches around them: compiled, run on a driver, and compared with numpy.

A kernel is one entry of a module's PTX. A mutant takes its place, and all other launches of the function stay as they are.
"""
import functools
import json
import pathlib
import re
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[3] / "emulator/test/conformance")]

from cases import CASES, Given, Room  # noqa: E402
from formats import decode, encode  # noqa: E402
from plan import Array, argument_types, entries, launches_of, operands, parameters, program  # noqa: E402

ARCHITECTURES = ("sm_80", "sm_90a")
PAD = 1 << 22  # bytes: more than a block's rows of any array here
RESULTS = "results_of_"  # kernels that never run: by their arguments a plan says where a function's results are
# Each case is a part of one step. Arrays are pools, which have the case's extents, and numbers are constants.
ENTRIES = """
  func.func @entry_general({pools}) attributes {{cheems.entry = "general"}} {{
    %one = arith.constant 1 : index
    {body}
    return
  }}
  func.func @entry_decode() attributes {{cheems.entry = "decode", cheems.most_rows = 1 : i64}} {{
    return
  }}
}}
"""


def build(tools, folder):
    """Compiles all modules, and what each case launches, into the folder that `load` reads."""
    tools = pathlib.Path(tools)
    for name in dict.fromkeys(case.module for case in CASES):
        cases = [case for case in CASES if case.module == name]
        source = (HERE / f"{name}.mlir").read_text()
        for architecture in ARCHITECTURES:
            text = program(tools, "cheems-opt", "-", f"--cheems-cuda=arch={architecture} to=launches", text=source)
            kernels = program(tools, "cheems-opt", "-", f"--cheems-cuda=arch={architecture} from=launches", text=text)
            ptx = program(tools, "cheems-translate", "-", "--to-ptx", "--cuda-arch", architecture, text=kernels)
            (folder / f"{name}.{architecture}.ptx").write_text(ptx)
            (folder / f"{name}.{architecture}.json").write_text(json.dumps(planned(tools, text, cases)))


def planned(tools, text, cases):
    """function -> what its case launches by the plan that the compiler makes of it, and the types of the results."""
    calls = {case.function: Call(case, text) for case in cases}
    every = lambda what: [one for call in calls.values() for one in what(call)]
    step = ENTRIES.format(pools=", ".join(every(lambda call: call.pools)), body="\n    ".join(every(lambda call: call.body)))
    text = "".join([text[:text.rindex("}")], *(call.kernel for call in calls.values()), step])
    plan = program(tools, "cheems-opt", "-", "--cheems-launches-to-plan", text=text)
    step = launches_of(tools, program(tools, "cheems-translate", "-", "--to-plan", text=plan), "general")
    return {name: {"areas": step["areas"], "launches": [one for one in step["launches"] if one["part"] == name], "results": call.results}
            for name, call in calls.items()}


class Call:
    """The text that calls a case's function."""

    def __init__(self, case, text):
        name = case.function
        found = re.search(rf"^  func\.func @{name}\((.*)\) -> (.*) {{$", text, re.M)
        types, self.results = argument_types(found[1]), re.findall(r"memref<[^>]*>", found[2])
        self.pools, self.body = [], [f'cheems.mark "{name}"']
        for i, (one, type_) in enumerate(zip(case.arguments(), types, strict=True)):
            if isinstance(one, int):
                self.body.append(f"%{name}_{i} = arith.constant {one} : {type_}")
                continue
            array, pool = array_of(i, one), f"%pool_{name}_{i}"
            given = f"memref<{'x'.join(map(str, [*array.shape, array.element]))}>"
            self.pools.append(f"{pool}: {given} {{cheems.field = #cheems.step_field<pools>, cheems.index = {i}}}")
            self.body.append(f"%{name}_{i} = memref.cast {pool} : {given} to {type_}")
        taken, made = ", ".join(types), ", ".join(self.results)
        arguments = ", ".join(f"%{name}_{i}" for i in range(len(types)))
        results = [f"%{name}#{i}" for i in range(len(self.results))]
        self.body += [f"%{name}:{len(results)} = func.call @{name}({arguments}) : ({taken}) -> ({made})",
                      f"cheems_tile.launch @{RESULTS}{name} grid[%one, %one, %one] ins({', '.join(results)} : {made})"]
        given = ", ".join(f"%{i}: {type_}" for i, type_ in enumerate(self.results))
        self.kernel = f"  cheems_tile.kernel @{RESULTS}{name}({given}) warps(1) shared(0) {{\n    cheems_tile.return\n  }}\n"


def array_of(number, one):
    """An argument of a case as the pool that it is in the plan."""
    return Array(["pool", number], one.shape if isinstance(one, Room) else one.values.shape, one.element)


class Kernel:
    def __init__(self, case, entry, target, texts, plan):
        self.case, self.entry, self.target, self.texts, self.plan = case, entry, target, texts, plan
        self.name = f"{case.function}.{entry}.{target}"

    def ptx(self):
        return self.texts[self.entry].encode()

    def run(self, driver, ptx=None):
        """What is wrong, a line each; empty: nothing. A finding of the driver is an exception."""
        pads = []

        def allocate(data, size=0):
            """With memory around it that is no more: what is read past the end is found, and does not meet another array."""
            pads.append(driver.allocate(b"", PAD))
            return driver.allocate(data, size)

        memory = {}
        for i, one in enumerate(self.case.arguments()):
            if not isinstance(one, int):
                data = encode(one.values, one.element) if isinstance(one, Given) else b""
                memory["pool", i] = allocate(data, array_of(i, one).bytes)

        def address(place):
            """Areas of other cases are none of this one's."""
            kind, number = place
            if kind == "area" and (kind, number) not in memory:
                memory[kind, number] = allocate(b"", self.plan["areas"][number])
            return memory[kind, number]

        *launches, results = self.plan["launches"]
        handed = [parameters(driver, one, address) for one in launches]
        for pad in pads:
            driver.free(pad)
        for one, arguments in zip(launches, handed):
            text = ptx if ptx and one["kernel"] == self.entry else self.texts[one["kernel"]].encode()
            driver.launch(text, one["kernel"], one["grid"], (one["threads"], 1, 1), one["shared"], arguments)
        wrong, found = [], operands(self.plan["results"], results["arguments"])
        for number, (got, (want, bound)) in enumerate(zip(found, wanted(self.case), strict=True)):
            values = decode(driver.read(address(got.place), got.bytes), got.element, got.shape)
            bad = ~((np.abs(values - want) <= bound) | (values == want) | (np.isnan(values) & np.isnan(want)))
            if bad.any():
                wrong.append(f"result {number}: {int(bad.sum())} of {bad.size} wrong, {values[bad][0]} for {want[bad][0]}")
        driver.free()
        return wrong


@functools.cache
def wanted(case):
    return case.wanted(*(one.values for one in case.arguments() if isinstance(one, Given)))


def load(folder):
    """A kernel for each that a case launches. One whose text is the same for both architectures is there once."""
    kernels, known = [], set()
    for target in ARCHITECTURES:
        modules = {case.module: folder / f"{case.module}.{target}" for case in CASES}
        texts = {name: entries(file.with_name(file.name + ".ptx").read_text()) for name, file in modules.items()}
        plans = {name: json.loads(file.with_name(file.name + ".json").read_text()) for name, file in modules.items()}
        for case in CASES:
            of_module, plan = texts[case.module], plans[case.module][case.function]
            for entry in dict.fromkeys(launch["kernel"] for launch in plan["launches"][:-1]):
                body = case.function, of_module[entry].partition(".visible")[2]
                if body not in known:
                    known.add(body)
                    kernels.append(Kernel(case, entry, target, of_module, plan))
    return kernels
