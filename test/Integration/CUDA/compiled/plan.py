"""What a compiled module launches: read from its text at the stage `launches`, and run on a driver.

A function takes arrays and numbers. It computes extents, makes arrays, launches kernels and calls other functions; nothing of
this depends on what arrays hold. A launch with a condition runs where that holds. How arguments are handed over is in
include/cheems/Dialect/CheemsTile/IR/KernelABI.h.
"""
import dataclasses
import re
import struct
import subprocess

BYTES = {"i8": 1, "i32": 4, "f32": 4, "bf16": 2, "f16": 2}
NAMES = r"%[\w.$-]+(?:#\d+)?"


@dataclasses.dataclass(frozen=True)
class Array:
    """A dense array in the GPU's memory."""
    address: int
    shape: tuple
    element: str

    @property
    def bytes(self):
        size = BYTES[self.element]
        for extent in self.shape:
            size *= extent
        return size


@dataclasses.dataclass(frozen=True)
class Kernel:
    threads: int
    shared: int
    types: tuple  # of its arguments
    reads: set = dataclasses.field(default_factory=set)  # numbers of the arguments that it reads


@dataclasses.dataclass(frozen=True)
class Launch:
    kernel: str
    grid: tuple
    inputs: tuple  # Arrays and numbers
    outputs: tuple
    names: tuple  # of the inputs, as the function has them


def split(text):
    """At commas that are in no brackets."""
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<([{") - (letter in ">)]}" and text[at - 1:at + 1] != "->")
        if letter == "," and depth == 0:
            parts.append(text[begin:at].strip())
            begin = at + 1
    return parts + ([text[begin:].strip()] if text[begin:].strip() else [])


def memref(type_):
    """(extents, element), where an extent is None if it is dynamic; None for another type."""
    found = re.fullmatch(r"memref<((?:(?:\?|\d+)x)*)(\w+)(?:, .*)?>", type_)
    if not found:
        return None
    extents = found[1].split("x")[:-1]
    return tuple(None if extent == "?" else int(extent) for extent in extents), found[2]


def typed(text):
    """[(name, type)] of a list of arguments with types, which may have attributes."""
    pairs = []
    for part in split(text):
        name, _, type_ = part.partition(": ")
        pairs.append((name, type_.split(" {")[0]))
    return pairs


class Refused(Exception):
    """A plan with what no plan has."""


