"""Recorded models on the GPU: logits and greedy tokens, whole and in chunks."""
import itertools
import sys
import tempfile

from session import BIN, DATA, ROOT, Failed

sys.path.insert(0, str(ROOT / "test/Integration"))

from recorded import BOUNDS, Golden, stored_type  # noqa: E402

TITLE = "Recorded models"
AT_ONCE = 4  # processes; most of their time is the driver's start
ROUNDED_BOUND = 0.05  # of the root mean square, with weights rounded to bf16


def measure(session, folder, weights, image, how):
    """A part of a row of the report. Where weights are rounded, greedy tokens are not compared."""
    golden, dtype, artefact = Golden(folder), stored_type(folder), folder / f"{weights}.cheems"
    settings = {"CHEEMS_CUDA_IMAGE": image}

    def compute(logits):
        session.run(BIN / "cheems-run", artefact, "--device", "cuda", "--input-ids", golden.path, "--logits", logits, *how, **settings)
        return logits

    with tempfile.TemporaryDirectory(dir=session.work) as work:
        first, second = (compute(session.work / work / name) for name in ("first.safetensors", "second.safetensors"))
        found = {"again": first.read_bytes() == second.read_bytes()}
        if weights == "stored":
            found.update(error=golden.error(second), bound=BOUNDS[dtype])
        else:
            found.update(error=golden.mean_square_root(second), bound=ROUNDED_BOUND)
    if golden.greedy and weights == "stored":
        ids = session.run(BIN / "cheems-run", artefact, "--device", "cuda", "--prompt-ids", golden.prompt, "-n", len(golden.greedy),
                          "--temp", 0, "--ignore-eos", "--print-ids", *how, **settings)
        found["greedy"] = [int(word) for word in ids.replace(",", " ").split()] == golden.greedy
    # A NaN is not within its bound.
    return {**found, "right": found["error"] <= found["bound"] and found["again"] and found.get("greedy", True)}


def run(session, result):
    def row(task):
        model, weights, how = task
        one = {"model": model, "weights": weights, "image": "", "how": " ".join(map(str, how))}
        try:
            found, image, instead = session.first_image(lambda image: measure(session, DATA / "goldens" / model, weights, image, how))
            return {**one, **found, "image": image, "instead": instead}
        except Failed as why:
            return {**one, "right": False, "why": str(why)}

    tasks = itertools.product(session.pack["goldens"], ("stored", "bf16"), ((), ("--prefill-chunk", 7)))
    for one in session.together(row, tasks, AT_ONCE):
        result.row(one)
        if not one["right"] or one["instead"]:
            result.fail(line(one))


def line(one):
    where = ", ".join(filter(None, [one["model"], f"{one['weights']} weights", one["image"], one["how"]]))
    if "why" in one:
        return f"{where}: {one['why']}"
    if one["instead"]:
        return f"{where}: {'right' if one['right'] else 'WRONG'}, but {one['instead']}"
    flags = [word for key, word in (("again", "another run has other bits"), ("greedy", "other greedy tokens")) if one.get(key) is False]
    return ", ".join([f"{where}: error {one['error']:.1e} of {one['bound']:.0e} that are allowed", *flags])


def page(result):
    lines = ["| model | weights | code | prompt | error | at most | greedy tokens | again | verdict |", "|---" * 9 + "|"]
    same = {True: "the same", False: "DIFFERENT", None: ""}
    for one in result["rows"]:
        found = [one["model"], one["weights"], one["image"], one["how"] or "whole"]
        found += [f"{one['error']:.1e}", f"{one['bound']:.0e}", same[one.get("greedy")], same[one["again"]]] if "error" in one else [""] * 4
        lines.append(f"| {' | '.join(found)} | {'right' if one['right'] else 'WRONG'} |")
    return lines
