"""The figures of a run as SVG, lines on logarithmic axes: expert retrieval by table, prefill by length, a million tokens."""
import math
from modules import BLOCK, CHEEMS, DENSE, DENSE_PAIR, DOGE, HIDDEN, PAIR, RATIOS, TABLES, name, retrieved
from pictures import line, mark, svg, text
from table import median, rates

WIDTH, LEFT, GAP, TOP = 740, 62, 70, 78
# colour and sign of each line, and what it is called
LINES = {"experts": [(("cheems", ""), "cheems", 0, "CDMoE, cheems"), (("torch", "cdmoe"), "torch", 3, "CDMoE, PyTorch"),
                     (("torch", "peer"), "peer", 4, "PEER-style, PyTorch"), (("torch", "pkm"), "pkm", -4, "PKM, PyTorch"),
                     (("torch", "loop"), "loop", 5, "looped MoE, PyTorch")],
         "models": [(CHEEMS, "cheems", 0, "Cheems: 7 SSD layers to 1 attention layer"), (DOGE, "doge", 4, "Doge: dynamic mask attention"),
                    (DENSE, "dense", 3, "Cheems with dense attention alone")],
         "pairs": [(PAIR, "cheems", 0, "SSD + attention, window 2048"), (DENSE_PAIR, "dense", 3, "dense attention twice")]}


