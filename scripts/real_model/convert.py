#!/usr/bin/env python3
"""Makes a folder as transformers writes it of the GGUF of a Llama: convert.py FILE.gguf FOLDER [--dtype bfloat16|float16|float32]

The folder gets config.json, generation_config.json, model.safetensors, tokenizer.json and tokenizer_config.json. The tokenizer has to be
the byte-level BPE of SmolLM: GGUF names a tokenizer's rules, and does not contain them. Needs gguf, numpy, ml_dtypes and safetensors.
"""
import argparse
import json
import pathlib
import sys

import ml_dtypes
import numpy as np
from gguf import GGUFReader, dequantize
from safetensors.numpy import save_file

IN_LAYER = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm", "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj",
            "attn_v": "self_attn.v_proj", "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
            "ffn_down": "mlp.down_proj"}
WHOLE = {"token_embd": "model.embed_tokens", "output_norm": "model.norm", "output": "lm_head"}
TYPES = {"bfloat16": ml_dtypes.bfloat16, "float16": np.float16, "float32": np.float32}
SPECIAL = 3  # the type of tokens that no text contains


def transformers_name(name):
    part, last = name.rsplit(".", 1)
    try:
        if part.startswith("blk."):
            _, layer, part = part.split(".")
            return f"model.layers.{layer}.{IN_LAYER[part]}.{last}"
        return f"{WHOLE[part]}.{last}"
    except KeyError:
        sys.exit(f"convert.py: tensor {name} is of no Llama")


def halves(rows, heads):
    """Rows of a projection in transformers' order: llama.cpp rotates numbers 2i and 2i + 1 of a head, transformers i and i + P/2."""
    return rows.reshape(heads, -1, 2, rows.shape[1]).swapaxes(1, 2).reshape(rows.shape)


class Source:
    """Fields and tensors of a GGUF."""

    def __init__(self, path):
        reader = GGUFReader(path)
        self.fields = {name: field.contents() for name, field in reader.fields.items()}
        self.tensors = reader.tensors
        if self.fields["general.architecture"] != "llama":
            sys.exit(f"convert.py: {path} has a model of type {self.fields['general.architecture']}, and only llama is known here")

    def model(self, name, *default):
        return self.fields.get(f"llama.{name}", *default)

    def token(self, name):
        return self.fields.get(f"tokenizer.ggml.{name}_token_id")

    def text(self, name):
        return self.fields["tokenizer.ggml.tokens"][self.token(name)]


def weights(source, dtype):
    heads = {".attn_q.": source.model("attention.head_count"), ".attn_k.": source.model("attention.head_count_kv")}
    found = {}
    for tensor in source.tensors:
        shape = tuple(int(extent) for extent in tensor.shape[::-1])
        array = dequantize(tensor.data, tensor.tensor_type).reshape(shape).astype(np.float32)
        for part, count in heads.items():
            if part in tensor.name:
                array = halves(array, count)
        found[transformers_name(tensor.name)] = np.ascontiguousarray(array.astype(dtype))
    return found


def config(source, tensors, dtype):
    width, heads = source.model("embedding_length"), source.model("attention.head_count")
    return dict(
        architectures=["LlamaForCausalLM"], model_type="llama", vocab_size=tensors["model.embed_tokens.weight"].shape[0], hidden_size=width,
        intermediate_size=source.model("feed_forward_length"), num_hidden_layers=source.model("block_count"), num_attention_heads=heads,
        num_key_value_heads=source.model("attention.head_count_kv"), head_dim=source.model("rope.dimension_count", width // heads),
        hidden_act="silu", max_position_embeddings=source.model("context_length"),
        # GGUF has it in f32, and the config as it was written
        rms_norm_eps=float(f"{source.model('attention.layer_norm_rms_epsilon'):.6g}"), rope_theta=float(source.model("rope.freq_base", 10000.0)),
        rope_scaling=None, attention_bias=False, mlp_bias=False, tie_word_embeddings="lm_head.weight" not in tensors,
        bos_token_id=source.token("bos"), eos_token_id=source.token("eos"), pad_token_id=source.token("padding"), torch_dtype=dtype)


def tokenizer(source):
    """Each digit is alone, and words are those of GPT-2."""
    fields = source.fields
    if (fields["tokenizer.ggml.model"], fields["tokenizer.ggml.pre"]) != ("gpt2", "smollm"):
        sys.exit(f"convert.py: the tokenizer is {fields['tokenizer.ggml.model']} with the words of {fields['tokenizer.ggml.pre']}, "
                 "and only gpt2 with those of smollm is known here")
    tokens = fields["tokenizer.ggml.tokens"]
    added = [dict(id=id, content=text, single_word=False, lstrip=False, rstrip=False, normalized=False, special=True)
             for id, (text, kind) in enumerate(zip(tokens, fields["tokenizer.ggml.token_type"])) if kind == SPECIAL]
    bytes_of = dict(type="ByteLevel", add_prefix_space=False, trim_offsets=True, use_regex=True)
    return dict(version="1.0", truncation=None, padding=None, added_tokens=added, normalizer=None,
                pre_tokenizer=dict(type="Sequence", pretokenizers=[dict(type="Digits", individual_digits=True), bytes_of]), post_processor=None,
                decoder=dict(bytes_of, add_prefix_space=True),
                model=dict(type="BPE", dropout=None, unk_token=None, continuing_subword_prefix=None, end_of_word_suffix=None, fuse_unk=False,
                           byte_fallback=False, ignore_merges=False, vocab={text: id for id, text in enumerate(tokens)},
                           merges=fields["tokenizer.ggml.merges"]))


def tokenizer_config(source):
    return dict(tokenizer_class="PreTrainedTokenizerFast", bos_token=source.text("bos"), eos_token=source.text("eos"),
                pad_token=source.text("padding"), unk_token=source.text("unknown"), model_max_length=source.model("context_length"),
                add_prefix_space=False, clean_up_tokenization_spaces=False, chat_template=source.fields.get("tokenizer.chat_template"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gguf", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--dtype", default="bfloat16", choices=TYPES)
    a = parser.parse_args()
    source = Source(a.gguf)
    tensors = weights(source, TYPES[a.dtype])
    a.folder.mkdir(parents=True, exist_ok=True)
    save_file(tensors, a.folder / "model.safetensors", {"format": "pt"})
    parts = {"generation_config": dict(bos_token_id=source.token("bos"), eos_token_id=source.token("eos"), pad_token_id=source.token("padding")),
             "tokenizer": tokenizer(source), "tokenizer_config": tokenizer_config(source), "config": config(source, tensors, a.dtype)}
    for name, value in parts.items():
        (a.folder / f"{name}.json").write_text(json.dumps(value, indent=1, ensure_ascii=False))
    print(f"{len(tensors)} tensors, {sum(array.size for array in tensors.values()) / 1e6:.1f} million numbers")


main()
