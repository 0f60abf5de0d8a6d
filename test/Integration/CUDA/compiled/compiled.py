"""Kernels that our compiler makes, with the launches around them: compiled, run on a driver, and compared with numpy.

A kernel is one entry of a module's PTX. A mutant takes its place, and all other launches of the function stay as they are.
"""
import dataclasses
import functools
import pathlib
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[3] / "emulator/test/conformance")]

from cases import CASES, Given, Room  # noqa: E402
from formats import decode, encode  # noqa: E402
from plan import Array, Plan, entries, made_of, parameters  # noqa: E402

ARCHITECTURES = ("sm_80", "sm_90a")
PAD = 1 << 22  # bytes: more than a block's rows of any array here


def build(tools, folder):
    """Compiles all modules into the folder that `load` reads."""
    for source in sorted(HERE.glob("*.mlir")):
        for architecture in ARCHITECTURES:
            for kind, text in zip(("mlir", "ptx"), made_of(pathlib.Path(tools), source.read_text(), architecture)):
                (folder / f"{source.stem}.{architecture}.{kind}").write_text(text)


class Module:
    def __init__(self, folder, name, target):
        self.plan = Plan((folder / f"{name}.{target}.mlir").read_text())
        self.texts = entries((folder / f"{name}.{target}.ptx").read_text())


class Kernel:
    def __init__(self, case, entry, target, module):
        self.case, self.entry, self.target, self.module = case, entry, target, module
        self.name = f"{case.function}.{entry}.{target}"

    def ptx(self):
        return self.module.texts[self.entry].encode()

    def run(self, driver, ptx=None):
        """What is wrong, a line each; empty: nothing. A finding of the driver is an exception."""
        pads = []

        def allocate(data, size=0):
            """With memory around it that is no more: what is read past the end is found, and does not meet another array."""
            pads.append(driver.allocate(b"", PAD))
            return driver.allocate(data, size)

        arguments, launches = arguments_of(self.case, allocate), []
        results = self.module.plan.run(self.case.function, arguments, lambda size: allocate(b"", size), launches.append)
        for pad in pads:
            driver.free(pad)
        for one in launches:
            kernel = self.module.plan.kernels[one.kernel]
            text = ptx if ptx and one.kernel == self.entry else self.module.texts[one.kernel].encode()
            driver.launch(text, one.kernel, one.grid, (kernel.threads, 1, 1), kernel.shared, parameters(driver, kernel, one))
        wrong = []
        for number, (got, (want, bound)) in enumerate(zip(results, wanted(self.case), strict=True)):
            values = decode(driver.read(got.address, got.bytes), got.element, got.shape)
            bad = ~((np.abs(values - want) <= bound) | (values == want) | (np.isnan(values) & np.isnan(want)))
            if bad.any():
                wrong.append(f"result {number}: {int(bad.sum())} of {bad.size} wrong, {values[bad][0]} for {want[bad][0]}")
        driver.free()
        return wrong


@functools.cache
def wanted(case):
    return case.wanted(*(one.values for one in case.arguments() if isinstance(one, Given)))


def arguments_of(case, allocate):
    """allocate(bytes that are there, size) gives an address."""
    arguments = []
    for one in case.arguments():
        if isinstance(one, Given):
            one = Array(allocate(encode(one.values, one.element)), one.values.shape, one.element)
        elif isinstance(one, Room):
            one = Array(0, one.shape, one.element)
            one = dataclasses.replace(one, address=allocate(b"", one.bytes))
        arguments.append(one)
    return arguments


def launched(module, case):
    """The kernels that have blocks for the case, each once."""
    launches = []
    module.plan.run(case.function, arguments_of(case, lambda data, size=0: 0), lambda size: 0, launches.append)
    return dict.fromkeys(one.kernel for one in launches)


def load(folder):
    """A kernel for each that a case launches. One whose text is the same for both architectures is there once."""
    kernels, known = [], set()
    for target in ARCHITECTURES:
        modules = {name: Module(folder, name, target) for name in {case.module for case in CASES}}
        for case in CASES:
            module = modules[case.module]
            for entry in launched(module, case):
                body = case.function, module.texts[entry].partition(".visible")[2]
                if body not in known:
                    known.add(body)
                    kernels.append(Kernel(case, entry, target, module))
    return kernels
