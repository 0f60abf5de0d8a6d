#!/usr/bin/env python3
"""Runs the conformance kernels and those of single instructions on the software GPU, for a GPU to be compared with it:
recording.py LIBRARY FOLDER [TEXT]. Needs numpy. The folder gets recorded.json and recorded.bin (recorded_kernels.py)."""
import json
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "emulator/test/conformance"))

import instructions  # noqa: E402
import kernels  # noqa: E402
import numpy as np  # noqa: E402
from driver import Driver  # noqa: E402
from launching import launch  # noqa: E402


class Writer:
    def __init__(self):
        self.data, self.entries = bytearray(), []

    def place(self, part):
        self.data += part
        return [len(self.data) - len(part), len(part)]

    def add(self, driver, entry, buffers, bounds):
        """`bounds` gives (right numbers or None, relative, absolute, exact) of an output."""
        addresses = launch(driver, entry, entry["text"].encode(), buffers)
        outputs = []
        for p in entry["params"]:
            if p["kind"] == "out":
                wanted, relative, absolute, exact = bounds(p)
                outputs.append({"name": p["name"], "element": p["dtype"], "relative": relative, "absolute": absolute, "exact": exact,
                                "software": self.place(driver.read(addresses[p["name"]], len(buffers[p["name"]]))),
                                "wanted": wanted is not None and self.place(np.ascontiguousarray(wanted, np.float64).tobytes())})
        driver.free()
        self.entries.append({**entry, "buffers": {name: self.place(data) for name, data in buffers.items()}, "outputs": outputs})


def of_manifest(kernel):
    """The rule of the set's own comparison: an error is relative to the number and a floor."""
    def bounds(p):
        wanted, tolerance = kernel.wanted[p["name"]], p["tol"]
        floor = 1e-2 if tolerance < 1e-3 else float(np.abs(wanted).mean()) + 1e-2
        return (wanted, tolerance, tolerance * floor, False) if tolerance else (None, 0, 0, True)
    return bounds


def main(library, folder, only=""):
    os.environ["CHEEMS_EMULATOR_ARCH"] = "90"
    driver, writer = Driver(library), Writer()
    for kernel in kernels.load(only):
        wrong = kernel.run(driver)
        if wrong:
            raise SystemExit(f"{kernel.name}: the software GPU computes what is wrong: {'; '.join(wrong)}")
        entry = {key: kernel.entry[key] for key in ("target", "entry", "grid", "block", "shared", "params")}
        writer.add(driver, {"name": kernel.name, **entry, "text": kernel.ptx().decode()}, kernel.buffers, of_manifest(kernel))
    for entry, buffers in instructions.all_probes():
        writer.add(driver, entry, buffers, lambda p: (None, entry["relative"], entry["absolute"], entry["exact"]))
    folder = pathlib.Path(folder)
    (folder / "recorded.json").write_text(json.dumps(writer.entries))
    (folder / "recorded.bin").write_bytes(writer.data)
    print(f"{len(writer.entries)} kernels recorded")


main(*sys.argv[1:])
