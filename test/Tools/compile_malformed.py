#!/usr/bin/env python3
"""Wrong use of cheems-compile, broken models, interrupted compiles, and artefacts damaged in each of their regions.

    compile_malformed.py BIN_DIR MODEL_DIR

Each must end in one clear line and the right exit code, and leave nothing half done.
"""
import os
import pathlib
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

from broken_models import edit_config, edit_header, edit_json, header_size, link, pipe, remove, rename_tensor, reshape, shard_index, truncate, write

FAILED, USAGE, UNSUPPORTED = 1, 2, 3
ONE_VARIANT = ("--cpu", "x86-64-v3")  # compiling all of them takes four times as long
LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123456\n"
NORM = "model.layers.0.input_layernorm.weight"


def make(folder):
    folder.mkdir(parents=True)
    return folder


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
    ("foreign model", edit_config(model_type="gpt2"), UNSUPPORTED, "gpt2"),
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
    ("shard missing", shard_index({NORM: "model-00001-of-00001.safetensors"}), FAILED, "model-00001-of-00001.safetensors: no such file; "),
    ("shard outside the folder", shard_index({NORM: "../../etc/passwd"}), FAILED, "passwd"),
    ("config is a pipe", pipe("config.json"), FAILED, "config.json: not a regular file"),
    ("weights are a pipe", pipe("model.safetensors"), FAILED, "model.safetensors: not a regular file"),
    ("index is a pipe", lambda model: [remove("model.safetensors")(model), pipe("model.safetensors.index.json")(model)], FAILED, "model.safetensors.index.json: not a regular file"),
    ("tokenizer is a pipe", pipe("tokenizer.json"), FAILED, "tokenizer.json: not a regular file"),
    ("defaults for generation are a folder", lambda model: [remove("generation_config.json")(model), (model / "generation_config.json").mkdir()], FAILED, "generation_config.json: not a regular file"),
    ("tokenizer is a link to nothing", link("tokenizer.json", "../gone"), FAILED, "tokenizer.json: a link to '../gone', which is not there"),
    ("weights are a link to nothing", link("model.safetensors", "../../blobs/0"), FAILED, "model.safetensors: a link to '../../blobs/0', which is not there"),
    ("template of elsewhere", link("chat_template.jinja", __file__), FAILED, "--allow-links"),
    ("weights are a pointer of Git LFS", write("model.safetensors", LFS_POINTER), FAILED, "model.safetensors: a pointer of Git LFS"),
    ("tokenizer is a pointer of Git LFS", write("tokenizer.json", LFS_POINTER), FAILED, "tokenizer.json: a pointer of Git LFS"),
    ("snapshots beside no config", lambda model: (model / "config.json").rename(make(model / "snapshots/0a") / "config.json"), FAILED, "/snapshots/0a"),
    ("another kind of tokenizer", edit_json("tokenizer.json", model={"type": "Unigram", "vocab": [["a", 0]]}), UNSUPPORTED, "Unigram"),
    ("no merges", edit_json("tokenizer.json", model={"type": "BPE", "vocab": {"a": 0}}), FAILED, "tokenizer.json: model: field 'merges' is missing"),
    ("a token that the tokenizer lacks", edit_json("tokenizer_config.json", bos_token="<none>"), FAILED, "<none>"),
    ("defaults that no sampler takes", edit_json("generation_config.json", temperature=-1), FAILED, "generation_config.json: temperature"),
    ("tokenizer is no JSON", write("tokenizer.json", b"{]"), FAILED, "tokenizer.json"),
]

