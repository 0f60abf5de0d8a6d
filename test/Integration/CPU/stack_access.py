#!/usr/bin/env python3
"""Holds the innermost loops of compiled models to registers, and all loops to calls that stay in the object.

    stack_access.py BIN_DIR OBJDUMP MODEL_DIR... [--cpu NAME...] [--weights FORMAT] [--kv FORMAT] [--kernels NAME...] [--list]

Compiles each model for each CPU to an object by the real code generator, disassembles it, and looks at every loop that holds
no other loop, of every function. Loops are of a kernel: what the parallel loop is named in profiles, without shapes, or of a
`decode` step, whose kernels are in line or share names with others, or of other `serial` code. Each of --kernels must be there.

A vector stored to the stack in a loop is a sum or a weight without a register. None may be, but for the kernels in SPILLS,
each with its reason and the most that is allowed. In loops of which a quarter or more multiplies and adds there is no
exception. Reloads of constants and addresses cost a load each and are not counted. A loop may call functions of the object
and the thread pool, and nothing else. --list tells all moves between the stack and registers, by kernel.
"""
import argparse
import collections
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

CPUS = ["x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids"]
FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
CALLED = re.compile(r"^\s*[0-9a-f]+:\s+R_X86_64_\w+\s+([\w.]+)")
PRODUCTS = ("vfmadd231ps", "vdpbf16ps", "tdpbf16ps", "vpdpbusd", "vpmaddwd", "vpmaddubsw", "tdpbsud", "tdpbssd")
TARGET = re.compile(r"^0x([0-9a-f]+)")
POOL = "cheems_parallel_for"

# Says, by kernel, in code of 8 lanes (16 registers), of 16 (32), and with tiles, how many vectors all innermost loops of one object may
# store to the stack. Of attention that is some more than there are, as there are many loops with few each.
SPILLS = {
    # Epilogues and what makes a row's weights: exp as a polynomial, of 16 columns at a time in two registers each.
    "linear": {"8 lanes": 9},
    "column_epilogue+linear": {"8 lanes": 3},
    "ssd_chunk": {"8 lanes": 5},
    "dynamic_mask": {"8 lanes": 1},
    # Lanes that a compare chose leave one by one through memory: AVX2 has no instruction that stores them together.
    "retrieve_experts": {"8 lanes": 36},
    # Rows of bf16 are widened two registers at a time beside the sums of 8 experts.
    "mix_experts": {"8 lanes": 14},
    # Thresholds count ranks of 64 bits in 16 lanes, four registers each; keys and quantized values are turned, 16 by 16, in registers;
    # quantized values become bf16 for tiles all at once.
    "attention": {"8 lanes": 72, "16 lanes": 32, "tiles": 256},
    # Retrieval and mixing for the few rows of a step, each in two functions.
    "decode": {"8 lanes": 89},
    # Sums are stored at the end of a function whose code lies before the loop's last branch.
    "serial": {"8 lanes": 4},
}


def kernels(path):
    """What each outlined loop computes, by function: the strings that its calls of the pool are given."""
    data = path.read_bytes()
    offset, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    text = lambda at: data[at:data.index(b"\0", at)].decode()
    result = {}
    for kind, _, _, start, length, link in (section[1:7] for section in sections):
        if kind == 2:  # symbols
            for symbol in range(start, start + length, 24):
                name, _, _, section, value = struct.unpack_from("<IBBHQ", data, symbol)
                if found := re.fullmatch(r"\.L(.*)_name", text(sections[link][4] + name)):
                    shown = text(sections[section][4] + value)
                    ops = sorted({word.split(" ")[0] for word in shown.split("+")})
                    result[found[1]] = "attention" if "online_attention" in ops else "+".join(ops)
    return result


