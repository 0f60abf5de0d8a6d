"""Random checkpoints of Llama and its kin, with the names of transformers."""
import math

import files

DEFAULTS = {"model_type": "llama", "vocab_size": 384, "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "head_dim": 16, "hidden_act": "silu", "max_position_embeddings": 512, "rms_norm_eps": 1e-5,
            "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 1, "pad_token_id": 2,
            "torch_dtype": "float32"}


def draw(generator, **differs):
    config = {**DEFAULTS, **differs}
    kind, width, inner = config["model_type"], config["hidden_size"], config["intermediate_size"]
    size, vocabulary = config["head_dim"], config["vocab_size"]
    if kind in ("mistral", "qwen2"):
        del config["attention_bias"], config["mlp_bias"]  # which are fields of others
    tensors = {}

    def matrix(name, rows, columns, bias=False):
        tensors[f"{name}.weight"] = generator.normal(rows, columns) / math.sqrt(columns)
        if bias:
            tensors[f"{name}.bias"] = 0.1 * generator.normal(rows)

    def near_one(name, count):
        tensors[f"{name}.weight"] = 1 + 0.1 * generator.normal(count)

    # Granite multiplies it
    tensors["model.embed_tokens.weight"] = 0.1 * generator.normal(vocabulary, width)
    near_one("model.norm", width)
    if not config["tie_word_embeddings"]:
        matrix("lm_head", vocabulary, width)
    for index in range(config["num_hidden_layers"]):
        layer = f"model.layers.{index}."
        near_one(layer + "input_layernorm", width)
        near_one(layer + "post_attention_layernorm", width)
        attention, mlp = layer + "self_attn.", layer + "mlp."
        queries, keys = config["num_attention_heads"] * size, config["num_key_value_heads"] * size
        for name, rows, columns in (("q", queries, width), ("k", keys, width), ("v", keys, width), ("o", width, queries)):
            matrix(f"{attention}{name}_proj", rows, columns, config.get("attention_bias") or (kind == "qwen2" and name != "o"))
        if kind == "qwen3":
            near_one(attention + "q_norm", size)
            near_one(attention + "k_norm", size)
        for name, rows, columns in (("gate", inner, width), ("up", inner, width), ("down", width, inner)):
            matrix(f"{mlp}{name}_proj", rows, columns, config.get("mlp_bias"))
    kept = {"float32": "F32", "bfloat16": "BF16"}[config["torch_dtype"]]
    return config, {name: files.stored(values, kept) for name, values in tensors.items()}