# The same for a Cheems with experts: 7 SSD layers, then attention.
LAYER = "model.layers.0."
CHEEMS_CASES = [
    ("names of a Cheems in a Doge", edit_config(model_type="doge"), FAILED, "model_type 'doge'"),
    ("names of a Doge in a Cheems", rename_tensor(LAYER + "pre_state_layernorm.weight", LAYER + "post_layernorm.weight"), FAILED, "a checkpoint is one of them"),
    ("attention elsewhere", edit_config(attn_layer_offset=6), FAILED, "attn_layer_period 8 and attn_layer_offset 6"),
    ("no attention", edit_config(attn_layer_offset=8), FAILED, "layer 7 is an SSD layer"),
    ("attention everywhere", edit_config(attn_layer_period=1, attn_layer_offset=0), FAILED, "layer 0 is an attention layer"),
    ("no period", edit_config(attn_layer_period=0), FAILED, "attn_layer_period"),
    ("odd state", edit_config(ssd_state_size=15), FAILED, "ssd_state_size 15"),
    ("state that does not fit", edit_config(ssd_state_size=24), FAILED, "ssd_state_size 24"),
    ("groups that do not agree", reshape(LAYER + "ssd.c_proj.weight", [32, 128]), FAILED, "ssd.c_proj.weight"),
    ("no decay", rename_tensor(LAYER + "ssd.A", LAYER + "ssd.a"), FAILED, "'model.layers.0.ssd.A'"),
    ("tensor that no rule names", rename_tensor("model.layers.7.attn.dt_proj.weight", "model.layers.7.attn.dt.weight"), FAILED, "layer 7 is an attention layer"),
    ("shape that lies", reshape(LAYER + "ssd.x_proj.weight", [64, 65]), FAILED, "ssd.x_proj.weight"),
    ("empty tensor", reshape(LAYER + "ssd.b_proj.weight", [0, 64]), FAILED, "ssd.b_proj.weight"),
    ("future keys", edit_config(dynamic_mask_ratio=0.5), UNSUPPORTED, "dynamic_mask_ratio"),
    ("mask kind", edit_config(dynamic_mask_type="topk"), UNSUPPORTED, "'bias', 'threshold' and 'scale'"),
    ("threshold is no number", edit_config(dynamic_mask_threshold="high"), FAILED, "dynamic_mask_threshold"),
    ("score", edit_config(cdmoe_score="sigmoid"), UNSUPPORTED, "'softmax' and 'inner'"),
    ("more experts than there are", edit_config(num_cdmoe_experts_per_head=65), FAILED, "num_cdmoe_experts_per_head 65"),
    ("fewer experts than stored", edit_config(num_cdmoe_experts=49), FAILED, "feed_forward.keys"),
    ("odd queries", edit_config(expert_retrieval_size=15), FAILED, "expert_retrieval_size 15"),
    ("keys of another order", reshape(LAYER + "feed_forward.keys", [2, 2, 8, 8]), FAILED, "feed_forward.keys"),
    ("experts without keys", rename_tensor(LAYER + "feed_forward.keys", LAYER + "feed_forward.key"), FAILED, "feed_forward.keys"),
    ("spellings that differ", edit_config(num_cdmmoe_heads=3), FAILED, "num_cdmmoe_heads 3"),
    ("truncated weights", truncate("model.safetensors", 1_000_000), FAILED, "model.safetensors"),
]

