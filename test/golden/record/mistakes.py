"""Recorders with one mistake each. `test_mistakes.py` shows that the check finds every one of them."""

EQUATIONS, MODELS, DRAWS, FILES, WEIGHTS = "equations.py", "models.py", "draws.py", "files.py", "cheems_weights.py"
TRANSFORMERS = "by_transformers.py"

# (what is wrong, file, its text, the wrong text, the files in which it must be found), by the packages that the recorders need
ALL = {}
ALL["requirements.txt"] = [
    ("ssd without its skip", EQUATIONS, "y if skip is None else y + skip[:, None] * x", "y", ["ops/ssd_ragged"]),
    ("a decay that does not depend on the step", EQUATIONS, "numpy.exp(a * step[:, t])", "numpy.exp(a + 0 * step[:, t])", ["ops/ssd_long"]),
    ("a row that is not scaled by its step", EQUATIONS, "step[:, t, :, None] * x[:, t]", "x[:, t]", ["ops/ssd_one_step"]),
    ("a state that is not carried", EQUATIONS, "* h + update", "* 0 + update", ["ops/ssd_growing", "ops/ssd_resumed"]),
    ("rotary the other way round", EQUATIONS, "first * cosine - second * sine, second * cosine + first * sine",
     "first * cosine + second * sine, second * cosine - first * sine", ["ops/rope"]),
    ("positions that begin at one", EQUATIONS, "positions.astype(numpy.float64)[:, None]", "(positions + 1.0)[:, None]", ["ops/rope_far"]),
    ("a base that never grows", EQUATIONS, "length > max_positions", "length < 0", ["ops/rope_dynamic", "cheems-scale-rope/golden"]),
    ("a dynamic mask without softplus", EQUATIONS, 'softplus(linear(values, weights, "dt_proj"))', 'linear(values, weights, "dt_proj")',
     ["ops/attention_bias", "doge-tiny/golden"]),
    ("scores that are not scaled", EQUATIONS, " / math.sqrt(q.shape[-1])", "", ["ops/attention_listing"]),
    ("a key more than a window keeps", EQUATIONS, "[..., :keep]", "[..., : keep + 1]", ["ops/attention_keep_per_head", "doge-window/golden"]),
    ("of equal masks the younger key", EQUATIONS, 'best = numpy.argsort(-ranked, -1, kind="stable")',
     'best = ranked.shape[-1] - 1 - numpy.argsort(-ranked[..., ::-1], -1, kind="stable")', ["doge-window/golden"]),
    ("a threshold of a half for every one", EQUATIONS, "mask >= threshold", "mask >= 0.5", ["ops/attention_listing", "cheems-paper/golden"]),
    ("a mask that scales before the softmax", EQUATIONS, 'if kind == "bias":\n        scores = scores + mask[:, :, None, :]',
     'if kind == "scale":\n        scores = scores * mask[:, :, None, :]\n    if kind == "bias":\n        scores = scores + mask[:, :, None, :]',
     ["ops/attention_scale"]),
    ("a norm without epsilon", EQUATIONS, "(x * x).mean(-1, keepdims=True) + epsilon", "(x * x).mean(-1, keepdims=True)",
     ["cheems-dense/golden", "doge-tiny/golden"]),
    ("gelu by tanh", EQUATIONS, "1 + numpy.vectorize(math.erf)(x / math.sqrt(2))",
     "1 + numpy.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))", ["cheems-bias-gelu/golden"]),
    ("a gate without its activation", EQUATIONS, 'activation(linear(x, weights, "gate_proj"))', 'linear(x, weights, "gate_proj")',
     ["ops/cdmoe_softmax", "doge-bias/golden"]),
    ("scores of experts outside of the activation", EQUATIONS, "activation(hit * scores)", "activation(hit) * scores", ["ops/cdmoe_inner"]),
    ("the halves of keys exchanged", EQUATIONS, "retrieve_experts(*key_scores(x, weights, heads), k)",
     "retrieve_experts(*key_scores(x, weights, heads)[::-1], k)", ["ops/cdmoe_gate_keys", "doge-moe/golden"]),
    ("an expert fewer", EQUATIONS, '[..., :k]', "[..., : k - 1]", ["ops/cdmoe_softmax"]),
    ("no bias", EQUATIONS, 'return y + weights[f"{name}.bias"] if f"{name}.bias" in weights else y', "return y",
     ["doge-author-bias/golden", "doge-bias/golden"]),
    ("c that is not rotated", MODELS, 'for name in "bc")', 'for name in "bc")\n        c = equations.linear(x, weights, "c_proj").reshape(b.shape)',
     ["cheems-growing/golden"]),
    ("queries and keys that are not normalised", MODELS, 'if "q_norm.weight" in weights', "if not weights", ["doge-tiny/golden"]),
    ("a residual that is not scaled", MODELS, 'layer[self.names["sequence_residual"]] * x + y', "x + y", ["cheems-dense/golden", "doge-moe/golden"]),
    ("the head of the embedding where it has its own", MODELS, 'if self.config["tie_word_embeddings"]', "if True",
     ["doge-untied-bf16/golden", "cheems-window/golden"]),
    ("the logarithm of a decay read as the decay", MODELS, '-numpy.exp(weights["A_log"])', 'weights["A_log"]', ["cheems-threshold/golden"]),
    ("the last numbers drawn by themselves", DRAWS, "values[-16:] = pairs(self.fractions(16))",
     "values[whole:] = pairs(self.fractions(16))[: count - whole]", ["ops/ssd_ragged"]),
    ("a pair's second number thrown away", DRAWS, "self.kept = radius * math.sin(angle)", "self.kept = None", ["cheems-paper/model", "ops/ssd_ragged"]),
    ("bf16 cut, not rounded", FILES, "bits + 0x7FFF + ((bits >> numpy.uint64(16)) & numpy.uint64(1))", "bits", ["doge-untied-bf16/model"]),
    ("decays of another range", WEIGHTS, "-0.02 - drawn", "-0.03 - drawn", ["cheems-moe/model"]),
]
ALL["requirements-transformers.txt"] = [
    ("a prompt of experts in one call", TRANSFORMERS, "if not self.model.config.is_moe:", "if True:", ["doge-moe/golden", "doge-moe-window/golden"]),
    ("of equal masks the younger key", TRANSFORMERS, "values.float().sort(dim=dim, descending=True, stable=True).indices.narrow(dim, 0, k)",
     "values.shape[dim] - 1 - values.float().flip(dim).sort(dim=dim, descending=True, stable=True).indices.narrow(dim, 0, k)", ["doge-window/golden"]),
]
