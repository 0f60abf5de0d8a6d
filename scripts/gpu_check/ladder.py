"""Models of the published shapes, few layers of them, rung by rung: each adds a part of what the GPU does, and the first that is wrong names
the culprit. Logits are compared with the CPU's, which were computed when this was packed."""
import array
import json
import statistics
import struct
import sys
from dataclasses import dataclass

from session import BIN, DATA, PLAIN, ROOT, Failed

sys.path.insert(0, str(ROOT / "test/Integration"))

from recorded import tensor  # noqa: E402

TITLE = "Ladder: logits of large kernels beside the CPU's"
IN_ORDER = {"CHEEMS_CUDA_OVERLAP": "off"}
# Hardly one of a hundred thousand numbers is as far as six deviations.
LARGEST = 6


@dataclass(frozen=True)
class Rung:
    name: str
    adds: str  # what is wrong where this is the first wrong rung
    form: str  # which compiled file: pack.py
    image: str
    settings: dict


def rungs(session):
    """From what all GPUs have to what users run."""
    # Where the driver loads none of them, the rung that is the first to need one says why.
    best = next((image for image in session.images if image.startswith(session.architecture)), f"{session.architecture}.ptx")
    first = [Rung("PTX of sm_80", "what all GPUs share (mma.sync, cp.async, arithmetic, or the plan and the runtime)", "full", "sm_80.ptx", PLAIN)]
    if session.architecture == "sm_90a":
        middle = [Rung("sm_90a with cuda.unit=mma", "code for sm_90a, without wgmma and bulk copies", "mma", best, PLAIN),
                  Rung("sm_90a with cuda.copy=threads", "wgmma", "threads", best, PLAIN),
                  Rung("all of sm_90a, launch by launch", "bulk copies, with their barriers and setmaxnreg", "full", best, PLAIN)]
    else:
        middle = [Rung(f"{best}, launch by launch", "machine code for sm_80", "full", best, PLAIN)] if best != "sm_80.ptx" else []
    last = [Rung("with graphs", "graphs of decoding", "full", best, IN_ORDER),
            Rung("as users run it", "the overlap of kernels (programmatic launch)", "full", best, {})]
    text = best.replace(".cubin", ".ptx")
    other = [Rung("the same, compiled by the driver", "the driver's assembler", "full", text, {})] if text != best and text in session.images else []
    return first + middle + last + other


class Reference:
    """A model's ids, and the CPU's logits of some rows of them."""

    def __init__(self, folder):
        self.folder, about = folder, json.loads((folder / "about.json").read_text())
        self.rows, self.decoded, self.bound = about["rows"], about["decoded"], about["bound"]
        self.logits = array.array("f", (folder / "logits.bin").read_bytes())
        self.width = len(self.logits) // len(self.rows)
        self.deviation = statistics.pstdev(self.logits)

    def file(self, rung):
        """Models that only some rungs have, have one file."""
        return self.folder / f"{rung.form}.cheems"

    def compare(self, path, rows):
        """The root mean square of the differences, and the largest one, in deviations of the logits."""
        shape, logits = tensor(path, "logits")
        if shape[-1] != self.width:
            raise Failed(f"logits have {shape[-1]} numbers, and not {self.width}")
        errors = []
        for at, row in enumerate(self.rows):
            if row < rows:
                got, want = (part[first * self.width:(first + 1) * self.width] for part, first in ((logits, row), (self.logits, at)))
                errors += [abs(a - b) / self.deviation for a, b in zip(got, want)]
        # A NaN compares false with everything, so max() alone could lose it.
        return statistics.fmean(one * one for one in errors) ** 0.5, float("nan") if any(one != one for one in errors) else max(errors)


def measure(session, reference, rung, rows, chunk):
    """A part of a row of the report: of the first `rows` ids, fed in chunks."""
    ids, logits = session.work / "ids.safetensors", session.work / "logits.safetensors"
    logits.unlink(missing_ok=True)
    write_ids(ids, list(tensor(reference.folder / "ids.safetensors", "input_ids")[1])[:rows])
    session.run(BIN / "cheems-run", reference.file(rung), "--device", "cuda", "--input-ids", ids, "--logits", logits, "--prefill-chunk", chunk,
                CHEEMS_CUDA_IMAGE=rung.image, **rung.settings)
    error, largest = reference.compare(logits, rows)
    return {"error": error, "largest": largest, "bound": reference.bound,
            "right": error <= reference.bound and largest <= LARGEST * reference.bound}


def write_ids(path, ids):
    data = array.array("q", ids).tobytes()
    head = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, len(ids)], "data_offsets": [0, len(data)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + data)


def run(session, result):
    references = {name: Reference(DATA / "ladder" / name) for name in session.pack["ladder"]}
    try:
        for rung in rungs(session):
            for name, reference in references.items():
                if not reference.file(rung).exists():
                    continue
                for what, rows, chunk in (("prompt", reference.rows[-1] + 1, reference.rows[-1] + 1), ("decoding", reference.decoded, 1)):
                    one = {"rung": rung.name, "adds": rung.adds, "model": name, "what": what, "image": rung.image}
                    try:
                        one.update(measure(session, reference, rung, rows, chunk))
                    except Failed as why:
                        one.update(right=False, why=str(why))
                    except Exception as stop:  # the run ends: this rung is why
                        one.update(right=False, why=str(stop))
                        raise
                    finally:
                        result.row(one)
    finally:
        if verdict(result["rows"]):
            result.fail(verdict(result["rows"]))


def verdict(rows):
    """One sentence that names the culprit; empty where all rungs are right."""
    wrong = next((one for one in rows if not one["right"]), None)
    if not wrong:
        return ""
    how = f"fails ({wrong['why']})" if "why" in wrong else f"is wrong by {wrong['error']:.1e} of {wrong['bound']:.1e} that are allowed"
    before = "it is the first one" if wrong["rung"] == rows[0]["rung"] else "every rung before it is right"
    return f"The culprit is {wrong['adds']}: the rung \"{wrong['rung']}\" {how}, {wrong['what']} of {wrong['model']}, and {before}."


def page(result):
    lines = [verdict(result["rows"]) or "All rungs that ran are right.", "",
             "| rung | code | model | what | error | at most | largest | at most | verdict |", "|---" * 9 + "|"]
    for one in result["rows"]:
        found = [one["rung"], one["image"], one["model"], one["what"]]
        found += [f"{number:.1e}" for number in (one["error"], one["bound"], one["largest"], LARGEST * one["bound"])] if "error" in one else [""] * 4
        lines.append(f"| {' | '.join(found)} | {'right' if one['right'] else 'WRONG'} |")
    return lines