class Plan:
    def __init__(self, text):
        self.functions, self.kernels = {}, {}  # name -> (arguments, lines)
        body = reads = None
        for line in text.splitlines():
            function = re.match(r"  func\.func (?:private )?@([\w.$]+)(\(.*)\{$", line)
            kernel = re.match(r"  cheems_tile\.kernel @([\w.$]+)\((.*)\) warps\((\d+)\) (?:fillers\((\d+)\) )?shared\((\d+)\)", line)
            if function:
                body = []
                self.functions[function[1]] = (typed(closing(function[2])), body)
            elif kernel:
                names, types = zip(*typed(kernel[2]))
                self.kernels[kernel[1]] = Kernel(32 * (int(kernel[3]) + int(kernel[4] or 0)), int(kernel[5]), types)
                body, reads = None, self.kernels[kernel[1]].reads
            elif line == "  }":
                body = reads = None
            elif read := reads is not None and re.search(rf"\b(?:load|async_copy|bulk_copy) ({NAMES})\[", line):
                reads.add(names.index(read[1]))
            elif body is not None:
                body.append(line.strip())

    def run(self, name, arguments, allocate, launch):
        """Calls `launch` with each Launch whose grid is not empty. allocate(bytes) gives an address. Returns the function's results."""
        declared, lines = self.functions[name]
        if len(declared) != len(arguments):
            raise Refused(f"@{name} takes {len(declared)} arguments, not {len(arguments)}")
        values = {}
        for (argument, type_), value in zip(declared, arguments):
            wanted = memref(type_)
            if wanted and (value.element != wanted[1] or len(value.shape) != len(wanted[0])
                           or any(want not in (None, got) for want, got in zip(wanted[0], value.shape))):
                raise Refused(f"@{name}: {argument} is {type_}, not {value}")
            values[argument] = value
        for line in lines:
            results = self.step(line, values, allocate, launch)
            if results is not None:
                return results
        return ()

    def step(self, line, values, allocate, launch):
        names, _, op = line.partition(" = ") if line.startswith("%") else ("", "", line)
        get = lambda name: values[name]
        if found := re.match(r"return(?: (.*) : .*)?$", op):
            return tuple(get(name) for name in split(found[1] or ""))
        if op.startswith("cheems.mark "):
            return None
        launched = rf"cheems_tile\.launch @([\w.$]+) (?:when ({NAMES}) )?grid\[(.*?)\] (?:ins\((.*?) : .*?\) )?outs\((.*?) : "
        if found := re.match(launched, op):
            grid = tuple(get(name) for name in split(found[3]))
            inputs, outputs = (split(part or "") for part in found.groups()[3:])
            if all(grid) and (not found[2] or get(found[2])):
                launch(Launch(found[1], grid, tuple(map(get, inputs)), tuple(map(get, outputs)), tuple(inputs)))
        elif found := re.match(r"(?:func\.)?call @([\w.$]+)\((.*?)\) : ", op):
            results = self.run(found[1], [get(name) for name in split(found[2])], allocate, launch)
            if len(results) == 1:
                values[names] = results[0]
            else:
                values.update({f"{names.split(':')[0]}#{i}": result for i, result in enumerate(results)})
        else:
            values[names] = self.value(op, get, allocate)
        return None

    def value(self, op, get, allocate):
        if found := re.match(r"arith\.constant (-?[\d.e+-]+) : (\w+)", op):
            return float(found[1]) if found[2].startswith("f") else int(found[1])
        if found := re.match(r"arith\.constant (true|false)$", op):
            return found[1] == "true"
        if found := re.match(rf"arith\.cmpi (\w+), ({NAMES}), ({NAMES}) : ", op):
            a, b = get(found[2]), get(found[3])
            return {"eq": a == b, "ne": a != b, "ult": a < b, "ule": a <= b, "ugt": a > b, "uge": a >= b}[found[1]]
        if found := re.match(rf"arith\.(andi|ori|xori) ({NAMES}), ({NAMES}) : i1", op):
            a, b = get(found[2]), get(found[3])
            return {"andi": a and b, "ori": a or b, "xori": a != b}[found[1]]
        if found := re.match(rf"arith\.select ({NAMES}), ({NAMES}), ({NAMES}) : ", op):
            return get(found[2] if get(found[1]) else found[3])
        if found := re.match(rf"arith\.(ceildivui|addi|muli|subi|divui|maxui|minui)\s+({NAMES}), ({NAMES})", op):
            a, b = get(found[2]), get(found[3])
            return {"ceildivui": lambda: -(-a // b), "addi": lambda: a + b, "muli": lambda: a * b, "subi": lambda: a - b,
                    "divui": lambda: a // b, "maxui": lambda: max(a, b), "minui": lambda: min(a, b)}[found[1]]()
        if found := re.match(rf"memref\.dim ({NAMES}), ({NAMES})", op):
            return get(found[1]).shape[get(found[2])]
        if found := re.match(r"memref\.alloc\((.*?)\).* : (memref<.*>)$", op):
            return made(found[2], [get(name) for name in split(found[1])], allocate=allocate)
        if found := re.match(rf"memref\.view ({NAMES})\[({NAMES})\]\[(.*?)\] : .* to (memref<.*>)$", op):
            source = get(found[1])
            return made(found[4], [get(name) for name in split(found[3])], address=source.address + get(found[2]))
        if found := re.match(rf"memref\.cast ({NAMES}) : .*", op):
            return get(found[1])
        if found := re.match(rf"memref\.collapse_shape ({NAMES}) (\[.*\]) : .* into memref", op):
            source, shape = get(found[1]), []
            for group in re.findall(r"\[([\d, ]+)\]", found[2]):
                shape.append(1)
                for dimension in split(group):
                    shape[-1] *= source.shape[int(dimension)]
            return dataclasses.replace(source, shape=tuple(shape))
        if found := re.match(rf"memref\.expand_shape ({NAMES}) .* output_shape \[(.*?)\] : ", op):
            shape = (int(part) if part.isdigit() else get(part) for part in split(found[2]))
            return dataclasses.replace(get(found[1]), shape=tuple(shape))
        raise Refused(f"'{op}' is no op of a plan")


def closing(text):
    """What is between the first parenthesis and the one that closes it."""
    depth = 0
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0:
            return text[1:at]
    raise Refused(f"'{text}' is not closed")


def made(type_, dynamic, allocate=None, address=None):
    extents, element = memref(type_)
    dynamic = iter(dynamic)
    shape = tuple(next(dynamic) if extent is None else extent for extent in extents)
    array = Array(0, shape, element)
    return dataclasses.replace(array, address=allocate(array.bytes) if allocate else address)


def is_map(type_):
    return type_.startswith("!cheems_tile.tensor_map<")


def tensor_map(driver, type_, array):
    """Encodes the map of a matrix, for boxes as the type says; None for another type."""
    found = re.fullmatch(r"!cheems_tile\.tensor_map<(\d+)x(\d+)x\w+>", type_)
    if not found:
        return None
    (rows, columns), size = array.shape, BYTES[array.element]
    box = int(found[2]), int(found[1])
    swizzle = 0 if array.element == "f32" else {32: 1, 64: 2, 128: 3}[box[0] * size]
    # of a row alone it leads nowhere
    stride = -(-columns * size // 16) * 16 if rows == 1 else columns * size
    return driver.tensor_map(array.address, (columns, rows), (stride,), size, box, (1, 1), swizzle)


def parameters(driver, kernel, launch):
    """The bytes of each parameter. The driver makes tensor maps."""
    packed = []
    for type_, value in zip(kernel.types, launch.inputs + launch.outputs):
        if made := tensor_map(driver, type_, value):
            packed.append(made)
            continue
        wanted = memref(type_)
        if wanted:
            packed.append(struct.pack("<Q", value.address))
            packed += [struct.pack("<I", extent) for want, extent in zip(wanted[0], value.shape) if want is None]
        else:
            packed.append(struct.pack("<f" if type_ == "f32" else "<i", value))
    return packed


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


def made_of(tools, text, architecture):
    """(the module's text at `launches`, PTX) of a module of our ops. `tools` is the folder of our programs."""
    launches = program(tools, "cheems-opt", "-", f"--cheems-cuda=arch={architecture} to=launches", text=text)
    return launches, ptx_of(tools, launches, architecture)


def ptx_of(tools, launches, architecture):
    kernels = program(tools, "cheems-opt", "-", f"--cheems-cuda=arch={architecture} from=launches", text=launches)
    return program(tools, "cheems-translate", "-", "--to-ptx", "--cuda-arch", architecture, text=kernels)


def program(tools, name, *words, text=None):
    done = subprocess.run([str(tools / name), *words], input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{name} {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout
