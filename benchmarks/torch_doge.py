#!/usr/bin/env python3
"""Times a Doge folder in PyTorch on the CPU or a GPU, and prints one line of JSON: tokens a second of prefill and of decoding.

    benchmarks/torch_doge.py FOLDER [--by torch|transformers] [--dtype bf16|f32] [--compile] [--threads 2] [--prefill 512]
                             [--depth 512 --count 32] [--repeat 3] [--device cuda] [--attention eager|sdpa] [--check]

`torch` is the leanest plain PyTorch for it, written below: keys and values in buffers of the final size, one fused
attention call, no work that the result does not need. `transformers` is the library's own model, eager unless --attention says
otherwise; its folder may be of any model that the library knows. Prefill is one
forward pass whose last token gets logits; decoding is `count` greedy tokens after `depth`. --compile has torch.compile make
one program of a layer, which all layers share, for any number of tokens; that is done before the first timed run. (One program
of a whole step takes many minutes to make.) Needs: pip install torch (and transformers), a C++ compiler to compile. --check
compares the two and prints the largest difference of logits instead.
"""
import argparse, json, pathlib, statistics, struct, time
import torch
import torch.nn.functional as F

DTYPES = {"bf16": torch.bfloat16, "f32": torch.float32}


def tensors(folder, dtype, device):
    """The tensors of model.safetensors, by name."""
    data = bytearray((folder / "model.safetensors").read_bytes())
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    view = memoryview(data)[8 + size :]
    stored = {"BF16": torch.bfloat16, "F32": torch.float32}
    read = lambda entry: torch.frombuffer(view[slice(*entry["data_offsets"])], dtype=stored[entry["dtype"]]).reshape(entry["shape"])
    return {name: read(entry).to(device, dtype) for name, entry in header.items()}


class Doge:
    """A Doge without experts, as long as no more keys than its window are stored (all of them are visible then)."""

    def __init__(self, folder, dtype, device):
        self.config = json.loads((folder / "config.json").read_text())
        weights, self.dtype, self.device = tensors(folder, dtype, device), dtype, device
        named = lambda prefix: {name[len(prefix):].removesuffix(".weight"): weight for name, weight in weights.items() if name.startswith(prefix)}
        self.layers = [named(f"model.layers.{layer}.") for layer in range(self.config["num_hidden_layers"])]
        self.embedding, self.last_norm = weights["model.embed_tokens.weight"], weights["model.norm.weight"]
        self.heads = self.config["num_attention_heads"]
        self.key_heads, self.size = self.config["num_key_value_heads"], self.config["hidden_size"] // self.heads
        self.inverse = self.config["rope_parameters"]["rope_theta"] ** -(torch.arange(0, self.size, 2, device=device) / self.size)

    def start(self, capacity):
        if capacity > self.config["keep_window_size"]:
            raise SystemExit("torch_doge: more tokens than keep_window_size; this model never drops a key")
        shape = (len(self.layers), 1, self.key_heads, capacity)
        zeros = lambda *extents: torch.zeros(*extents, dtype=self.dtype, device=self.device)
        return {"keys": zeros(*shape, self.size), "values": zeros(*shape, self.size), "masks": zeros(*shape), "filled": 0}

    def norm(self, x, weight):
        return F.rms_norm(x, x.shape[-1:], weight, self.config["rms_norm_eps"])

    def rotate(self, x, cos, sin):
        first, second = x.chunk(2, -1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), -1)

    def layer(self, x, w, keys, values, masks, cos, sin, hidden_keys, old):
        """A layer with the weights `w`: its rows become those from `old` on of its keys, values and masks."""
        rows = x.shape[0]
        new = old + rows
        split = lambda y: y.view(1, rows, -1, self.size).transpose(1, 2)
        y = self.norm(x, w["input_layernorm"])
        query = self.rotate(self.norm(split(F.linear(y, w["self_attn.q_proj"])), w["self_attn.q_norm"]), cos, sin)
        value = F.linear(y, w["self_attn.v_proj"])
        step = F.softplus(F.linear(value, w["self_attn.dt_proj"]))
        keys[:, :, old:new] = self.rotate(self.norm(split(F.linear(y, w["self_attn.k_proj"])), w["self_attn.k_norm"]), cos, sin)
        values[:, :, old:new] = split(value)
        masks[:, :, old:new] = torch.exp(w["self_attn.A"] * step).T
        mask = masks[:, :, None, :new]
        if hidden_keys is not None:
            mask = mask + hidden_keys
        mask = mask.repeat_interleave(self.heads // self.key_heads, 1)
        y = F.scaled_dot_product_attention(query, keys[:, :, :new], values[:, :, :new], attn_mask=mask, enable_gqa=True)
        y = F.linear(y.transpose(1, 2).reshape(rows, -1), w["self_attn.o_proj"])
        x = torch.addcmul(y, w["input_residual"], x)
        y = self.norm(x, w["post_attention_layernorm"])
        y = F.silu(F.linear(y, w["mlp.gate_proj"])) * F.linear(y, w["mlp.up_proj"])
        return torch.addcmul(F.linear(y, w["mlp.down_proj"]), w["post_attention_residual"], x)

    def step(self, tokens, state):
        """Logits of the last of these tokens, which follow those that the state holds."""
        rows, old = len(tokens), state["filled"]
        new = state["filled"] = old + rows
        angles = torch.arange(old, new, device=self.device)[:, None] * self.inverse
        cos, sin = angles.cos().to(self.dtype), angles.sin().to(self.dtype)
        hidden_keys = None
        if rows > 1:
            hidden_keys = torch.full((rows, new), -torch.inf, dtype=self.dtype, device=self.device).triu(old + 1)
        x = F.embedding(tokens, self.embedding)
        for layer, weights in enumerate(self.layers):
            x = self.layer(x, weights, state["keys"][layer], state["values"][layer], state["masks"][layer], cos, sin, hidden_keys, old)
        return F.linear(self.norm(x[-1:], self.last_norm), self.embedding)


class Library:
    """The same three calls of a transformers model."""

    def __init__(self, folder, dtype, device, attention="eager"):
        import transformers
        transformers.logging.set_verbosity_error()
        transformers.logging.disable_progress_bar()
        self.version = transformers.__version__
        model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=dtype, attn_implementation=attention)
        self.model = model.eval().to(device)

    def start(self, capacity):
        return {}

    def step(self, tokens, state):
        out = self.model(tokens[None], past_key_values=state.get("past"), use_cache=True, logits_to_keep=1)
        state["past"] = out.past_key_values
        return out.logits[0]