# name, arguments (MODEL and OUT stand for paths), exit code, what the line must name
COMPILE_CASES = [
    ("no arguments", [], USAGE, ""),
    ("unknown flag", ["MODEL", "-o", "OUT", "--fastest"], USAGE, "--fastest"),
    ("letters after one dash", ["MODEL", "-o", "OUT", "-fa"], USAGE, "no -fa: "),
    ("a value that does not stand apart", ["MODEL", "-oOUT"], USAGE, "no -oOUT"),
    ("control characters", ["no\x1b[31m\u009bsuch", "-o", "OUT"], FAILED, "no [31m such"),
    ("no such folder", ["/no/such/model", "-o", "OUT"], FAILED, "/no/such/model"),
    ("no such pipeline", ["MODEL", "-o", "OUT", "--pipeline", "warp"], USAGE, "warp"),
    ("no such cpu", ["MODEL", "-o", "OUT", "--cpu", "i386-turbo"], UNSUPPORTED, "i386-turbo"),
    ("no such stage", ["MODEL", "-o", "OUT", "--emit", "fortran"], USAGE, "fortran"),
    ("context is no number", ["MODEL", "-o", "OUT", "--max-context", "long"], USAGE, "long"),
    ("context out of range", ["MODEL", "-o", "OUT", "--max-context", "99999999999999999999"], USAGE, "not '99999999999999999999'"),
    ("more rows than a group may have", ["MODEL", "-o", "OUT", "--group-experts", "4097"], USAGE, "4097"),
    ("groups in plain loops", ["MODEL", "-o", "OUT", "--pipeline", "scalar", "--group-experts", "64"], USAGE, "--group-experts"),
    ("no such GPU", ["MODEL", "-o", "OUT", "--target", "cuda", "--emit", "ptx", "--cuda-arch", "sm_1"], UNSUPPORTED, "sm_1"),
    ("no such GPU for a file", ["MODEL", "-o", "OUT", "--target", "cpu,cuda", "--cuda-arch", "sm_80,sm_99"], UNSUPPORTED, "'sm_99'"),
    ("a CPU without its target", ["MODEL", "-o", "OUT", "--target", "cuda", "--cpu", "avx2"], USAGE, "--cpu is for the target cpu"),
    ("races of GPUs", ["MODEL", "-o", "OUT", "--target", "cuda", "--race-checks"], USAGE,
     "--race-checks is for the target cpu; name that, too, or drop --race-checks"),
    ("plain loops of GPUs", ["MODEL", "-o", "OUT", "--target", "cuda", "--pipeline", "scalar"], USAGE,
     "--pipeline is for the target cpu; name that, too, or drop --pipeline"),
    ("groups of GPUs", ["MODEL", "-o", "OUT", "--target", "cuda", "--group-experts", "64"], USAGE,
     "--group-experts is for the target cpu; name that, too, or drop --group-experts"),
    ("loops of a stage of GPUs", ["MODEL", "-o", "OUT", "--target", "cuda", "--emit", "mlir", "--pipeline", "fast"], USAGE,
     "--pipeline is for the target cpu"),
    ("a GPU without its target", ["MODEL", "-o", "OUT", "--cuda-arch", "sm_80"], USAGE, "--cuda-arch is for --target cuda"),
    ("other target", ["MODEL", "-o", "OUT", "--target", "cpu,abacus"], UNSUPPORTED, "no target 'abacus'; this compiler has: cpu, cuda"),
    ("no such back end", ["MODEL", "-o", "OUT", "--load-backend", "/no/such/backend.so"], FAILED, "/no/such/backend.so"),
    ("a file that is no back end", ["MODEL", "-o", "OUT", "--load-backend", __file__], FAILED, "compile_malformed.py"),
    ("an option without a value", ["MODEL", "-o", "OUT", "--backend-option", "cpu.fast"], USAGE, "cpu.fast"),
    ("an option that no target takes", ["MODEL", "-o", "OUT", "--backend-option", "cpu.fast=1"], FAILED, "'cpu.fast'"),
    ("an option of a target that is not in use", ["MODEL", "-o", "OUT", "--backend-option", "cuda.arch=sm_80"], FAILED, "'cuda.arch'"),
    ("no such cpu for a target", ["MODEL", "-o", "OUT", "--backend-option", "cpu.cpu=i386-turbo"], UNSUPPORTED, "i386-turbo"),
    ("a group that is no number", ["MODEL", "-o", "OUT", "--backend-option", "cpu.group-experts=many"], FAILED,
     "cpu.group-experts is a number from 0 to 4096, not many"),
    ("a group that is too large", ["MODEL", "-o", "OUT", "--backend-option", "cpu.group-experts=4097"], FAILED, "from 0 to 4096, not 4097"),
    ("no such pipeline for a target", ["MODEL", "-o", "OUT", "--backend-option", "cpu.pipeline=warp"], FAILED,
     "cpu.pipeline is fast or scalar, not warp"),
    ("no such checks", ["MODEL", "-o", "OUT", "--backend-option", "cpu.race-checks=1"], FAILED, "cpu.race-checks is on or off, not 1"),
    ("a target's groups in plain loops", ["MODEL", "-o", "OUT", "--pipeline", "scalar", "--backend-option", "cpu.group-experts=64"], FAILED,
     "cpu.pipeline=scalar takes experts token by token"),
    ("an option twice", ["MODEL", "-o", "OUT", "--cpu", "avx2", "--backend-option", "cpu.cpu=native"], USAGE,
     "--backend-option cpu.cpu has a short form"),
    ("a target's option twice", ["MODEL", "-o", "OUT", "--target", "cuda", "--backend-option", "cuda.arch=sm_80", "--backend-option",
                                 "cuda.arch=sm_90a"], USAGE, "--backend-option cuda.arch is given twice; drop one of them"),
    ("the same value twice", ["MODEL", "-o", "OUT", "--backend-option", "cpu.cpu=avx2", "--backend-option", "cpu.cpu=avx2"], USAGE,
     "--backend-option cpu.cpu is given twice"),
    ("no GPU for a target", ["MODEL", "-o", "OUT", "--target", "cuda", "--backend-option", "cuda.arch="], UNSUPPORTED, "no kernels are made for ''"),
    ("output folder missing", ["MODEL", "-o", "/no/such/folder/out.cheems", *ONE_VARIANT], FAILED, "/no/such/folder"),
]

