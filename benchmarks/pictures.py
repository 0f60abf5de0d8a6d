"""The pictures of a run as SVG: what decoding reads a second against what a token reads, and tokens a second as bars;
and the pieces that `charts.py` draws with, too."""
import math
from xml.sax.saxutils import escape
from contenders import DEPTH, PROMPT, Job
from table import all_jobs, median, number, rates, work_of

# One colour per program, legible on white and on black; ours is the strong one.
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .quiet { fill: #57606a; font-size: 12px }
  .axis { stroke: #8c959f; stroke-width: 1 }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .limit { stroke: #cf222e; stroke-width: 1.5; fill: none }
  .target { stroke: #cf222e; stroke-width: 1; stroke-dasharray: 5 4; fill: none }
  .cheems { fill: #0969da; stroke: #0969da }
  .llama { fill: #bc6c00; stroke: #bc6c00 }
  .torch { fill: #8250df; stroke: #8250df }
  .transformers { fill: #57606a; stroke: #57606a }
  .doge { fill: #1a7f37; stroke: #1a7f37 }
  .dense { fill: #cf222e; stroke: #cf222e }
  .pkm { fill: #bc6c00; stroke: #bc6c00 }
  .peer { fill: #bf3989; stroke: #bf3989 }
  .loop { fill: #57606a; stroke: #57606a }
  .hollow { fill: none; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .axis { stroke: #9198a1 }
    .grid { stroke: #3d444d }
    .limit, .target { stroke: #ff7b72 }
    .cheems { fill: #58a6ff; stroke: #58a6ff }
    .llama { fill: #e3a04f; stroke: #e3a04f }
    .torch { fill: #b392f0; stroke: #b392f0 }
    .transformers { fill: #9198a1; stroke: #9198a1 }
    .doge { fill: #3fb950; stroke: #3fb950 }
    .dense { fill: #ff7b72; stroke: #ff7b72 }
    .pkm { fill: #e3a04f; stroke: #e3a04f }
    .peer { fill: #f778ba; stroke: #f778ba }
    .loop { fill: #9198a1; stroke: #9198a1 }
    .hollow { fill: none }
  }
"""


def svg(width, height, title, body):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">\n'
            f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n" + "\n".join(body) + "\n</svg>\n")


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{escape(words)}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def colour(job):
    return job.by.split(".")[0]


def mark(shape, x, y, kind):
    """A circle, or a polygon of so many corners."""
    if shape == 0:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" class="{kind}"/>'
    turn = math.pi / 4 if shape == -4 else 0
    corners = (f"{x + 6 * math.sin(turn + 2 * math.pi * i / abs(shape)):.1f},{y - 6 * math.cos(turn + 2 * math.pi * i / abs(shape)):.1f}"
               for i in range(abs(shape)))
    return f'<polygon points="{" ".join(corners)}" class="{kind}"/>'


def ticks(most, count=5):
    """Round numbers from zero to at least `most`."""
    raw = most / count
    unit = 10 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if unit * factor >= raw)
    return [step * i for i in range(math.ceil(most / step) + 1)]


# one sign a contender: filled as it comes, hollow where its variant or type is forced
SIGNS = {("cheems", ""): (0, ""), ("cheems", "amx"): (4, "hollow"), ("cheems", "avx512bf16"): (-4, "hollow"),
         ("cheems", "avx512"): (3, "hollow"), ("cheems", "avx2"): (5, "hollow"), ("llama.cpp", ""): (-4, ""),
         ("llama.cpp", "flash"): (-4, "hollow"), ("torch", "bf16"): (3, ""), ("torch", "f32"): (3, "hollow"),
         ("torch", "bf16 compiled"): (6, ""), ("torch", "f32 compiled"): (6, "hollow"), ("transformers", "bf16"): (4, ""), ("transformers", "f32"): (4, "hollow")}


def roofline(results):
    points = []
    for job in all_jobs():
        rate = median(rates(results, job))
        if rate is not None and job.test == "decode" and (job.by, job.how) in SIGNS:
            needed, _ = work_of(job, results["settings"])
            points.append((job, needed / 1e6, rate * needed / 1e9))
    limit = median(results["limits"].get("read", []))
    if not points:
        return None
    left, right, top, bottom, legend = 62, 560, 56, 350, 585
    low = 10 ** math.floor(math.log10(min(x for _, x, _ in points)))
    high = 10 ** math.ceil(math.log10(max(x for _, x, _ in points) * 1.05))
    marks = ticks(max([y for _, _, y in points] + [(limit or 0) * 1.05]))
    across = lambda x: left + (right - left) * math.log(x / low) / math.log(high / low)
    up = lambda y: bottom - (bottom - top) * y / marks[-1]
    title = f"Decoding at depth {DEPTH}: bytes read a second, {results['settings']['threads']} threads"
    body = [text(left - 40, 24, title, "title"), text(left - 40, 43, "GB/s", "quiet")]
    for y in marks:
        body += [line(left, up(y), right, up(y), "grid" if y else "axis"), text(left - 8, up(y) + 4, f"{y:g}", "quiet", "end")]
    decade = low
    while decade <= high:
        for factor in (1, 2, 5):
            if decade * factor <= high:
                x = across(decade * factor)
                body += [line(x, bottom, x, bottom + 5, "axis"), text(x, bottom + 20, f"{decade * factor:g}", "quiet", "middle")]
        decade *= 10
    body.append(text((left + right) / 2, bottom + 42, "MB that a token must read: weights, keys and values", "quiet", "middle"))
    if limit:
        share = 0.85 if "amx_bf16" in results["machine"]["features"] else 0.9
        body += [line(left, up(limit), right, up(limit), "limit"), line(left, up(limit * share), right, up(limit * share), "target"),
                 text(left + 6, up(limit) - 5, f"measured read bandwidth, {limit:.1f} GB/s", "quiet"),
                 text(left + 6, up(limit * share) + 15, f"{share:.0%} of it", "quiet")]
    for x in sorted({x for job, x, _ in points if job.by == "cheems"}):
        model = next(job.model for job, at, _ in points if at == x)
        body.append(text(across(x), bottom - 6, model, "quiet", "middle"))
    # hollow signs are drawn last, so that none hides below a filled one
    for job, x, y in sorted(points, key=lambda point: SIGNS[point[0].by, point[0].how][1]):
        shape, fill = SIGNS[job.by, job.how]
        body.append(f"<g><title>{escape(f'{job.name()}, {job.model}: {y:.1f} GB/s')}</title>{mark(shape, across(x), up(y), f'{colour(job)} {fill}')}</g>")
    present = {(job.by, job.how) for job, _, _ in points}
    for i, (by, how) in enumerate(key for key in SIGNS if key in present):
        shape, fill = SIGNS[by, how]
        job = Job(by, how, "", "")
        body += [mark(shape, legend, top + 22 * i, f"{colour(job)} {fill}"), text(legend + 14, top + 22 * i + 4, job.name())]
    return svg(740, 404, title, body)


def bars(results, title, groups):
    """Horizontal bars of tokens a second; each group of jobs has a scale of its own."""
    groups = [(name, [(job, median(rates(results, job))) for job in jobs]) for name, jobs in groups]
    groups = [(name, sorted(((job, rate) for job, rate in jobs if rate is not None), key=lambda item: -item[1])) for name, jobs in groups]
    groups = [(name, jobs) for name, jobs in groups if jobs]
    if not groups:
        return None
    left, right, y = 180, 640, 24
    body = [text(22, y, title, "title")]
    for name, jobs in groups:
        y += 32
        body.append(text(22, y, name, "quiet"))
        most = max(rate for _, rate in jobs)
        for job, rate in jobs:
            y += 22
            width = max(1.0, (right - left) * rate / most)
            body += [text(left - 10, y + 4, job.name(), anchor="end"),
                     f'<rect x="{left}" y="{y - 7}" width="{width:.1f}" height="15" class="{colour(job)}"/>',
                     text(left + width + 8, y + 5, number(rate))]
    return svg(740, y + 26, title, body)


def all_pictures(results):
    jobs, threads = all_jobs(), results["settings"]["threads"]
    decoded = [(f"{model}, bf16 unless f32 is said", [job for job in jobs if job.test == "decode" and job.model == model])
               for model in ("doge-20M", "doge-160M", "doge-320M")]
    filled = [("doge-160M, bf16 unless f32 is said", [job for job in jobs if job.test == "prefill"])]
    found = {"roofline": roofline(results),
             "decode": bars(results, f"Decoding at depth {DEPTH}: tokens a second, {threads} threads", decoded),
             "prefill": bars(results, f"Prefill of {PROMPT} tokens: tokens a second, {threads} threads", filled)}
    return {name: picture for name, picture in found.items() if picture}
