"""Weights rounded to 8 and 4 bits: what is set against what. Whole models; what rounding costs in words, cheems-perplexity says."""
from contenders import DEPTH, PROMPT, Job
from table import LARGE, Row, cheems, llama

FORMATS = {"int8": ("Q8_0", 0.80, 1.5), "int4": ("Q4_0", 0.70, 1.4)}


def rows():
    for weights, (peer, share, ratio) in FORMATS.items():
        yield Row(f"weights-{weights}-1.3B-read", f"decode, Cheems of 1.3B's shape, {weights}, depth {DEPTH}", "measured read bandwidth", share,
                  cheems(f"{LARGE}+{weights}", f"decode {DEPTH}"), limit="read")
        for size in ("160M", "320M"):
            model = f"doge-{size}+{weights}"
            yield Row(f"weights-{weights}-{size}-llama", f"decode, Doge {size} {weights}, depth {DEPTH}", f"llama.cpp {peer}, same dimensions", ratio,
                      cheems(model, "decode"), llama(model, "decode"))
    yield Row("weights-int8-prefill", f"prefill {PROMPT}, Doge 160M int8", "itself with weights of bf16", 0.8, cheems("doge-160M+int8", "prefill"),
              (cheems("doge-160M", "prefill"),), least_with=("avx512_vnni", 1.3))
    yield Row("weights-int8-prefill-avx512", f"prefill {PROMPT}, Doge 160M int8, AVX-512 without VNNI", "itself with weights of bf16", 0.8,
              cheems("doge-160M+int8", "prefill", "avx512"), (cheems("doge-160M", "prefill", "avx512"),))


def further():
    """Rates without a row of their own."""
    for weights in FORMATS:
        yield from llama(f"doge-160M+{weights}", "prefill")
        yield cheems(f"doge-160M+{weights}", "batch")
    yield cheems("doge-160M+int4", "prefill")


def all_jobs():
    return list(dict.fromkeys([job for row in rows() for job in row.jobs()] + list(further())))
