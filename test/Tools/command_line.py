#!/usr/bin/env python3
"""Wrong use, broken models and broken artefacts: each must end in one clear line and the right exit code.

    command_line.py BIN_DIR MODEL_DIR --compiler CHEEMS_COMPILE

Runs the cases of the tools that BIN_DIR has: a sanitizer build may have only cheems-run, and takes the artefact that it
damages from another build's compiler.
"""
import argparse
import pathlib
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

from broken_models import edit_config, edit_header, header_size, remove, shard_index, truncate, write

FAILED, USAGE, UNSUPPORTED = 1, 2, 3
NORM = "model.layers.0.input_layernorm.weight"


def rename(header):
    header["model.layers.0.misnamed"] = header.pop(NORM)


def misshape(header):
    header[NORM]["shape"] = [64, 2]


def beyond_the_file(header):
    header[NORM]["data_offsets"] = [1 << 40, (1 << 40) + 256]


def odd_type(header):
    header[NORM]["dtype"] = "F8_E4M3"


# name, damage to the model folder, exit code, what the line must name
MODEL_CASES = [
    ("no config", remove("config.json"), FAILED, "config.json"),
    ("config is no JSON", write("config.json", b"{"), FAILED, "config.json"),
    ("config is a list", write("config.json", b"[]"), FAILED, "config.json"),
    ("field of a wrong type", edit_config(num_hidden_layers="six"), FAILED, "num_hidden_layers"),
    ("negative size", edit_config(hidden_size=-128), FAILED, "hidden_size"),
    ("heads do not divide", edit_config(num_key_value_heads=3), FAILED, "num_key_value_heads"),
    ("foreign model", edit_config(model_type="llama"), UNSUPPORTED, "llama"),
    ("future keys", edit_config(dynamic_mask_ratio=0.5), UNSUPPORTED, "dynamic_mask_ratio"),
    ("sliding window", edit_config(sliding_window=64), UNSUPPORTED, "sliding_window"),
    ("partial rotary", edit_config(partial_rotary_factor=0.5), UNSUPPORTED, "partial_rotary_factor"),
    ("rope type", edit_config(rope_parameters={"rope_type": "yarn", "rope_theta": 1e4}), UNSUPPORTED, "yarn"),
    ("activation", edit_config(hidden_act="tanh"), UNSUPPORTED, "hidden_act"),
    ("no weights", remove("model.safetensors"), FAILED, "model.safetensors"),
    ("empty weights", write("model.safetensors", b""), FAILED, "model.safetensors"),
    ("truncated weights", truncate("model.safetensors", 100_000), FAILED, "model.safetensors"),
    ("header longer than the file", header_size(1 << 62), FAILED, "model.safetensors"),
    ("header is no JSON", write("model.safetensors", struct.pack("<Q", 8) + b"not json"), FAILED, "model.safetensors"),
    ("tensor beyond the file", edit_header(beyond_the_file), FAILED, NORM),
    ("tensor missing", edit_header(rename), FAILED, NORM),
    ("tensor misshapen", edit_header(misshape), FAILED, NORM),
    ("tensor type", edit_header(odd_type), UNSUPPORTED, "F8_E4M3"),
    ("shard missing", shard_index({NORM: "model-00001-of-00001.safetensors"}), FAILED, "model-00001-of-00001"),
    ("shard outside the folder", shard_index({NORM: "../../etc/passwd"}), FAILED, "passwd"),
    ("tokenizer is no JSON", write("tokenizer.json", b"{]"), FAILED, "tokenizer.json"),
]

