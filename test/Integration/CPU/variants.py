"""Which variants of compiled code this CPU has, by what Linux says of it: the runtime's own reading of CPUID is what a test
is to be held against, so that a variant that is lost counts as a failure where the CPU has it."""
import os
import zlib

V3 = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave")
V4 = V3 + ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")
NEEDS = {
    "amx": V4 + ("avx512_vnni", "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8"),
    "avx512bf16": V4 + ("avx512_vnni", "avx512_bf16"),
    "avx512": V4,
    "avx2": V3,
}


def cpu_flags():
    with open("/proc/cpuinfo") as file:
        return next(set(line.split(":", 1)[1].split()) for line in file if line.startswith("flags"))


def lacking(variant, flags):
    """The first flag that the CPU lacks for a variant; None: it runs here."""
    return next((flag for flag in NEEDS[variant] if flag not in flags), None)


def drawn(what, share):
    """Whether `what` is looked at in this run: CHEEMS_TEST_SEED draws one in `share`, another one with the next number; all
    in long runs."""
    seed = int(os.environ.get("CHEEMS_TEST_SEED", 1))
    return "CHEEMS_TEST_LONG" in os.environ or (zlib.crc32(what.encode()) + seed) % share == 0


def compile_flags(subject):
    """What cheems-compile is told so that it makes code for the variants that this CPU has. Where that is one, the others are
    most of a compile's time, and one model has them in a short run."""
    flags = cpu_flags()
    here = [variant for variant in NEEDS if lacking(variant, flags) is None]
    return ["--cpu", here[0]] if len(here) == 1 and not drawn(subject, 12) else []


def report(subject, held, ran):
    """Prints which of all variants ran, of those that an artefact holds, and why others did not; the names of those that should
    have, and of those that it should hold, which are all unless it was compiled with compile_flags() for one."""
    flags = cpu_flags()
    alone = compile_flags(subject)[1:]
    told, lost = [], []
    for variant in reversed(NEEDS):
        flag = lacking(variant, flags)
        if variant not in (alone or NEEDS) and variant not in held:
            told.append(f"{variant} (not compiled: no {flag})")
            print(f"skipped: code for {variant} of recorded models: no {flag}")
        elif variant not in held:
            told.append(f"{variant} (LOST: the artefact has it not)")
            lost.append(variant)
        elif variant in ran:
            told.append(f"{variant} (ran)")
        elif flag is None:
            told.append(f"{variant} (LOST: the CPU has it)")
            lost.append(variant)
        else:
            told.append(f"{variant} (skipped: no {flag})")
            print(f"skipped: code for {variant} of recorded models: no {flag}")
    print(f"{subject} variants: {', '.join(told)}")
    return lost
