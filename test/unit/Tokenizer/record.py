#!/usr/bin/env python3
"""Records what the Python package `tokenizers` makes of texts and ids, for ReferenceTest.

    record.py [OUT.jsonl] [--seed N] [--texts N]        needs: pip install tokenizers==0.23.3

A line is a base file of data/, a JSON merge patch for it, texts with their ids, ids with their text. One of the base files,
sentence.json, is written beside OUT.jsonl. Another file than data/reference.jsonl is compared by CHEEMS_TEST_REFERENCE=OUT.jsonl build/release/bin/TokenizerTest.
"""
import argparse
import json
import pathlib
import random

from tokenizers import Tokenizer

DATA = pathlib.Path(__file__).parent / "data"
PIECES = ["a", "b", "e", "t", "the", "ing", "The", "I'll", "WE'RE", "hello", "World", " ", " ", "  ", "\n", "\r\n", "\t", "\u00a0", "\u3000", "\u180e",
          "\u200b", "\u200c", "1", "12", "345", "½", "²", "Ⅷ", "٣", ".", ",", "!", "?!", "--", "…", "«", "(", "]", "$", "+", "=", "_", "▁", "▁▁", "<0x41>", "<unk>", "<s>",
          "</s>", "[a]", "[B]", "Ünï", "é", "e\u0301", "a\u0323\u0301", "ñ", "ß", "İ", "Σς", "Ǆ", "ﬁ", "Å", "ﾊﾟ", "㍿", "㋿", "日本語", "漢字", "かな",
          "カタカナー", "中文", "한국어", "각", "Привет", "Ωmega", "שלום", "مرحبا", "नमस्ते", "ไทย", "ລາວ\u0eb9\u0eba", "x\u0eb9\u0301", "x\u0eba\u0301", "🎉", "👍🏽",
          "👩‍👩‍👧", "🇫🇷", "🩷", "🪿", "\U0001FAE9", "\u1c89", "\u1c8a", "\ua7cb", "\ua7ce", "\ua7da", "\ua7f2", "\U00010d50", "\U00016ea0", "\U00031350",
          "\U0002ebf0", "\U0001e4d0", "\U00011f02", "\U00011de1", "\U00016ff4", "\U000113c5", "\U000105c9", "\u0897\u0301", "\u1df6\u0301", "\u2e5d", "\u2e43", "\u061d", "\x00", "\x7f"]
SPLIT = "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"
EXPRESSIONS = [
    SPLIT,
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s+",
    " ?[^(\\s|[.,!?…。，、।۔،])]+", "[[:space:]]", "[[:^space:]a]+", "[^[:alpha:][:digit:]]", "[[:punct:]]+", "[[:upper:]][[:lower:]]*", "[[:word:]]+",
    "[[:graph:]]", "[[:print:]&&[^a-z]]", "[[:alnum:]-]+", "\\p{L}{2}+", "\\p{N}{1,2}+|.", "(?:a|b){1,2}+", "\\w+", "\\W+", "[\\W]", "[^\\W\\d]+",
    "\\b", "\\p{Lu}\\p{Ll}*", "\\p{P}", "\\p{S}+", "\\p{M}+", "\\p{Mn}", "\\P{L}+", "[\\P{N}]+", "\\p{C}", "\\p{Cn}", "\\p{Punctuation}", "\\p{Hiragana}+|\\p{Katakana}+",
    "\\p{Common}+", "\\p{greek}|\\p{Cyrillic}+", "\\p{Alphabetic}+", "\\p{Uppercase}", "\\p{Nd}+", "\\p{^L}", "[a-z&&[^aeiou]]+", "[^a-z&&[^aeiou]]+", "[a-c-e]", "\\h+", "\\S+", "[^\\S\\n]+"]


def split(expression, behavior="Isolated", invert=False):
    return {"type": "Split", "pattern": {"Regex": expression}, "behavior": behavior, "invert": invert}


def sequence(*parts):
    return {"type": "Sequence", "pretokenizers": list(parts)}


BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}


def added(content, number, **flags):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": False, **flags}


