"""Ends a group before its linalg.generic, which gets a group of its own; or none: split_group.py [--alone] MODULE"""
import re
import sys

text = open(sys.argv[-1]).read()
lines, out, result = text.splitlines(), [], None
for number, line in enumerate(lines):
    if "linalg.generic" in line:
        product = re.search(r"ins\((%\w+) : (tensor<[^>]*>)", line)
        out += [f"cheems_tile.group_yield {product[1]} : {product[2]}", "}"]
        line = line.replace(f"ins({product[1]} ", f"ins({group} ")
        if "--alone" not in sys.argv:
            out.append(f"%own = cheems_tile.group elementwise -> {product[2]} {{")
    if "cheems_tile.group matmuls" in line:
        group = line.split()[0]
    if "cheems_tile.group_yield" in line and "--alone" in sys.argv:
        generic = line.split()[1]
        break
    out.append(line)
else:
    number = len(lines)
rest = "\n".join(lines[number + 2:])
last = f"return {generic if '--alone' in sys.argv else '%own'} :"
print(re.sub(r"return %\w+ :", last, "\n".join(out) + "\n" + rest))
