#!/usr/bin/env python3
"""Holds the innermost loops of products in compiled models to registers: none may keep a vector or a tile on the stack.

    stack_access.py BIN_DIR OBJDUMP MODEL_DIR... [--cpu NAME...] [--weights FORMAT] [--all]

Compiles each model for each CPU to an object, disassembles it, and looks at the loops that hold no other loop and of whose
instructions a quarter or more multiply and add. A vector stored to the stack there is a sum or a weight without a
register. A reloaded constant or address is not counted. --all lists every move between the stack and a vector register,
in all innermost loops (turning keys, polynomials with their constants), and does not fail.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

CPUS = ["x86-64-v3", "x86-64-v4", "znver4", "sapphirerapids"]
FUNCTION = re.compile(r"^([0-9a-f]+) <(.*)>:$")
INSTRUCTION = re.compile(r"^\s*([0-9a-f]+):\s+(\S+)\s*(.*)$")
PRODUCTS = ("vfmadd231ps", "vdpbf16ps", "tdpbf16ps", "vpdpbusd", "vpmaddwd", "vpmaddubsw", "tdpbsud", "tdpbssd")
TARGET = re.compile(r"^0x([0-9a-f]+)")


def functions(objdump, path):
    """Name and [(address, mnemonic, operands)] of each function."""
    command = [objdump, "-d", "--no-show-raw-insn", "--no-leading-headers", path]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    name, body = None, []
    for line in text.splitlines():
        if start := FUNCTION.match(line):
            if body:
                yield name, body
            name, body = start[2], []
        elif step := INSTRUCTION.match(line):
            body.append((int(step[1], 16), step[2], step[3]))
    if body:
        yield name, body


def innermost(body):
    """[begin, end] of the loops that hold no other."""
    first, last = body[0][0], body[-1][0]
    loops = set()
    for address, mnemonic, operands in body:
        target = TARGET.match(operands) if mnemonic.startswith("j") else None
        if target and first <= int(target[1], 16) <= address <= last:
            loops.add((int(target[1], 16), address))
    return [(a, b) for a, b in loops if not any((c, d) != (a, b) and a <= c and d <= b for c, d in loops)]


def multiplies(loop):
    """Whether a quarter of the instructions or more add a product to a sum: those of polynomials put it elsewhere."""
    return 4 * sum(mnemonic.startswith(PRODUCTS) for _, mnemonic, _ in loop) >= len(loop)


def moves(body, loop, loads):
    """Instructions of `loop` that store vectors to the stack or, with `loads`, take them from it."""
    framed = any(mnemonic == "movq" and operands == "%rsp, %rbp" for _, mnemonic, operands in body)
    stack = re.compile(r"\((%rsp|%rbp)[,)]" if framed else r"\(%rsp[,)]")
    vector = re.compile(r"%[xyzt]mm" if loads else r"^%[xyzt]mm\d+,")
    return [step for step in loop if stack.search(step[2]) and vector.search(step[2])]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("objdump")
    parser.add_argument("models", type=pathlib.Path, nargs="+")
    parser.add_argument("--cpu", nargs="+", default=CPUS)
    parser.add_argument("--weights", default="stored")
    parser.add_argument("--all", action="store_true")
    a = parser.parse_args()
    found = 0
    with tempfile.TemporaryDirectory() as work:
        for model in a.models:
            for cpu in a.cpu:
                path = pathlib.Path(work) / "model.o"
                subprocess.run([a.bins / "cheems-compile", model, "--cpu", cpu, "--weights", a.weights, "--emit", "obj", "-o", path],
                               capture_output=True, check=True)
                products = 0
                for name, body in functions(a.objdump, path):
                    for begin, end in innermost(body):
                        loop = [step for step in body if begin <= step[0] <= end]
                        products += multiplies(loop)
                        moved = moves(body, loop, a.all) if a.all or multiplies(loop) else []
                        found += len(moved)
                        if moved:
                            print(f"{model.name} {cpu} {name} {begin:x}-{end:x}: {len(moved)} of {len(loop)} instructions, "
                                  f"first {moved[0][1]} {moved[0][2]}")
                if not products:
                    sys.exit(f"{model.name} {cpu}: no loop of products found; the disassembly is not understood")
                print(f"{model.name} {cpu}: {products} loops of products")
    if found and not a.all:
        sys.exit("loops of products keep vectors on the stack")


main()
