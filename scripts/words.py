#!/usr/bin/env python3
"""Finds words that this project once made up where the field has one, and comments without a verb.

    words.py [FILE...]    checks the files, or all that git knows: one line for each finding, and the exit code 1 if there are any

`words/list.txt` has the old phrases and identifiers, each with the field's word. A phrase is looked for in comments, pages and messages,
over the ends of lines, too. An identifier is looked for in whole files and in their names. No old word is looked for by itself, since each
has a use that is right as well: the key of a product, an exit code, a piece of text. `words/exceptions.txt` says what may stay, and why. If
all files are checked, an exception that excuses nothing is a finding, too.

A comment has no verb if its first sentence begins with Of, That, As, Where, By or In and has no main clause; see `verbless`.
"""
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LISTS = ROOT / "scripts/words"

# What is read in one go: a comment, a message, or a paragraph of a page. `starts` has an (offset in text, line of the file) for each line.
Text = collections.namedtuple("Text", "kind starts text")

STRING = r'(?P<string>"(?:[^"\\\n]|\\.)*")'
C_LIKE = re.compile(
    r'(?P<raw>R"(?P<mark>[^\s()\\]*)\(.*?\)(?P=mark)")|' + STRING + r"|(?P<character>'(?:[^'\\\n]|\\.){1,8}')|(?P<comment>//[^\n]*)|(?P<block>/\*.*?\*/)", re.S
)
TABLEGEN = re.compile(r"(?P<brackets>\[\{.*?\}\])|" + C_LIKE.pattern, re.S)
PYTHON = re.compile(r'(?P<block>""".*?""")|' + STRING + r"|(?P<quoted>'(?:[^'\\\n]|\\.)*')|(?P<comment>(?<!\S)#[^\n]*)", re.S)
SHELL = re.compile(STRING + r"|(?P<comment>(?<!\S)#[^\n]*)")
PATTERNS = dict.fromkeys((".h", ".c", ".cpp", ".def", ".inc", ".mlir"), C_LIKE) | {".td": TABLEGEN, ".py": PYTHON, ".md": None}
PATTERNS |= dict.fromkeys((".sh", ".cmake", ".txt", ".test"), SHELL)

# Comments that a program reads: lit's, FileCheck's with any prefix, and those of linters.
DIRECTIVE = re.compile(r"(// *)?([A-Z][A-Z0-9_-]+:|expected-|-----|NOLINT|clang-format|!)")
GENERATED = re.compile(r"^docs/(ops|passes)\.md$")
DATA = re.compile(r"^(test/fuzz/corpus|models|scripts/words)/|/(data|ptx)/")


