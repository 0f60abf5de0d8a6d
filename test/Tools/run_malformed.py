#!/usr/bin/env python3
"""Wrong use of cheems-run on a stand-in model: each case ends in one line and the right exit code.

    run_malformed.py CHEEMS_RUN WRITE_TALKING_ARTIFACT

Needs no compiler, so it runs under the sanitizers too.
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

FAILED, USAGE, UNSUPPORTED = 1, 2, 3


def safetensors(shape, offsets, dtype="I64", data=struct.pack("<4q", 1, 2, 3, 4), name="input_ids"):
    header = json.dumps({name: {"dtype": dtype, "shape": shape, "data_offsets": offsets}}).encode()
    return struct.pack("<Q", len(header)) + header + data


def deep_header(levels):
    header = b'{"input_ids":' + b"[" * levels + b"]" * levels + b"}"
    return struct.pack("<Q", len(header)) + header


# files that the cases name
FILES = {
    "text.cheems": b"To be, or not to be\n" * 500,
    "empty.cheems": b"",
    "latin1.txt": "caf\u00e9".encode("latin-1"),
    "cut.txt": "ab\u00e9".encode()[:-1],
    "ids.txt": b"1,2,x",
    "good.st": safetensors([2, 2], [0, 32]),
    "outside.st": safetensors([2, 2], [0, 32], data=struct.pack("<4q", 1, 2, 3, 16)),
    "negative.st": safetensors([1, 1], [0, 8], data=struct.pack("<q", -1)),
    "huge-id.st": safetensors([1, 1], [0, 8], data=struct.pack("<q", 1 << 40)),
    "long.st": safetensors([1, 300], [0, 2400], data=bytes(2400)),
    "float.st": safetensors([2, 2], [0, 16], dtype="F32"),
    "cube.st": safetensors([1, 2, 2], [0, 32]),
    "overflow.st": safetensors([1 << 62, 1 << 62], [0, 32]),
    "beyond.st": safetensors([2, 2], [1 << 50, (1 << 50) + 32]),
    "misnamed.st": safetensors([2, 2], [0, 32], name="ids"),
    "header.st": struct.pack("<Q", 1 << 63) + b"{}",
    "nested.st": struct.pack("<Q", 100000) + b"[" * 100000,
    "deep.st": deep_header(1_000_000),
    "no-json.st": struct.pack("<Q", 4) + b"nope",
}

# arguments (run in the folder of the files), exit code, what the line names, standard input
CASES = [
    ([], USAGE, "model"),
    (["", "-p", "a"], USAGE, "model"),
    (["good.cheems"], USAGE, "-p"),
    (["good.cheems", "--louder"], USAGE, "--louder"),
    (["good.cheems", "-p"], USAGE, "-p"),
    (["good.cheems", "other.cheems", "-p", "a"], USAGE, "other.cheems"),
    (["good.cheems", "-p", "Once", "upon", "a", "time"], USAGE, "cannot tell what 'upon' 'a' 'time' is for; a text with spaces needs quotes"),
    (["good.cheems", "-p", "a", "-p", "b"], USAGE, "-p is given twice; give it once"),
    (["good.cheems", "-p", "a", "--prompt=b"], USAGE, "-p and --prompt are the same option; give it once"),
    (["good.cheems", "other.cheems", "-m", "third.cheems", "-p", "b"], USAGE, "--model is given twice; give it once"),
    (["-m", "good.cheems", "other.cheems", "-p", "b"], USAGE, "other.cheems"),
    (["good.cheems", "-p", "a", "--temp", "1", "--temp", "2"], USAGE, "--temp is given twice"),
    (["good.cheems", "-p", "a", "-f", "latin1.txt"], USAGE, "-f"),
    (["good.cheems", "-p", "a", "--prompt-ids", "1"], USAGE, "--prompt-ids"),
    # standard input can be read once
    (["good.cheems", "-f", "-", "--grammar-file", "-"], USAGE, "-f and --grammar-file both read standard input", b'root ::= "a"'),
    (["good.cheems", "-f", "/dev/stdin", "--json-schema-file", "-"], USAGE, "-f and --json-schema-file both", b"{}"),
    (["good.cheems", "--prompt-ids", "@-", "--grammar-file", "/dev/fd/0"], USAGE, "--prompt-ids and --grammar-file both", b"1"),
    (["good.cheems", "--chat", "--grammar-file", "-"], USAGE, "--chat and --grammar-file both", b'root ::= "a"'),
    (["good.cheems", "--chat", "--chat-template-file", "-"], USAGE, "--chat and --chat-template-file both", b"{{ messages }}"),
    (["good.cheems", "--chat", "-f", "-", "--chat-template-file", "-"], USAGE, "-f and --chat-template-file both", b"{{ messages }}"),
    (["good.cheems", "--describe", "--verify"], USAGE, "--verify"),
    (["good.cheems", "--describe", "-p", "a"], USAGE, "no prompt"),
    (["good.cheems", "--describe=most"], USAGE, "--describe"),
    (["good.cheems", "--tokenize"], USAGE, "--tokenize"),
    (["good.cheems", "--chat", "--prompt-ids", "1"], USAGE, "--chat"),
    (["good.cheems", "--chat", "--print-ids"], USAGE, "--print-ids"),
    (["good.cheems", "-sys", "a", "-p", "a"], USAGE, "--chat"),
    (["good.cheems", "--logits", "out"], USAGE, "--input-ids"),
    (["good.cheems", "--input-ids", "good.st"], USAGE, "--logits"),
    # several letters after one dash are one flag
    (["good.cheems", "-p", "a", "-ngl", "99"], USAGE, "no -ngl: a whole model runs on one device; choose it with --device"),
    (["good.cheems", "-p", "a", "-fa", "on"], USAGE, "no -fa: "),
    (["good.cheems", "-p", "a", "-ctk", "q8_0"], USAGE, "no -ctk: "),
    (["good.cheems", "-p", "a", "-tb", "4"], USAGE, "no -tb: "),
    (["good.cheems", "-p", "a", "-st"], USAGE, "no -st: "),
    (["good.cheems", "-p", "a", "-no-cnv"], USAGE, "no -no-cnv: "),
    (["good.cheems", "-ps", "-n", "4"], USAGE, "no -ps: "),
    (["good.cheems", "-hf", "x"], USAGE, "no -hf: "),
    (["good.cheems", "-p", "a", "-n4"], USAGE, "-n 4"),
    (["good.cheems", "-p", "a", "-temp", "1"], USAGE, "write --temp"),
    (["good.cheems", "-p", "a", "-ich"], USAGE, "no -ich;"),
    (["good.cheems", "-p", "a", "--n-gpu-layers", "9"], USAGE, "no --n-gpu-layers: "),
    (["good.cheems", "-p", "-ngl", "-b", "9"], USAGE, "no -b: a model says how many tokens"),
    (["good.cheems", "-p", "a", "--jinja"], USAGE, "no --jinja: chat templates always run, in Jinja; drop it"),
    (["good.cheems", "-p", "a", "--no-warmup"], USAGE, "no --no-warmup: there is no warm-up run; drop it"),
    (["good.cheems", "-p", "a", "-np", "4"], USAGE, "use cheems-serve for several"),
    (["good.cheems", "-p", "a", "--log-file=x"], USAGE, "no --log-file: what there is to say goes to standard error"),
    (["good.cheems", "-p", "a", "--mirostat", "2"], USAGE, "no --mirostat: there is no such way to sample"),
    (["good.cheems", "-p", "a", "--chat-template", "chatml"], USAGE, "use --chat-template-file"),
    # numbers
    (["good.cheems", "-p", "a", "-n", "-5"], USAGE, "-5"),
    (["good.cheems", "-p", "a", "-n", "many"], USAGE, "many"),
    (["good.cheems", "-p", "a", "-n", "99999999999999999999"], USAGE, "not '99999999999999999999'"),
    (["good.cheems", "-p", "a", "-n", "0x10"], USAGE, "'0x10'"),
    (["good.cheems", "-p", "a", "-n", ""], USAGE, "''"),
    (["good.cheems", "-p", "a", "-c", "-99999999999999999999"], USAGE, "'-99999999999999999999'"),
    (["good.cheems", "-p", "a", "-t", "99999999999999999999"], USAGE, "'99999999999999999999'"),
    (["good.cheems", "-p", "a", "-t", "0"], USAGE, "-t"),
    (["good.cheems", "-p", "a", "-t", "-2"], USAGE, "-2"),
    (["good.cheems", "-p", "a", "-t", "100000"], USAGE, "100000"),
    (["good.cheems", "-p", "a", "-c", "-1"], USAGE, "-1"),
    (["good.cheems", "-p", "a", "-c", "4294967296"], USAGE, "4294967296"),
    (["good.cheems", "-p", "a", "--prefill-chunk", "0"], USAGE, "--prefill-chunk"),
    (["good.cheems", "-p", "a", "--temp", "-1"], USAGE, "--temp"),
    (["good.cheems", "-p", "a", "--temp", "nan"], USAGE, "--temp"),
    (["good.cheems", "-p", "a", "--top-k", "-1"], USAGE, "--top-k"),
    (["good.cheems", "-p", "a", "--top-k", "1.5"], USAGE, "1.5"),
    (["good.cheems", "-p", "a", "--top-k", "99999999999999999999"], USAGE, "'99999999999999999999'"),
    (["good.cheems", "-p", "a", "--temp", "1e999"], USAGE, "1e999"),
    (["good.cheems", "-p", "a", "--top-p", "1.0000001"], USAGE, "not 1.0000001"),
    (["good.cheems", "-p", "a", "--top-p", "2"], USAGE, "--top-p"),
    (["good.cheems", "-p", "a", "--min-p", "-0.1"], USAGE, "--min-p"),
    (["good.cheems", "-p", "a", "--repeat-penalty", "0"], USAGE, "--repeat-penalty"),
    (["good.cheems", "-p", "a", "--repeat-last-n", "-2"], USAGE, "--repeat-last-n"),
    (["good.cheems", "-p", "a", "--presence-penalty", "inf"], USAGE, "--presence-penalty"),
    (["good.cheems", "-p", "a", "--frequency-penalty", "nan"], USAGE, "--frequency-penalty"),
    (["good.cheems", "-p", "a", "--logit-bias", "7"], USAGE, "--logit-bias: '7'"),
    (["good.cheems", "-p", "a", "--logit-bias", "7+inf"], USAGE, "--logit-bias"),
    (["good.cheems", "-p", "a", "-l", "16+1"], USAGE, "token 16 is outside the vocabulary"),
    (["good.cheems", "-p", "a", "-s", "-2"], USAGE, "-s"),
    (["good.cheems", "-p", "a", "-s", "99999999999999999999"], USAGE, "not '99999999999999999999'"),
    (["good.cheems", "-p", "a", "-s", "9223372036854775808"], USAGE, "'9223372036854775808'"),
    (["good.cheems", "-p", "a", "--tokenize", "--save-state", "x"], USAGE, "--save-state"),
    (["good.cheems", "-p", "a", "--save-state", ""], FAILED, "cannot write ''"),
    (["good.cheems", "-p", "a", "--profile", ""], FAILED, "cannot write ''"),
    (["good.cheems", "--load-state", "no-such-file"], FAILED, "no-such-file"),
    (["good.cheems", "--profile", "x"], USAGE, "-p"),
    (["good.cheems", "--verify", "--profile", "x"], USAGE, "--profile"),
    # prompts
    (["good.cheems", "-f", "/no/such/prompt"], FAILED, "/no/such/prompt"),
    (["good.cheems", "-f", "."], FAILED, "directory"),
    (["good.cheems", "-f", "latin1.txt"], FAILED, "byte 3"),
    (["good.cheems", "-f", "cut.txt"], FAILED, "byte 2"),
    (["good.cheems", "-f", "-"], FAILED, "byte 1", b"a\xffb"),
    (["good.cheems", "-p", b"a\xc0\x80"], FAILED, "byte 1"),
    (["good.cheems", "--tokenize", "-f", "latin1.txt"], FAILED, "byte 3"),
    (["good.cheems", "-p", "a" * 300], FAILED, "context of 256"),
    (["good.cheems", "-p", "abcab", "-c", "3"], FAILED, "4 tokens"),
    (["no-bos.cheems", "-p", ""], USAGE, "empty"),
    (["no-bos.cheems", "-f", "-"], USAGE, "empty"),
    # ids
    (["good.cheems", "--prompt-ids", ""], USAGE, "--prompt-ids"),
    (["good.cheems", "--prompt-ids", "1,two"], USAGE, "two"),
    (["good.cheems", "--prompt-ids", "@ids.txt"], USAGE, "'x'"),
    (["good.cheems", "--prompt-ids", "@/no/such/ids"], FAILED, "/no/such/ids"),
    (["good.cheems", "--prompt-ids", "1,16"], FAILED, "vocabulary of 16"),
    (["good.cheems", "--prompt-ids", "1,-7"], FAILED, "-7"),
    (["good.cheems", "--prompt-ids", "4294967296"], FAILED, "4294967296"),
    (["good.cheems", "--prompt-ids", ",".join("1" * 300)], FAILED, "300"),
    (["good.cheems", "--detokenize", "99"], FAILED, "99"),
    (["good.cheems", "--detokenize", "a"], USAGE, "'a'"),
    # logits
    (["good.cheems", "--input-ids", "/no/such.st", "--logits", "out"], FAILED, "/no/such.st"),
    (["good.cheems", "--input-ids", "good.st", "--logits", "/no/such/out"], FAILED, "/no/such/out"),
    (["good.cheems", "--input-ids", "good.st", "--logits", "."], FAILED, "directory"),
    (["good.cheems", "--input-ids", "good.st", "--logits", ""], FAILED, "cannot write ''"),
    (["good.cheems", "--input-ids", "empty.cheems", "--logits", "out"], FAILED, "empty.cheems"),
    (["good.cheems", "--input-ids", "text.cheems", "--logits", "out"], FAILED, "text.cheems"),
    (["good.cheems", "--input-ids", "outside.st", "--logits", "out"], FAILED, "token id 16"),
    (["good.cheems", "--input-ids", "negative.st", "--logits", "out"], FAILED, "token id -1"),
    (["good.cheems", "--input-ids", "huge-id.st", "--logits", "out"], FAILED, "1099511627776"),
    (["good.cheems", "--input-ids", "long.st", "--logits", "out"], FAILED, "context of 256"),
    (["good.cheems", "--input-ids", "float.st", "--logits", "out"], FAILED, "F32"),
    (["good.cheems", "--input-ids", "cube.st", "--logits", "out"], FAILED, "[B,T]"),
    (["good.cheems", "--input-ids", "overflow.st", "--logits", "out"], FAILED, "shape"),
    (["good.cheems", "--input-ids", "beyond.st", "--logits", "out"], FAILED, "outside the file"),
    (["good.cheems", "--input-ids", "misnamed.st", "--logits", "out"], FAILED, "input_ids"),
    (["good.cheems", "--input-ids", "header.st", "--logits", "out"], FAILED, "header"),
    (["good.cheems", "--input-ids", "nested.st", "--logits", "out"], FAILED, "JSON"),
    (["good.cheems", "--input-ids", "deep.st", "--logits", "out"], FAILED, "JSON object"),
    (["good.cheems", "--input-ids", "no-json.st", "--logits", "out"], FAILED, "JSON"),
    # models
    (["/no/such.cheems", "-p", "a"], FAILED, "/no/such.cheems"),
    (["/dev/null", "-p", "a"], FAILED, "/dev/null"),
    (["empty.cheems", "-p", "a"], FAILED, "empty.cheems"),
    (["text.cheems", "-p", "a"], FAILED, "not a cheems file"),
    (["truncated.cheems", "-p", "a"], FAILED, "truncated.cheems"),
    (["flipped.cheems", "-p", "a"], FAILED, "corrupted"),
    (["unreadable.cheems", "-p", "a"], FAILED, "unreadable.cheems"),
    (["folder", "-p", "a"], FAILED, "config.json"),
    (["mute.cheems", "-p", "a"], UNSUPPORTED, "tokenizer"),
    (["mute.cheems", "--prompt-ids", "1"], UNSUPPORTED, "tokenizer"),
    (["mute.cheems", "--tokenize", "-p", "a"], UNSUPPORTED, "tokenizer"),
    (["mute.cheems", "--detokenize", "1"], UNSUPPORTED, "tokenizer"),
    (["mute.cheems", "--chat"], UNSUPPORTED, "tokenizer"),
    (["no-template.cheems", "--chat"], UNSUPPORTED, "template"),
    (["bad-template.cheems", "--chat"], FAILED, "template"),
    (["bad-tokenizer.cheems", "-p", "a"], FAILED, "tokenizer"),
    (["bad-generation.cheems", "-p", "a"], FAILED, "temperature"),
]


def check(runner, folder, arguments, code, needle, stdin=b""):
    result = subprocess.run([runner, *arguments], input=stdin, capture_output=True, timeout=120, cwd=folder)
    stderr = result.stderr.decode("utf-8", "replace")
    problems = []
    if result.returncode != code:
        problems.append(f"exit {result.returncode}, not {code}")
    if stderr.count("\n") != 1 or not stderr.endswith("\n"):
        problems.append("not exactly one line")
    if needle not in stderr:
        problems.append(f"{needle!r} is not named")
    if result.stdout:
        problems.append(f"on stdout: {result.stdout[:60]!r}")
    if problems:
        print(f"FAILED {arguments}: {'; '.join(problems)}\n    {stderr[:2000]}")
    return not problems


def main():
    runner, writer = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        subprocess.run([writer, folder], check=True)
        for file, content in FILES.items():
            (folder / file).write_bytes(content)
        good = (folder / "good.cheems").read_bytes()
        (folder / "truncated.cheems").write_bytes(good[:-100])
        (folder / "flipped.cheems").write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
        (folder / "folder").mkdir()
        cases = CASES
        (folder / "unreadable.cheems").write_bytes(good)
        (folder / "unreadable.cheems").chmod(0)
        if os.access(folder / "unreadable.cheems", os.R_OK):  # root reads everything
            cases = [case for case in CASES if case[0][:1] != ["unreadable.cheems"]]
        before = sorted(folder.iterdir())
        failures = sum(not check(runner, folder, *case) for case in cases)
        left = [path.name for path in sorted(folder.iterdir()) if path not in before]
        if left:
            failures += 1
            print(f"FAILED: files were left: {left}")
    print(f"{len(cases)} cases, {failures} failed")
    sys.exit(bool(failures))


main()
