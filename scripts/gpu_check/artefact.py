#!/usr/bin/env python3
"""Compiled files that travel without their matrices, which random numbers replace.

    artefact.py cut FILE CUT
    artefact.py fill CUT FILE [SEED]

A cut file is the file without the bytes of its matrices, with a list of what is missing in CUT.json. `fill` puts numbers in that are the
same for the same seed, and makes the checksums anew (docs/abi.md). The time of a step does not depend on what its numbers are.
Needs nothing but Python and libxxhash.so.0.
"""
import array
import ctypes
import json
import pathlib
import random
import struct
import sys

BLOCK = 1 << 20  # of weights, with one checksum
ENTRY, FOOTER = struct.Struct("<24sQQQ16x"), struct.Struct("<8sIIQQQQQQ")
PERIOD = 262147  # a prime, so rows of a matrix differ though all repeat the same numbers
BYTES = {"f32": 4, "bf16": 2, "f16": 2}


def hasher():
    function = ctypes.CDLL("libxxhash.so.0").XXH3_64bits
    function.restype, function.argtypes = ctypes.c_uint64, (ctypes.c_void_p, ctypes.c_size_t)
    return lambda data: function(bytes(data), len(data))


def sections(data):
    """(name -> [offset, size, checksum]), where the index begins) of a file's bytes."""
    _, _, _, index, count, *_ = FOOTER.unpack(data[-FOOTER.size:])
    found = {}
    for i in range(count):
        name, *place = ENTRY.unpack_from(data, index + i * ENTRY.size)
        found[name.rstrip(b"\0").decode()] = place
    return found, index


def scale(parameter):
    """Keeps products near one."""
    columns = parameter.get("logical", parameter["shape"])[-1]
    return 0.02 if parameter["use"] in ("tied", "embedding") else columns**-0.5


def cut(path, target):
    data = path.read_bytes()
    places, _ = sections(data)
    offset, size, _ = places["metadata"]
    missing, kept, end = [], [], 0
    for parameter in sorted(json.loads(data[offset:offset + size])["parameters"], key=lambda one: one["offset"]):
        if parameter.get("use", "vector") == "vector":
            continue
        if parameter["type"] not in BYTES:
            raise SystemExit(f"{path}: {parameter['name']} is {parameter['type']}; only numbers of {', '.join(BYTES)} can be cut out")
        count = 1
        for extent in parameter["shape"]:
            count *= extent
        begin = places["weights"][0] + parameter["offset"]
        kept.append(data[end:begin])
        end = begin + count * BYTES[parameter["type"]]
        missing.append({"offset": begin, "count": count, "type": parameter["type"], "scale": scale(parameter)})
    target.write_bytes(b"".join([*kept, data[end:]]))
    target.with_name(target.name + ".json").write_text(json.dumps(missing))


def pattern(seed, type_, factor):
    generator = random.Random(seed)
    values = array.array("f", (factor * generator.gauss(0, 1) for _ in range(PERIOD)))
    if type_ == "f16":
        return struct.pack(f"<{PERIOD}e", *values)
    # the upper half of an f32 is a bf16; which way it rounds is nothing to random numbers
    return values.tobytes() if type_ == "f32" else array.array("H", values.tobytes())[1::2].tobytes()


def fill(source, target, seed=1):
    kept, at, patterns = source.read_bytes(), 0, {}
    data = bytearray()
    for i, one in enumerate(json.loads(source.with_name(source.name + ".json").read_text())):
        part = one["offset"] - len(data)
        data += kept[at:at + part]
        at += part
        key = one["type"], one["scale"]
        if key not in patterns:
            patterns[key] = pattern(seed, *key)
        numbers, size = patterns[key], one["count"] * BYTES[one["type"]]
        first = BYTES[one["type"]] * (i * 7919 % PERIOD)  # tensors begin at different numbers
        data += (numbers[first:] + numbers * (size // len(numbers) + 1))[:size]
    data += kept[at:]
    seal(data)
    target.write_bytes(data)


def seal(data):
    """Checksums of the weights, of the section that holds them, of the index and of the footer."""
    checksum, (places, index) = hasher(), sections(data)
    begin, size, _ = places["weights"]
    view = memoryview(data)
    sums = [checksum(view[at:min(at + BLOCK, begin + size)]) for at in range(begin, begin + size, BLOCK)]
    view.release()
    offset, size, _ = places["checksums"]
    data[offset:offset + size] = struct.pack(f"<{len(sums)}Q", *sums)
    places["checksums"][2] = checksum(data[offset:offset + size])
    for i, (name, place) in enumerate(places.items()):
        ENTRY.pack_into(data, index + i * ENTRY.size, name.encode(), *place)
    footer = list(FOOTER.unpack(data[-FOOTER.size:]))
    footer[5] = checksum(data[index:index + len(places) * ENTRY.size])
    footer[8] = checksum(FOOTER.pack(*footer)[:-8])
    data[-FOOTER.size:] = FOOTER.pack(*footer)


if __name__ == "__main__":
    what, source, target, *seed = sys.argv[1:]
    {"cut": cut, "fill": fill}[what](pathlib.Path(source), pathlib.Path(target), *map(int, seed))