def byte_settings(base):
    for expression in EXPRESSIONS:
        yield {"pre_tokenizer": sequence(split(expression), BYTES)}
    for behavior in ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]:
        yield {"pre_tokenizer": sequence({"type": "Punctuation", "behavior": behavior}, BYTES)}
    for part in [{"type": "UnicodeScripts"}, {"type": "Digits", "individual_digits": True}, {"type": "Digits", "individual_digits": False},
                 {"type": "Whitespace"}]:
        yield {"pre_tokenizer": sequence(part, BYTES)}
    for form in ["NFC", "NFD", "NFKC", "NFKD", "Lowercase"]:
        yield {"normalizer": {"type": form}, "pre_tokenizer": BYTES}
    for left in (False, True):
        for right in (False, True):
            yield {"normalizer": {"type": "Strip", "strip_left": left, "strip_right": right}, "pre_tokenizer": BYTES}
    size = len(base["model"]["vocab"])
    own = base["added_tokens"]
    for more in [[("<s>", size + 7), ("[a]", size + 9)], [("[B]", size + 3), ("<s>", size + 1), ("</s>", size + 2)]]:
        yield {"pre_tokenizer": BYTES, "added_tokens": own + [added(*token) for token in more]}
    yield {"pre_tokenizer": BYTES, "normalizer": {"type": "Lowercase"},
           "added_tokens": own + [added("[B]", size, normalized=True), added("World", size + 1, normalized=True, special=True), added("WE'RE", size + 2)]}
    lone = [token for token in base["model"]["vocab"] if len(token) == 1 and not any(token in part for merge in base["model"]["merges"] for part in merge)]
    gone = {token: None for token in lone[::2]}
    yield {"pre_tokenizer": BYTES, "model": {"vocab": gone}}
    yield {"pre_tokenizer": BYTES, "model": {"vocab": gone, "unk_token": "a"}}
    yield {"pre_tokenizer": BYTES, "model": {"vocab": gone, "unk_token": "a", "fuse_unk": True}}


def sentence_settings():
    llama = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]}
    space = {"type": "Replace", "pattern": {"String": "▁"}, "content": " "}
    fallback, fuse, strip = {"type": "ByteFallback"}, {"type": "Fuse"}, {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    decoders = [[space, fallback, fuse, strip], [space, fallback, fuse], [fallback], [space, strip], [fuse, {**strip, "start": 3}], [{**strip, "content": "▁"}, fallback]]
    for parts in decoders:
        yield {"normalizer": llama, "decoder": {"type": "Sequence", "decoders": parts}}
    for fall in (False, True):
        for unknown in (None, "<unk>"):
            for fuse_unknown in (False, True):
                for gone in ({}, {"<0xF0>": None, "<0xCC>": None}):
                    yield {"normalizer": llama, "model": {"byte_fallback": fall, "unk_token": unknown, "fuse_unk": fuse_unknown, "vocab": gone}}
    for scheme in ("always", "first", "never"):
        for cut in (False, True):
            meta = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": scheme, "split": cut}
            yield {"pre_tokenizer": meta, "decoder": meta}
            yield {"pre_tokenizer": meta, "normalizer": {"type": "Strip", "strip_left": True, "strip_right": False}}
            yield {"pre_tokenizer": meta, "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": ""}}
    yield {"pre_tokenizer": sequence({"type": "Whitespace"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True})}
    yield {"pre_tokenizer": sequence({"type": "Punctuation"}, {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "never", "split": True})}


def merge_patch(target, patch):
    if not isinstance(patch, dict):
        return patch
    target = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = merge_patch(target.get(key), value)
    return target


def sentence_base():
    """A vocabulary of characters, some merges and all bytes, as converted sentencepiece models have."""
    letters = ["▁", *"abcdefghijklmnopqrstuvwxyzTW,.12", "é", "日", "本"]
    merges = [("▁", "t"), ("h", "e"), ("▁t", "he"), ("i", "n"), ("in", "g"), ("▁", "W"), ("l", "l"), ("▁", "▁"), ("e", "l"), ("日", "本")]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, *(a + b for a, b in merges)]
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True, "ignore_merges": False,
             "vocab": {token: number for number, token in enumerate(tokens)}, "merges": [list(pair) for pair in merges]}
    flags = [added(token, number, special=True) for number, token in enumerate(tokens[:3])]
    return {"version": "1.0", "added_tokens": flags, "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None, "model": model}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out", nargs="?", type=pathlib.Path, default=DATA / "reference.jsonl")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--texts", type=int, default=3)
    a = parser.parse_args()
    generator = random.Random(a.seed)
    sentence = a.out.with_name("sentence.json")
    sentence.write_text(json.dumps(sentence_base(), ensure_ascii=False) + "\n")
    bases = {"tokenizer.json": json.loads((DATA / "tokenizer.json").read_text()), sentence.name: sentence_base()}
    settings = [("tokenizer.json", patch) for patch in byte_settings(bases["tokenizer.json"])] + [(sentence.name, patch) for patch in sentence_settings()]
    with a.out.open("w") as out:
        for base, patch in settings:
            tokenizer = Tokenizer.from_str(json.dumps(merge_patch(bases[base], patch)))
            ids = sorted(tokenizer.get_vocab(with_added_tokens=True).values())
            encoded, decoded = [], []
            for index in range(a.texts):
                text = "".join(generator.choice(PIECES) for _ in range(generator.randrange(1, 40)))
                encoded.append([text, tokenizer.encode(text, add_special_tokens=False).ids])
                some = [generator.choice(ids) for _ in range(generator.randrange(1, 12))] + encoded[-1][1][:6]
                decoded.append([some, tokenizer.decode(some, skip_special_tokens=False), tokenizer.decode(some, skip_special_tokens=True)])
            out.write(json.dumps({"base": base, "patch": patch, "encoded": encoded, "decoded": decoded}, ensure_ascii=True, separators=(",", ":")) + "\n")


main()