# name, arguments (MODEL and OUT stand for paths), exit code, what the line must name
COMPILE_CASES = [
    ("no arguments", [], USAGE, ""),
    ("unknown flag", ["MODEL", "-o", "OUT", "--fastest"], USAGE, "--fastest"),
    ("no such folder", ["/no/such/model", "-o", "OUT"], FAILED, "/no/such/model"),
    ("no such pipeline", ["MODEL", "-o", "OUT", "--pipeline", "warp"], USAGE, "warp"),
    ("no such cpu", ["MODEL", "-o", "OUT", "--cpu", "i386-turbo"], UNSUPPORTED, "i386-turbo"),
    ("no such stage", ["MODEL", "-o", "OUT", "--emit", "fortran"], USAGE, "fortran"),
    ("context is no number", ["MODEL", "-o", "OUT", "--max-context", "long"], USAGE, "long"),
    ("other target", ["MODEL", "-o", "OUT", "--target", "cuda"], UNSUPPORTED, "cuda"),
    ("output folder missing", ["MODEL", "-o", "/no/such/folder/out.cheems"], FAILED, "/no/such/folder"),
]

# name, arguments (GOOD stands for an artefact), exit code, what the line must name, standard input
RUN_CASES = [
    ("no arguments", [], USAGE, "", b""),
    ("unknown flag", ["GOOD", "--louder"], USAGE, "--louder", b""),
    ("no such file", ["/no/such.cheems", "-p", "x"], FAILED, "/no/such.cheems", b""),
    ("nothing to do", ["GOOD"], USAGE, "-p", b""),
    ("no such prompt file", ["GOOD", "-f", "/no/prompt.txt"], FAILED, "/no/prompt.txt", b""),
    ("prompt is no UTF-8", ["GOOD", "-f", "-", "-n", "1"], FAILED, "byte 3", b"abc\xff"),
    ("id is no number", ["GOOD", "--prompt-ids", "1,two", "-n", "1"], USAGE, "two", b""),
    ("id out of range", ["GOOD", "--prompt-ids", "1,99999", "-n", "1"], FAILED, "99999", b""),
    ("id negative", ["GOOD", "--prompt-ids", "1,-7", "-n", "1"], FAILED, "-7", b""),
    ("no ids", ["GOOD", "--prompt-ids", "", "-n", "1"], USAGE, "prompt", b""),
    ("prompt longer than the context", ["GOOD", "--prompt-ids", "1,2,3,4,5", "-c", "4"], FAILED, "context", b""),
    ("negative temperature", ["GOOD", "-p", "x", "--temp", "-1"], USAGE, "temp", b""),
    ("temperature is no number", ["GOOD", "-p", "x", "--temp", "warm"], USAGE, "warm", b""),
    ("top-p above one", ["GOOD", "-p", "x", "--top-p", "1.5"], USAGE, "top-p", b""),
    ("no threads", ["GOOD", "-p", "x", "-t", "-2"], USAGE, "-2", b""),
    ("logits without ids", ["GOOD", "--logits", "OUT"], USAGE, "--input-ids", b""),
    ("ids file is no safetensors", ["GOOD", "--input-ids", "TEXT", "--logits", "OUT"], FAILED, "TEXT", b""),
    ("unknown id to text", ["GOOD", "--detokenize", "99999"], FAILED, "99999", b""),
    ("empty file", ["EMPTY", "-p", "x"], FAILED, "EMPTY", b""),
    ("not an artefact", ["TEXT", "-p", "x"], FAILED, "TEXT", b""),
    ("truncated artefact", ["TRUNCATED", "-p", "x"], FAILED, "TRUNCATED", b""),
    ("version damaged", ["VERSION", "-p", "x"], FAILED, "corrupted", b""),
    ("weights damaged", ["weights", "--verify"], FAILED, "corrupted", b""),
]


