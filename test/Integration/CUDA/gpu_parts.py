"""What GPUs round of a model, as parts of test/Integration/rounding_bound.py."""
from rounding_bound import UNITS, Part, unit_of_quantized

CODED = {"int8", "int4"}


class Sizes:
    """The fields of config.json, under the names of any family."""

    def __init__(self, config):
        self.layers = config["num_hidden_layers"]
        self.hidden, self.inner = config["hidden_size"], config["intermediate_size"]
        self.heads = config["num_attention_heads"]
        self.head_size = config.get("head_dim", self.hidden // self.heads)
        cheems = config["model_type"] == "cheems"
        self.period = config["attn_layer_period"] if cheems else 1
        self.offset = config["attn_layer_offset"] if cheems else 0
        self.state_size = config.get("ssd_state_size", self.head_size)
        self.experts = config.get("is_moe", False)
        self.masks = config["model_type"] in ("cheems", "doge")

    def is_attention(self, layer):
        return layer % self.period == self.offset


def gpu_parts(config, weights, stored, kv, rows):
    """The parts and the head of a model with weights in such a format, of a checkpoint of the type `stored`, in sequences of so many rows."""
    sizes = Sizes(config)
    kind = {"BF16": "bf16", "F16": "f16", "F32": "f32"}[stored] if weights == "stored" else weights

    def inputs(length):
        """Returns the units of a matmul's inputs."""
        return [] if kind == "f32" else [unit_of_quantized(127, length) if kind in CODED else UNITS[kind]]

    brain = UNITS["bf16"]
    entries = [unit_of_quantized(127, sizes.head_size)] * 2 if kv == "int8" else [brain] * 2 if stored == "BF16" else []
    parts = []
    for layer in range(sizes.layers):
        outputs = inputs(sizes.heads * sizes.head_size)
        if sizes.is_attention(layer):
            # the value, the query, the key and the mask, if there is one, have the input's error; the mask is a matmul of the rounded value
            parts.append(Part(before=inputs(sizes.hidden), after=inputs(sizes.head_size) + entries + outputs,
                              compiled=[brain] * 2 if stored == "BF16" else [], factors=4 if sizes.masks else 3,
                              length=2 * rows + sizes.head_size))
        else:
            # x, b, c and the decay have it; x, b and c are rounded for tensor cores, and kernels also round both gates, the sums
            # of a chunk's rows, the weights of rows, and states, f16 as pairs of bf16
            own = [brain] * 3 if kind == "bf16" else []
            further = [brain] * 6 if kind == "bf16" else [brain**2] * 9 if kind == "f16" else []
            parts.append(Part(before=inputs(sizes.hidden), after=own + outputs, compiled=further, factors=4,
                              length=2 * rows + sizes.state_size))
        # a gate and what it gates; of experts the input, and a key of either half in a score that is an exponent
        mixed = inputs(sizes.hidden) if sizes.experts else []
        parts.append(Part(before=inputs(sizes.hidden), after=mixed + inputs(sizes.inner), compiled=[], factors=4 if sizes.experts else 2,
                          length=sizes.hidden + sizes.inner))
    return parts, Part(before=inputs(sizes.hidden), after=[], compiled=[], length=sizes.hidden)