class Checker:
    def __init__(self):
        self.passed, self.failures = 0, 0

    def check(self, name, command, code, needle):
        command = [str(word) for word in command]
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300)
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


def damaged_regions(good, folder):
    """Region -> a copy of the artefact with one byte of it changed (include/cheems/artifact.h)."""
    data = good.read_bytes()
    size = len(data)
    index, entries = struct.unpack("<QQ", data[size - 48 : size - 32])
    places = {"footer": size - 20, "version": size - 56, "index": index + 8}
    for start in range(index, index + 64 * entries, 64):
        name, offset, length = struct.unpack("<24sQQ", data[start : start + 40])
        places[name.rstrip(b"\0").decode()] = offset + length // 2
    paths = {name: folder / f"{name}.cheems" for name in places}
    for name, place in places.items():
        paths[name].write_bytes(data[:place] + bytes([data[place] ^ 0x40]) + data[place + 1 :])
    return paths


def places(compiler, model, folder, good, checker):
    """Links stay and have their targets replaced, the mask gives the mode, and what is no file is left alone. The artefact
    that is made becomes `good`."""
    folder.mkdir()
    os.mkfifo(folder / "pipe")
    for place in ("pipe", "."):
        checker.check(f"output to {place}", [compiler, model, "-o", folder / place, *ONE_VARIANT], FAILED, "it is not a regular file")
    (folder / "pipe").unlink()
    (folder / "link").symlink_to("target")
    for mask, emit in ((0o022, "mlir"), (0o027, "artefact")):
        subprocess.run([compiler, model, "-o", folder / "link", "--emit", emit, *ONE_VARIANT], check=True, umask=mask)
        mode = stat.S_IMODE((folder / "target").stat().st_mode)
        names = sorted(path.name for path in folder.iterdir())
        if (folder / "link").is_symlink() and names == ["link", "target"] and mode == 0o666 & ~mask:
            checker.passed += 1
        else:
            checker.failures += 1
            print(f"FAILED cheems-compile: --emit {emit} through a link left {names}, mode {mode:o}")
    (folder / "target").rename(good)
    shutil.rmtree(folder)


def percent(compiler, model, folder, checker):
    """A '%' stands for itself, in the name, in that of its folder and in that of the folder for temporary files."""
    folder.mkdir()
    out = folder / "100%%.cheems"
    for emit in ("mlir", "artefact"):
        result = subprocess.run([compiler, model, "-o", out, "--emit", emit, "--cpu", "x86-64-v3"], env={**os.environ, "TMPDIR": str(folder)}, capture_output=True)
        names = [path.name for path in folder.iterdir()]
        if result.returncode == 0 and names == [out.name]:
            checker.passed += 1
        else:
            checker.failures += 1
            print(f"FAILED cheems-compile: --emit {emit} below {folder.name}: exit {result.returncode}, {names}: {result.stderr.decode()}")
    shutil.rmtree(folder)


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


