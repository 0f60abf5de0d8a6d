"""Whole models in double: the logits of Cheems, of Doge with the author's names, and of Doge with those of transformers.

All three are x = r * x + f(norm(x)), for a sequence transformation and for a state transformation in each layer. They differ in the
names of tensors, and in whether queries and keys are normalised.
"""
import numpy

import equations

# What each part is called in a layer of Cheems, of the author's Doge, of the Doge of transformers
NAMES = {
    "cheems": {"sequence_norm": "pre_sequence_layernorm.weight", "sequence_residual": "post_sequence_residual.weight", "attention": "attn.",
               "state_norm": "pre_state_layernorm.weight", "state_residual": "post_state_residual.weight", "state": "feed_forward.",
               "embedding": "model.word_embed.weight", "last_norm": "model.final_layernorm.weight"},
    "author": {"sequence_norm": "pre_layernorm.weight", "sequence_residual": "pre_residual.weight", "attention": "self_attn.",
               "state_norm": "post_layernorm.weight", "state_residual": "post_residual.weight", "state": "feed_forward.",
               "embedding": "model.word_embed.weight", "last_norm": "model.final_layernorm.weight"},
    "transformers": {"sequence_norm": "input_layernorm.weight", "sequence_residual": "input_residual", "attention": "self_attn.",
                     "state_norm": "post_attention_layernorm.weight", "state_residual": "post_attention_residual", "state": "mlp.",
                     "embedding": "model.embed_tokens.weight", "last_norm": "model.norm.weight"},
}


def family(weights):
    if "model.embed_tokens.weight" in weights:
        return "transformers"
    return "author" if "model.layers.0.pre_layernorm.weight" in weights else "cheems"


def part(weights, prefix):
    return {name[len(prefix) :]: values for name, values in weights.items() if name.startswith(prefix)}


class Model:
    def __init__(self, config, weights):
        self.config, self.weights, self.names = config, weights, NAMES[family(weights)]
        self.heads, self.epsilon = config["num_attention_heads"], config["rms_norm_eps"]
        self.size = config["hidden_size"] // self.heads
        self.activation = equations.ACTIVATIONS[config["hidden_act"]]

    def logits(self, ids):
        """[B, T, V] of ids [B, T]."""
        x = self.weights[self.names["embedding"]][ids]
        for index in range(self.config["num_hidden_layers"]):
            x = self.layer(x, part(self.weights, f"model.layers.{index}."))
        x = equations.rms_norm(x, self.weights[self.names["last_norm"]], self.epsilon)
        head = self.weights[self.names["embedding"]] if self.config["tie_word_embeddings"] else self.weights["lm_head.weight"]
        return x @ head.T

    def greedy(self, ids, count):
        """The `count` tokens that continue ids [1, T]: each is the best one after all tokens before it."""
        for _ in range(count):
            best = self.logits(ids)[:, -1].argmax(-1)
            ids = numpy.concatenate((ids, best[:, None]), 1)
        return ids[:, ids.shape[1] - count :]

    def layer(self, x, layer):
        y = equations.rms_norm(x, layer[self.names["sequence_norm"]], self.epsilon)
        attention, ssd = part(layer, self.names["attention"]), part(layer, "ssd.")
        y = self.attention(y, attention) if attention else self.ssd(y, ssd)
        x = layer[self.names["sequence_residual"]] * x + y
        y = equations.rms_norm(x, layer[self.names["state_norm"]], self.epsilon)
        return layer[self.names["state_residual"]] * x + self.feed_forward(y, part(layer, self.names["state"]))

    def rotated(self, x, size):
        """x [B, T, H, size] by the positions of its tokens."""
        scaling = self.config.get("rope_scaling") or {}
        theta = self.config.get("rope_theta") or self.config["rope_parameters"]["rope_theta"]
        angles = equations.rotary_angles(numpy.arange(x.shape[1]), size, theta, scaling.get("original_max_position_embeddings"),
                                         scaling.get("factor", 1.0))
        return equations.rotate(x, numpy.cos(angles), numpy.sin(angles))

    def attention(self, x, weights):
        def heads_of(name):
            return equations.linear(x, weights, name).reshape(*x.shape[:2], -1, self.size)

        q, k, v = (heads_of(f"{name}_proj") for name in "qkv")
        if "q_norm.weight" in weights:
            q, k = (equations.rms_norm(each, weights[f"{name}_norm.weight"], self.epsilon) for name, each in (("q", q), ("k", k)))
        q, k = self.rotated(q, self.size), self.rotated(k, self.size)
        mask = equations.dynamic_mask(v.reshape(*x.shape[:2], -1), weights, weights["A"])
        y = equations.dynamic_mask_attention(q, k, v, mask, self.config.get("dynamic_mask_type", "bias"), self.config.get("keep_window_size"),
                                             self.config.get("dynamic_mask_threshold", 1.0))
        return equations.linear(y.reshape(x.shape), weights, "o_proj")

    def ssd(self, x, weights):
        size = self.config.get("ssd_state_size", self.size)
        step = equations.softplus(equations.linear(x, weights, "dt_proj"))
        a = -numpy.exp(weights["A_log"]) if "A_log" in weights else weights["A"]
        b, c = (self.rotated(equations.linear(x, weights, f"{name}_proj").reshape(*x.shape[:2], -1, size), size) for name in "bc")
        values = equations.linear(x, weights, "x_proj").reshape(*x.shape[:2], self.heads, -1)
        y, _ = equations.ssd(values, step, a, b, c, weights.get("D"))
        return equations.linear(y.reshape(x.shape), weights, "out_proj")

    def feed_forward(self, x, weights):
        if "down_embed.weight" not in weights:  # layer by layer
            return equations.mlp(x, weights, self.activation)
        if "router_gate.weight" in weights:
            heads, k = 1, self.config["num_experts_per_tok"]
        else:
            heads, k = self.config["num_cdmoe_heads"], self.config["num_cdmoe_experts_per_head"]
        return equations.cross_domain_experts(x, weights, heads, k, self.config.get("cdmoe_score", "softmax"), self.activation)
