"""Random checkpoints of Doge, as transformers names their tensors."""
import math

import files

DEFAULTS = {"vocab_size": 512, "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4,
            "num_key_value_heads": 2, "keep_window_size": 2048, "attention_bias": False, "mlp_bias": False, "is_moe": False,
            "num_experts": 16384, "num_experts_per_tok": 64, "tie_word_embeddings": True, "torch_dtype": "float32"}


def configuration(c):
    """All fields that transformers 5.23 writes, in its order."""
    return {
        "architectures": ["DogeForCausalLM"], "output_hidden_states": False, "return_dict": True, "chunk_size_feed_forward": 0,
        "is_encoder_decoder": False, "id2label": {"0": "LABEL_0", "1": "LABEL_1"}, "label2id": {"LABEL_0": 0, "LABEL_1": 1},
        "vocab_size": c["vocab_size"], "hidden_size": c["hidden_size"], "intermediate_size": c["intermediate_size"],
        "num_hidden_layers": c["num_hidden_layers"], "hidden_dropout": 0.0, "hidden_act": "silu", "initializer_range": 0.02,
        "rms_norm_eps": 1e-06, "use_cache": True, "tie_word_embeddings": c["tie_word_embeddings"], "max_position_embeddings": 2048,
        "rope_parameters": {"rope_theta": 10000.0, "rope_type": "default"}, "num_attention_heads": c["num_attention_heads"],
        "num_key_value_heads": c["num_key_value_heads"], "attention_bias": c["attention_bias"], "attention_dropout": 0.0,
        "mlp_bias": c["mlp_bias"], "keep_window_size": c["keep_window_size"], "is_moe": c["is_moe"], "num_experts": c["num_experts"],
        "num_experts_per_tok": c["num_experts_per_tok"], "norm_topk_prob": False, "output_router_logits": False,
        "router_aux_loss_coef": 0.001, "pad_token_id": 2, "bos_token_id": 0, "eos_token_id": 1, "_name_or_path": "",
        "model_type": "doge", "output_attentions": False, "torch_dtype": c["torch_dtype"],
    }


def shapes(c):
    """name -> shape, in the order in which a DogeForCausalLM has them."""
    width, inner, size = c["hidden_size"], c["intermediate_size"], c["hidden_size"] // c["num_attention_heads"]
    groups = c["num_key_value_heads"]
    found = {"model.embed_tokens.weight": (c["vocab_size"], width)}

    def matrix(name, rows, columns, bias):
        found[f"{name}.weight"] = rows, columns
        if bias:
            found[f"{name}.bias"] = (rows,)

    for index in range(c["num_hidden_layers"]):
        layer = f"model.layers.{index}."
        for name in ("input_residual", "post_attention_residual", "input_layernorm.weight"):
            found[layer + name] = (width,)
        found[f"{layer}self_attn.A"] = (groups,)
        for name, rows, columns in [("q", width, width), ("k", groups * size, width), ("v", groups * size, width),
                                    ("dt", groups, groups * size), ("o", width, width)]:
            matrix(f"{layer}self_attn.{name}_proj", rows, columns, c["attention_bias"])
        for name in ("q_norm", "k_norm"):
            found[f"{layer}self_attn.{name}.weight"] = (size,)
        found[f"{layer}post_attention_layernorm.weight"] = (width,)
        for name, rows, columns in [("gate", inner, width), ("up", inner, width), ("down", width, inner)]:
            matrix(f"{layer}mlp.{name}_proj", rows, columns, c["mlp_bias"])
        if c["is_moe"]:
            matrix(f"{layer}mlp.router_gate", 2 * math.isqrt(c["num_experts"]), width, False)
            for name in ("down_embed", "up_embed"):
                matrix(f"{layer}mlp.{name}", c["num_experts"], width, False)
    found["model.norm.weight"] = (width,)
    found["lm_head.weight"] = (c["vocab_size"], width)
    return found


def initialised(found):
    """How many numbers of the generator a DogeForCausalLM takes when it is made: its matrices are drawn twice, by PyTorch and by
    transformers, and its biases once. The weights here came after these when they were first drawn."""
    return sum(2 * math.prod(shape) if len(shape) == 2 else math.prod(shape) * name.endswith("_proj.bias") for name, shape in found.items())


def draw(generator, **differs):
    settings = {**DEFAULTS, **differs}
    config, found = configuration(settings), shapes(settings)
    generator.skip(initialised(found))
    if settings["tie_word_embeddings"]:
        del found["lm_head.weight"]
    tensors = {}
    for name, shape in found.items():
        if name.endswith(".A"):
            values = generator.fractions(*shape) * 2 - 1.5
        elif name.endswith(".bias"):
            values = 0.1 * generator.normal(*shape)
        elif len(shape) == 1:
            values = 1 + 0.1 * generator.normal(*shape)
        elif name == "model.embed_tokens.weight":
            values = 0.1 * generator.normal(*shape)
        else:
            values = generator.normal(*shape) * (1 / math.sqrt(shape[1]))
        tensors[name] = files.stored(values, {"float32": "F32", "bfloat16": "BF16"}[settings["torch_dtype"]])
    return config, tensors
