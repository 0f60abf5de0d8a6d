#!/usr/bin/env python3
"""Holds cheems-run to the greedy tokens that record.py got from transformers.

    compare.py BIN_DIR MODEL_DIR RECORD.json

A variant that rounds inputs of matmuls to bf16 may take another token only where it is a tie: where the scalar pipeline,
which takes all the recorded tokens, sees both within 6e-2 of its logits' standard deviation. The recorded tokens go on
after it. A variant that this CPU has, by /proc/cpuinfo, and that does not run is a failure.
"""
import array
import itertools
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import variants

UNSUPPORTED = 3
ROUNDING = {"amx", "avx512bf16"}
TIE = 6e-2


def run(*command, variant=""):
    """Standard output; None where the variant does not run on this machine."""
    words = [str(word) for word in command]
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600,
                            env={**os.environ, "CHEEMS_CPU": variant})
    if variant and result.returncode == UNSUPPORTED:
        return None
    if result.returncode:
        sys.exit(f"exit {result.returncode}: {' '.join(words)}\n{result.stderr.strip()}")
    return result.stdout


def last_logits(program, artefact, ids):
    """Returns the logits of the last of these tokens."""
    folder = artefact.parent
    values = array.array("q", ids).tobytes()
    head = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, len(ids)], "data_offsets": [0, len(values)]}}).encode()
    (folder / "ids.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + values)
    run(program, artefact, "--input-ids", folder / "ids.safetensors", "--logits", folder / "logits.safetensors")
    content = (folder / "logits.safetensors").read_bytes()
    size = struct.unpack("<Q", content[:8])[0]
    entry = json.loads(content[8 : 8 + size])["logits"]
    logits = array.array("f")
    logits.frombytes(content[8 + size + entry["data_offsets"][0] : 8 + size + entry["data_offsets"][1]])
    return logits[-entry["shape"][2] :]


def continuation(program, artefact, prompt, count, chunk, variant):
    text = run(program, artefact, "--prompt-ids", ",".join(map(str, prompt)), "-n", count, "--temp", 0, "--ignore-eos",
               "--print-ids", *chunk, variant=variant)
    return None if text is None else [int(word) for word in text.replace(",", " ").split()]


def main():
    bins, model, record = map(pathlib.Path, sys.argv[1:4])
    program, runs, failures = bins / "cheems-run", json.loads(record.read_text())["runs"], 0
    with tempfile.TemporaryDirectory() as folder:
        artefacts = {pipeline: pathlib.Path(folder) / f"{pipeline}.cheems" for pipeline in ("scalar", "fast")}
        for pipeline, artefact in artefacts.items():
            run(bins / "cheems-compile", model, "-o", artefact, "--pipeline", pipeline,
                *(variants.compile_flags(pipeline) if pipeline == "fast" else []))
            names = [variant["name"] for variant in json.loads(run(program, artefact, "--describe=json"))["images"][0]["variants"]]
            ran = set()
            for name, want, chunk in itertools.product(names, runs, ([], ["--prefill-chunk", 7])):
                prompt, greedy, done, said = want["prompt"], want["greedy"], 0, []
                while done < len(greedy):
                    got = continuation(program, artefact, prompt + greedy[:done], len(greedy) - done, chunk, name)
                    if got is None or got == greedy[done:]:
                        break
                    done += sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], zip(got, greedy[done:])))
                    other = got[done - len(greedy)]
                    logits = last_logits(program, artefacts["scalar"], prompt + greedy[:done])
                    apart = (logits[greedy[done]] - logits[other]) / statistics.pstdev(logits)
                    tie = pipeline == "fast" and name in ROUNDING and 0 <= apart <= TIE
                    failures += not tie
                    said.append(f"token {done} is {other}, not {greedy[done]}, {apart:.1e} deviations apart{'' if tie else ': DIFFERENT'}")
                    done += 1
                if got is not None:
                    ran.add(name)
                    print(f"{' '.join(map(str, [pipeline, name, *chunk]))}: prompt of {len(prompt)}, "
                          f"{'; '.join(said) or f'all {len(greedy)} tokens are the same'}")
            lost = variants.report(pipeline, names, ran) if pipeline == "fast" else []
            if lost:
                sys.exit(f"no code ran for {', '.join(lost)}, which this CPU has")
    sys.exit(f"{failures} tokens differ" if failures else 0)


main()
