"""Random checkpoints of Cheems, and of Doge with the names of its author's first code: a Cheems with attention in every layer."""
import math

import files

DEFAULTS = {"model_type": "cheems", "architectures": ["CheemsForCausalLM"], "vocab_size": 512, "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 8, "hidden_bias": False, "hidden_act": "silu", "max_position_embeddings": 2048, "rope_theta": 10000.0,
            "rope_scaling": None, "rms_norm_eps": 1e-6, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2, "tie_word_embeddings": True,
            "ssd_chunk_size": 256, "num_attention_heads": 4, "num_key_value_heads": 2, "dynamic_mask_ratio": 0.0, "attn_layer_period": 8,
            "attn_layer_offset": 7, "is_moe": False, "num_cdmoe_experts": 64, "num_cdmoe_heads": 2, "num_cdmoe_experts_per_head": 4,
            "expert_retrieval_size": 16, "torch_dtype": "float32"}

AUTHOR_NAMES = {"pre_sequence_layernorm": "pre_layernorm", "attn": "self_attn", "post_sequence_residual": "pre_residual",
                "pre_state_layernorm": "post_layernorm", "post_state_residual": "post_residual"}


class Weights:
    """Draws the tensors of one checkpoint, in their order."""

    def __init__(self, generator, config, gate, skip, groups, a_log, growing, expert_layers):
        self.generator, self.config = generator, config
        self.gate, self.skip, self.a_log, self.growing, self.expert_layers = gate, skip, a_log, growing, expert_layers
        self.width, self.heads = config["hidden_size"], config["num_attention_heads"]
        self.size = self.width // self.heads
        self.groups, self.state = groups or self.heads, config.get("ssd_state_size", self.size)
        self.all = {}
        self.draw()

    def matrix(self, name, rows, columns):
        self.all[f"{name}.weight"] = self.generator.normal(rows, columns) * (1 / math.sqrt(columns))

    def draw(self):
        vocabulary = self.config["vocab_size"]
        self.all["model.word_embed.weight"] = 0.1 * self.generator.normal(vocabulary, self.width)
        self.near_one("model.final_layernorm")
        if not self.config["tie_word_embeddings"]:
            self.matrix("lm_head", vocabulary, self.width)
        for index in range(self.config["num_hidden_layers"]):
            layer = f"model.layers.{index}."
            for name in ("pre_sequence_layernorm", "post_sequence_residual", "pre_state_layernorm", "post_state_residual"):
                self.near_one(layer + name)
            if index % self.config["attn_layer_period"] == self.config["attn_layer_offset"]:
                self.attention(f"{layer}attn.")
            else:
                self.ssd(f"{layer}ssd.")
            self.feed_forward(f"{layer}feed_forward.", index)
        if self.config["hidden_bias"]:
            for name in [name for name in self.all if "_proj.weight" in name]:
                self.all[name.replace(".weight", ".bias")] = 0.1 * self.generator.normal(len(self.all[name]))

    def near_one(self, name):
        self.all[f"{name}.weight"] = 1 + 0.1 * self.generator.normal(self.width)

    def attention(self, part):
        entries = self.config["num_key_value_heads"] * self.size
        for name, rows, columns in [("q", self.width, self.width), ("k", entries, self.width), ("v", entries, self.width),
                                    ("o", self.width, self.width), ("dt", self.heads, entries)]:
            self.matrix(f"{part}{name}_proj", rows, columns)
        self.all[f"{part}A"] = self.generator.uniform(self.heads) * 2 - 1.5

    def ssd(self, part):
        states = self.groups * self.state
        for name, rows in [("c", states), ("b", states), ("x", self.width), ("dt", self.heads), ("out", self.width)]:
            self.matrix(f"{part}{name}_proj", rows, self.width)
        drawn = self.generator.uniform(self.heads)
        if self.a_log:
            self.all[f"{part}A_log"] = drawn - 1
        else:
            self.all[f"{part}A"] = 0.01 * drawn if self.growing else -0.02 - drawn
        if self.skip:
            self.all[f"{part}D"] = 1 + 0.1 * self.generator.normal(self.heads)

    def feed_forward(self, part, index):
        inner = self.config["intermediate_size"]
        self.matrix(f"{part}up_proj", inner, self.width)
        self.matrix(f"{part}down_proj", self.width, inner)
        if self.gate:
            self.matrix(f"{part}gate_proj", inner, self.width)
        if self.config["is_moe"] and (self.expert_layers is None or index in self.expert_layers):
            count, heads, retrieval = (self.config[key] for key in ("num_cdmoe_experts", "num_cdmoe_heads", "expert_retrieval_size"))
            self.matrix(f"{part}queries", heads * retrieval, self.width)
            self.all[f"{part}keys"] = self.generator.normal(heads, math.isqrt(count), 2, retrieval // 2)
            self.matrix(f"{part}down_embed", count, self.width)
            self.matrix(f"{part}up_embed", count, self.width)


def draw(generator, *, author_doge=False, gate=True, skip=False, groups=None, a_log=False, growing=False, expert_layers=None, **differs):
    config = {**DEFAULTS, **differs}
    tensors = Weights(generator, config, gate, skip, groups, a_log, growing, expert_layers).all
    tensors = {name: files.stored(values, "F32") for name, values in tensors.items()}
    if author_doge:
        for name in ("ssd_chunk_size", "attn_layer_period", "attn_layer_offset"):
            del config[name]
        config.update(model_type="doge", architectures=["DogeForCausalLM"], is_causal=True)
        tensors = {".".join(AUTHOR_NAMES.get(part, part) for part in name.split(".")): values for name, values in tensors.items()}
    return config, tensors
