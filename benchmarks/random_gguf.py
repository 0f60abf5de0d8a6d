#!/usr/bin/env python3
"""Writes the model nearest to a Doge that llama.cpp runs: its dimensions in the llama architecture, random weights.

    benchmarks/random_gguf.py OUT.gguf --model doge-160M [--weights bf16|q8_0|q4_0]

q4_0 has its embedding, which is its head, in Q6_K, as llama-quantize writes such a model.

The matrices are the same but for dt_proj (one row a key/value head), so a token reads the same bytes and takes the same
matmuls; llama.cpp has neither the dynamic mask nor the norms of queries and keys to calculate. Needs nothing but Python.
"""
import argparse, io, math, pathlib, random, struct
from models import MODELS, VOCABULARY, Doge
from random_model import write

# ggml's types of tensors, by number, elements and bytes of a block
F32, BF16, Q4_0, Q6_K, Q8_0 = (0, 1, 4), (30, 1, 2), (2, 32, 18), (14, 256, 210), (8, 32, 34)
WEIGHTS = {"bf16": BF16, "q8_0": Q8_0, "q4_0": Q4_0}
ALIGNMENT = 32


def string(text):
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, layout, value):
    return string(key) + struct.pack("<I" + layout, kind, value)


def array(key, kind, count, body):
    return string(key) + struct.pack("<IIQ", 9, kind, count) + body


def metadata(model):
    """The pairs that llama.cpp asks for, with a vocabulary of words t0, t1, ..."""
    entries = [string("general.architecture") + struct.pack("<I", 8) + string("llama")]
    for key, value in (("context_length", 16384), ("embedding_length", model.hidden), ("block_count", model.layers),
                       ("feed_forward_length", model.intermediate), ("attention.head_count", model.heads),
                       ("attention.head_count_kv", model.key_heads), ("rope.dimension_count", model.head_size),
                       ("vocab_size", VOCABULARY)):
        entries.append(pair("llama." + key, 4, "I", value))
    entries.append(pair("llama.attention.layer_norm_rms_epsilon", 6, "f", 1e-6))
    entries.append(string("tokenizer.ggml.model") + struct.pack("<I", 8) + string("llama"))
    entries.append(array("tokenizer.ggml.tokens", 8, VOCABULARY, b"".join(string(f"t{i}") for i in range(VOCABULARY))))
    entries.append(array("tokenizer.ggml.scores", 6, VOCABULARY, bytes(4 * VOCABULARY)))
    entries.append(array("tokenizer.ggml.token_type", 5, VOCABULARY, struct.pack("<i", 1) * VOCABULARY))
    return entries


def tensors(model):
    hidden, keys = model.hidden, model.key_heads * model.head_size
    yield "token_embd.weight", (VOCABULARY, hidden)
    yield "output_norm.weight", (hidden,)
    for layer in range(model.layers):
        block = f"blk.{layer}."
        yield block + "attn_norm.weight", (hidden,)
        yield block + "ffn_norm.weight", (hidden,)
        for name, rows in (("q", hidden), ("k", keys), ("v", keys), ("output", hidden)):
            yield f"{block}attn_{name}.weight", (rows, hidden)
        yield block + "ffn_gate.weight", (model.intermediate, hidden)
        yield block + "ffn_up.weight", (model.intermediate, hidden)
        yield block + "ffn_down.weight", (hidden, model.intermediate)


def codes(file, blocks, kind):
    """So many blocks of one scale and random quantized values."""
    generator, (_, _, size) = random.Random(0), kind
    scale = struct.pack("<e", 2e-4)
    body = lambda: generator.randbytes(size - 2)
    # its scale stands first in a block, but last in one of Q6_K
    some = b"".join(body() + scale if kind == Q6_K else scale + body() for _ in range(min(blocks, 65537)))
    while blocks:
        count = min(blocks, len(some) // size)
        file.write(some[: count * size])
        blocks -= count


def save(path, model, weights="bf16"):
    shapes, entries = list(tensors(model)), metadata(model)

    def kind_of(name, shape):
        if len(shape) == 1:
            return F32
        return Q6_K if weights == "q4_0" and name == "token_embd.weight" else WEIGHTS[weights]

    head = io.BytesIO()
    head.write(b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(entries)) + b"".join(entries))
    padded = lambda size: size + -size % ALIGNMENT
    blocks = lambda name, shape: math.prod(shape) // kind_of(name, shape)[1]
    size = lambda name, shape: blocks(name, shape) * kind_of(name, shape)[2]
    offset = 0
    for name, shape in shapes:
        # extents innermost first
        head.write(string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape)))
        head.write(struct.pack("<IQ", kind_of(name, shape)[0], offset))
        offset += padded(size(name, shape))
    temporary, at = path.with_suffix(".part"), 0
    with open(temporary, "wb") as file:
        file.write(head.getvalue() + bytes(-head.tell() % ALIGNMENT))
        for name, shape in shapes:
            kind = kind_of(name, shape)
            if kind == F32:
                file.write(struct.pack("<f", 1.0) * shape[0])
            elif kind == BF16:
                at = write(file, math.prod(shape), "bf16", 0.02, 0.0, at)
            else:
                codes(file, blocks(name, shape), kind)
            file.write(bytes(padded(size(name, shape)) - size(name, shape)))
    temporary.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--model", default="doge-160M", choices=[name for name, model in MODELS.items()
                                                                 if isinstance(model, Doge) and not model.experts])
    parser.add_argument("--weights", default="bf16", choices=list(WEIGHTS))
    a = parser.parse_args()
    save(a.out, MODELS[a.model], a.weights)


if __name__ == "__main__":
    main()
