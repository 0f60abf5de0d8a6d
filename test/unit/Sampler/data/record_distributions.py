#!/usr/bin/env python3
"""Records what transformers' logits processors make of random rows (needs test/golden/record/requirements-transformers.txt).

    python3 record_distributions.py > distributions.json
"""
import json

import numpy
import torch
from transformers import GenerationConfig
from transformers.generation.logits_process import (
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

random = numpy.random.default_rng(20240607)

SETTINGS = [
    {},
    {"temperature": 0.7},
    {"temperature": 1.9},
    {"temperature": 0.05},
    {"top_k": 1},
    {"top_k": 40},
    {"top_k": 1000},
    {"top_p": 0.9},
    {"top_p": 0.3},
    {"top_p": 0.001},
    {"min_p": 0.05},
    {"min_p": 1.0},
    {"repetition_penalty": 1.3},
    {"repetition_penalty": 0.8, "temperature": 1.2},
    {"temperature": 0.8, "top_k": 40, "top_p": 0.95},
    {"temperature": 0.8, "top_k": 20, "top_p": 0.9, "min_p": 0.05, "repetition_penalty": 1.1},
    {"temperature": 1.5, "top_p": 0.99, "min_p": 0.1, "repetition_penalty": 2.0},
    {"top_k": 5, "top_p": 0.5, "ties": True},
    {"top_k": 7, "ties": True},
    {"top_p": 0.8, "masked": True, "repetition_penalty": 1.5},
]


def processors(settings):
    """Order and conditions as `_get_logits_processor` has them; a release that changes them fails the check below."""
    steps = LogitsProcessorList()
    if "repetition_penalty" in settings:
        steps.append(RepetitionPenaltyLogitsProcessor(settings["repetition_penalty"]))
    if "temperature" in settings:
        steps.append(TemperatureLogitsWarper(settings["temperature"]))
    if "top_k" in settings:
        steps.append(TopKLogitsWarper(settings["top_k"]))
    if "top_p" in settings:
        steps.append(TopPLogitsWarper(settings["top_p"]))
    if "min_p" in settings:
        steps.append(MinPLogitsWarper(settings["min_p"]))
    return steps


def check_order(settings):
    """Compares with what generate() itself would assemble."""
    from transformers import LlamaConfig, LlamaForCausalLM

    tiny = LlamaConfig(vocab_size=8, hidden_size=8, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1)
    chosen = {name: value for name, value in settings.items() if name not in ("ties", "masked")}
    config = GenerationConfig(do_sample=True, **{"top_k": 0, **chosen})
    assembled = LlamaForCausalLM(tiny)._get_logits_processor(config, input_ids_seq_length=1)
    names = [type(step).__name__ for step in processors(settings)]
    assert [type(step).__name__ for step in assembled] == names, (settings, assembled)


rows = []
for settings in SETTINGS:
    check_order(settings)
    vocabulary = int(random.integers(64, 201))
    logits = random.normal(0, 3, vocabulary).astype(numpy.float32)
    if settings.get("ties"):
        logits = numpy.round(logits).astype(numpy.float32)
    if settings.get("masked"):
        logits[random.integers(0, vocabulary, 20)] = -numpy.inf
    history = random.integers(0, vocabulary, 24).tolist()
    scores = processors(settings)(torch.tensor([history]), torch.from_numpy(logits)[None].clone())
    probabilities = torch.softmax(scores[0].double(), dim=-1)
    rows.append(
        {
            "settings": {name: value for name, value in settings.items() if name not in ("ties", "masked")},
            "history": history,
            "logits": [float(f"{value:.9g}") if numpy.isfinite(value) else None for value in logits],
            "probabilities": [float(f"{value:.9g}") for value in probabilities.tolist()],
        }
    )
print("[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]")
