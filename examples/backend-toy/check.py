"""Holds logits to sums in double precision: check.py MODEL_FOLDER IDS LOGITS...

Each file of logits must be as near as sums of f32 in any order are: a sum of K products errs by at most K + 8 roundings of what its terms
come to without their signs. The 8 are those of the norm and of the products themselves."""
import json
import math
import pathlib
import struct
import sys

EPSILON = 1e-6  # rms_norm_eps of make-model.py


def tensors(path):
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    result = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__":
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            kind = {"F32": "f", "I64": "q"}[entry["dtype"]]
            result[name] = entry["shape"], struct.unpack(f"<{(end - begin) // struct.calcsize(kind)}{kind}", data[begin:end])
    return result


def main():
    folder, ids, *files = sys.argv[1:]
    model = tensors(pathlib.Path(folder) / "model.safetensors")
    (vocabulary, size), embedding = model["model.embed_tokens.weight"]
    norm, head = model["model.norm.weight"][1], model["lm_head.weight"][1]
    want, bound = [], []
    for token in tensors(ids)["input_ids"][1]:
        x = embedding[token * size : (token + 1) * size]
        scale = 1 / math.sqrt(math.fsum(v * v for v in x) / size + EPSILON)
        x = [v * scale * w for v, w in zip(x, norm)]
        for n in range(vocabulary):
            terms = [a * b for a, b in zip(x, head[n * size : (n + 1) * size])]
            want.append(math.fsum(terms))
            # the norm's own sum, of K squares, may be off by as many roundings
            bound.append((2 * size + 8) * 2.0**-24 * math.fsum(map(abs, terms)))
    for file in files:
        got = tensors(file)["logits"][1]
        assert len(got) == len(want), f"{file}: {len(got)} logits in place of {len(want)}"
        worst = max(abs(g - w) / b for g, w, b in zip(got, want, bound))
        assert worst <= 1, f"{file}: {worst:.2f} times as far off as f32 may be"
        print(f"{file}: {len(got)} logits, {worst:.3f} of the error that f32 may have")


if __name__ == "__main__":
    main()
