#!/usr/bin/env python3
"""Checks a card with what gpu-check.sh has packed. gpu-check.sh describes it.

    check.py [--driver LIBRARY] [--out FOLDER] [--seconds N] [--only SECTION...]

The report is report.json and report.md in FOLDER, written after each section. The exit code is 1 if anything is wrong.
"""
import argparse
import importlib
import json
import pathlib
import sys
import tempfile
import time

from session import Failed, Session

SECTIONS = ["conformance", "goldens", "kernel_times", "speed", "operations", "torch_speed"]


def heading(session):
    card = session.card
    return [f"# GPU check: {card['name']}", "",
            f"- {card['multiprocessors']} multiprocessors, sm_{card['capability']}, {card['memory'] / 2**30:.1f} GiB, "
            f"{card['bandwidth'] / 1e9:.0f} GB/s and {card['clock'] / 1000:.0f} MHz as the driver says; driver for CUDA {card['cuda']}",
            f"- commit {session.pack['commit']}; {session.pack['compiler']}; packed {session.pack['date']}",
            *(["- this is the software GPU: times are no measure of anything"] if session.is_software else []), ""]


def section(session, name):
    """(title, result, lines of the page)"""
    module = importlib.import_module(name)
    begin = time.monotonic()
    try:
        result = module.run(session)
        lines = module.page(result)
    except Failed as why:
        result, lines = {"failures": [str(why)]}, []
    result["seconds"] = round(time.monotonic() - begin, 1)
    lines += [""] + [f"**Failed:** {failure}\n" for failure in result["failures"]]
    return module.TITLE, result, [f"## {module.TITLE}", "", *lines, f"{result['seconds']} s", ""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", type=pathlib.Path, help="a CUDA driver library; default: libcuda.so.1")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("gpu-check-report"))
    parser.add_argument("--seconds", type=int, default=540, help="when to stop")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=SECTIONS)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        try:
            session = Session(options.driver and options.driver.resolve(), options.out, pathlib.Path(work), options.seconds)
        except Failed as why:
            raise SystemExit(f"gpu-check: {why}") from None
        page, report, bad = heading(session), {"card": session.card, "pack": session.pack, "sections": {}}, 0
        print("\n".join(page), flush=True)
        for name in options.only:
            _, result, lines = section(session, name)
            page += lines
            report["sections"][name] = result
            bad += len(result["failures"])
            print("\n".join(lines), flush=True)
            (options.out / "report.json").write_text(json.dumps(report, indent=1))
            (options.out / "report.md").write_text("\n".join(page))
    print(f"gpu-check: {f'{bad} failures' if bad else 'all is right'}; the report is {options.out}/report.md")
    sys.exit(bad > 0)


main()
