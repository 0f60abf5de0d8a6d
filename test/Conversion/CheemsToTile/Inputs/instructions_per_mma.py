#!/usr/bin/env python3
"""Holds one launch's instructions per instruction of the tensor pipe to another's: OURS.json THEIRS.json, as counted by cheems-ptx-run."""
import json
import sys


def counted(path):
    with open(path, encoding="utf-8") as file:
        instructions = json.load(file)["steps"][0]["kernels"][0]["warp_instructions"]
    return sum(instructions.values()) / instructions["tensor"]


ours, theirs = map(counted, sys.argv[1:])
print(f"{ours:.2f} instructions per mma, the other kernel {theirs:.2f}")
sys.exit(ours > theirs)
