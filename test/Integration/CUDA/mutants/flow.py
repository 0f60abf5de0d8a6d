"""The control flow of a PTX kernel, one statement a line, for proofs.py."""
import dataclasses
import re
from typing import Optional

STATEMENT = re.compile(r"^\s*(?:(?P<guard>@!?%?\w+)\s+)?(?P<text>[a-z][\w.:]*\b.*?)\s*;\s*\}?\s*$")
LABEL = re.compile(r"^\s*(?P<label>[$\w]+):")
BRANCH = re.compile(r"bra(?:\.uni)?\s+(?P<label>[$\w]+)")
REGISTER = re.compile(r"%\w+")
RESULTS = re.compile(r"\s*(%\w+)(?:\|(%\w+))?\s*,")


@dataclasses.dataclass(frozen=True)
class Statement:
    line: int
    guard: Optional[str]  # as written, with the @
    text: str

    @property
    def opcode(self):
        return self.text.split()[0]

    @property
    def operands(self):
        return self.text[len(self.opcode):]

    @property
    def registers(self):
        return set(REGISTER.findall(self.text)) | set(REGISTER.findall(self.guard or ""))


def results(statement):
    found = RESULTS.match(statement.operands)
    return [register for register in found.groups() if register] if found else []


class Flow:
    """statements, by their number; next and before: numbers of those that may follow and precede. is_known is false if the text
    has lines that this does not understand, or jumps whose targets it does not see."""

    def __init__(self, ptx):
        lines = [line.split("//")[0] for line in ptx.split("\n")]
        self.statements, labels, pending, self.is_known = [], {}, [], True
        for number, line in enumerate(lines, 1):
            label = LABEL.match(line)
            if label:
                pending.append(label["label"])
                line = line[label.end():]
            found = STATEMENT.match(line)
            if found and not line.lstrip().startswith("."):
                for name in pending:
                    labels.setdefault(name, []).append(len(self.statements))
                pending = []
                self.statements.append(Statement(number, found["guard"], found["text"]))
                self.is_known &= line.count(";") == 1
            elif self.statements and line.strip(" \t{}") and not line.lstrip(" \t{").startswith("."):
                self.is_known = False
        end = len(self.statements)
        for name in pending:
            labels.setdefault(name, []).append(end)
        self.next = [[] for _ in range(end)]
        for i, statement in enumerate(self.statements):
            branch = BRANCH.match(statement.text)
            if branch:
                # Labels within braces may stand several times: the nearest one is meant.
                places = labels.get(branch["label"])
                if places is None:
                    self.is_known, places = False, [end]
                self.next[i].append(min(places, key=lambda place: abs(place - i)))
            if statement.opcode in ("call", "call.uni", "brx.idx", "brx.idx.uni"):
                self.is_known = False
            ends = statement.opcode in ("ret", "ret.uni", "exit", "trap") or branch
            if (not ends or statement.guard) and i + 1 < end:
                self.next[i].append(i + 1)
        self.definitions = {}  # register -> statements with it as their result
        for statement in self.statements:
            for register in results(statement):
                self.definitions.setdefault(register, []).append(statement)
        self.before = [[] for _ in range(end)]
        for i, following in enumerate(self.next):
            for j in following:
                if j < end:
                    self.before[j].append(i)

        self.known = {}  # what proofs.py has found of statements

    def at(self, line):
        return next(i for i, statement in enumerate(self.statements) if statement.line == line)

    def reach(self, start, edges, stops):
        """All statements that come after (edges: next) or before (edges: before) one, up to those that stop the search. And whether
        the kernel's end or begin is reached."""
        found, work, is_open = set(), [start], False
        while work:
            at = work.pop()
            is_open |= not edges[at]
            for i in edges[at]:
                if i < len(self.statements) and i not in found:
                    found.add(i)
                    if not stops(self.statements[i]):
                        work.append(i)
        return {i for i in found if not stops(self.statements[i])}, is_open
