"""How each contender is run: one job is one program, model and test, and a sample is what one run of it says."""
import dataclasses, json, os, pathlib, statistics, subprocess, sys
import machine, random_gguf, random_model
from models import MODELS

HERE = pathlib.Path(__file__).resolve().parent
PROMPT = DEPTH = 512
SEQUENCES = 8
# what a forced variant needs of the CPU
VARIANTS = {"amx": "amx_bf16", "avx512bf16": "avx512_bf16", "avx512": "avx512vl", "avx2": "avx2"}


class Missing(Exception):
    """A contender that cannot run here; the message says what it lacks."""


@dataclasses.dataclass(frozen=True)
class Job:
    by: str  # cheems, llama.cpp, torch, transformers
    how: str  # a forced variant, a build or a type; empty: as it comes
    model: str
    test: str  # prefill, decode, or batch: decoding of several sequences at once

    def name(self):
        return " ".join(filter(None, (self.by, self.how)))

    def key(self):
        return "/".join((self.by, self.how or "default", self.model, self.test))


def run(command, environment={}):
    command = [str(word) for word in command]
    try:
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    except OSError as error:
        raise Missing(f"cannot run {command[0]}: {error.strerror}")
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Missing(f"{pathlib.Path(command[0]).name} failed ({done.returncode}): {last}")
    return done.stdout


class Runner:
    def __init__(self, bins, work, threads, count, repeat):
        self.bins, self.work, self.threads, self.count, self.repeat = bins, work, threads, count, repeat
        self.features = machine.describe()["features"]
        self.made = {}

    def once(self, path, make):
        """`path`, made by the first call that asks for it."""
        if path not in self.made:
            self.made[path] = path
            make()
        return path

    def folder(self, model):
        folder = self.work / model
        return self.once(folder, lambda: (folder / "config.json").exists() or random_model.save(folder, MODELS[model]))

    def artefact(self, model):
        path = self.work / f"{model}.cheems"
        return self.once(path, lambda: run([self.bins / "cheems-compile", self.folder(model), "-o", path]))

    def gguf(self, model):
        path = self.work / f"{model}.gguf"
        return self.once(path, lambda: path.exists() or random_gguf.save(path, MODELS[model]))

    def prepare(self, job):
        """Makes what a job runs on, and says whether it can run here."""
        if job.by == "cheems":
            if job.how and VARIANTS[job.how] not in self.features:
                raise Missing(f"no {VARIANTS[job.how]} in this CPU")
            self.artefact(job.model)
        elif job.by == "llama.cpp":
            self.llama_bench(job.how)
            self.gguf(job.model)
        else:
            run([sys.executable, "-c", f"import {job.by}"])
            self.folder(job.model)

    def sample(self, job):
        """Tokens a second, what else the program says about the run, and the limits of this machine that it measured."""
        return {"cheems": self.cheems, "llama.cpp": self.llama}.get(job.by, self.torch)(job)

    def llama_bench(self, build):
        name = "LLAMA_BENCH_" + build.upper() if build else "LLAMA_BENCH"
        path = os.environ.get(name, "")
        if not path and build and not {"avx512_vnni", "avx512_bf16"} & set(self.features):
            path = os.environ.get("LLAMA_BENCH", "")  # a native build has no more than AVX-512 here
        if not path:
            raise Missing(f"{name} names no llama-bench")
        return path

    def tests(self, job):
        return ["-p", PROMPT, "-n", 0] if job.test == "prefill" else ["-p", 0, "-n", self.count, "-d", DEPTH]

    def cheems(self, job):
        more = ["-b", SEQUENCES] if job.test == "batch" else []
        row = json.loads(run([self.bins / "cheems-bench", self.artefact(job.model), "-t", self.threads, "-r", self.repeat,
                              "-o", "json", *self.tests(job), *more], {"CHEEMS_CPU": job.how} if job.how else {}))[-1]
        limits = {"read": row["machine"]["read_gigabytes_per_second"], **row["machine"]["gigaflops_per_second"]}
        notes = dict(variant=row["variant"], unit=row["machine"]["peak_unit"], bytes=row["bytes"] / row["tokens"])
        return row["tokens_per_second_median"], notes, limits

    def llama(self, job):
        rows = json.loads(run([self.llama_bench(job.how), "-m", self.gguf(job.model), "-t", self.threads, "-r", self.repeat,
                               "-o", "json", *self.tests(job)]))
        return statistics.median(rows[-1]["samples_ts"]), {"build": rows[-1]["build_commit"]}, {}

    def torch(self, job):
        counts = ["--prefill", PROMPT] if job.test == "prefill" else ["--depth", DEPTH, "--count", self.count]
        row = json.loads(run([sys.executable, HERE / "torch_doge.py", self.folder(job.model), "--by", job.by, "--dtype", job.how,
                              "--threads", self.threads, "--repeat", 1, *counts]))
        return row[job.test], {"version": row["version"]}, {}
