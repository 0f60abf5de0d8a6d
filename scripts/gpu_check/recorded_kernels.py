#!/usr/bin/env python3
"""Kernels with what the software GPU has made of them, run on a GPU and compared: recorded_kernels.py LIBRARY FOLDER

The folder has recorded.json, and recorded.bin with the bytes of all buffers. Needs nothing but Python. As a program it takes names of
kernels, a line each, and answers with a line of JSON: it runs in a process of its own, because a kernel may hang.
"""
import array
import json
import math
import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "emulator/test/conformance"))

from driver import Driver, DriverError  # noqa: E402
from launching import launch  # noqa: E402

SIZES = {"f32": 4, "f16": 2, "bf16": 2, "e4m3": 1, "e5m2": 1, "i8": 1, "i32": 4}
INTEGERS = {1: "b", 2: "h", 4: "i"}


def e4m3(code):
    """Open Compute Project, "OCP 8-bit Floating Point Specification"."""
    exponent, fraction = code >> 3 & 15, (code & 7) / 8
    size = math.nan if code & 127 == 127 else math.ldexp(fraction + (exponent > 0), max(exponent, 1) - 7)
    return -size if code >> 7 else size


def decoded(data, element):
    """The numbers of a buffer."""
    if element == "e4m3":
        return [e4m3(code) for code in data]
    if element == "e5m2":  # the upper half of an f16
        data, element = bytes(byte for code in data for byte in (0, code)), "f16"
    if element == "bf16":
        data, element = array.array("I", (bits << 16 for bits in array.array("H", data))).tobytes(), "f32"
    if element == "f16":
        return struct.unpack(f"<{len(data) // 2}e", data)
    return array.array({"f32": "f", "i8": "b", "i32": "i"}[element], data)


def ordered(data, element):
    """Whole numbers that follow each other as the numbers of a buffer do, so that neighbours differ by one."""
    size = SIZES[element]
    bits = array.array(INTEGERS[size], data)
    return bits if element[0] == "i" else [one if one >= 0 else -(one & ((1 << 8 * size - 1) - 1)) for one in bits]


def distance(got, want, output):
    """How far a number is from what it must be, in units of what it may be; at most 1 is right."""
    if got == want or (math.isnan(got) and math.isnan(want)):
        return 0.0
    room = output["relative"] * abs(want) + output["absolute"]
    error = abs(got - want)
    return math.inf if math.isnan(error) or not room else error / room


class Recorded:
    """A kernel, its buffers, and of each output: the software GPU's bytes, the right numbers and how far they may be missed."""

    def __init__(self, entry, data):
        self.entry, self.name, self.target = entry, entry["name"], entry["target"]
        self.part = lambda place: data[place[0]:place[0] + place[1]]

    def run(self, driver):
        """What differs from the software GPU, and by how much."""
        buffers = {name: self.part(place) for name, place in self.entry["buffers"].items()}
        addresses = launch(driver, self.entry, self.entry["text"].encode(), buffers)
        found = {"state": "same", "differ": 0, "of": 0, "units": 0, "error": 0.0}
        for output in self.entry["outputs"]:
            got = driver.read(addresses[output["name"]], output["software"][1])
            self.compare(got, output, found)
        driver.free()
        return found

    def compare(self, got, output, found):
        software, element = self.part(output["software"]), output["element"]
        found["of"] += len(got) // SIZES[element]
        if got == software:
            return
        ours, theirs = ordered(got, element), ordered(software, element)
        found["units"] = max(found["units"], max(abs(a - b) for a, b in zip(ours, theirs)))
        size = SIZES[element]
        found["differ"] += sum(got[at:at + size] != software[at:at + size] for at in range(0, len(got), size))
        wanted = array.array("d", self.part(output["wanted"])) if output["wanted"] else decoded(software, element)
        error = max(distance(a, b, output) for a, b in zip(decoded(got, element), wanted))
        found["error"] = max(found["error"], error)
        if found["state"] != "wrong":
            found["state"] = "near" if found["error"] <= 1 and not output["exact"] else "wrong"


def load(folder):
    data = (folder / "recorded.bin").read_bytes()
    return [Recorded(entry, data) for entry in json.loads((folder / "recorded.json").read_text())]


def serve(library, folder):
    driver, known = Driver(library), {kernel.name: kernel for kernel in load(pathlib.Path(folder))}
    for line in sys.stdin:
        kernel = known[json.loads(line)["kernel"]]
        try:
            result = kernel.run(driver) if driver.runs(kernel.target) else {"state": "left out"}
        except DriverError as error:
            result = {"state": "failed", "why": str(error)}
            driver.renew()
        print(json.dumps(["done", result]), flush=True)


if __name__ == "__main__":
    serve(*sys.argv[1:])
