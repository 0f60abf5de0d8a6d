"""Writes a Doge model of no layers, with random weights: an embedding, one RMSNorm and one matmul.  make-model.py FOLDER"""
import json
import pathlib
import random
import struct
import sys

VOCABULARY, HIDDEN = 96, 40


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    config = {"model_type": "doge", "architectures": ["DogeForCausalLM"], "vocab_size": VOCABULARY, "hidden_size": HIDDEN,
              "intermediate_size": 16, "num_hidden_layers": 0, "num_attention_heads": 2, "num_key_value_heads": 1, "hidden_act": "silu",
              "max_position_embeddings": 64, "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "bos_token_id": 0, "eos_token_id": 1,
              "pad_token_id": 2}
    (folder / "config.json").write_text(json.dumps(config, indent=2))
    random.seed(7)
    shapes = {"model.embed_tokens.weight": [VOCABULARY, HIDDEN], "model.norm.weight": [HIDDEN], "lm_head.weight": [VOCABULARY, HIDDEN]}
    header, data = {}, b""
    for name, shape in shapes.items():
        count = 1
        for extent in shape:
            count *= extent
        values = struct.pack(f"<{count}f", *(random.gauss(0, 1) for _ in range(count)))
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    main()
