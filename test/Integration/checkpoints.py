"""Checkpoints in f32 whose weights are rounded here, by code that shares nothing with the compiler."""
import array
import json
import math
import re
import shutil
import struct

from recorded import header

LEAST = 2.0**-100  # the greatest number of a row whose scale is 0


def brain(value):
    """The nearest bf16, of two the even one."""
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    return struct.unpack("<f", struct.pack("<I", (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000))[0]


def half(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def read(model):
    """name -> (shape, numbers) of model.safetensors."""
    path = model / "model.safetensors"
    entries, start = header(path)
    raw, tensors = path.read_bytes(), {}
    for name, entry in entries.items():
        if name == "__metadata__":
            continue
        begin, end = (start + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            words = array.array("H", raw[begin:end])
            values = array.array("f", struct.pack(f"<{len(words)}I", *(word << 16 for word in words)))
        elif entry["dtype"] == "F16":
            values = array.array("f", struct.unpack(f"<{(end - begin) // 2}e", raw[begin:end]))
        else:
            values = array.array("f", raw[begin:end])
        tensors[name] = entry["shape"], values
    return tensors


def write(model, folder, tensors, **fields):
    """A checkpoint in f32 with the other files of `model`, and these fields of config.json."""
    folder.mkdir()
    for path in model.iterdir():
        if path.suffix == ".json" and path.name != "config.json":
            shutil.copy(path, folder)
    (folder / "config.json").write_text(json.dumps({**json.loads((model / "config.json").read_text()), **fields}))
    entries, at = {}, 0
    for name, (shape, values) in tensors.items():
        entries[name] = {"dtype": "F32", "shape": shape, "data_offsets": [at, at + 4 * len(values)]}
        at += 4 * len(values)
    head = json.dumps(entries).encode()
    with open(folder / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(head)) + head)
        for _, values in tensors.values():
            values.tofile(file)


# ---- quantized values, as include/cheems/Import/Quantize.h says what they are; sums are in double
def nearest(value, low, high):
    """Ties to even, like the number format."""
    return max(low, min(high, round(value)))


def of_bytes(row):
    most = max(map(abs, row))
    if most < LEAST:
        return [0.0] * len(row)
    scale = single(most / 127)
    return [single(nearest(value / scale, -127, 127) * scale) for value in row]


def of_nibbles(group):
    """The best of some scales that take the greatest magnitude near -8, and of what is best for its quantized values."""
    most = max(map(abs, group))
    if most < LEAST:
        return [0.0] * len(group)
    extreme = -most if -most in group else most
    best = None

    def consider(scale):
        nonlocal best
        scale = brain(scale)
        if scale == 0.0:
            return
        codes = [nearest(value / scale, -8, 7) for value in group]
        error = math.fsum((value - code * scale) ** 2 for value, code in zip(group, codes))
        if best is None or error < best[0]:
            best = error, scale, codes

    for quarters in range(28, 37):
        consider(-extreme * 4 / quarters)
    _, _, codes = best
    consider(math.fsum(value * code for value, code in zip(group, codes)) / math.fsum(code * code for code in codes))
    _, scale, codes = best
    return [code * scale for code in codes]


def decoded(values, columns, bits, group, row=of_bytes, part=of_nibbles):
    """What is left of a matrix with rows of `columns`."""
    size, rounded = (columns, row) if bits == 8 else (group, part)
    result = array.array("f")
    for at in range(0, len(values), size):
        result.extend(rounded(values[at : at + size]))
    return result


def quantized_parameters(module):
    """name -> (bits, group) of the weights that a module's text has as integers."""
    found = {}
    for names, bits, group in re.findall(r"cheems\.parameter \[([^\]]*)\].*quantized[^<]*<bits = (\d+), group = (\d+)", module):
        for name in re.findall(r'"([^"]*)"', names):
            found[name] = int(bits), int(group)
    return found
