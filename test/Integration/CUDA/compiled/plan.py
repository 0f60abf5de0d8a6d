"""What a plan of launches launches, as the runtime's reader says it, and how that is handed to a driver.

`launches_of` gives of each launch its kernel, grid, threads, bytes of shared memory and arguments: numbers, or ["f32", x], or a place, as
["weights", 64], ["pool", 0] or ["tokens"], or a tensor map of a place (docs/abi.md, "The image for CUDA"; numbers have their values). How
arguments are handed over is in include/cheems/Dialect/CheemsTile/IR/KernelABI.h.
"""
import dataclasses
import json
import math
import os
import re
import struct
import subprocess

NAME = r"%[\w.$-]+"
BYTES = {"i8": 1, "i32": 4, "f32": 4, "bf16": 2, "f16": 2}


@dataclasses.dataclass(frozen=True)
class Array:
    """A dense array."""
    place: object
    shape: tuple
    element: str

    @property
    def bytes(self):
        return BYTES[self.element] * math.prod(self.shape)


def launches_of(tools, plan, entry, tokens=0, segments=0, rows=0, slots=0, capacity=0):
    """{"areas": bytes of each, "launches"} of a step of these sizes. `plan` is JSON, `tools` the folder of our programs."""
    return json.loads(program(tools, "print-launches", entry, *map(str, (tokens, segments, rows, slots, capacity)), text=plan))


def argument_types(text):
    """The types in a list of arguments of a function or a kernel."""
    return re.findall(NAME + r": (memref<[^>]*>|!cheems_tile\.tensor_map<[^>]*>|\w+)", text)


def shaped(type_):
    """(extents, element) of a memref's type, where an extent is None if it is dynamic; None for another type."""
    if not type_.startswith("memref"):
        return None
    found = re.fullmatch(r"memref<((?:(?:\?|\d+)x)*)(\w+)>", type_)
    if not found:
        raise SystemExit(f"{type_} is not dense")
    return tuple(None if extent == "?" else int(extent) for extent in found[1].split("x")[:-1]), found[2]


def operands(types, arguments):
    """What a kernel with arguments of these types is given: an Array for each memref, all else as it is."""
    arguments = iter(arguments)
    for type_ in types:
        value, memref = next(arguments), shaped(type_)
        yield Array(tuple(value), tuple(next(arguments) if extent is None else extent for extent in memref[0]), memref[1]) if memref else value


def tensor_map(driver, address, rows, columns, element, box_rows, box_columns):
    """Does what runtime/Executor/CUDA/TensorMaps.cpp does."""
    size = BYTES[element]
    swizzle = 0 if element == "f32" else {32: 1, 64: 2, 128: 3}[box_columns * size]
    # of a row alone it leads nowhere
    stride = -(-columns * size // 16) * 16 if rows == 1 else columns * size
    return driver.tensor_map(address, (columns, rows), (stride,), size, (box_columns, box_rows), (1, 1), swizzle)


def parameters(driver, launch, address):
    """The bytes of each parameter of a kernel. address(place) says where a place is; the driver makes tensor maps."""
    def packed(one):
        if not isinstance(one, list):
            return struct.pack("<i", one)
        kind, *rest = one
        if kind == "f32":
            return struct.pack("<f", *rest)
        if kind == "map":
            return tensor_map(driver, address(rest[0]), *rest[1:])
        return struct.pack("<Q", address(one))
    return [packed(one) for one in launch["arguments"]]


def entries(ptx):
    """name -> a text with this kernel alone, a statement a line: inline text has several in one, others have several lines."""
    ptx = re.sub(r"//.*", "", ptx)
    head, *parts = re.split(r"^(?=\.visible \.entry )", ptx, flags=re.M)
    found = {}
    for part in parts:
        begin, _, body = part[:part.index("\n}")].partition("\n{")
        statements = [" ".join(one.split()) for one in re.split(r"(?<=;)|(?<=[$\w]:)\s", body)]
        found[re.match(r"\.visible \.entry (\w+)", part)[1]] = "\n".join([head + begin, "{", *filter(None, statements), "}", ""])
    return found


def program(tools, name, *words, text=None, **settings):
    done = subprocess.run([str(tools / name), *words], input=text, capture_output=True, text=True, env={**os.environ, **settings})
    if done.returncode:
        raise SystemExit(f"{name} {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
