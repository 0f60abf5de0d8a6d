"""The logits of Doge by transformers: its own code, on weights in double. A second opinion on models.py, and what is recorded.

transformers takes some steps in f32 even then: norms, softmax and the angles of positions. So these logits differ from those of
models.py by what f32 rounds. Needs torch and transformers; nothing else here does.
"""
import types
import unittest.mock

import numpy
import torch
import transformers

# The order of a sum must not depend on how many cores there are
torch.set_num_threads(1)
transformers.utils.logging.disable_progress_bar()


def first_of_equals(values, k, dim=-1, **_):
    """Takes the place of torch.topk, which may take any of equal values on a CPU. Of equal masks the older key stays, as with CUDA.
    Values are ranked as f32, so that equal tokens are equal whatever order their sums had."""
    order = values.float().sort(dim=dim, descending=True, stable=True).indices.narrow(dim, 0, k)
    return types.SimpleNamespace(values=values.gather(dim, order), indices=order)


class Model:
    def __init__(self, folder):
        self.model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64, attn_implementation="eager").eval()

    @torch.no_grad()
    def logits(self, ids):
        """[B, T, V] of ids [B, T], both of numpy."""
        with unittest.mock.patch.object(torch, "topk", first_of_equals):
            ids = torch.from_numpy(numpy.ascontiguousarray(ids))
            if not self.model.config.is_moe:
                return self.model(ids, use_cache=False).logits.numpy()
            return torch.stack([self.by_token(row) for row in ids]).numpy()

    def by_token(self, row):
        """Its router mixes the tokens of one call, so it gets one token at a time."""
        cache, steps = None, []
        for token in row:
            out = self.model(token.view(1, 1), past_key_values=cache, use_cache=True)
            cache = out.past_key_values
            steps.append(out.logits[0, 0])
        return torch.stack(steps)

    def greedy(self, ids, count):
        for _ in range(count):
            best = self.logits(ids)[:, -1].argmax(-1)
            ids = numpy.concatenate((ids, best[:, None]), 1)
        return ids[:, ids.shape[1] - count :]
