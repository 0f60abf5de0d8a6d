"""The published models by their dimensions: what they hold, what a token makes them read and calculate."""
import dataclasses, math

VOCABULARY = 32768
WINDOW = 2048  # keys that stay, where a model drops any


class Transformer:
    """What decoders of attention and MLPs have in common. A model gives its dimensions and `tensors()`."""

    window = None  # keys that a query sees at most, where that is limited

    def parameters(self):
        return sum(math.prod(shape) for _, shape in self.tensors())

    def step_bytes(self, depth, weight=2, key=2, sequences=1):
        """What a decoding step of a model without experts must read: each weight once but of an embedding that is not the head a row, and of
        each sequence the keys and values of `depth` tokens; `weight` and `key` are the bytes of one number."""
        stored = 2 * self.layers * self.key_heads * self.head_size * min(depth, self.window or depth)
        unread = 0 if self.tied else (self.vocabulary - sequences) * self.hidden
        return (self.parameters() - unread) * weight + stored * key * sequences

    def matmul_flops(self, rows, logits):
        """Floating-point operations in the matmuls with weights, `rows` tokens and `logits` rows of logits."""
        inside = sum(math.prod(shape) for name, shape in self.tensors() if len(shape) == 2 and "embed" not in name and "lm_head" not in name)
        return 2 * (inside * rows + self.vocabulary * self.hidden * logits)

    def prefill_flops(self, tokens):
        """The same of a prompt whose last token alone needs logits, and of its causal attention (two products per pair)."""
        seen = min(tokens, self.window or tokens)
        pairs = seen * (seen + 1) // 2 + (tokens - seen) * seen
        return self.matmul_flops(tokens, 1) + 4 * self.layers * self.heads * self.head_size * pairs


@dataclasses.dataclass(frozen=True)
class Doge(Transformer):
    hidden: int
    intermediate: int
    layers: int
    heads: int
    key_heads: int
    experts: int = 0  # 0: a plain MLP in each layer
    retrieved: int = 64  # of them, by a token
    positions: int = 16384
    vocabulary: int = VOCABULARY

    tied = True

    @property
    def head_size(self):
        return self.hidden // self.heads

    def config(self, window):
        return dict(model_type="doge", architectures=["DogeForCausalLM"], vocab_size=self.vocabulary, hidden_size=self.hidden,
                    intermediate_size=self.intermediate, num_hidden_layers=self.layers, num_attention_heads=self.heads,
                    num_key_value_heads=self.key_heads, max_position_embeddings=self.positions, rms_norm_eps=1e-6,
                    rope_parameters=dict(rope_theta=10000.0, rope_type="default"), hidden_act="silu", tie_word_embeddings=True,
                    keep_window_size=window, is_moe=self.experts > 0, num_experts=self.experts or 16384, num_experts_per_tok=self.retrieved,
                    norm_topk_prob=False, attention_bias=False, mlp_bias=False, bos_token_id=0, eos_token_id=1, pad_token_id=2)

    def tensors(self):
        """Shape of each tensor of a checkpoint, in transformers' names."""
        hidden, keys = self.hidden, self.key_heads * self.head_size
        yield "model.embed_tokens.weight", (self.vocabulary, hidden)
        yield "model.norm.weight", (hidden,)
        for layer in range(self.layers):
            prefix = f"model.layers.{layer}."
            for name in ("input_layernorm.weight", "input_residual", "post_attention_layernorm.weight", "post_attention_residual"):
                yield prefix + name, (hidden,)
            attention = prefix + "self_attn."
            for name, rows in (("q", hidden), ("k", keys), ("v", keys), ("o", hidden)):
                yield f"{attention}{name}_proj.weight", (rows, hidden)
            yield attention + "dt_proj.weight", (self.key_heads, keys)
            yield attention + "A", (self.key_heads,)
            yield attention + "q_norm.weight", (self.head_size,)
            yield attention + "k_norm.weight", (self.head_size,)
            mlp = prefix + "mlp."
            yield mlp + "gate_proj.weight", (self.intermediate, hidden)
            yield mlp + "up_proj.weight", (self.intermediate, hidden)
            yield mlp + "down_proj.weight", (hidden, self.intermediate)
            if self.experts:
                yield mlp + "router_gate.weight", (2 * math.isqrt(self.experts), hidden)
                yield mlp + "down_embed.weight", (self.experts, hidden)
                yield mlp + "up_embed.weight", (self.experts, hidden)



