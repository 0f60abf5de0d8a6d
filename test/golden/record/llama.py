"""Llama and its kin in double: x = x + f(norm(x)) for attention without masks and for a gated MLP.

Written after the papers of the models and of their ways to stretch positions: llama3's (Llama 3.1) and YaRN (arXiv 2309.00071).
"""
import math

import numpy

import equations
from models import part


def frequencies(config, size):
    """The angle of a pair per position, and by how much cosines and sines are multiplied."""
    scaling = config.get("rope_scaling") or {}
    plain = 1 / config["rope_theta"] ** (numpy.arange(0, size, 2) / size)
    kind, factor = scaling.get("rope_type", "default"), scaling.get("factor", 1.0)
    trained = scaling.get("original_max_position_embeddings", config["max_position_embeddings"])
    if kind == "default":
        return plain, 1.0
    if kind == "linear":
        return plain / factor, 1.0
    if kind == "llama3":
        low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
        keep = numpy.clip((trained * plain / (2 * math.pi) - low) / (high - low), 0, 1)
        return plain * keep + plain / factor * (1 - keep), 1.0

    def pair(turns):
        """Which pair turns so often in the trained length."""
        return size * math.log(trained / (2 * math.pi * turns)) / (2 * math.log(config["rope_theta"]))

    first, last = max(math.floor(pair(32)), 0), min(math.ceil(pair(1)), size - 1)
    keep = 1 - numpy.clip((numpy.arange(size // 2) - first) / max(last - first, 0.001), 0, 1)
    return plain * keep + plain / factor * (1 - keep), 0.1 * math.log(factor) + 1


def attention_of(q, k, v, scale, window):
    """q [B, T, H, P], k and v [B, T, G, P]: head h reads key head h / (H/G). Row t sees rows t - window < j <= t."""
    share = q.shape[2] // k.shape[2]
    k, v = numpy.repeat(k, share, 2), numpy.repeat(v, share, 2)
    scores = numpy.einsum("bthp,bjhp->bhtj", q, k) * scale
    row, key = numpy.indices(scores.shape[2:])
    scores = numpy.where((key <= row) & (key > row - (window or len(row))), scores, -numpy.inf)
    return numpy.einsum("bhtj,bjhp->bthp", equations.softmax(scores), v)


class Model:
    def __init__(self, config, weights):
        self.config, self.weights, self.size = config, weights, config["head_dim"]
        self.scale = config.get("attention_multiplier", 1 / math.sqrt(self.size))
        self.table, self.magnitude = frequencies(config, self.size)

    def logits(self, ids):
        """[B, T, V] of ids [B, T]."""
        config, embedding = self.config, self.weights["model.embed_tokens.weight"]
        x = embedding[ids] * config.get("embedding_multiplier", 1.0)
        for index in range(config["num_hidden_layers"]):
            layer, factor = part(self.weights, f"model.layers.{index}."), config.get("residual_multiplier", 1.0)
            x = x + factor * self.attention(self.norm(x, layer["input_layernorm.weight"]), part(layer, "self_attn."), index)
            y = self.norm(x, layer["post_attention_layernorm.weight"])
            x = x + factor * equations.mlp(y, part(layer, "mlp."), equations.ACTIVATIONS[config["hidden_act"]])
        head = embedding if config["tie_word_embeddings"] else self.weights["lm_head.weight"]
        return self.norm(x, self.weights["model.norm.weight"]) @ head.T / config.get("logits_scaling", 1.0)

    def greedy(self, ids, count):
        """The `count` tokens that continue ids [1, T]: each is the best one after all tokens before it."""
        for _ in range(count):
            ids = numpy.concatenate((ids, self.logits(ids)[:, -1:].argmax(-1)), 1)
        return ids[:, ids.shape[1] - count :]

    def norm(self, x, weight):
        return equations.rms_norm(x, weight, self.config["rms_norm_eps"])

    def attention(self, x, weights, index):
        q, k, v = (equations.linear(x, weights, f"{name}_proj").reshape(*x.shape[:2], -1, self.size) for name in "qkv")
        if "q_norm.weight" in weights:
            q, k = self.norm(q, weights["q_norm.weight"]), self.norm(k, weights["k_norm.weight"])
        if self.config.get("no_rope_layers", [1] * (index + 1))[index]:
            angles = numpy.arange(x.shape[1])[:, None] * self.table
            q, k = (equations.rotate(each, self.magnitude * numpy.cos(angles), self.magnitude * numpy.sin(angles)) for each in (q, k))
        y = attention_of(q, k, v, self.scale, self.config.get("sliding_window"))
        return equations.linear(y.reshape(*x.shape[:2], -1), weights, "o_proj")