def files():
    """Those that people write: no data and nothing that a script generates."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    wanted = [name for name in names if pathlib.Path(name).suffix in PATTERNS and not DATA.search(name) and not GENERATED.search(name)]
    return [name for name in wanted if (ROOT / name).is_file()]


def joined(kind, lines):
    """One Text of [(line of the file, text)]."""
    starts, text = [], ""
    for line, part in lines:
        starts.append((len(text), line))
        text += part + "\n"
    return Text(kind, starts, text)


def paragraphs(kind, first, text):
    """A Text for each paragraph of the text, whose first line is `first`. Stars in front of its lines are no part of it."""
    lines = []
    for number, line in enumerate([*text.split("\n"), ""], first):
        line = re.sub(r"^[ *]+", "", line)
        if line:
            lines.append((number, line))
        elif lines:
            yield joined(kind, lines)
            lines = []


def page(source):
    """The paragraphs of a page, without code."""
    fenced, kept = False, []
    for line in source.split("\n"):
        fence = line.lstrip().startswith("```")
        fenced ^= fence
        kept.append("" if fenced or fence or line.startswith("    ") else re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), line))
    return paragraphs("page", 1, "\n".join(kept))


def texts(name, source):
    """The comments, messages and paragraphs of a file."""
    pattern = PATTERNS[pathlib.Path(name).suffix]
    if pattern is None:
        yield from page(source)
        return
    kind, lines, column, end = None, [], 0, 0  # of the text that may go on, and where it ends in the source
    for found in pattern.finditer(source):
        line = source.count("\n", 0, found.start()) + 1
        begin = source.rfind("\n", 0, found.start()) + 1  # of the line
        group = found.lastgroup
        this = "comment" if group == "comment" else "message" if group in ("string", "raw", "quoted") else None
        text = found[0]
        if this == "comment":
            text = re.sub(r"^(///?<?|#) ?", "", text)
            # Comments below each other are one, but for one that stands beside code.
            goes_on = lines and lines[-1][0] == line - 1 and not source[begin : found.start()].strip() and column == found.start() - begin
            if DIRECTIVE.match(text) or not text.strip():
                this, goes_on = None, False
            column = found.start() - begin
        else:
            goes_on = not source[end : found.start()].strip()  # literals that the compiler puts together
        if lines and (this != kind or not goes_on):
            yield joined(kind, lines)
            lines = []
        if this:
            kind, end = this, found.end()
            lines += [(line + n, part) for n, part in enumerate(text.strip('"').split("\n") if this == "message" else [text])]
        elif group == "brackets" and not source[: found.start()].endswith("description = "):
            yield from texts("code.h", "\n" * (line - 1) + found[0][2:-2])
        elif group in ("block", "brackets"):
            yield from paragraphs("comment", line, found[0].strip('"/[{}]'))
    if lines:
        yield joined(kind, lines)


def line_in(text, offset):
    return max(line for start, line in text.starts if start <= offset)


# The finite verbs that stand in main clauses of comments that begin with one of these words. Add one that is missing.
VERBS = re.compile(
    r"\b(am|is|are|was|were|has|have|had|does|do|did|can|cannot|could|may|might|must|shall|should|will|would|need|needs|gets?|gives?|goes|go"
    r"|takes?|makes?|keeps?|reads?|writes?|begins?|ends?|stands?|stays?|holds?|runs?|comes?|lies|loads?|costs?|counts?|copies|fills?|says"
    r"|calls?|uses?|means?|knows?|tells?|shows?|sees?|waits?|leads?|depends?|changes?|becomes?|belongs?|merges?|attends?|chooses|returns?)\b"
)
DEPENDENT = re.compile(r"(and |or |but |also )?(that|which|whose|who|where|what|when|if|while|because|as|so that|than|by|of|without|with|in|from|to|for)\b")


def verbless(text):
    """The first word of a comment whose first sentence has no main clause, or None.

    With Of and By it hardly ever has one, so they are always found. That wants a verb as its next word. As, Where and In want a verb in a
    part of the sentence that begins neither with them nor with another word of dependent clauses; only of In the part may be the first one.
    """
    sentence = re.split(r"(?<=[.:;!?])\s", " ".join(text.text.split()) + " ", maxsplit=1)[0]
    found = re.match(r"(Of|That|As|Where|By|In) +(.*)", sentence)
    if not found:
        return None
    word, rest = found.groups()
    if word in ("Of", "By"):
        return word
    if word == "That":
        return None if re.match(r"(is|was|does|makes|means|says|costs|keeps|takes|gives)\b", rest) else word
    first, *others = rest.split(", ")
    clauses = [clause for clause in others if not DEPENDENT.match(clause)]
    if word == "In":
        clauses.append(re.sub(r" (that|which|whose|who|where|what|when|if|as|than) .*", "", first))
    return None if any(VERBS.search(clause) for clause in clauses) else word


def entries(name):
    """The lines of a list, without comments."""
    for number, line in enumerate((LISTS / name).read_text().split("\n"), 1):
        if line.strip() and not line.startswith("#"):
            yield number, line


def words():
    """[(the pattern of an old phrase or identifier, the field's word)] of phrases and of identifiers."""
    phrases, identifiers = [], []
    for number, line in entries("list.txt"):
        found = re.fullmatch(r"(phrase|identifier) (.+?) => (.+)", line)
        if not found:
            sys.exit(f"scripts/words/list.txt:{number}: want 'phrase OLD => NEW' or 'identifier OLD => NEW'")
        kind, old, new = found.groups()
        if kind == "phrase":
            phrases.append((re.compile(r"(?<![\w-])" + old.replace(" ", r"\s+") + r"(?![\w-]|\.\w)", re.I), new))
        else:
            identifiers.append((re.compile(old), new))
    return phrases, identifiers


def exceptions():
    """{(file or folder, what was found): its line in the list}."""
    found = {}
    for number, line in entries("exceptions.txt"):
        parts = line.split(" | ")
        if len(parts) != 3:
            sys.exit(f"scripts/words/exceptions.txt:{number}: want 'FILE | WHAT | REASON'")
        found[parts[0], parts[1]] = number
    return found


def findings(name, source, phrases, identifiers):
    """(line, what was found, what to write) of a file."""
    for pattern, new in identifiers:
        if found := pattern.search(name):
            yield 1, found[0], new
        for found in pattern.finditer(source):
            yield source.count("\n", 0, found.start()) + 1, found[0], new
    for text in texts(name, source):
        for pattern, new in phrases:
            for found in pattern.finditer(text.text):
                yield line_in(text, found.start()), " ".join(found[0].split()), new
        if text.kind == "comment" and (word := verbless(text)):
            yield text.starts[0][1], " ".join(text.text.split()[:4]), f"a sentence with a verb, not one that begins with '{word}'"


def excuse(excuses, name, old):
    """The key of the exception for what was found in a file, or None."""
    for part in (name, *map(str, pathlib.PurePath(name).parents)):
        for what in (old, "*"):
            if (part, what) in excuses:
                return part, what
    return None


def main():
    phrases, identifiers = words()
    excuses, used, count = exceptions(), set(), 0
    names = sys.argv[1:]
    for name in names or files():
        path = pathlib.Path(name)
        for line, old, new in findings(name, (path if names else ROOT / path).read_text(), phrases, identifiers):
            if key := excuse(excuses, name, old):
                used.add(key)
                continue
            print(f"{name}:{line}: '{old}': write {new}", file=sys.stderr)
            count += 1
    if not names:
        for key in sorted(excuses.keys() - used):
            print(f"scripts/words/exceptions.txt:{excuses[key]}: '{key[1]}' is not found in {key[0]}: take the line out", file=sys.stderr)
            count += 1
    if count:
        sys.exit(1)


if __name__ == "__main__":
    main()
