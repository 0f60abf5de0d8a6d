"""The recorded checkpoints, test/golden/models: which there are, and what each of them is the only one to have.

A checkpoint's seed comes from its name, so a new one changes no other.
"""
import dataclasses
import json
import pathlib
import zlib

import numpy

import cheems_weights
import doge_weights
import files
import llama_weights
from draws import Generator


@dataclasses.dataclass
class Checkpoint:
    name: str
    config: dict
    tensors: dict  # name -> doubles, exactly as the file has them
    ids: object  # [B, T]
    greedy: int  # how many tokens continue the first sequence

    def files(self):
        """The files that a compiler reads: name -> bytes."""
        kind = {"float32": "F32", "bfloat16": "BF16"}[self.config["torch_dtype"]]
        weights = {name: (kind, values) for name, values in self.tensors.items()}
        return {"config.json": json.dumps(self.config, indent=1).encode(), "model.safetensors": files.encode(weights, {"format": "pt"})}

    def golden(self, model):
        """The bytes of golden.safetensors, as `model` computes it."""
        tensors = {"input_ids": ("I64", self.ids), "logits": ("F32", model.logits(self.ids))}
        if self.greedy:
            tensors["greedy_ids"] = "I64", model.greedy(self.ids[:1], self.greedy)
        return files.encode(tensors)


ATTENTION = {"num_hidden_layers": 3, "attn_layer_period": 1, "attn_layer_offset": 0}  # in every layer
RETRIEVAL = {"num_experts": 64, "num_experts_per_tok": 8}

# name -> (the module that draws it, tokens, what differs from the module's defaults)
CASES = {
    "doge-tiny": (doge_weights, 80, {"sequences": 2}),
    "doge-window": (doge_weights, 96, {"keep_window_size": 16}),
    "doge-untied-bf16": (doge_weights, 64, {"torch_dtype": "bfloat16", "tie_word_embeddings": False}),
    "doge-bias": (doge_weights, 48, {"attention_bias": True, "mlp_bias": True, "num_key_value_heads": 4}),
    "doge-moe": (doge_weights, 48, {"sequences": 2, "is_moe": True, **RETRIEVAL}),
    "doge-moe-window": (doge_weights, 64, {"is_moe": True, "num_experts": 1024, "num_experts_per_tok": 16, "keep_window_size": 12}),
    "doge-author": (cheems_weights, 70, {"author_doge": True, **ATTENTION}),
    "doge-author-moe": (cheems_weights, 50, {"author_doge": True, **ATTENTION, "num_hidden_layers": 2, "is_moe": True, "num_key_value_heads": 4}),
    "doge-author-bias": (cheems_weights, 60, {"author_doge": True, **ATTENTION, "hidden_bias": True, "hidden_act": "relu", "num_key_value_heads": 1}),
    "cheems-dense": (cheems_weights, 80, {"sequences": 2}),
    "cheems-moe": (cheems_weights, 64, {"is_moe": True}),
    # as the paper's listings: no gate, a skip, groups, a state wider than a head
    "cheems-paper": (cheems_weights, 72, {"is_moe": True, "gate": False, "skip": True, "groups": 2, "ssd_state_size": 32, "cdmoe_score": "inner",
                                          "dynamic_mask_type": "threshold", "num_key_value_heads": 4}),
    "cheems-threshold": (cheems_weights, 90, {"dynamic_mask_type": "threshold", "dynamic_mask_threshold": 0.5, "a_log": True}),
    # no continuation: the base grows with the longest position, so a prompt and what continues it have different ones
    "cheems-scale-rope": (cheems_weights, 90, {"dynamic_mask_type": "scale", "max_position_embeddings": 40, "greedy": 0,
                                               "rope_scaling": {"rope_type": "dynamic", "factor": 4.0, "original_max_position_embeddings": 40}}),
    "cheems-window": (cheems_weights, 120, {"keep_window_size": 24, "num_hidden_layers": 16, "tie_word_embeddings": False}),
    "cheems-bias-gelu": (cheems_weights, 60, {"hidden_bias": True, "hidden_act": "gelu", "is_moe": True, "expert_layers": (0, 3, 7)}),
    "cheems-growing": (cheems_weights, 64, {"growing": True}),
    "cheems-long": (cheems_weights, 900, {"hidden_size": 32, "num_attention_heads": 2, "num_key_value_heads": 1, "intermediate_size": 64, "greedy": 8}),
    # each of the kin: what its family alone has
    "llama-stretched": (llama_weights, 60, {"attention_bias": True, "mlp_bias": True, "max_position_embeddings": 1024, "rope_theta": 500.0,
                                            "sequences": 2, "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
                                                                             "high_freq_factor": 4.0, "original_max_position_embeddings": 64}}),
    "llama-yarn": (llama_weights, 56, {"rope_theta": 1000.0, "head_dim": 32, "num_key_value_heads": 4, "tie_word_embeddings": True,
                                       "max_position_embeddings": 192,
                                       "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 48}}),
    "mistral-window": (llama_weights, 70, {"model_type": "mistral", "sliding_window": 9, "rope_theta": 10000.0, "num_key_value_heads": 1}),
    "qwen2-biases": (llama_weights, 50, {"model_type": "qwen2", "rope_theta": 1e6, "tie_word_embeddings": True, "use_sliding_window": False}),
    "qwen3-norms": (llama_weights, 50, {"model_type": "qwen3", "rope_theta": 1e6, "head_dim": 24, "tie_word_embeddings": True}),
    "smollm3-nope": (llama_weights, 50, {"model_type": "smollm3", "rope_theta": 2e6, "num_hidden_layers": 3, "no_rope_layers": [1, 0, 1],
                                         "tie_word_embeddings": True}),
    "granite-factors": (llama_weights, 50, {"model_type": "granite", "rope_theta": 10000.0, "embedding_multiplier": 12.0, "attention_multiplier": 0.2,
                                            "residual_multiplier": 0.22, "logits_scaling": 8.0, "hidden_act": "gelu"}),
}


# A line of a play, in the tokens of the trained models
LINE = numpy.array([[0, 861, 28, 201, 464, 362, 351]])


def trained(folder):
    """A checkpoint that was trained, not drawn: its weights are read."""
    folder = pathlib.Path(folder)
    tensors, _ = files.decode((folder / "model.safetensors").read_bytes())
    weights = {name: values.astype(numpy.float64) for name, (_, values) in tensors.items()}
    return Checkpoint(folder.name, json.loads((folder / "config.json").read_text()), weights, LINE, 48)


def draw(name):
    module, tokens, differs = CASES[name]
    differs = dict(differs)
    sequences, greedy = differs.pop("sequences", 1), differs.pop("greedy", 16)
    generator = Generator(zlib.crc32(f"{name} 1".encode()))
    config, tensors = module.draw(generator, **differs)
    ids = generator.integers(3, config["vocab_size"], sequences, tokens)  # 0 to 2 are special
    return Checkpoint(name, config, tensors, ids, greedy)