def short(value):
    """1k, 1M; 512 and 0.5 as they are."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def heights(curves):
    """Chooses where to draw lines across: at 1, 2 and 5 of each decade, or at 1 alone where there would be many."""
    values = [y for _, points in curves for _, y in points]
    steps = [factor * 10.0**power for power in range(math.floor(math.log10(min(values))) - 1, math.ceil(math.log10(max(values))) + 1) for factor in (1, 2, 5)]
    for steps in (steps, steps[::3]):
        first = max(i for i, step in enumerate(steps) if step <= min(values))
        last = min(i for i, step in enumerate(steps) if step >= max(values))
        if last - first <= 6:
            break
    return steps[first : max(last, first + 1) + 1]


class Panel:
    """Logarithmic axes with these marks, and curves between them."""

    def __init__(self, x, width, height, across, marks, up, label):
        self.x, self.width, self.height, self.across, self.low, self.high = x, width, height, across, marks[0], marks[-1]
        self.body = [text(x, TOP - 10, label, "quiet")]
        for value in marks:
            y = self.up(value)
            self.body += [line(x, y, x + width, y, "grid" if value > self.low else "axis"), text(x - 8, y + 4, short(value), "quiet", "end")]
        for value, words in across:
            self.body += [line(self.at(value), TOP + height, self.at(value), TOP + height + 5, "axis"),
                          text(self.at(value), TOP + height + 20, words, "quiet", "middle")]
        for (kind, shape, words), points in up:
            self.curve(kind, shape, words, points)

    def at(self, value):
        first, last = math.log(self.across[0][0]), math.log(self.across[-1][0])
        return self.x + self.width * (math.log(value) - first) / (last - first)

    def up(self, value):
        return TOP + self.height * (1 - math.log(value / self.low) / math.log(self.high / self.low))

    def curve(self, kind, shape, words, points):
        path = " ".join(f"{self.at(x):.1f},{self.up(y):.1f}" for x, y in points)
        self.body.append(f'<polyline points="{path}" class="{kind} hollow"/>')
        for x, y in points:
            self.body.append(f"<g><title>{words}: {short(float(f'{y:.3g}'))} at {short(x)}</title>{mark(shape, self.at(x), self.up(y), kind)}</g>")


def chart(title, panels, height, notes, same=False):
    """Panels side by side, (across, label, curves), with the same marks upwards or with marks of their own; a legend of
    all their lines and remarks below them."""
    everything = [curve for _, _, curves in panels for curve in curves]
    lines = list(dict.fromkeys(line for line, _ in everything))
    width = (WIDTH - LEFT - 22 - GAP * (len(panels) - 1)) / len(panels)
    body = [text(22, 26, title, "title")]
    for i, (across, label, curves) in enumerate(panels):
        body += Panel(LEFT + i * (width + GAP), width, height, across, heights(everything if same else curves), curves, label).body
    y = TOP + height + 50
    for i, (kind, shape, words) in enumerate(lines):
        x = LEFT + (i % 2) * 340
        body += [mark(shape, x, y + i // 2 * 22, kind), text(x + 14, y + i // 2 * 22 + 4, words)]
    y += (len(lines) + 1) // 2 * 22 + 8
    for i, words in enumerate(notes):
        body.append(text(LEFT - 6, y + 17 * i, words, "quiet"))
    return svg(WIDTH, y + 17 * len(notes) + 6, title, body)


def curves(jobs, lines, belongs, place, value):
    """Returns ((colour, sign, words), points) of each line that has points."""
    found = []
    for key, kind, shape, words in lines:
        points = [(place(job), value(job)) for job in jobs if belongs(job) == key]
        points = [(x, y) for x, y in points if y]
        if points:
            found.append(((kind, shape, words), points))
    return found


def ends(results, jobs, lines, belongs):
    """Says where a line stops before the last of its runs, and why."""
    notes = []
    for key, _, _, words in lines:
        reason = next((results["missing"][job.key()] for job in jobs if belongs(job) == key and job.key() in results["missing"]), None)
        if reason:
            notes.append(f"{words}: ends where {reason}")
    return notes


def experts(results, jobs):
    lines, belongs = LINES["experts"], lambda job: (job.by, job.how)
    rate = lambda job: median(rates(results, job))
    count = lambda job: int(job.model.split("x")[2])
    marks, panels = [(size, name(size)) for size in TABLES], []
    for ratio in RATIOS:
        own = [job for job in jobs if int(job.model.split("x")[3]) == retrieved(count(job), ratio)]
        found = curves(own, lines, belongs, count, rate)
        if found:
            panels.append((marks, f"tokens/s; retrieved: {'' if ratio == 1 else f'{ratio:g}·'}√experts", found))
    if not panels:
        return None
    title = f"Expert retrieval by experts: {BLOCK} tokens of {HIDDEN} numbers, {results['settings']['threads']} threads"
    return chart(title, panels, 250, ends(results, jobs, lines, belongs), same=True)


def lengths(results, jobs):
    lines, belongs = LINES["models"], lambda job: job.model
    found = curves(jobs, lines, belongs, lambda job: job.tokens(), lambda job: median(rates(results, job)))
    if not found:
        return None
    marks = [(length, f"{length >> 10}k" if length >= 1024 else str(length)) for length in sorted({job.tokens() for job in jobs})]
    title = f"Prefill by length: tokens a second, {results['settings']['threads']} threads, bf16, models of 320M's shape"
    return chart(title, [(marks, "tokens/s", found)], 250, ends(results, jobs, lines, belongs))


def million(results, jobs):
    lines, belongs = LINES["pairs"], lambda job: job.model
    notes = lambda job: results["samples"].get(job.key(), {}).get("notes", {})
    micro = lambda rate: 1e6 / rate if rate else None
    values = [("µs a token, prefill", lambda job: micro(median(rates(results, job)))), ("µs a token, decode after it", lambda job: micro(notes(job).get("decode"))),
              ("peak memory, MiB", lambda job: notes(job).get("peak_memory", 0) / 2**20)]
    marks = [(length, short(length)) for length in sorted({job.tokens() for job in jobs})]
    panels = [(marks, label, curves(jobs, lines, belongs, lambda job: job.tokens(), value)) for label, value in values]
    if not all(found for _, _, found in panels):
        return None
    title = f"Time and memory by length: two layers of 320M's shape, {results['settings']['threads']} threads, bf16"
    return chart(title, panels, 200, ends(results, jobs, lines, belongs))


def all_charts(results, figures):
    drawn = {"experts": experts, "lengths": lengths, "million": million}
    found = {name: drawn[name](results, jobs) for name, jobs in ((key.split("-")[1], jobs) for key, jobs in figures.items())}
    return {name: picture for name, picture in found.items() if picture}
