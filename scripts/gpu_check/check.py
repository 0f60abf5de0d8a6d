#!/usr/bin/env python3
"""Checks a GPU with what gpu-check.sh has packed. gpu-check.sh describes it.

    check.py [--driver LIBRARY] [--out FOLDER] [--seconds N] [--call-seconds N] [--only SECTION...] [--torch]

The report is report.json and report.md in FOLDER, written after each row. The exit code is 1 if anything is wrong.
"""
import argparse
import importlib
import pathlib
import sys
import tempfile
import time

from report import Report
from session import CALL, Failed, Session, Stopped

SECONDS = 540
# The sections run in this order, each for so many of those seconds. What a section leaves is the others'; the last ones may take all that
# is left.
SECTIONS = {"code_images": 30, "ladder": 90, "conformance": 90, "goldens": 60, "speed": 150, "kernel_times": 90, "operations": SECONDS,
            "torch_speed": SECONDS}


def run(session, report, name, end, share):
    """One section."""
    module = importlib.import_module(name)
    result = report.begin(name, module.TITLE, module.page)
    session.end = min(end, time.monotonic() + share * SECTIONS[name])
    try:
        session.go_on()
        if end <= time.monotonic():
            raise Failed("no time is left")
        module.run(session, result)
    except (Failed, Stopped) as why:
        result.fail(str(why))
    print("\n".join(report.end()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, help="a CUDA driver library; default: libcuda.so.1")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-check-report"))
    parser.add_argument("--seconds", type=int, default=SECONDS, help="when to stop")
    parser.add_argument("--call-seconds", type=float, default=CALL, help="how long a call to the GPU may take")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, help="these sections, and code_images, which all others need")
    parser.add_argument("--torch", action="store_true", help="time PyTorch, too")
    options = parser.parse_args()
    names = options.only or [name for name in SECTIONS if options.torch or name != "torch_speed"]
    options.out.mkdir(parents=True, exist_ok=True)
    end, share = time.monotonic() + options.seconds, options.seconds / SECONDS
    with tempfile.TemporaryDirectory() as work:
        try:
            session = Session(options.driver and options.driver.resolve(), options.out, pathlib.Path(work), options.call_seconds,
                              options.torch or "torch_speed" in names)
        except (Failed, Stopped) as why:
            raise SystemExit(f"gpu-check: {why}") from None
        report = Report(options.out, session)
        print("\n".join(report.heading()), flush=True)
        for name in SECTIONS:
            if name in names or name == "code_images":
                run(session, report, name, end, share)
    bad = report.failures()
    print(f"gpu-check: {f'{bad} failures' if bad else 'all is right'}; the report is {options.out}/report.md")
    sys.exit(bad > 0)


main()
