#!/usr/bin/env python3
"""cheems-perplexity's figures are those of the logits that cheems-run writes.

    perplexity.py CHEEMS_RUN CHEEMS_PERPLEXITY MODEL OTHER_MODEL BOS TEXT

BOS is the id that both models' tokenizers begin a prompt with.
Computes perplexity and KL divergence of the first chunks by their definitions.
"""
import array
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LENGTH, CHUNKS = 96, 3


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def log_softmax(row):
    largest = max(row)
    offset = largest + math.log(sum(math.exp(value - largest) for value in row))
    return [value - offset for value in row]


def main():
    runner, perplexity, model, other, bos, text = sys.argv[1:]
    folder = pathlib.Path(tempfile.mkdtemp())
    ids = [int(word) for word in re.findall(r"\d+", run(runner, model, "--tokenize", "-f", text))]
    ids = [int(bos), *ids][:LENGTH * CHUNKS]
    ids[::LENGTH] = [int(bos)] * CHUNKS
    data = array.array("i", ids).tobytes()
    header = json.dumps({"input_ids": {"dtype": "I32", "shape": [CHUNKS, LENGTH], "data_offsets": [0, len(data)]}}).encode()
    (folder / "ids").write_bytes(struct.pack("<Q", len(header)) + header + data)

    def distributions(path):
        run(runner, path, "--input-ids", folder / "ids", "--logits", folder / "logits")
        raw = (folder / "logits").read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        vocabulary = json.loads(raw[8:8 + size])["logits"]["shape"][-1]
        logits = array.array("f", raw[8 + size:])
        for chunk in range(CHUNKS):
            for row in range(LENGTH // 2, LENGTH - 1):
                at = (chunk * LENGTH + row) * vocabulary
                yield ids[chunk * LENGTH + row + 1], log_softmax(logits[at:at + vocabulary])

    own, base = list(distributions(model)), list(distributions(other))
    expected = {
        "PPL": math.exp(-sum(logs[token] for token, logs in own) / len(own)),
        "base": math.exp(-sum(logs[token] for token, logs in base) / len(base)),
        "KLD": sum(sum(math.exp(p) * (p - q) for p, q in zip(theirs, ours))
                   for (_, ours), (_, theirs) in zip(own, base)) / len(own),
        "same": 100 * sum(ours.index(max(ours)) == theirs.index(max(theirs))
                          for (_, ours), (_, theirs) in zip(own, base)) / len(own),
    }
    said = run(perplexity, model, "-f", text, "-c", LENGTH, "--chunks", CHUNKS, "--kl-base", other)
    patterns = {"PPL": r"Final estimate: PPL = (\S+) \+/- \S+\n$", "base": r"Mean PPL\(base\): (\S+)", "KLD": r"Mean KLD: (\S+)",
                "same": r"Same top p: (\S+)"}
    for name, pattern in patterns.items():
        found = float(re.search(pattern, said)[1])
        # digits printed, and what fusing other rows into one step may move
        assert abs(found - expected[name]) <= 1e-3 * max(expected[name], 1e-2), f"{name}: {found}, not {expected[name]}"
    assert expected["KLD"] > 1e-6, "the two models should differ"
    print(said, end="")


if __name__ == "__main__":
    main()
