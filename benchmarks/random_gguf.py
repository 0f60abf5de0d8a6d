#!/usr/bin/env python3
"""Writes the model nearest to a Doge that llama.cpp runs: its dimensions in the llama architecture, bf16, random weights.

    benchmarks/random_gguf.py OUT.gguf --model doge-160M

The matrices are the same but for dt_proj (one row a key/value head), so a token reads the same bytes and takes the same
products; llama.cpp has neither the dynamic mask nor the norms of queries and keys to calculate. Needs nothing but Python.
"""
import argparse, io, math, pathlib, struct
from models import MODELS, VOCABULARY, Doge
from random_model import write

F32, BF16 = 0, 30  # ggml's types of tensors
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


def save(path, model):
    shapes, entries = list(tensors(model)), metadata(model)
    head = io.BytesIO()
    head.write(b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(entries)) + b"".join(entries))
    padded = lambda size: size + -size % ALIGNMENT
    size = lambda shape: math.prod(shape) * (2 if len(shape) == 2 else 4)
    offset = 0
    for name, shape in shapes:
        # extents innermost first
        head.write(string(name) + struct.pack(f"<I{len(shape)}Q", len(shape), *reversed(shape)))
        head.write(struct.pack("<IQ", BF16 if len(shape) == 2 else F32, offset))
        offset += padded(size(shape))
    temporary, at = path.with_suffix(".part"), 0
    with open(temporary, "wb") as file:
        file.write(head.getvalue() + bytes(-head.tell() % ALIGNMENT))
        for _, shape in shapes:
            if len(shape) == 2:
                at = write(file, math.prod(shape), "bf16", 0.02, 0.0, at)
            else:
                file.write(struct.pack("<f", 1.0) * shape[0])
            file.write(bytes(padded(size(shape)) - size(shape)))
    temporary.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--model", default="doge-160M", choices=[name for name, model in MODELS.items()
                                                                 if isinstance(model, Doge) and not model.experts])
    a = parser.parse_args()
    save(a.out, MODELS[a.model])


if __name__ == "__main__":
    main()
