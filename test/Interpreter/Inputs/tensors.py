#!/usr/bin/env python3
"""Writes and shows small safetensors files.

    tensors.py write FILE NAME=TYPE[2,3]:1,2,... ...
    tensors.py show FILE

A value alone stands for all elements. What is shown is one line a tensor: its name, type, shape and values, numbers
that are not whole to six digits.
"""
import json
import pathlib
import struct
import sys

FORMATS = {"F32": "f", "F64": "d", "I32": "i", "I64": "q", "BF16": "H"}


def stored(kind, values):
    if kind == "BF16":  # numbers that are bf16
        values = [struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values]
    return struct.pack(f"<{len(values)}{FORMATS[kind]}", *values)


def write(path, tensors):
    """`tensors`: name -> (type, shape, values)."""
    header, data = {}, b""
    for name, (kind, shape, values) in tensors.items():
        body = stored(kind, values)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    head = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(head)) + head + data)


def read(path):
    """name -> (type, shape, values), in the order of the data."""
    raw = pathlib.Path(path).read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    entries = {name: entry for name, entry in json.loads(raw[8 : 8 + size]).items() if name != "__metadata__"}
    tensors = {}
    for name, entry in sorted(entries.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        body = raw[8 + size + begin : 8 + size + end]
        kind = entry["dtype"]
        values = struct.unpack(f"<{len(body) // struct.calcsize(FORMATS[kind])}{FORMATS[kind]}", body)
        if kind == "BF16":
            values = [struct.unpack("<f", struct.pack("<I", bits << 16))[0] for bits in values]
        tensors[name] = (kind, entry["shape"], list(values))
    return tensors


def parsed(text):
    name, rest = text.split("=", 1)
    kind, rest = rest.split("[", 1)
    extents, numbers = rest.split("]:", 1)
    shape = [int(extent) for extent in extents.split(",") if extent]
    count = 1
    for extent in shape:
        count *= extent
    number = int if kind.startswith("I") else float
    values = [number(value) for value in numbers.split(",") if value]
    return name, (kind, shape, values * count if len(values) == 1 else values)


def main():
    command, path, *rest = sys.argv[1:]
    if command == "write":
        write(path, dict(map(parsed, rest)))
        return
    for name, (kind, shape, values) in read(path).items():
        print(name, kind, shape, " ".join(str(value) if isinstance(value, int) else f"{value:.6g}" for value in values))


if __name__ == "__main__":
    main()
