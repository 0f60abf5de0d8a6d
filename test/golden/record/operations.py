"""The recorded operations, test/golden/ops: which cases there are, how their inputs are drawn, and what comes out.

One generator draws all cases in the order of this file. So a new case comes after the last one, or the ones after it change.
"""
import math

import numpy

import equations
import files
import llama
from draws import Generator

SEED = 1


def single(values):
    """Rounds values to what a file of f32 holds: an operation is computed from what is stored."""
    return files.stored(values, "F32")


class Cases:
    """name -> (tensors, attributes); an attribute is text."""

    def __init__(self):
        self.draw = Generator(SEED)
        self.all = {}
        self.rotary()
        self.ssd()
        self.attention()
        self.experts()
        self.listed_rotary()
        self.plain_attention()

    def normal(self, *shape):
        return single(self.draw.normal(*shape))

    def matrix(self, rows, columns):
        return single(self.draw.normal(rows, columns) / math.sqrt(columns))

    def add(self, name, attributes, tensors):
        kinds = {each: ("I64" if values.dtype == numpy.int64 else "F32", values) for each, values in tensors.items() if values is not None}
        self.all[name] = kinds, {key: str(value) for key, value in attributes.items()}

    def rotary(self):
        near, far = numpy.arange(50), numpy.array([0, 9_999, 16_384, 99_999, 131_071, 524_288, 999_999])
        for name, positions, scaling in [
            ("rope", near, {}),
            ("rope_dynamic", near, {"max_positions": 32, "factor": 4.0}),  # the base grows: 50 is longer than 32
            ("rope_far", far, {}),  # angles that f32 cannot hold
        ]:
            x = self.normal(2, len(positions), 3, 16)
            angles = equations.rotary_angles(positions, 16, **scaling)
            y = equations.rotate(x, numpy.cos(angles), numpy.sin(angles))
            self.add(name, {"theta": 10000.0, **scaling}, {"positions": positions, "x": x, "y": y})

    def ssd(self):
        for name, sequences, length, heads, groups, width, state, scale, skip, resumed in [
            ("ssd_ragged", 2, 77, 4, 2, 16, 32, -1, True, False),  # 77 is no multiple of a chunk of 16
            ("ssd_long", 1, 1025, 2, 2, 16, 16, -1, False, False),
            ("ssd_resumed", 2, 40, 4, 1, 8, 24, -1, True, True),
            ("ssd_one_step", 3, 1, 4, 4, 16, 16, -1, True, True),
            ("ssd_growing", 1, 64, 2, 1, 16, 16, 0.05, False, False),  # a is above zero
        ]:
            x = self.normal(sequences, length, heads, width)
            step = single(equations.softplus(self.draw.normal(sequences, length, heads)))
            b, c = (self.normal(sequences, length, groups, state) for _ in range(2))
            a = single(scale * self.draw.uniform(heads))
            d = self.normal(heads) if skip else None
            before = self.normal(sequences, heads, width, state) if resumed else None
            y, last = equations.ssd(x, step, a, b, c, d, before)
            self.add(name, {"chunk": 16}, {"x": x, "dt": step, "A": a, "B": b, "C": c, "D": d, "initial_state": before,
                                           "y": y, "final_state": last})

    def attention(self):
        for name, kind, keep, threshold, heads, groups, masks, length in [
            ("attention_bias", "bias", None, 1.0, 4, 2, 2, 70),
            ("attention_keep", "bias", 16, 1.0, 4, 2, 2, 70),
            ("attention_keep_per_head", "bias", 9, 1.0, 4, 2, 4, 50),
            ("attention_threshold", "threshold", None, 0.5, 4, 2, 2, 70),
            ("attention_listing", "threshold", None, 1.0, 4, 4, 4, 40),
            ("attention_scale", "scale", None, 1.0, 4, 1, 4, 70),
        ]:
            q = self.normal(2, length, heads, 16)
            k, v = (self.normal(2, length, groups, 16) for _ in range(2))
            step = self.matrix(masks, groups * 16)
            a = single(self.draw.uniform(masks) * 2 - 1.5)
            mask = equations.dynamic_mask(v.reshape(2, length, -1), {"dt_proj.weight": step}, a)
            y = equations.dynamic_mask_attention(q, k, v, mask, kind, keep, threshold)
            self.add(name, {"kind": kind, "keep": keep or 0, "threshold": threshold},
                     {"q": q, "k": k, "v": v, "dt_proj": step, "A": a, "mask": mask, "y": y})

    def experts(self):
        width, inner, retrieval = 48, 96, 16
        for name, placement, heads, k, count, gate in [
            ("cdmoe_softmax", "softmax", 2, 4, 64, True),
            ("cdmoe_inner", "inner", 3, 8, 1024, False),
            ("cdmoe_gate_keys", "softmax", 1, 16, 1024, True),
        ]:
            keys = math.isqrt(count)
            x = self.normal(2, 19, width)
            weights = {"up_proj.weight": self.matrix(inner, width), "down_proj.weight": self.matrix(width, inner),
                       "down_embed.weight": self.matrix(count, width), "up_embed.weight": self.matrix(count, width)}
            if gate:
                weights["gate_proj.weight"] = self.matrix(inner, width)
            if name == "cdmoe_gate_keys":
                weights["router_gate.weight"] = self.matrix(2 * keys, width)
            else:
                weights["queries.weight"] = self.matrix(heads * retrieval, width)
                weights["keys"] = self.normal(heads, keys, 2, retrieval // 2)
            y = equations.cross_domain_experts(x, weights, heads, k, placement)
            self.add(name, {"score": placement, "heads": heads, "k": k}, {"x": x, "y": y, **weights})

    def listed_rotary(self):
        """Angles whose frequencies are a list, over all of a head or a part of it."""
        positions = numpy.array([0, 1, 2, 63, 500, 4_095, 8_191, 40_000])
        scaled = {"factor": 8.0, "original_max_position_embeddings": 8192}
        for name, size, theta, scaling in [
            ("rope_partial", 16, 10000.0, {"rope_type": "default"}),  # the last half of a head stays
            ("rope_linear", 32, 10000.0, {"rope_type": "linear", "factor": 4.0}),
            ("rope_llama3", 32, 500000.0, {"rope_type": "llama3", "low_freq_factor": 1.0, "high_freq_factor": 4.0, **scaled}),
            ("rope_yarn", 32, 10000.0, {"rope_type": "yarn", **scaled}),
        ]:
            x = self.normal(1, len(positions), 2, 32)
            config = {"rope_theta": theta, "rope_scaling": scaling, "max_position_embeddings": 8192}
            frequencies, magnitude = llama.frequencies(config, size)
            angles = positions[:, None] * frequencies
            turned = equations.rotate(x[..., :size], magnitude * numpy.cos(angles), magnitude * numpy.sin(angles))
            y = numpy.concatenate((turned, x[..., size:]), -1)
            self.add(name, {"theta": theta, "size": size, **scaling}, {"positions": positions, "x": x, "y": y})

    def plain_attention(self):
        for name, heads, groups, size, scale, window, length in [
            ("attention_none", 4, 2, 16, 0.2, None, 70),  # 1 / sqrt(16) is another scale
            ("attention_window", 4, 2, 16, 0.25, 12, 70),
            ("attention_window_one", 2, 1, 8, 0.25, 1, 20),  # a row that sees itself alone
        ]:
            q = self.normal(2, length, heads, size)
            k, v = (self.normal(2, length, groups, size) for _ in range(2))
            y = llama.attention_of(q, k, v, scale, window)
            self.add(name, {"scale": scale, "window": window or 0}, {"q": q, "k": k, "v": v, "y": y})


def record():
    """Name -> the bytes of its file."""
    return {name: files.encode(tensors, attributes) for name, (tensors, attributes) in Cases().all.items()}