@dataclasses.dataclass(frozen=True)
class Cheems:
    hidden: int
    intermediate: int
    layers: int
    heads: int
    experts: int
    period: int = 8  # every so many layers one is attention; 1: all are, and no key is ever dropped
    positions: int = 1048576
    vocabulary: int = VOCABULARY

    STATE, RETRIEVAL_HEADS, RETRIEVAL_SIZE, RETRIEVED = 128, 4, 64, 8

    def config(self, window):
        return dict(model_type="cheems", architectures=["CheemsForCausalLM"], vocab_size=self.vocabulary, hidden_size=self.hidden,
                    intermediate_size=self.intermediate, num_hidden_layers=self.layers, hidden_bias=False, hidden_act="silu",
                    max_position_embeddings=self.positions, rope_theta=10000.0, rope_scaling=None, rms_norm_eps=1e-6,
                    tie_word_embeddings=True, ssd_chunk_size=256, ssd_state_size=self.STATE, num_attention_heads=self.heads,
                    num_key_value_heads=self.heads // 2, dynamic_mask_ratio=0.0, keep_window_size=window if self.period > 1 else None,
                    attn_layer_period=self.period, attn_layer_offset=self.period - 1, is_moe=True, num_cdmoe_experts=self.experts,
                    num_cdmoe_heads=self.RETRIEVAL_HEADS, num_cdmoe_experts_per_head=self.RETRIEVED, expert_retrieval_size=self.RETRIEVAL_SIZE,
                    bos_token_id=0, eos_token_id=1, pad_token_id=2)

    def tensors(self):
        """Shape of each tensor of a checkpoint, in the author's names."""
        hidden = self.hidden
        yield "model.word_embed.weight", (self.vocabulary, hidden)
        yield "model.final_layernorm.weight", (hidden,)
        for layer in range(self.layers):
            prefix = f"model.layers.{layer}."
            for name in ("pre_sequence_layernorm", "post_sequence_residual", "pre_state_layernorm", "post_state_residual"):
                yield f"{prefix}{name}.weight", (hidden,)
            if layer % self.period == self.period - 1:
                attention = prefix + "attn."
                for name, rows in (("q", hidden), ("k", hidden // 2), ("v", hidden // 2), ("o", hidden)):
                    yield f"{attention}{name}_proj.weight", (rows, hidden)
                yield attention + "dt_proj.weight", (self.heads, hidden // 2)
                yield attention + "A", (self.heads,)
            else:
                ssd = prefix + "ssd."
                for name, rows in (("c", self.STATE), ("b", self.STATE), ("x", hidden), ("dt", self.heads), ("out", hidden)):
                    yield f"{ssd}{name}_proj.weight", (rows, hidden)
                yield ssd + "A", (self.heads,)
                yield ssd + "D", (self.heads,)
            feed = prefix + "feed_forward."
            yield feed + "gate_proj.weight", (self.intermediate, hidden)
            yield feed + "up_proj.weight", (self.intermediate, hidden)
            yield feed + "down_proj.weight", (hidden, self.intermediate)
            yield feed + "queries.weight", (self.RETRIEVAL_HEADS * self.RETRIEVAL_SIZE, hidden)
            yield feed + "keys", (self.RETRIEVAL_HEADS, math.isqrt(self.experts), 2, self.RETRIEVAL_SIZE // 2)
            yield feed + "down_embed.weight", (self.experts, hidden)
            yield feed + "up_embed.weight", (self.experts, hidden)

    def parameters(self):
        return sum(math.prod(shape) for _, shape in self.tensors())

    def step_bytes(self, depth, weight=2, key=2, sequences=1, window=WINDOW):
        """What a decoding step must read: each weight once but of the experts' tables the rows retrieved, and of each
        sequence its SSD states (f32) and the keys and values that stay of `depth` tokens, of which each attention head
        keeps its own where any are dropped."""
        attention = self.layers // self.period
        numbers = 2 * self.hidden * min(depth, window) if self.period > 1 else self.hidden * depth
        tables = 2 * self.layers * self.hidden
        rows = min(self.RETRIEVAL_HEADS * self.RETRIEVED * sequences, self.experts)
        states = (self.layers - attention) * self.hidden * self.STATE * 4 if depth else 0
        stored = attention * numbers * key
        return (self.parameters() - tables * (self.experts - rows)) * weight + (stored + states) * sequences


def weights_of(model):
    """The name of a model, and to what its weights are rounded: "doge-160M+int8"; None: they are as stored."""
    name, _, weights = model.partition("+")
    return name, weights or None


MODELS = {
    "doge-20M": Doge(256, 512, 8, 2, 1),
    "doge-60M": Doge(512, 1024, 16, 4, 2),
    "doge-160M": Doge(768, 1536, 24, 6, 3),
    "doge-320M": Doge(1024, 2048, 32, 8, 4),
    "doge-moe-20M": Doge(256, 512, 8, 2, 1, 1024),
    "doge-moe-120M": Doge(512, 1024, 16, 4, 2, 4096),
    "doge-moe-480M": Doge(768, 1536, 24, 6, 3, 9216),
    "cheems-tiny": Cheems(256, 512, 8, 4, 1024),
    "cheems-320M": Cheems(768, 1536, 24, 12, 3072),
    # the paper does not tell the width of its MLP; with this one there are 1.34 billion parameters, 2.7 GB of bf16
    "cheems-1.3B": Cheems(2048, 1536, 24, 32, 8192),
    # of the size of cheems-320M: the same layers with attention over all keys instead of SSD (the keys of a million tokens
    # would fill 37 GiB), and a Doge with as many experts
    "dense-320M": Cheems(768, 1536, 24, 12, 3072, period=1, positions=262144),
    "doge-cdmoe-320M": Doge(768, 1536, 24, 12, 6, 3072, retrieved=32, positions=1048576),
    # two layers of those, for a million tokens
    "cheems-320M-pair": Cheems(768, 1536, 2, 12, 3072, period=2),
    "dense-320M-pair": Cheems(768, 1536, 2, 12, 3072, period=1),
}