class Checker:
    def __init__(self):
        self.passed, self.failures = 0, 0

    def check(self, name, command, code, needle, stdin=b""):
        result = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, timeout=120)
        lines = [line for line in result.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
        problems = []
        if result.returncode != code:
            problems.append(f"exit {result.returncode}, not {code}")
        if len(lines) != 1:
            problems.append(f"{len(lines)} lines, not 1")
        elif needle not in lines[0]:
            problems.append(f"the line does not name {needle!r}")
        if result.stdout:
            problems.append("something on stdout")
        if problems:
            self.failures += 1
            print(f"FAILED {pathlib.Path(command[0]).name}: {name}: {'; '.join(problems)}")
            print("\n".join("    " + line for line in lines[:12]))
        else:
            self.passed += 1


def broken_artefacts(good, folder):
    """Copies of an artefact, damaged in the way they are named for; each section's copy has one byte changed."""
    data = good.read_bytes()
    size = len(data)
    index, entries = struct.unpack("<QQ", data[size - 48 : size - 32])  # cheems_footer of include/cheems/artifact.h
    bytes_at = {"footer": size - 20, "index": index + 8}
    for start in range(index, index + 64 * entries, 64):
        name, offset, length = struct.unpack("<24sQQ", data[start : start + 40])
        bytes_at[name.rstrip(b"\0").decode()] = offset + length // 2
    contents = {"EMPTY": b"", "TEXT": b"To be, or not to be\n" * 500, "TRUNCATED": data[: size // 2]}
    contents["VERSION"] = data[: size - 56] + struct.pack("<I", 999) + data[size - 52 :]
    for name, offset in bytes_at.items():
        contents[name] = data[:offset] + bytes([data[offset] ^ 0x40]) + data[offset + 1 :]
    paths = {}
    for name, content in contents.items():
        paths[name] = folder / f"{name}.cheems"
        paths[name].write_bytes(content)
    return paths, bytes_at.keys()


def interrupted(compiler, runner, model, folder, checker):
    """Ctrl-C at any moment leaves either no file or a whole one, and nothing beside it."""
    folder.mkdir()
    out = folder / "out.cheems"
    for delay in (0.02, 0.1, 0.3, 0.6):
        process = subprocess.Popen([compiler, model, "-o", out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        names = [path.name for path in folder.iterdir()]
        whole = out.exists() and subprocess.run([runner, out, "--verify"], capture_output=True, timeout=120).returncode == 0
        if names == ([out.name] if whole else []):
            checker.passed += 1
        else:
            checker.failures += 1
            print(f"FAILED cheems-compile: interrupted after {delay} s it left {names}")
        for name in names:
            (folder / name).unlink()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bins", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--compiler", type=pathlib.Path, required=True)
    options = parser.parse_args()
    if not options.compiler.exists():
        sys.exit(f"command_line.py: {options.compiler} is missing: build it first")
    compiler, runner = options.bins / "cheems-compile", options.bins / "cheems-run"
    checker = Checker()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        out = folder / "out.cheems"
        if compiler.exists():
            for name, arguments, code, needle in COMPILE_CASES:
                checker.check(name, [compiler, *({"MODEL": options.model, "OUT": out}.get(a, a) for a in arguments)], code, needle)
            for name, damage, code, needle in MODEL_CASES:
                model = folder / "model"
                shutil.copytree(options.model, model, copy_function=shutil.copyfile)
                damage(model)
                checker.check(name, [compiler, model, "-o", out], code, needle)
                shutil.rmtree(model)
            left = [path.name for path in folder.iterdir()]
            if left:
                checker.failures += 1
                print(f"FAILED cheems-compile: a failed compile left {left}")
        if compiler.exists() and runner.exists():
            interrupted(compiler, runner, options.model, folder / "interrupted", checker)
        if runner.exists():
            good = folder / "good.cheems"
            subprocess.run([options.compiler, options.model, "-o", good], check=True, stderr=subprocess.DEVNULL)
            broken, regions = broken_artefacts(good, folder)
            paths = {"GOOD": good, "OUT": folder / "out", **broken}
            for name, arguments, code, needle, stdin in RUN_CASES:
                checker.check(name, [runner, *(paths.get(a, a) for a in arguments)], code, needle, stdin)
            for region in regions - {"weights"}:
                checker.check(f"{region} damaged", [runner, broken[region], "-p", "x"], FAILED, "corrupted")
    print(f"{checker.passed} passed, {checker.failures} failed")
    sys.exit(bool(checker.failures) or not checker.passed)


main()
