"""Mutants of PTX: what removes or alters one wait, barrier, fence, commit, swizzle constant or bounds predicate.

Each is one statement of the text, so that a mutant is named by its kernel, line and kind; where lines change with the compiler, by
its number among those of the kind. Some have a probe: the text with a trap where the predicate is false, or in place of the
statement. If the probe passes, the predicate is true in every thread of the launch, or no thread executes the statement, and the
mutant changes nothing. `harmless` has the other reasons that need no
list; those in proofs.py hold for every launch.
"""
import collections
import dataclasses
import re
from typing import Callable, Optional

from proofs import proof


@dataclasses.dataclass(frozen=True)
class Mutant:
    kernel: str
    line: int  # from 1
    kind: str
    was: str
    lines: tuple  # what stands in place of the line
    probe: Optional[tuple] = None
    count: int = 1  # lines that are replaced
    number: Optional[int] = None  # of its kind in the kernel, from 1: what it is named by if lines of the text may change

    @property
    def name(self):
        return f"{self.kernel}:{self.number or self.line}:{self.kind}"

    def text(self, ptx, probe=False):
        all_lines = ptx.split("\n")
        all_lines[self.line - 1: self.line - 1 + self.count] = self.probe if probe else self.lines
        return "\n".join(all_lines)


@dataclasses.dataclass(frozen=True)
class Rule:
    kind: str
    pattern: re.Pattern
    replace: Callable  # (match) -> lines, or None: it does not apply
    probe: Callable = lambda match: None


def rule(kind, pattern, replace, probe=lambda match: None):
    return Rule(kind, re.compile(r"^\s*" + pattern + r"\s*(?://.*)?$"), replace, probe)


def removed(match):
    return ()


def trap(match):
    return ("trap;",)


def one_more(match):
    return (f"{match['head']}{int(match['number'], 0) + 1};",)


def other_parity(match):
    """Within the scope of a wait: a register of its own, whose name nothing else has."""
    return ("{ .reg .b32 mutant_parity;", f"xor.b32 mutant_parity, {match['parity']}, 1;",
            f"{match['head']}mutant_parity; }}")


def unguarded(match):
    return (match["rest"],)


def trap_unless(match):
    negation = "" if match["not"] else "!"
    return (f"@{negation}{match['predicate']} trap;", match[0])


def whole_size(match):
    return (f"{match['head']}{match['size']};",)


def trap_unless_whole(match):
    return ("{ .reg .pred mutant_probe;", f"setp.ne.b32 mutant_probe, {match['given']}, {match['size']};",
            "@mutant_probe trap; }", match[0])


def without_swizzle(match):
    return (f"mov.{match['type']} {match['destination']}, {match['source']};",)


def other_swizzle(match):
    """The two highest bits of a matrix descriptor (PTX ISA, "Matrix Descriptor Format")."""
    if abs(int(match["number"])) < 1 << 60:  # address arithmetic
        return None
    value = int(match["number"]) & (1 << 64) - 1
    mode = value >> 62
    if mode == 0:
        return None
    value = value & (1 << 62) - 1 | (mode % 3 + 1) << 62
    return (f"{match['head']}{value - (1 << 64) if value >> 63 else value};",)


GUARD = r"(?:@%\w+ )?"
NUMBER = r"(?P<number>-?(?:0x[0-9a-fA-F]+|\d+))\s*;"

