"""The report: report.json and report.md, written anew whenever there is more to say."""
import json
import os
import time


class Result(dict):
    """What a section finds: `rows`, `failures`, and what else its page needs. The report is written after each row."""

    def __init__(self, report):
        super().__init__(rows=[], failures=[])
        self.report = report

    def row(self, one):
        self["rows"].append(one)
        self.report.write()

    def fail(self, line):
        self["failures"].append(line)
        self.report.write()


class Report:
    def __init__(self, out, session):
        self.out, self.session, self.parts = out, session, []

    def begin(self, name, title, page):
        """A section; `page` makes lines of its result, whole or not."""
        result = Result(self)
        self.parts.append((name, title, page, result, time.monotonic()))
        return result

    def end(self):
        """Ends the section that was begun last, and returns its lines."""
        name, title, page, result, begin = self.parts[-1]
        result["seconds"] = round(time.monotonic() - begin, 1)
        self.write()
        return lines_of(title, page, result)

    def heading(self):
        gpu, pack = self.session.gpu, self.session.pack
        return [f"# GPU check: {gpu['name']}", "",
                f"- {gpu['multiprocessors']} multiprocessors, sm_{gpu['capability']}, {gpu['memory'] / 2**30:.1f} GiB, "
                f"{gpu['bandwidth'] / 1e9:.0f} GB/s and {gpu['clock'] / 1000:.0f} MHz as the driver says; driver for CUDA {gpu['cuda']}",
                f"- commit {pack['commit']}; {pack['compiler']}; packed {pack['date']}",
                *(["- this is the software GPU: times are no measure of anything"] if self.session.is_software else []), ""]

    def failures(self):
        return sum(len(result["failures"]) for *_, result, _ in self.parts)

    def write(self):
        lines = self.heading()
        for _, title, page, result, _ in self.parts:
            lines += lines_of(title, page, result)
        put(self.out / "report.md", "\n".join(lines))
        about = {"card": self.session.gpu, "pack": self.session.pack, "images": self.session.images, "hangs": self.session.hangs}
        put(self.out / "report.json", json.dumps({**about, "sections": {name: result for name, *_, result, _ in self.parts}}, indent=1))


def lines_of(title, page, result):
    time_of = f"{result['seconds']} s" if "seconds" in result else "It has not ended."
    body = page(result) if result["rows"] or "note" in result else []
    return [f"## {title}", "", *body, "", *(f"**Failed:** {failure}\n" for failure in result["failures"]), time_of, ""]


def put(path, text):
    """The file has the old text or the new one, whenever the run ends."""
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.replace(new, path)
