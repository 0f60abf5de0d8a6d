"""What a model costs once, and a parallel loop each time: compiling, the first token, the handing over to the threads."""
from table import LARGE, median, number

COMPILED = ("doge-160M", LARGE, f"{LARGE}+int8", f"{LARGE}+int4")


def measure(runner, say):
    """Compiles each of these models anew, and has the first token of each told."""
    found = {}
    for model in COMPILED:
        found[model] = runner.costs(model)
        say(f"{model}: compiled in {found[model]['seconds']:.1f} s with {found[model]['peak'] / 2**20:.0f} MiB, first token after {found[model]['load']:.2f} s")
    return found


def table(results):
    lines = ["| model | compiling, s | its peak memory | file | load to first token, s |", "|---|---|---|---|---|"]
    for model, cost in results["costs"].items():
        lines.append(f"| {model} | {cost['seconds']:.1f} | {cost['peak'] / 2**20:.0f} MiB | {cost['bytes'] / 1e6:.0f} MB | {cost['load']:.2f} |")
    regions = results["limits"].get("region", [])
    lines += ["", f"An empty parallel region costs {median(regions):.2f} µs on {results['settings']['threads']} threads." if regions else "No region was timed."]
    return "\n".join(lines)
