"""The manifest's kernels: loaded, run on a driver, and compared with numpy."""
import functools
import json
import pathlib

import numpy as np

import expected
from formats import BYTES, decode, encode, initial
from launching import launch

HERE = pathlib.Path(__file__).resolve().parent


class Kernel:
    def __init__(self, entry):
        self.entry = entry
        self.name = f"{entry['id']}.{entry['target']}"
        self.target = entry["target"]
        self.parameters = entry["params"]

    def ptx(self):
        return (HERE / self.entry["ptx"]).read_bytes()

    @functools.cached_property
    def buffers(self):
        """name -> its bytes before the kernel runs"""
        return {p["name"]: encode(initial(p), p["dtype"]) for p in self.parameters if p["kind"] in ("in", "out")}

    @functools.cached_property
    def wanted(self):
        """name -> what the kernel must write"""
        values = {p["name"]: decode(self.buffers[p["name"]], p["dtype"], p["shape"])
                  for p in self.parameters if p["kind"] in ("in", "out")}
        names = {**vars(expected), **values}
        return {p["name"]: np.asarray(eval(p["expect"], names)).reshape(p["shape"])  # noqa: S307: our own manifest
                for p in self.parameters if p["kind"] == "out"}

    def run(self, driver, ptx=None):
        """What is wrong, a line each; empty: nothing. A finding of the driver is an exception."""
        addresses = launch(driver, self.entry, ptx or self.ptx(), self.buffers)
        wrong = []
        for p in self.parameters:
            if p["kind"] == "out":
                size = int(np.prod(p["shape"])) * BYTES[p["dtype"]]
                got = decode(driver.read(addresses[p["name"]], size), p["dtype"], p["shape"])
                wrong += compare(p["name"], got, self.wanted[p["name"]], p["tol"])
        driver.free()
        return wrong


def compare(name, got, want, tolerance):
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(got - want)
        if tolerance:
            error = error / (np.abs(want) + (1e-2 if tolerance < 1e-3 else np.abs(want).mean() + 1e-2))
    error = np.where((got == want) | (np.isnan(got) & np.isnan(want)), 0, error)
    error = np.where(np.isnan(error), np.inf, error)
    bad = error > tolerance
    return [f"{name}: {int(bad.sum())} of {error.size} wrong, largest error {error.max():.3g}"] if bad.any() else []


def load(only=""):
    kernels = [Kernel(entry) for entry in json.loads((HERE / "manifest.json").read_text())["kernels"]]
    return [kernel for kernel in kernels if only in kernel.name]
