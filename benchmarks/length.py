#!/usr/bin/env python3
"""What a long prompt costs: peak memory and time a token of prefill, and of decoding after it, by length.

    benchmarks/length.py BIN_DIR MODEL_DIR [--lengths 10000,100000] [--window W] [--threads 2]

MODEL_DIR is a Cheems or a windowed Doge in one model.safetensors, for example test/golden/models/cheems-window. It runs
as it is, with --window under that window, and, where it has SSD layers, once more with each attention layer replaced by
a copy of the SSD layer before it. Weights may be random: they are not looked at. A million tokens: --lengths 10000,1000000.
Decoding is timed at depths W, 10 W and 100 W. Reports, never gates.
"""
import argparse, json, pathlib, re, statistics, struct, subprocess, tempfile, time


def read(path):
    """Header of a safetensors file, without its metadata, and its data."""
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return header, data[8 + size :]


def write(path, header):
    """The same data under other names: `header` as it is read, with the bytes of each tensor."""
    entries, body = {}, b""
    for name, (entry, data) in header.items():
        entries[name] = {**entry, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + body)


def without_attention(model, folder):
    """The model with SSD layers alone, or nothing where it has none to copy."""
    config = json.loads((model / "config.json").read_text())
    header, data = read(model / "model.safetensors")
    tensors = {name: (entry, data[slice(*entry["data_offsets"])]) for name, entry in header.items()}
    for layer in range(config["num_hidden_layers"]):
        prefix = f"model.layers.{layer}."
        if any(name.startswith(prefix + "ssd.") for name in tensors):
            previous = prefix
            continue
        if layer == 0:
            return None
        tensors = {name: value for name, value in tensors.items() if not name.startswith(prefix)}
        tensors.update({prefix + name[len(previous):]: value for name, value in list(tensors.items()) if name.startswith(previous)})
    for field in ("attn_layer_period", "attn_layer_offset"):
        config.pop(field, None)
    config.update(attn_layer_period=config["num_hidden_layers"] + 2, attn_layer_offset=config["num_hidden_layers"] + 1)
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    write(folder / "model.safetensors", tensors)
    return folder


def with_window(model, folder, window):
    folder.mkdir()
    config = json.loads((model / "config.json").read_text())
    config["keep_window_size"] = window
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "model.safetensors").symlink_to((model / "model.safetensors").resolve())
    return folder


class Compiled:
    def __init__(self, bins, model, artefact, threads):
        subprocess.run([bins / "cheems-compile", model, "-o", artefact], check=True)
        config = json.loads((model / "config.json").read_text())
        self.bins, self.artefact, self.threads, self.vocabulary = bins, artefact, threads, config["vocab_size"]
        self.window = config.get("keep_window_size") or 0

    def run(self, length, count=1):
        """Peak MiB, microseconds a token of prefill and of decoding."""
        with tempfile.NamedTemporaryFile("w") as ids, tempfile.TemporaryFile("w+") as log:
            ids.write(",".join(str(i * 7919 % self.vocabulary) for i in range(length)))
            ids.flush()
            child = subprocess.Popen([self.bins / "cheems-run", self.artefact, "--prompt-ids", f"@{ids.name}", "-n", str(count),
                                      "-c", str(length + count), "--temp", "0", "--ignore-eos", "--print-ids", "-t", str(self.threads)],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
            peak = 0.0
            while child.poll() is None:
                # its own high-water mark: rusage would have that of this process before exec in it
                status = pathlib.Path(f"/proc/{child.pid}/status").read_text()
                peak = max([peak] + [int(kib) / 1024 for kib in re.findall(r"VmHWM:\s+([0-9]+) kB", status)])
                time.sleep(0.002)
            log.seek(0)
            text = log.read()
            if child.returncode:
                raise SystemExit(f"cheems-run failed at {length} tokens: {text}")
            rates = [float(rate) for rate in re.findall(r"([0-9.]+) tokens/s", text)]
            # the one token of a prefill run comes out of the prefill itself: no decoding to time
            return [peak] + [1e6 / rate if rate else 0 for rate in rates[:2]]

    def median(self, repeat, *how):
        return [statistics.median(column) for column in zip(*(self.run(*how) for _ in range(repeat)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--lengths", default="10000,100000")
    parser.add_argument("--window", type=int)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--count", type=int, default=256, help="tokens that decoding is timed over")
    a = parser.parse_args()
    lengths = [int(word) for word in a.lengths.split(",")]
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        given = with_window(a.model, work / "given", a.window) if a.window else a.model
        models = {a.model.name: given, f"{a.model.name}, SSD only": without_attention(given, work / "ssd")}
        compiled = {name: Compiled(a.bins, model, work / f"{i}.cheems", a.threads)
                    for i, (name, model) in enumerate(models.items()) if model}
        print(f"| prefill, {a.threads} threads | tokens | peak MiB | µs a token | memory, to the first | time, to the first |")
        print("|---|---|---|---|---|---|")
        for name, model in compiled.items():
            first = None
            for length in lengths:
                memory, prefill, _ = model.median(a.repeat, length)
                first = first or (memory, prefill)
                print(f"| {name} | {length} | {memory:.1f} | {prefill:.1f} | {memory / first[0]:.3f} | {prefill / first[1]:.3f} |", flush=True)
        print(f"\n| decode, {a.threads} threads | depth | µs a token | to the first |\n|---|---|---|---|")
        for name, model in compiled.items():
            first = None
            for depth in (times * (model.window or 64) for times in (1, 10, 100)):
                decode = model.median(a.repeat, depth, a.count)[2]
                first = first or decode
                print(f"| {name} | {depth} | {decode:.1f} | {decode / first:.3f} |", flush=True)


main()