def functions(objdump, path):
    """Name and [(address, mnemonic, operands, what it calls)] of each function."""
    command = [objdump, "-d", "-r", "--no-show-raw-insn", "--no-leading-headers", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name, body = None, []
    for line in text.splitlines():
        if start := FUNCTION.match(line):
            if body:
                yield name, body
            name, body = start[2], []
        elif place := CALLED.match(line):
            address, mnemonic, operands, _ = body[-1]
            body[-1] = (address, mnemonic, operands, place[1])
        elif step := INSTRUCTION.match(line):
            body.append((int(step[1], 16), step[2], step[3], None))
    if body:
        yield name, body


def loops(body):
    """[begin, end] of all loops: backward branches inside a function."""
    first = body[0][0]
    found = set()
    for address, mnemonic, operands, _ in body:
        target = TARGET.match(operands) if mnemonic.startswith("j") else None
        if target and first <= int(target[1], 16) <= address:
            found.add((int(target[1], 16), address))
    return found


def multiplies(loop):
    """Whether a quarter of the instructions or more add a product to a sum: those of polynomials put it elsewhere."""
    return 4 * sum(step[1].startswith(PRODUCTS) for step in loop) >= len(loop)


def moves(body, loop):
    """How often `loop` stores vectors to the stack, loads them from it, stores and loads scalars."""
    framed = any(step[1] == "movq" and step[2] == "%rsp, %rbp" for step in body)
    stack = re.compile(r"\((%rsp|%rbp)[,)]" if framed else r"\(%rsp[,)]")
    counts = collections.Counter()
    for _, mnemonic, operands, _ in loop:
        if stack.search(operands):
            stores = operands.endswith(")") and not mnemonic.startswith(("cmp", "test", "vucomi", "vcomi"))
            counts["vector " * bool(re.search("%[xyzt]mm", operands)) + ("stores" if stores else "loads")] += 1
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("objdump")
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--cpu", nargs="+", default=CPUS)
    parser.add_argument("--weights", default="stored")
    parser.add_argument("--kv", default="stored")
    parser.add_argument("--kernels", nargs="+", default=[])
    parser.add_argument("--list", action="store_true")
    a = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        for model in a.models:
            for cpu in a.cpu:
                wrong += check(a, model, cpu, pathlib.Path(work) / "model.o")
    if wrong:
        sys.exit("\n".join(wrong))


def check(a, model, cpu, path):
    """What is wrong with the code of `model` for `cpu`."""
    command = [a.bins / "cheems-compile", model, "--cpu", cpu, "--weights", a.weights, "--kv", a.kv, "--emit", "obj", "-o", path]
    subprocess.run(command, capture_output=True, check=True)
    names, wrong, products = kernels(path), [], 0
    counts, seen = collections.defaultdict(collections.Counter), collections.Counter()
    bodies = list(functions(a.objdump, path))
    registers = {name for _, body in bodies for step in body for name in re.findall("%[zt]mm", step[2])}
    unit = "tiles" if "%tmm" in registers else "16 lanes" if "%zmm" in registers else "8 lanes"
    defined = {name for name, _ in bodies} | {".text"}
    for name, body in bodies:
        kernel = names.get(name, "decode" if "decode" in name else "serial")
        all_loops = loops(body)
        for begin, end in all_loops:
            loop = [step for step in body if begin <= step[0] <= end]
            innermost = not any((c, d) != (begin, end) and begin <= c and d <= end for c, d in all_loops)
            for _, mnemonic, operands, called in loop:
                if mnemonic.startswith("call") and (operands.startswith("*") or called not in (None, POOL, *defined)):
                    wrong.append(f"{model.name} {cpu} {name} {begin:x}-{end:x}: a loop calls {called or operands}")
            if not innermost:
                continue
            seen[kernel] += 1
            products += multiplies(loop)
            moved = moves(body, loop)
            counts[kernel] += moved
            if multiplies(loop) and moved["vector stores"]:
                wrong.append(f"{model.name} {cpu} {name} {begin:x}-{end:x}: a loop of matmuls stores {moved['vector stores']} "
                             "vectors to the stack")
    for kernel, moved in counts.items():
        allowed = SPILLS.get(kernel, {}).get(unit, 0)
        if moved["vector stores"] > allowed:
            wrong.append(f"{model.name} {cpu}: loops of {kernel} store {moved['vector stores']} vectors to the stack, not {allowed}")
        if a.list and moved:
            print(f"{model.name} {cpu} {kernel}: {dict(moved)} in {seen[kernel]} loops")
    wrong += [f"{model.name} {cpu}: no loop of {kernel} found" for kernel in a.kernels if kernel not in "+".join(seen).split("+")]
    if not products:
        wrong.append(f"{model.name} {cpu}: no loop of matmuls found; the disassembly is not understood")
    print(f"{model.name} {cpu}: {sum(seen.values())} innermost loops, {products} of matmuls, of {', '.join(sorted(seen))}")
    return wrong


main()
