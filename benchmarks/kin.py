"""Llama and its kin by their published dimensions. Each is a model's config.json as its authors published it, without what names people."""
import dataclasses
from models import Transformer


@dataclasses.dataclass(frozen=True)
class Llama(Transformer):
    hidden: int
    intermediate: int
    layers: int
    heads: int
    key_heads: int
    head_size: int
    vocabulary: int
    kind: str = "llama"
    tied: bool = False
    theta: float = 10000.0
    scaling: dict | None = None
    epsilon: float = 1e-5
    positions: int = 32768
    more: dict = dataclasses.field(default_factory=dict)  # fields of this kind alone

    CLASSES = {"llama": "LlamaForCausalLM", "mistral": "MistralForCausalLM", "qwen2": "Qwen2ForCausalLM", "qwen3": "Qwen3ForCausalLM",
               "smollm3": "SmolLM3ForCausalLM", "granite": "GraniteForCausalLM"}

    @property
    def window(self):
        return self.more.get("sliding_window")

    def config(self, window=None):
        """No key is ever dropped by its mask, as there are none: the argument is for other models."""
        return dict(model_type=self.kind, architectures=[self.CLASSES[self.kind]], vocab_size=self.vocabulary, hidden_size=self.hidden,
                    intermediate_size=self.intermediate, num_hidden_layers=self.layers, num_attention_heads=self.heads,
                    num_key_value_heads=self.key_heads, head_dim=self.head_size, hidden_act="silu", max_position_embeddings=self.positions,
                    rms_norm_eps=self.epsilon, rope_theta=self.theta, rope_scaling=self.scaling, tie_word_embeddings=self.tied,
                    bos_token_id=0, eos_token_id=1, pad_token_id=2, **self.more)

    def tensors(self):
        """Shape of each tensor of a checkpoint, in transformers' names."""
        yield "model.embed_tokens.weight", (self.vocabulary, self.hidden)
        yield "model.norm.weight", (self.hidden,)
        if not self.tied:
            yield "lm_head.weight", (self.vocabulary, self.hidden)
        for layer in range(self.layers):
            prefix = f"model.layers.{layer}."
            yield prefix + "input_layernorm.weight", (self.hidden,)
            yield prefix + "post_attention_layernorm.weight", (self.hidden,)
            queries, keys = self.heads * self.head_size, self.key_heads * self.head_size
            for name, rows, columns in (("q", queries, self.hidden), ("k", keys, self.hidden), ("v", keys, self.hidden), ("o", self.hidden, queries)):
                yield f"{prefix}self_attn.{name}_proj.weight", (rows, columns)
                if self.kind == "qwen2" and name != "o":
                    yield f"{prefix}self_attn.{name}_proj.bias", (rows,)
            if self.kind == "qwen3":
                for name in "qk":
                    yield f"{prefix}self_attn.{name}_norm.weight", (self.head_size,)
            for name in ("gate", "up"):
                yield f"{prefix}mlp.{name}_proj.weight", (self.intermediate, self.hidden)
            yield prefix + "mlp.down_proj.weight", (self.hidden, self.intermediate)


def llama3(factor):
    return dict(rope_type="llama3", factor=factor, low_freq_factor=1.0, high_freq_factor=4.0, original_max_position_embeddings=8192)


KIN = {
    "smollm2-135M": Llama(576, 1536, 30, 9, 3, 64, 49152, tied=True, theta=1e5, positions=8192),
    "smollm2-360M": Llama(960, 2560, 32, 15, 5, 64, 49152, tied=True, theta=1e5, positions=8192),
    "tinyllama-1.1B": Llama(2048, 5632, 22, 32, 4, 64, 32000, positions=2048),
    "llama-3.2-1B": Llama(2048, 8192, 16, 32, 8, 64, 128256, tied=True, theta=5e5, scaling=llama3(32.0), positions=131072),
    "llama-3.2-3B": Llama(3072, 8192, 28, 24, 8, 128, 128256, tied=True, theta=5e5, scaling=llama3(32.0), positions=131072),
    "llama-3.1-8B": Llama(4096, 14336, 32, 32, 8, 128, 128256, theta=5e5, scaling=llama3(8.0), positions=131072),
    "danube3-500M": Llama(1536, 4096, 16, 16, 8, 96, 32000, theta=1e5, positions=8192),
    "danube2-1.8B": Llama(2560, 6912, 24, 32, 8, 80, 32000, "mistral", positions=8192, more=dict(sliding_window=None)),
    "mistral-7B-v0.3": Llama(4096, 14336, 32, 32, 8, 128, 32768, "mistral", theta=1e6, more=dict(sliding_window=None)),
    "qwen2-0.5B": Llama(896, 4864, 24, 14, 2, 64, 151936, "qwen2", tied=True, theta=1e6, epsilon=1e-6, more=dict(use_sliding_window=False)),
    "qwen2.5-1.5B": Llama(1536, 8960, 28, 12, 2, 128, 151936, "qwen2", tied=True, theta=1e6, epsilon=1e-6, more=dict(use_sliding_window=False)),
    "qwen3-0.6B": Llama(1024, 3072, 28, 16, 8, 128, 151936, "qwen3", tied=True, theta=1e6, epsilon=1e-6, positions=40960,
                        more=dict(attention_bias=False, use_sliding_window=False, sliding_window=None)),
    "smollm3-3B": Llama(2048, 11008, 36, 16, 4, 128, 128256, "smollm3", tied=True, theta=5e6, epsilon=1e-6, positions=65536,
                        more=dict(attention_bias=False, use_sliding_window=False, no_rope_layer_interval=4)),
    "granite-3.1-2B": Llama(2048, 8192, 40, 32, 8, 64, 49155, "granite", tied=True, theta=5e6, positions=131072,
                            more=dict(embedding_multiplier=12.0, attention_multiplier=0.015625, residual_multiplier=0.22, logits_scaling=8.0,
                                      attention_bias=False, mlp_bias=False)),
}
