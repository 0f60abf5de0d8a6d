#!/usr/bin/env python3
"""Kernels of random layouts, shapes and types: the code for GPUs writes what the interpreter of tiles writes, bit for bit.

    random_kernels.py FOLDER [--seed N] [--count N]

All numbers are multiples of 1/8, and sums of them are exact in f32 in any order. So a difference is an element in a wrong place, or a missing
guard. Each kernel runs on the emulated GPU of both architectures, early and late in turn, and must have no finding there. Matmuls of
warpgroups are for sm_90a alone.
"""
import argparse
import json
import pathlib
import random
import re
import struct
import subprocess
import sys

BYTES = {"f32": 4, "i32": 4, "bf16": 2}
NAMES = {"f32": "F32", "i32": "I32", "bf16": "BF16"}


def packed(kind, values):
    if kind == "bf16":
        return struct.pack(f"<{len(values)}H", *(struct.unpack("<I", struct.pack("<f", value))[0] >> 16 for value in values))
    return struct.pack(f"<{len(values)}{'i' if kind == 'i32' else 'f'}", *values)


def product(extents):
    count = 1
    for extent in extents:
        count *= extent
    return count


class Kernel:
    """The text of a kernel and of the function that launches it, and its memory."""

    def __init__(self, rng, number):
        self.rng, self.name = rng, f"kernel_{number}"
        self.arguments, self.lines, self.layouts, self.values = [], [], {}, {}
        self.grid, self.targets = (1, 1, 1), ["sm_80", "sm_90a"]

    def power(self, least, most):
        return 2 ** self.rng.randint(least, most)

    def layout(self, text):
        return "#" + self.layouts.setdefault(text, f"{self.name}_{len(self.layouts)}")

    def tile(self, shape, kind, layout):
        return f"tensor<{'x'.join(map(str, shape))}x{kind}, {self.layout(layout)}>"

    def constant(self, value):
        return self.emit(f"arith.constant {value} : index")

    def emit(self, text):
        value = f"%v{len(self.lines)}"
        self.lines.append(f"  {value} = {text}")
        return value

    def do(self, text):
        self.lines.append("  " + text)

    def memory(self, kind, shape, output=False):
        """An argument, some of whose extents are dynamic."""
        dynamic = [self.rng.random() < 0.6 for _ in shape]
        spelled = "x".join("?" if d else str(extent) for d, extent in zip(dynamic, shape))
        values = [0 if output else self.rng.randint(-8, 8) / (1 if kind == "i32" else 8) for _ in range(product(shape))]
        if kind == "i32":
            values = [int(value) for value in values]
        self.arguments.append((f"m{len(self.arguments)}", kind, shape, dynamic, values, output))
        return f"%m{len(self.arguments) - 1}", f"memref<{spelled}x{kind}>"

    # Layouts: text, least extents, how many neighbours a thread holds.
    def blocked(self, warps):
        rows = self.power(0, 3 + warps.bit_length() - 1)
        columns, width = 32 * warps // rows, self.power(0, 3)
        return f"#cheems_tile.blocked<rows = {rows}, columns = {columns}, width = {width}>", (rows, columns * width)

    def fragment(self, role, m, n, k=1, width=2):
        depth = k * (32 if width == 8 else 16)
        least = {"a": (16 * m, depth), "b": (8 * n, depth), "c": (16 * m, 8 * n)}[role]
        text = f"#cheems_tile.fragment<role = {role}, warps_m = {m}, warps_n = {n}, warps_k = {k}, k_width = {width}>"
        return text, least

    def whole_fragment(self, warps):
        role = self.rng.choice("abc")
        m = 2 ** self.rng.randint(0, warps.bit_length() - 1)
        n = 2 ** self.rng.randint(0, (warps // m).bit_length() - 1) if role != "c" else warps // m
        return self.fragment(role, m, n, warps // m // n, 2 if role == "c" else self.rng.choice([2, 8]))

    def any_layout(self, warps):
        return self.blocked(warps) if self.rng.random() < 0.5 else self.whole_fragment(warps)

    # Schemas.
    def moves(self):
        """Memory to registers, another layout, shared memory, a third one, a reduction, memory."""
        rng = self.rng
        warps, kind = self.power(0, 2), rng.choice(list(BYTES))
        layouts = [self.any_layout(warps) for _ in range(3)]
        shape = [max(least[axis] for _, least in layouts) * rng.choice([1, 1, 2, 3]) for axis in range(2)]
        if product(shape) > 8192:
            return False
        first, second, third = (text for text, _ in layouts)
        across = rng.random() < 0.3
        rows, columns = rng.randint(max(1, shape[0] - 9), shape[0] + 3), rng.randint(max(1, shape[1] - 9), shape[1] + 3)
        aligned = 0
        if not across and rng.random() < 0.7:
            aligned = 2 ** rng.randint(BYTES[kind].bit_length() - 1, 4)
            step = aligned // BYTES[kind]
            columns = max(step, columns // step * step)
        extents = [columns, rows] if across else [rows, columns]
        middle = rng.choice([None, None, 3])
        where, dims, offsets = list(extents), [1, 0] if across else [0, 1], ["%zero", "%zero"]
        if middle:
            where.insert(1, middle)
            offsets.insert(1, "%two")
            dims = [2, 0] if across else [0, 2]
        source, source_type = self.memory(kind, where)
        target, target_type = self.memory(kind, where, output=True)
        self.do("%zero = arith.constant 0 : index")
        self.do("%two = arith.constant 2 : index")
        bounds = f" extents[{self.constant(max(1, rows - 1))}, {self.constant(columns)}]" if rng.random() < 0.4 else ""
        access = f"[{', '.join(offsets)}] dims {dims}{bounds}" + (f" aligned {aligned}" if aligned else "")
        types = [self.tile(shape, kind, layout) for layout in (first, second, third)]
        tile = self.emit(f"cheems_tile.load {source}{access} : {source_type} -> {types[0]}")
        tile = self.emit(f"cheems_tile.convert_layout {tile} : {types[0]} -> {types[1]}")
        stages = rng.randint(1, 2)
        copies = [rng.randint(1, 2) for _ in shape]
        grown = [shape[axis] * copies[axis] for axis in range(2)]
        swizzled = ""
        if grown[1] * BYTES[kind] >= 16 and rng.random() < 0.7:
            swizzled, grown[1] = ", swizzled", 1 << (grown[1] - 1).bit_length()
        if stages * product(grown) * BYTES[kind] > 65536:
            return False
        buffer_type = f"!cheems_tile.buffer<{stages}x{grown[0]}x{grown[1]}x{kind}{swizzled}>"
        buffer = self.emit(f"cheems_tile.alloc : {buffer_type}")
        row, column = (self.constant(shape[axis] * (copies[axis] - 1)) for axis in range(2))
        place = f"{buffer}[{self.constant(stages - 1)}, {row}, {column}]"
        self.do(f"cheems_tile.write {tile}, {place} : {types[1]}, {buffer_type}")
        self.do("cheems_tile.barrier")
        tile = self.emit(f"cheems_tile.read {place} : {buffer_type} -> {types[2]}")
        if kind == "f32":
            axis = rng.randint(0, 1)
            line = self.tile([shape[1 - axis]], kind, f"#cheems_tile.slice<axis = {axis}, of = {third}>")
            combine = rng.choice(["add", "maximum"])
            reduced = self.emit(f"cheems_tile.reduce {combine} {tile} axis {axis} : {types[2]} -> {line}")
            repeated = self.emit(f"cheems_tile.broadcast {reduced} : {line} -> {types[2]}")
            tile = self.emit(f"arith.addf {tile}, {repeated} : {types[2]}")
        if kind == "i32" and "blocked" in third:
            tile = self.emit(f"cheems_tile.prefix_sum {tile} : {types[2]}")
        self.do(f"cheems_tile.store {tile}, {target}{access} : {types[2]}, {target_type}")
        self.warps = warps
        return True

    def multiplies(self):
        """A matmul of 16-bit tiles over several steps of k, by copies and reads or straight from memory."""
        rng = self.rng
        m, n, k = (self.power(0, 1) for _ in range(3))
        kind, width, copied = "bf16", rng.choice([2, 8]), rng.random() < 0.7
        across = copied and width == 2 and rng.random() < 0.4
        a, b, c = (self.fragment(role, m, n, k, width if role != "c" else 2) for role in "abc")
        tile_m, tile_n = c[1][0] * self.power(0, 1), c[1][1] * rng.randint(1, 4)
        tile_k = a[1][1] * rng.randint(1, 3)
        rows, columns, depth = rng.randint(1, 2 * tile_m), rng.randint(1, tile_n), rng.randint(1, 2 * tile_k)
        depth, columns = -(-depth // 8) * 8, -(-columns // 8) * 8
        self.grid = (-(-rows // tile_m), 1, 1)
        x, x_type = self.memory(kind, [rows, depth])
        w, w_type = self.memory(kind, [depth, columns] if across else [columns, depth])
        y, y_type = self.memory("f32", [rows, columns], output=True)
        self.do("%zero = arith.constant 0 : index")
        self.do("%block = cheems_tile.block_id x")
        first = self.emit(f"arith.muli %block, {self.constant(tile_m)} : index")
        types = [self.tile(shape, kind, text) for shape, (text, _) in (([tile_m, tile_k], a), ([tile_n, tile_k], b))]
        sums = self.tile([tile_m, tile_n], "f32", c[0])
        rings = []
        if copied:
            for extents in [tile_m, tile_k], [tile_k, tile_n] if across else [tile_n, tile_k]:
                swizzled = ", swizzled" if extents[1] & (extents[1] - 1) == 0 and rng.random() < 0.7 else ""
                ring = f"!cheems_tile.buffer<1x{extents[0]}x{extents[1]}x{kind}{swizzled}>"
                rings.append((self.emit(f"cheems_tile.alloc : {ring}"), ring))
        none = self.emit(f"arith.constant dense<0.0> : {sums}")
        bound, step = self.constant(depth), self.constant(tile_k)
        self.do(f"%sum = scf.for %k = %zero to {bound} step {step} iter_args(%part = {none}) -> {sums} {{")
        at = "%k, %zero" if across else "%zero, %k"
        if copied:
            (xs, x_ring), (ws, w_ring) = rings
            self.do("cheems_tile.barrier")
            self.do(f"cheems_tile.async_copy {x}[{first}, %k] dims [0, 1] to {xs}[%zero] aligned {self.power(2, 4)} : {x_type}, {x_ring}")
            self.do(f"cheems_tile.async_copy {w}[{at}] dims [0, 1] to {ws}[%zero] aligned {self.power(2, 4)} : {w_type}, {w_ring}")
            self.do("cheems_tile.commit")
            self.do("cheems_tile.wait pending 0")
            self.do("cheems_tile.barrier")
            left = self.emit(f"cheems_tile.read {xs}[%zero, %zero, %zero] : {x_ring} -> {types[0]}")
            how = " transposed" if across else ""
            right = self.emit(f"cheems_tile.read {ws}[%zero, %zero, %zero]{how} : {w_ring} -> {types[1]}")
        else:
            left = self.emit(f"cheems_tile.load {x}[{first}, %k] dims [0, 1] aligned {self.power(1, 4)} : {x_type} -> {types[0]}")
            right = self.emit(f"cheems_tile.load {w}[{at}] dims [0, 1] aligned {self.power(1, 4)} : {w_type} -> {types[1]}")
        if rng.random() < 0.4:  # of f16, which holds the same numbers
            for type_index, operand in enumerate((left, right)):
                wide, half = (types[type_index].replace("xbf16", f"x{to}") for to in ("f32", "f16"))
                wider = self.emit(f"arith.extf {operand} : {types[type_index]} to {wide}")
                types[type_index] = half
                operand = self.emit(f"arith.truncf {wider} : {wide} to {half}")
                left, right = (operand, right) if type_index == 0 else (left, operand)
        following = self.emit(f"cheems_tile.mma {left}, {right}, %part : {types[0]}, {types[1]}, {sums}")
        self.do(f"scf.yield {following} : {sums}")
        self.do("}")
        layout, total = c, "%sum"
        if k > 1:
            for _ in range(100):
                layout = self.blocked(m * n * k)
                if tile_m % layout[1][0] == 0 and tile_n % layout[1][1] == 0:
                    break
            else:
                return False
            total = self.emit(f"cheems_tile.sum_partials %sum : {sums} -> {self.tile([tile_m, tile_n], 'f32', layout[0])}")
        stored = self.tile([tile_m, tile_n], "f32", layout[0])
        self.do(f"cheems_tile.store {total}, {y}[{first}, %zero] dims [0, 1] aligned {self.power(2, 4)} : {stored}, {y_type}")
        self.warps = m * n * k
        return True

    def multiplies_in_warpgroups(self):
        """A matmul that tensor cores read from stages of shared memory, which copies fill, or threads with f16."""
        rng = self.rng
        m, n, stages = self.power(0, 1), self.power(0, 1), rng.randint(1, 3)
        self.targets, self.warps = ["sm_90a"], 4 * m * n
        (text, _), tile_m, tile_k = self.fragment("c", 4 * m, n), 64 * m, 2 ** rng.randint(4, 6)
        # 16 warps leave 128 registers to a thread, and ptxas wants the instruction's sums and others in them.
        tile_n = n * 8 * rng.choice([1, 2, 3, 5, 8, 12, 16 if m * n > 2 else 32])
        kind, pending = rng.choice(["bf16", "f16"]), rng.randint(0, 1)
        copied = kind == "bf16"
        # Threads write whole tiles of a layout.
        rows_of = (4 * m * n, 32, tile_k // 32) if tile_k >= 32 else (8 * m * n, 16, 1)
        written = "#cheems_tile.blocked<rows = {}, columns = {}, width = {}>".format(*rows_of)
        if not copied and tile_n % rows_of[0]:
            return False
        rows, columns, depth = rng.randint(1, 2 * tile_m), rng.randint(1, tile_n), rng.randint(1, 4 * tile_k)
        depth, columns = -(-depth // 8) * 8, -(-columns // 8) * 8
        self.grid = (-(-rows // tile_m), 1, 1)
        x, x_type = self.memory("bf16", [rows, depth])
        w, w_type = self.memory("bf16", [columns, depth])
        y, y_type = self.memory("f32", [rows, columns], output=True)
        self.do("%zero = arith.constant 0 : index")
        self.do("%block = cheems_tile.block_id x")
        first = self.emit(f"arith.muli %block, {self.constant(tile_m)} : index")
        sums = self.tile([tile_m, tile_n], "f32", text)
        rings = [f"!cheems_tile.buffer<{stages}x{extent}x{tile_k}x{kind}, swizzled>" for extent in (tile_m, tile_n)]
        xs, ws = (self.emit(f"cheems_tile.alloc : {ring}") for ring in rings)
        none = self.emit(f"arith.constant dense<1.0> : {sums}")
        bound, step, many = self.constant(depth), self.constant(tile_k), self.constant(stages)
        self.do(f"%sum = scf.for %k = %zero to {bound} step {step} iter_args(%part = {none}) -> {sums} {{")
        number = self.emit(f"arith.divui %k, {step} : index")
        stage = self.emit(f"arith.remui {number}, {many} : index")
        # One that is under way may read the stage before.
        if stages == 1 or not pending:
            self.do("cheems_tile.barrier")
        for source, source_type, row, buffer, ring, extent in ((x, x_type, first, xs, rings[0], tile_m), (w, w_type, "%zero", ws, rings[1], tile_n)):
            if copied:
                self.do(f"cheems_tile.async_copy {source}[{row}, %k] dims [0, 1] to {buffer}[{stage}] aligned 16 : {source_type}, {ring}")
                continue
            narrow, wide, half = (self.tile([extent, tile_k], of, written) for of in ("bf16", "f32", "f16"))
            tile = self.emit(f"cheems_tile.load {source}[{row}, %k] dims [0, 1] : {source_type} -> {narrow}")
            tile = self.emit(f"arith.extf {tile} : {narrow} to {wide}")
            tile = self.emit(f"arith.truncf {tile} : {wide} to {half}")
            self.do(f"cheems_tile.write {tile}, {buffer}[{stage}, %zero, %zero] : {half}, {ring}")
        self.do("cheems_tile.commit")
        self.do("cheems_tile.wait pending 0")
        self.do("cheems_tile.fence")
        self.do("cheems_tile.barrier")
        begun = self.emit(f"cheems_tile.warpgroup_mma {xs}[{stage}], {ws}[{stage}], %part : {rings[0]}, {rings[1]}, {sums}")
        # With three stages nobody is behind by more than one.
        left = pending if stages == 3 else 0
        following = self.emit(f"cheems_tile.warpgroup_wait pending {left} {begun} : {sums}")
        self.do(f"scf.yield {following} : {sums}")
        self.do("}")
        total = self.emit(f"cheems_tile.warpgroup_wait pending 0 %sum : {sums}")
        self.do(f"cheems_tile.store {total}, {y}[{first}, %zero] dims [0, 1] aligned 8 : {sums}, {y_type}")
        return True

    def multiplies_exactly(self):
        """A matmul of f32, whose buffers have rows of any number of pieces."""
        rng = self.rng
        warps = self.power(0, 2)
        text, least = self.blocked(warps)
        tile_m, tile_n, depth = least[0] * self.power(0, 1), least[1], 4 * rng.randint(1, 9)
        if tile_m * tile_n > 4096:
            return False
        rows, columns = rng.randint(1, tile_m), rng.randint(1, tile_n)
        x, x_type = self.memory("f32", [rows, depth])
        w, w_type = self.memory("f32", [columns, depth])
        y, y_type = self.memory("f32", [rows, columns], output=True)
        self.do("%zero = arith.constant 0 : index")
        allocated = []
        for extent in tile_m, tile_n:
            swizzled = ", swizzled" if depth & (depth - 1) == 0 and rng.random() < 0.7 else ""
            ring = f"!cheems_tile.buffer<1x{extent}x{depth}xf32{swizzled}>"
            allocated.append((self.emit(f"cheems_tile.alloc : {ring}"), ring))
        (xs, x_ring), (ws, w_ring) = allocated
        self.do(f"cheems_tile.async_copy {x}[%zero, %zero] dims [0, 1] to {xs}[%zero] aligned {self.power(2, 4)} : {x_type}, {x_ring}")
        self.do(f"cheems_tile.async_copy {w}[%zero, %zero] dims [0, 1] to {ws}[%zero] aligned {self.power(2, 4)} : {w_type}, {w_ring}")
        self.do("cheems_tile.commit")
        self.do("cheems_tile.wait pending 0")
        self.do("cheems_tile.barrier")
        sums = self.tile([tile_m, tile_n], "f32", text)
        none = self.emit(f"arith.constant dense<1.0> : {sums}")
        total = self.emit(f"cheems_tile.fma {xs}[%zero], {ws}[%zero], {none} : {x_ring}, {w_ring}, {sums}")
        self.do(f"cheems_tile.store {total}, {y}[%zero, %zero] dims [0, 1] : {sums}, {y_type}")
        self.warps = warps
        return True

    def text(self):
        memrefs = []
        for name, kind, shape, dynamic, _, _ in self.arguments:
            spelled = "x".join("?" if d else str(extent) for d, extent in zip(dynamic, shape))
            memrefs.append(f"%{name}: memref<{spelled}x{kind}>")
        tensors = [f"tensor<{'x'.join(map(str, shape))}x{kind}>" for _, kind, shape, _, _, _ in self.arguments]
        names = [argument[0] for argument in self.arguments]
        parameters = ", ".join(f'%{name}: {tensor} {{cheems.name = "{name}"}}' for name, tensor in zip(names, tensors))
        inputs = f"{', '.join('%' + name for name in names[:-1])} : {', '.join(tensors[:-1])}"
        lines = [f"{name} = {text}" for text, name in ((text, "#" + name) for text, name in self.layouts.items())]
        lines += [f"cheems_tile.kernel @{self.name}({', '.join(memrefs)}) warps({self.warps}) {{", *self.lines, "  cheems_tile.return", "}"]
        lines += [f'func.func @main_{self.name}({parameters}) -> ({tensors[-1]} {{cheems.name = "y"}}) {{']
        lines += [f"  %g{axis} = arith.constant {extent} : index" for axis, extent in enumerate(self.grid)]
        lines += [f"  %r = cheems_tile.launch @{self.name} grid[%g0, %g1, %g2] ins({inputs}) outs(%{names[-1]} : {tensors[-1]}) -> {tensors[-1]}"]
        return "\n".join([*lines, f"  return %r : {tensors[-1]}", "}", ""])


def generate(seed, count):
    kernels = []
    attempt = 0
    while len(kernels) < count:
        attempt += 1
        rng = random.Random(f"{seed}/{attempt}")
        kernel = Kernel(rng, len(kernels))
        if rng.choice([Kernel.moves] * 3 + [Kernel.multiplies] * 2 + [Kernel.multiplies_in_warpgroups] * 2 + [Kernel.multiplies_exactly])(kernel):
            kernels.append(kernel)
    return kernels


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"random_kernels: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def write_tensors(path, kernel):
    header, data = {}, b""
    for name, kind, shape, _, values, _ in kernel.arguments:
        body = packed(kind, values)
        header[name] = {"dtype": NAMES[kind], "shape": shape, "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    head = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def expect(folder, kernel):
    """The bytes of the result, by the interpreter."""
    given, got = folder / f"{kernel.name}.in.safetensors", folder / f"{kernel.name}.out.safetensors"
    write_tensors(given, kernel)
    options = f"--cheems-interpret=entry=main_{kernel.name} inputs={given} outputs={got}"
    run("cheems-opt", folder / "planned.mlir", options, "-o", folder / "same.mlir")
    raw = got.read_bytes()
    (size,) = struct.unpack("<Q", raw[:8])
    begin, end = json.loads(raw[8 : 8 + size])["y"]["data_offsets"]
    return raw[8 + size + begin : 8 + size + end]


def check(folder, kernel, number, shared, expected):
    for target in kernel.targets:
        arch = re.search(r"\d+", target)[0]
        command = ["cheems-ptx-run", folder / f"{target}.ptx", "--arch", arch, "--kernel", kernel.name, "--shared", shared,
                   "--mode", "late" if number % 2 else "early", "--seed", number + 1,
                   "--grid", ",".join(map(str, kernel.grid)), "--block", 32 * kernel.warps]
        for name, kind, shape, dynamic, values, output in kernel.arguments:
            path = folder / f"{kernel.name}.{name}.raw"
            path.write_bytes(packed(kind, values))
            extents = "x".join(map(str, shape))
            command += ["--buffer", f"{name}:{kind}[{extents}]=@{path}"]
            for extent in (extent for d, extent in zip(dynamic, shape) if d):
                command += ["--arg", f"s32:{extent}"]
        result = folder / f"{kernel.name}.result.raw"
        run(*command, "--save", f"{kernel.arguments[-1][0]}={result}")
        if result.read_bytes() != expected:
            sys.exit(f"random_kernels: the interpreter and {target} differ:\n{kernel.text()}\n{' '.join(map(str, command))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--count", type=int, default=40)
    options = parser.parse_args()
    folder = options.folder
    folder.mkdir(parents=True, exist_ok=True)
    kernels = generate(options.seed, options.count)
    for target in "sm_80", "sm_90a":
        (folder / "kernels.mlir").write_text("\n".join(kernel.text() for kernel in kernels if target in kernel.targets))
        run("cheems-opt", folder / "kernels.mlir", "--cheems-tile-plan-shared", "-o", folder / "planned.mlir")
        run("cheems-opt", folder / "planned.mlir", "--cheems-tile-to-nvvm", "-o", folder / "nvvm.mlir")
        run("cheems-translate", folder / "nvvm.mlir", "--to-ptx", "--cuda-arch", target, "-o", folder / f"{target}.ptx")
        if ".local" in (folder / f"{target}.ptx").read_text():
            sys.exit(f"random_kernels: code for {target} has local memory")
    planned = (folder / "planned.mlir").read_text()
    for number, kernel in enumerate(kernels):
        shared = re.search(rf"kernel @{kernel.name}\(.*shared\((\d+)\)", planned).group(1)
        check(folder, kernel, number, shared, expect(folder, kernel))
    print(f"{len(kernels)} kernels agree")


if __name__ == "__main__":
    main()
