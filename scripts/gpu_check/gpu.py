#!/usr/bin/env python3
"""Prints what a driver says of its first GPU, as JSON: gpu.py LIBRARY"""
import ctypes
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "emulator/test/conformance"))

from driver import Driver  # noqa: E402

# CUdevice_attribute; rates are in kHz
ATTRIBUTES = {"multiprocessors": 16, "clock": 13, "memory_clock": 36, "memory_bus": 37, "cache": 38}


def describe(library):
    driver = Driver(library)
    name, memory, version = ctypes.create_string_buffer(100), ctypes.c_size_t(), ctypes.c_int()
    driver.call("cuDeviceGetName", name, len(name), driver.device)
    driver.call("cuDeviceTotalMem_v2", ctypes.byref(memory), driver.device)
    driver.call("cuDriverGetVersion", ctypes.byref(version))
    found = {"name": name.value.decode(), "capability": driver.capability, "memory": memory.value,
             "cuda": f"{version.value // 1000}.{version.value % 1000 // 10}"}
    for key, attribute in ATTRIBUTES.items():
        value = ctypes.c_int()
        driver.call("cuDeviceGetAttribute", ctypes.byref(value), attribute, driver.device)
        found[key] = value.value
    # Two transfers for each clock. What tells no clock has no bandwidth.
    found["bandwidth"] = 2000 * found["memory_clock"] * found["memory_bus"] / 8
    return found


if __name__ == "__main__":
    print(json.dumps(describe(sys.argv[1])))
