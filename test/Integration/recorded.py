"""Recorded models: what a checkpoint's golden.safetensors holds, and how far logits are from it.

golden.safetensors holds input_ids [B,T], logits [B,T,V] and perhaps greedy_ids [1,N], which continue the first row. The error is the
largest difference over the golden's standard deviation.
"""
import array
import json
import statistics
import struct

BOUNDS = {"F32": 1e-3, "BF16": 6e-2, "F16": 6e-2}


def header(path):
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        return json.loads(file.read(size)), 8 + size


def tensor(path, name):
    """Shape and flat values of an I64 or F32 tensor."""
    entries, start = header(path)
    entry = entries[name]
    begin, end = entry["data_offsets"]
    values = array.array({"I64": "q", "F32": "f"}[entry["dtype"]])
    values.frombytes(path.read_bytes()[start + begin : start + end])
    return entry["shape"], values


def stored_type(model):
    entries, _ = header(model / "model.safetensors")
    return next(entry["dtype"] for name, entry in entries.items() if "embed" in name)


class Golden:
    def __init__(self, model):
        self.path = model / "golden.safetensors"
        self.shape, self.logits = tensor(self.path, "logits")
        self.deviation = statistics.pstdev(self.logits)
        (_, length), ids = tensor(self.path, "input_ids")
        self.prompt = ",".join(map(str, ids[:length]))
        self.greedy = list(tensor(self.path, "greedy_ids")[1]) if "greedy_ids" in header(self.path)[0] else []

    def alone(self, path, run):
        """Whether the last row of a batch gives the same bits by itself: `run` takes the file of its ids."""
        rows, length = self.shape[:2]
        _, batch = tensor(path, "logits")
        ids = tensor(self.path, "input_ids")[1][(rows - 1) * length :].tobytes()
        head = json.dumps({"input_ids": {"dtype": "I64", "shape": [1, length], "data_offsets": [0, len(ids)]}}).encode()
        one = path.with_name("one.safetensors")
        one.write_bytes(struct.pack("<Q", len(head)) + head + ids)
        run(one)
        return tensor(path, "logits")[1] == batch[-length * self.shape[2] :]

    def read(self, path):
        shape, logits = tensor(path, "logits")
        if shape != self.shape:
            raise RuntimeError(f"logits of shape {shape}, not {self.shape}")
        return logits

    def differences(self, logits):
        return [abs(got - want) / self.deviation for got, want in zip(logits, self.logits, strict=True)]

    def error(self, path):
        # a NaN compares false with everything, so max() alone could lose it
        differences = self.differences(self.read(path))
        return float("nan") if any(d != d for d in differences) else max(differences)

    def mean_square_root(self, path):
        return self.mean_square_root_of(self.read(path))

    def mean_square_root_of(self, logits):
        return statistics.fmean(d * d for d in self.differences(logits)) ** 0.5
