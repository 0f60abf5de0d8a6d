#!/usr/bin/env python3
"""Holds a demo on the software GPU to its recorded logits and greedy tokens.

    demo.py BIN_DIR MODEL_DIR SOFTWARE_GPU

golden.safetensors has the logits of the prompt, and the greedy tokens after it. GPUs round inputs of matmuls to bf16, so two tokens
that are nearly as good may change places. How far the best token is before the next best, the scalar pipeline says, which rounds only
what is stored, and which must take every recorded token. Errors and margins are in standard deviations of the golden's logits.

- The logits of the prompt are within the bound of test/Integration/recorded.py.
- The error of a step is the largest one of its logits from those of the scalar pipeline, with rows fed together and one by one. A token may
  be another one only where the margin is no more than twice this error. That may be at one step in five at most.

It runs on a GPU of each architecture where CHEEMS_TEST_LONG is set, with the prompt whole and in chunks. Other runs have one GPU, by the
kind of the model, and the first tokens. Tokens come from generation: a prompt, and one row a step. Where another token was taken,
generation begins again after the recorded one.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from recorded import BOUNDS, Golden, stored_type, tensor

COMPARED = 0.8  # of the steps, at least
# (architecture, when copies take effect, how the prompt is fed)
WAYS = {"doge": (80, "late", ("--prefill-chunk", 3)), "cheems": (90, "late", ())}
FIRST = 24  # tokens of a run that is not long
IS_LONG = "CHEEMS_TEST_LONG" in os.environ


def run(*command, **settings):
    result = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, **settings})
    if result.returncode:
        raise RuntimeError(f"exit {result.returncode}: {' '.join(map(str, command))}\n{result.stderr.strip()}")
    return result.stdout


def write_ids(path, ids):
    values = struct.pack(f"<{len(ids)}q", *ids)
    head = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, len(ids)], "data_offsets": [0, len(values)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(head)) + head + values)


class Demo:
    def __init__(self, bins, model, gpu, folder):
        self.bins, self.gpu, self.folder, self.dtype = bins, gpu, folder, stored_type(model)
        self.golden = Golden(model)
        self.prompt = [int(word) for word in self.golden.prompt.split(",")]
        self.greedy, self.vocabulary = self.golden.greedy[: None if IS_LONG else FIRST], self.golden.shape[2]
        kind = json.loads((model / "config.json").read_text())["model_type"]
        self.ways = list(WAYS.values()) if IS_LONG else [WAYS[kind]]
        architectures = ",".join({80: "sm_80", 90: "sm_90a"}[way[0]] for way in self.ways)
        self.ids, self.logits = folder / "ids.safetensors", folder / "logits.safetensors"
        write_ids(self.ids, self.prompt + self.greedy[:-1])
        self.artefacts = {}
        for name, flags in (("scalar", ["--pipeline", "scalar"]), ("cards", ["--target", "cuda", "--cuda-arch", architectures])):
            self.artefacts[name] = folder / f"{name}.cheems"
            run(bins / "cheems-compile", model, "-o", self.artefacts[name], *flags)
        run(bins / "cheems-run", self.artefacts["scalar"], "--input-ids", self.ids, "--logits", self.logits)
        self.exact = self.rows()
        self.margins = []
        for row, token in zip(self.exact[len(self.prompt) - 1 :], self.greedy):
            first, second = sorted(row)[:-3:-1]
            if row[token] != first:
                raise RuntimeError(f"the scalar pipeline takes another token than {token}, so its margins are not the golden's")
            self.margins.append((first - second) / self.golden.deviation)

    def rows(self):
        """Reads the file of logits."""
        (_, rows, _), values = tensor(self.logits, "logits")
        return [values[t * self.vocabulary : (t + 1) * self.vocabulary] for t in range(rows)]

    def error(self, wanted, got):
        differences = [abs(a - b) / self.golden.deviation for a, b in zip(wanted, got)]
        return float("inf") if any(d != d for d in differences) else max(differences)

    def check(self, architecture, mode, how):
        """What is wrong, or nothing; prints what was found."""
        settings = {"CHEEMS_CUDA_DRIVER": str(self.gpu), "CHEEMS_EMULATOR_ARCH": str(architecture), "CHEEMS_EMULATOR_MODE": mode}

        def on_gpu(*arguments):
            return run(self.bins / "cheems-run", self.artefacts["cards"], "--device", "cuda", *arguments, **settings)

        def logits(*arguments):
            on_gpu("--input-ids", self.ids, "--logits", self.logits, *arguments)
            return self.rows()

        rows, single, count = logits(*how), logits("--prefill-chunk", 1), len(self.prompt)
        recorded = [self.golden.logits[t * self.vocabulary : (t + 1) * self.vocabulary] for t in range(count)]
        prompt_error = max(self.error(*pair) for pair in zip(recorded, rows))
        errors = [max(self.error(wanted, got) for got in pair) for wanted, *pair in zip(self.exact, rows, single)][count - 1 :]
        firm = [margin > 2 * error for margin, error in zip(self.margins, errors)]
        turned, done, faults = [], 0, []
        while done < len(self.greedy):
            text = on_gpu("--prompt-ids", ",".join(map(str, self.prompt + self.greedy[:done])), "-n", len(self.greedy) - done, "--temp", 0,
                           "--ignore-eos", "--print-ids", *how)
            got = [int(word) for word in text.replace(",", " ").split()]
            if len(got) != len(self.greedy) - done:
                return [f"{len(got)} tokens, not {len(self.greedy) - done}"]
            while got and got[0] == self.greedy[done]:
                got.pop(0)
                done += 1
            if not got:
                break
            turned.append(done)
            if firm[done]:
                faults.append(f"token {done} is {got[0]}, not {self.greedy[done]}, {self.margins[done]:.1e} deviations before all others")
            done += 1
        print(f"sm_{architecture} {mode} {' '.join(map(str, how))}: error {prompt_error:.1e} of the prompt, {max(errors):.1e} of all; "
              f"{sum(firm)} of {len(firm)} steps compared, {len(turned)} others taken elsewhere", flush=True)
        if not prompt_error <= BOUNDS[self.dtype]:
            faults.append(f"error {prompt_error:.1e}, not below {BOUNDS[self.dtype]:.0e}")
        if sum(firm) < COMPARED * len(firm):
            faults.append(f"only {sum(firm)} of {len(firm)} steps are compared")
        return faults


def main():
    bins, model, gpu = (pathlib.Path(word) for word in sys.argv[1:4])
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        demo = Demo(bins, model, gpu, pathlib.Path(folder))
        for way in demo.ways:
            faults += demo.check(*way)
    sys.exit("\n".join(faults) if faults else 0)


main()
