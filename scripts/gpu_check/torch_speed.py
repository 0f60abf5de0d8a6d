"""The same shapes in PyTorch (benchmarks/torch_doge.py), if a Python of this machine has it."""
import json
import sys

from session import ROOT, Failed

sys.path.insert(0, str(ROOT / "benchmarks"))

import random_model  # noqa: E402
from models import MODELS  # noqa: E402

TITLE = "PyTorch beside it"
HAS = """
try:
    import torch
    print(torch.__version__ if torch.cuda.is_available() else "")
except ImportError:
    pass
"""


def torch_version(session):
    """Empty, if Python has no PyTorch that finds the GPU."""
    return "" if session.is_software else session.run(sys.executable, "-c", HAS, seconds=60).strip()


def run(session, result):
    version = torch_version(session)
    if not version:
        result["note"] = f"Not run: {'on the software GPU' if session.is_software else 'no PyTorch that finds a GPU'}."
        return
    result["note"] = f"PyTorch {version}, one sequence, in bf16."
    tests = session.pack["tests"]
    for shape in filter(lambda name: name.startswith("doge"), session.pack["shapes"]):
        folder = session.work / shape
        random_model.save(folder, MODELS[shape])
        command = [sys.executable, ROOT / "benchmarks/torch_doge.py", folder, "--device", "cuda", "--prefill", tests["prompt"],
                   "--depth", tests["depth"], "--count", tests["count"], "--repeat", tests["repeat"]]
        for form in ((), ("--compile",)):
            one = {"shape": shape, "form": "compiled" if form else "plain"}
            try:
                result.row({**one, **json.loads(session.run(*command, *form, seconds=45).splitlines()[-1])})
            except Failed as why:
                # torch.compile needs more of a machine than a GPU
                result.row({**one, "why": str(why)})
                if not form:
                    result.fail(f"{shape}: {why}")
        (folder / "model.safetensors").unlink()


def page(result):
    lines = [result["note"]]
    if result["rows"]:
        lines += ["", "| shape | form | prefill, tokens/s | decoding, tokens/s |", "|---|---|---|---|"]
    for one in result["rows"]:
        rates = f"{one['prefill']:,.0f} | {one['decode']:,.0f}" if "prefill" in one else f"not run: {one['why']} |"
        lines.append(f"| {one['shape']} | {one['form']} | {rates} |")
    return lines
