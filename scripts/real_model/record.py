#!/usr/bin/env python3
"""Records golden.safetensors beside this file, what transformers computes in float32: record.py FOLDER

FOLDER is what convert.py made. Recorded are input_ids [1, T] of a chat's prompt, logits [1, T, V/48] (of each 48th token, which keeps the file
small), their deviation over all tokens, greedy_ids [1, 32] that continue the prompt, and of a text ppl_ids [1, N] and ppl_nll [1, N - 1], the
negative log-probability of each token but the first. Needs torch, transformers and safetensors.
"""
import pathlib
import sys

import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, AutoTokenizer

TEXT = """The sea is the great body of salt water that covers most of the surface of the Earth. It moderates the climate and has
important roles in the water cycle, the carbon cycle and the nitrogen cycle. Humans have travelled on it and studied it since the earliest
times; the modern study of the sea is called oceanography. Seawater is about 3.5 per cent salt by weight, mostly sodium chloride. Winds that
blow over the surface make waves, which break when they enter shallow water. They also make currents, through friction, which set up slow but
steady circulations throughout the oceans. 1234 + 5678 = 6912."""
STRIDE, TOKENS = 48, 32

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
model = AutoModelForCausalLM.from_pretrained(sys.argv[1], dtype=torch.float32, attn_implementation="eager").eval()
chat = tokenizer.apply_chat_template([dict(role="user", content="Name three colours.")], add_generation_prompt=True, return_tensors="pt",
                                     return_dict=True)["input_ids"]
text = tokenizer(TEXT, return_tensors="pt").input_ids
with torch.no_grad():
    logits = model(chat, use_cache=False).logits
    greedy = model.generate(chat, attention_mask=torch.ones_like(chat), max_new_tokens=TOKENS, min_new_tokens=TOKENS, do_sample=False,
                            eos_token_id=None, pad_token_id=2)[:, -TOKENS:]
    losses = torch.nn.functional.cross_entropy(model(text, use_cache=False).logits[0, :-1], text[0, 1:], reduction="none")[None]
save_file(dict(input_ids=chat, logits=logits[:, :, ::STRIDE].contiguous(), deviation=logits.std()[None], greedy_ids=greedy.contiguous(),
               ppl_ids=text, ppl_nll=losses), pathlib.Path(__file__).parent / "golden.safetensors")
