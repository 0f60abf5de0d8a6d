"""What was counted, kept in a file beside the page; and the tables that are made of it.

The file has an entry for each Work and architecture, with the commit that made it. So single ones can be counted again, and the page needs none.
"""
import json
import pathlib
import subprocess

from rows import Row

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "docs" / "performance" / "gpu-table.json"
GPUS = {"sm_90a": "counted for an H100 (sm_90a)", "sm_80": "counted for an A100 (sm_80)"}


def commit():
    """Returns the commit of this tree, with a plus if what compiles models has changes that are not committed."""
    git = lambda *words: subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.strip()
    changed = git("status", "--porcelain", "--", "include", "lib")
    return (git("rev-parse", "--short=10", "HEAD") or "unknown") + ("+" if changed else "")


class Record:
    def __init__(self, file=FILE):
        self.file = file
        self.read()

    def read(self):
        self.data = json.loads(self.file.read_text()) if self.file.exists() else {"rows": {}, "kernels": {}, "times": {}}

    def keep(self, part, architecture, name, found):
        """At once, so that a run that is stopped loses no more than what it was counting; and beside what another run has kept."""
        self.read()
        self.data[part].setdefault(architecture, {})[name] = {"commit": commit(), "found": found}
        self.file.write_text(dumped(self.data))

    def entry(self, part, architecture, name):
        return self.data[part].get(architecture, {}).get(name)

    def rows(self, architecture, work):
        """Row by what it is; or a text that says why there is none."""
        entry = self.entry("rows", architecture, work)
        if entry is None:
            return "not counted yet"
        return entry["found"] if isinstance(entry["found"], str) else {one["what"]: Row(**one) for one in entry["found"]}

    def commits(self):
        return sorted({entry["commit"] for part in self.data.values() for entries in part.values() for entry in entries.values()})


def dumped(data):
    """A line for each entry."""
    parts = []
    for part, architectures in data.items():
        inside = []
        for architecture, entries in architectures.items():
            lines = ",\n".join(f"   {json.dumps(name)}: {json.dumps(entry, ensure_ascii=False)}" for name, entry in entries.items())
            inside.append(f"  {json.dumps(architecture)}: {{\n{lines}\n  }}")
        body = ",\n".join(inside)
        parts.append(f" {json.dumps(part)}: {{\n{body}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def number(value):
    if value == int(value) and value < 1000:
        return str(int(value))
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3g}"


def cell(row):
    if row.least is None:
        text = number(row.got) + (f" ({row.note})" if row.note else "")
    else:
        text = f"{row.reached:.2f} ({number(row.got)} of {number(row.least)}" + (f", {row.note}" if row.note else "") + ")"
    return text if row.met else f"**missed:** {text}"


def table(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def limit(row):
    return f"{row.most:.2f}" if row.least is not None else number(row.most)


def verdicts(record, works):
    """One table of all rows, for each architecture a column, and how many are met."""
    lines, counted = [], {architecture: [] for architecture in GPUS}
    for work in works:
        found = {architecture: record.rows(architecture, work.name) for architecture in GPUS}
        whats = list(dict.fromkeys(what for rows in found.values() if isinstance(rows, dict) for what in rows))
        if not whats:
            lines.append([work.name, "", "", *found.values()])
        for what in whats:
            rows = {architecture: one.get(what) if isinstance(one, dict) else one for architecture, one in found.items()}
            for architecture, row in rows.items():
                if isinstance(row, Row):
                    counted[architecture].append(row.met)
            cells = [cell(row) if isinstance(row, Row) else row or "" for row in rows.values()]
            lines.append([work.name, what, limit(next(row for row in rows.values() if isinstance(row, Row))), *cells])
    met = "; ".join(f"{GPUS[architecture]}: {sum(rows)} of {len(rows)} rows met" for architecture, rows in counted.items())
    commits = ", ".join(record.commits())
    return table(["work", "what: reached (counted of the least)", "at most", *GPUS.values()], lines) + f"\n\n{met}. Counted with commit {commits}."


def times(record, gaps):
    rows = [[work, gpu, *(f"{speed:,.0f}" for speed in speeds)] for architecture in GPUS for entry in record.data["times"].get(architecture, {}).values()
            for work, gpu, *speeds in entry["found"]]
    return table(["work", "GPU", *(f"predicted tokens/s, {gap * 1e6:.0f} µs between kernels" for gap in gaps)], rows)


def span(values):
    """Says the range over several kernels of a name."""
    least, most = min(values), max(values)
    return number(least) if least == most else f"{number(least)} to {number(most)}"


def kernels(record, architecture):
    """A row for each kernel's name, over all models."""
    found = {}
    for entry in record.data["kernels"].get(architecture, {}).values():
        for one in entry["found"]:
            found.setdefault(one["name"], []).append(one)
    rows = []
    for name, ones in sorted(found.items()):
        bounds = dict.fromkeys(bound for one in ones for bound in one["bounds"])
        rows.append([f"`{name}`", *(span([one[field] for one in ones]) for field in ("threads", "registers", "local", "shared", "blocks")),
                     span([100 * one["threads"] // 32 * one["blocks"] // 64 for one in ones]) + " %", ", ".join(bounds)])
    return table(["kernel", "threads", "registers", "local memory", "shared memory", "blocks", "occupancy", "bound by"], rows)
