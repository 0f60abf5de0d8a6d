#!/usr/bin/env python3
"""What a program's bytes are made of: sizes.py BUILD_FOLDER [PROGRAM].

Links PROGRAM (cheems-run) once more with a map, adds up what is loaded of each library, and prints the table of docs/performance.md, in thousands of
bytes. What the linker makes itself, as merged strings and tables of symbols, is a row of its own.
"""
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

ROW = re.compile(r"\s*[0-9a-f]+\s+[0-9a-f]+\s+([0-9a-f]+)\s+\d+ (.*)")
IN_MEMORY = re.compile(r"\.(text|init|fini|plt|rodata|eh_frame|gcc_except_table|data|got|dyn|gnu|hash|rela|interp|note|init_array|fini_array|tm_clone)")


def name(file):
    library = re.search(r"lib(Cheems\w+)\.a", file)
    return library[1] if library else "what the linker makes" if file == "<internal>" else "the program's own" if ".dir/" in file else "the compiler's files"


def main():
    build, program = pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "cheems-run"
    commands = subprocess.run(["ninja", "-C", str(build), "-t", "commands", program], check=True, capture_output=True, text=True).stdout
    link = commands.splitlines()[-1].removeprefix(": && ").removesuffix(" && :")
    with tempfile.TemporaryDirectory() as folder:
        binary, table = f"{folder}/{program}", f"{folder}/map"
        link = re.sub(rf" -o \S*{program} ", f" -o {binary} -Wl,-Map={table} ", link)
        if table not in link:
            sys.exit(f"sizes: the command that links {program} is not understood: {link[:200]}")
        subprocess.run(link, shell=True, cwd=build, check=True)
        subprocess.run(["llvm-strip-22", binary], check=True)
        stripped = pathlib.Path(binary).stat().st_size
        code, all_of, section = collections.Counter(), collections.Counter(), ""
        for line in pathlib.Path(table).read_text().splitlines():
            row = ROW.fullmatch(line)
            if not row:
                continue
            size, rest = int(row[1], 16), row[2]
            if not rest.startswith(" "):
                section = rest
            elif inside := re.fullmatch(r" {8}(\S.*):\(.*\)", rest):
                if IN_MEMORY.match(section):
                    all_of[name(inside[1])] += size
                    code[name(inside[1])] += size if section == ".text" else 0
    print("| part | in the file, kB | of this code, kB |\n|---|---|---|")
    for part, size in all_of.most_common():
        print(f"| {part} | {size / 1000:,.0f} | {code[part] / 1000:,.0f} |")
    print(f"| all, stripped | {stripped / 1000:,.0f} | {sum(code.values()) / 1000:,.0f} |")


main()
