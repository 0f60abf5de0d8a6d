"""Which code of a model the driver loads. Everything else runs the best of it."""
import time

from session import BIN, DATA, PLAIN, Failed

TITLE = "Code that the driver loads"


def candidates(session):
    """The best first. PTX of sm_80 runs on all later GPUs, its machine code on 8.x alone; the software GPU takes no machine code."""
    capability = session.gpu["capability"]
    cubins = session.pack["cubins"] and not session.is_software
    own = [f"{session.architecture}.cubin"] if cubins and 80 <= capability <= 90 else []
    return list(dict.fromkeys([*own, f"{session.architecture}.ptx", "sm_80.ptx"]))


def run(session, result):
    model = DATA / "goldens" / session.pack["goldens"][0] / "stored.cheems"
    for image in candidates(session):
        begin, why = time.monotonic(), ""
        try:
            session.run(BIN / "cheems-run", model, "--device", "cuda", "--prompt-ids", 1, "-n", 1, "--ignore-eos", "--print-ids",
                        CHEEMS_CUDA_IMAGE=image, **PLAIN)
            session.images.append(image)
        except Failed as failed:
            why = str(failed)
        result.row({"image": image, "loads": not why, "why": why, "seconds": time.monotonic() - begin})
    if not any(image.startswith(session.architecture) for image in session.images):
        result.fail(f"no code for {session.architecture} runs here: {result['rows'][0]['why']}")
    elif not session.pack["cubins"]:
        result["note"] = "The pack has no machine code."


def page(result):
    lines = ["| code | loads and runs | seconds |", "|---|---|---|"]
    lines += [f"| {one['image']} | {'yes' if one['loads'] else 'NO: ' + one['why']} | {one['seconds']:.1f} |" for one in result["rows"]]
    return lines + (["", result["note"]] if "note" in result else [])