def now(tokens):
    """The time at which all that was asked for is done, on the device that has the tokens."""
    if tokens.is_cuda:
        torch.cuda.synchronize()
    return time.perf_counter()


def prefill(model, tokens):
    state = model.start(len(tokens))
    start = now(tokens)
    model.step(tokens, state)
    return len(tokens) / (now(tokens) - start)


def decode(model, tokens, count):
    state = model.start(len(tokens) + count)
    token = model.step(tokens, state).argmax(-1)
    start = now(tokens)
    for _ in range(count):
        token = model.step(token, state).argmax(-1)
    return count / (now(tokens) - start)


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--by", default="torch", choices=["torch", "transformers"])
    parser.add_argument("--dtype", default="bf16", choices=DTYPES)
    parser.add_argument("--compile", action="store_true", help="by torch.compile")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    parser.add_argument("--prefill", type=int, default=0)
    parser.add_argument("--depth", type=int, default=512)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--attention", default="eager", choices=["eager", "sdpa"], help="of transformers")
    parser.add_argument("--check", action="store_true")
    a = parser.parse_args()
    torch.set_num_threads(a.threads)
    ids = lambda count: torch.tensor([i * 7919 % 32768 for i in range(count)], device=a.device)
    if a.check:
        ours, theirs = (one(a.folder, DTYPES[a.dtype], a.device) for one in (Doge, Library))
        worst, tokens, first, second = 0.0, ids(64), ours.start(80), theirs.start(80)
        for part in [tokens[:64]] + [tokens[i : i + 1] for i in range(16)]:
            x, y = ours.step(part, first).float(), theirs.step(part, second).float()
            worst = max(worst, ((x - y).abs().max() / y.std()).item())
        print(json.dumps({"difference": worst}))
        return
    model = (Doge(a.folder, DTYPES[a.dtype], a.device) if a.by == "torch" else
             Library(a.folder, DTYPES[a.dtype], a.device, a.attention))
    if a.compile:
        if a.by == "torch":
            model.layer = torch.compile(model.layer, dynamic=True)
        else:
            model.step = torch.compile(model.step, dynamic=True)
    result = {"by": a.by, "dtype": a.dtype, "threads": a.threads, "version": torch.__version__ if a.by == "torch" else model.version}
    for name, measure in (("prefill", a.prefill and (lambda: prefill(model, ids(a.prefill)))),
                          ("decode", a.count and (lambda: decode(model, ids(a.depth), a.count)))):
        if measure:
            measure()  # oneDNN makes its kernels and packs at the first call
            result[name] = statistics.median(measure() for _ in range(a.repeat))
    print(json.dumps(result))


main()