def short_of_memory(compiler, original, model, checker):
    """Room to map a text, but not to copy it."""
    limit = 3 << 30
    words = ["sh", "-c", f"ulimit -v {limit >> 10} && exec \"$@\"", "sh", compiler]
    if subprocess.run([*words, "--version"], capture_output=True, timeout=300).returncode != 0:
        print("not tried: a compile short of memory; a sanitizer's program takes more from the start")
        return
    shutil.copytree(original, model, copy_function=shutil.copyfile)
    os.truncate(model / "config.json", (2 << 30) + 1)  # a hole: it takes no disk
    checker.check("short of memory", [*words, model, "-o", model / "out"], FAILED, "cheems-compile: out of memory")
    shutil.rmtree(model)


def cut_short(compiler, original, model, out, checker):
    """Weights that become shorter while they are mapped: the compiler is stopped meanwhile. It reads them after all else."""
    shutil.copytree(original, model, copy_function=shutil.copyfile)
    process = subprocess.Popen([compiler, model, "-o", out, *ONE_VARIANT], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while process.poll() is None and "model.safetensors" not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
        time.sleep(0.001)
    process.send_signal(signal.SIGSTOP)
    os.truncate(model / "model.safetensors", 5000)
    process.send_signal(signal.SIGCONT)
    lines = process.communicate(timeout=300)[1].decode().splitlines()
    if process.returncode == FAILED and len(lines) == 1 and "model.safetensors" in lines[0] and not list(out.parent.glob("out*")):
        checker.passed += 1
    else:
        checker.failures += 1
        print(f"FAILED cheems-compile: weights cut short: exit {process.returncode}", *lines, sep="\n    ")
    shutil.rmtree(model)


def reader_left(compiler, model, checker):
    """A pipe that nobody reads any more ends it without a word."""
    for arguments in (["--help"], ["--version"], [model, "-o", "-", "--emit", "mlir"]):
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run([compiler, *arguments], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, timeout=300)
        os.close(writer)
        if (result.returncode, result.stderr) == (0, b""):
            checker.passed += 1
        else:
            checker.failures += 1
            print(f"FAILED cheems-compile: nobody reads {arguments}: exit {result.returncode}, {result.stderr}")


def main():
    bins, good_model = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    cheems = pathlib.Path(__file__).parent.parent / "golden/models/cheems-moe"
    compiler, runner = bins / "cheems-compile", bins / "cheems-run"
    checker = Checker()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        out = folder / "out.cheems"
        for name, arguments, code, needle in COMPILE_CASES:
            words = {"MODEL": good_model, "OUT": out}
            checker.check(name, [compiler, *(words.get(a, a) for a in arguments)], code, needle)
        for original, cases in ((good_model, MODEL_CASES), (cheems, CHEEMS_CASES)):
            for name, damage, code, needle in cases:
                model = folder / "model"
                shutil.copytree(original, model, copy_function=shutil.copyfile)
                damage(model)
                checker.check(name, [compiler, model, "-o", out], code, needle)
                shutil.rmtree(model)
        reader_left(compiler, good_model, checker)
        short_of_memory(compiler, good_model, folder / "model", checker)
        cut_short(compiler, good_model, folder / "model", out, checker)
        left = [path.name for path in folder.iterdir()]
        if left:
            checker.failures += 1
            print(f"FAILED cheems-compile: a failed compile left {left}")
        good = folder / "good.cheems"
        places(compiler, good_model, folder / "places", good, checker)
        percent(compiler, good_model, folder / "50%", checker)
        interrupted(compiler, runner, good_model, folder / "interrupted", checker)
        for region, path in damaged_regions(good, folder).items():
            mode = ["--verify"] if region == "weights" else ["-p", "x"]
            checker.check(f"{region} damaged", [runner, path, *mode], FAILED, f"{region}.cheems: corrupted")
    print(f"{checker.passed} passed, {checker.failures} failed")
    sys.exit(bool(checker.failures))


main()