RULES = [
    # waits
    rule("wait removed", GUARD + r"(?:cp\.async\.(?:bulk\.)?wait_(?:group|all)|wgmma\.wait_group)\b.*", removed, trap),
    rule("wait for one less", r"(?P<head>" + GUARD + r"(?:cp\.async\.(?:bulk\.)?wait_group|wgmma\.wait_group)[.\w]*\s+)"
         + NUMBER, one_more),
    rule("mbarrier not waited for", r"@!complete bra\.uni \w+;", removed),
    rule("mbarrier of the other parity", r"(?P<head>mbarrier\.try_wait\.parity\.[^;]*, )(?P<parity>%\w+);", other_parity),
    # barriers
    rule("barrier removed", r"(?:bar\.sync|barrier\.sync|barrier\.cluster\.\w+|bar\.warp\.sync)\b.*", removed, trap),
    rule("mbarrier of one thread more", r"(?P<head>" + GUARD + r"mbarrier\.init[.:\w]* \[[^\]]*\], )" + NUMBER, one_more),
    rule("arrival removed", GUARD + r"mbarrier\.arrive\.shared.*", removed),
    # fences
    rule("fence removed", GUARD + r"(?:fence|membar|wgmma\.fence)\b.*", removed, trap),
    # commits
    rule("commit removed", GUARD + r"(?:cp\.async\.(?:bulk\.)?commit_group|wgmma\.commit_group)\b.*", removed, trap),
    rule("expected bytes altered", r"(?P<head>" + GUARD + r"mbarrier\.arrive\.expect_tx[.:\w]* _, \[[^\]]*\], )" + NUMBER,
         one_more),
    # swizzle constants
    rule("swizzle removed", r"xor\.(?P<type>b\d+)\s+(?P<destination>%\w+), (?P<source>%\w+), -?\d+;", without_swizzle),
    rule("swizzle by a register removed", r"xor\.(?P<type>b\d+)\s+(?P<destination>%\w+), (?P<source>%\w+), %\w+;", without_swizzle),
    rule("swizzle of a descriptor altered", r"(?P<head>(?:or|add)\.[bs]64\s+%\w+, %\w+, )" + NUMBER, other_swizzle),
    rule("swizzle of a tensor map altered", r"(?P<head>.*tensormap\.replace\.tile\.swizzle_mode\..*, )" + NUMBER,
         lambda match: (f"{match['head']}{int(match['number'], 0) ^ 1};",)),
    # predicates of bounds
    rule("predicate removed", r"@(?P<not>!?)(?P<predicate>%\w+) (?P<rest>(?:ld|st|atom|red)\.global.*)", unguarded,
         trap_unless),
    rule("size of a copy not bounded", r"(?P<head>cp\.async\.c[ag]\..*, (?P<size>0x\w+|\d+), )(?P<given>%\w+);", whole_size,
         trap_unless_whole),
]


IDEMPOTENT = re.compile(r"\s*(?:cp\.async\.(?:bulk\.)?wait|wgmma\.(?:wait_group|fence)|bar\.sync|bar\.warp\.sync|fence)")


def twice(line, following):
    return bool(IDEMPOTENT.match(line)) and line.split() == following.split()


SHARED = re.compile(r"\s*(?:@!?%\w+\s+)?(?:(?:ld|st|atom|red)\.(?:volatile\.)?shared|ldmatrix|stmatrix|cp\.async\.c[ag])\b[^\[]*\[\s*(%\w+)")
MOVED = re.compile(r"\s*(?:add|sub|or|xor|and|mov|shl|shr|mad\S*|selp|lop3|cvt)\.\S*\s+(%\w+),(.*);")


def shared_addresses(all_lines):
    """Registers from which addresses in shared memory are computed."""
    sources, found = {}, set()
    for line in all_lines:
        if moved := MOVED.match(line):
            sources.setdefault(moved[1], set()).update(re.findall(r"%\w+", moved[2]))
    work = [address[1] for address in map(SHARED.match, all_lines) if address]
    while work:
        register = work.pop()
        if register not in found:
            found.add(register)
            work.extend(sources.get(register, ()))
    return found


def generate(kernel, ptx, is_numbered=False):
    """All mutants of a text, in the order of its lines. A statement that stands twice in a row is mutated once, in both places:
    one of two equal waits or barriers changes nothing."""
    all_lines, numbers = ptx.split("\n"), collections.Counter()
    addresses = shared_addresses(all_lines)
    for number, line in enumerate(all_lines, 1):
        if number > 1 and twice(all_lines[number - 2], line):
            continue
        for one in RULES:
            match = one.pattern.match(line)
            if match and one.kind == "swizzle by a register removed" and match["destination"] not in addresses:
                continue
            lines = one.replace(match) if match else None
            if lines is not None:
                count = 1
                while number + count <= len(all_lines) and twice(line, all_lines[number + count - 1]):
                    count += 1
                numbers[one.kind] += 1
                yield Mutant(kernel, number, one.kind, " ".join(line.split()), lines, one.probe(match), count,
                             numbers[one.kind] if is_numbered else None)


def harmless(mutant, ptx, passes_probe):
    """Why a mutant that passes every check is harmless; None if a person must say it."""
    if passes_probe:
        return "no thread of this launch executes it" if mutant.probe == trap(None) else "the predicate is true in every thread"
    why = proof(mutant, ptx)
    if why:
        return why
    if mutant.kind == "size of a copy not bounded" or re.search(r"\bld\.global", mutant.was):
        # All that a read can do is to be out of bounds or to change a result.
        return "it reads within a buffer what no result depends on"
    if re.search(r"\bst\.global", mutant.was):
        return "more threads store, within the buffer, the values that belong there"
    if mutant.kind in ("mbarrier of one thread more", "expected bytes altered"):
        # Such a phase never ends, and whoever waited for it would be a deadlock.
        return "no thread of this launch waits for the phase"
    return None
