#!/usr/bin/env python3
"""Writes the tables of runtime/Tokenizer/UnicodeData.h: what the reference tokenizer knows of each character.

    generate_unicode.py [--check]        needs: pip install tokenizers==0.23.3 unicodedata2==16.0.0, and Python 3.11

The reference is the Python package `tokenizers`. Its parts know different versions of Unicode: its regular expressions 16,
its lower case and its digits 17, its normal forms 9, its punctuation 8, its split by scripts an older one still. General
categories come from unicodedata2 and are held against the reference; all else is asked of the reference, character by
character. Python 3.11's own unicodedata (Unicode 14, as the oldest PCRE2 we build with) tells which characters are as they
were then. --check compares the file with a fresh one; it ends with 77 where the packages are missing.
"""
import pathlib
import sys
import unicodedata as oldest

try:
    import unicodedata2 as unicode
    from tokenizers import Regex, __version__, normalizers, pre_tokenizers
except ImportError as error:
    sys.exit((print(f"generate_unicode: {error}; pip install tokenizers==0.23.3 unicodedata2==16.0.0", file=sys.stderr), 77)[1])

FOLDER = pathlib.Path(__file__).parent.parent / "runtime/Tokenizer"
CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co Cn".split()
SCRIPTS = """Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common Coptic
Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic
Ethiopic Garay Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Gurung_Khema Han Hangul
Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian
Javanese Kaithi Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Lao Latin
Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi
Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar
Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian
Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya
Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian
Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le
Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh Tirhuta Todhri Toto Tulu_Tigalari Ugaritic
Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square""".split()
CODE_POINTS = [code for code in range(0x110000) if not 0xD800 <= code < 0xE000]
CHUNK = 1 << 16


def chunks(codes):
    for begin in range(0, len(codes), CHUNK):
        yield "".join(map(chr, codes[begin : begin + CHUNK]))


def pieces(pre_tokenizer, codes):
    for text in chunks(codes):
        for piece, _ in pre_tokenizer.pre_tokenize_str(text):
            yield piece


def matching(expression, codes):
    """The characters a regular expression of the reference takes."""
    split = pre_tokenizers.Split(Regex(expression), "removed", invert=True)
    return {ord(letter) for piece in pieces(split, codes) for letter in piece}


def punctuation():
    kept = {ord(letter) for piece in pieces(pre_tokenizers.Punctuation("removed"), CODE_POINTS) for letter in piece}
    return set(CODE_POINTS) - kept


def numeric():
    digits = pre_tokenizers.Digits(individual_digits=False)
    is_digit = lambda letter: len(digits.pre_tokenize_str("x" + letter)) == 2
    return {ord(letter) for piece in pieces(digits, CODE_POINTS) if is_digit(piece[0]) for letter in piece}


def attributes():
    """Everything about a character in one number: category, then a bit each as UnicodeData.h lists them."""
    category = {code: unicode.category(chr(code)) for code in CODE_POINTS}
    assigned = [code for code in CODE_POINTS if category[code] not in ("Cn", "Co")]
    for group in "LMNPSZ":
        found = matching(rf"\p{{{group}}}", CODE_POINTS)
        assert found == {code for code in CODE_POINTS if category[code][0] == group}, f"the reference's {group} is another"
    for name in CATEGORIES:
        found = matching(rf"\p{{{name}}}", assigned) if name not in ("Cs", "Co", "Cn") else None
        assert found is None or found == {code for code in assigned if category[code] == name}, f"the reference's {name} is another"
    flags = [matching(r"\p{Alphabetic}", assigned), matching(r"\p{Lowercase}", assigned), matching(r"\p{Uppercase}", assigned),
             punctuation(), numeric(), {code for code in CODE_POINTS if category[code] != oldest.category(chr(code))}]
    value = {code: CATEGORIES.index(category[code]) | sum(1 << 5 + bit for bit, held in enumerate(flags) if code in held)
             for code in CODE_POINTS}
    value.update({code: CATEGORIES.index("Cs") for code in range(0xD800, 0xE000)})
    return value


def scripts():
    """Each character's own script: its place in SCRIPTS, or one past them."""
    codes = [code for code in CODE_POINTS if unicode.category(chr(code)) not in ("Cn", "Co")]
    runs = list(pieces(pre_tokenizers.Split(Regex("|".join(rf"\p{{{name}}}+" for name in SCRIPTS)), "isolated"), codes))
    firsts = [ord(run[0]) for run in runs]
    script = {}
    for place, name in enumerate(SCRIPTS):
        held = matching(rf"\p{{{name}}}", firsts)
        script.update({ord(letter): place for run in runs if ord(run[0]) in held for letter in run})
    assert len(script) == len(codes), "a character has no script, or one that is not listed"
    return {code: script.get(code, len(SCRIPTS)) for code in range(0x110000)}


def split_scripts():
    """The classes between which the pre-tokenizer UnicodeScripts cuts; 0 is cut from nothing."""
    pre_tokenizer = pre_tokenizers.UnicodeScripts()

    def cut_from(letter, codes):
        held = set()
        for text in chunks(codes):
            starts = {begin for _, (begin, _) in pre_tokenizer.pre_tokenize_str("".join(letter + other for other in text))}
            held.update(ord(other) for place, other in enumerate(text) if 2 * place + 1 in starts)
        return held

    result = dict.fromkeys(range(0x110000), 0)
    left = cut_from("x", CODE_POINTS)
    latin = cut_from("я", sorted(set(CODE_POINTS) - left))
    result.update(dict.fromkeys(latin, 1))
    number = 2
    for letter in "一가":  # the large ones first
        same = left - cut_from(letter, sorted(left))
        result.update(dict.fromkeys(same, number))
        left, number = left - same, number + 1
    while left:
        same = left - cut_from(chr(min(left)), sorted(left))
        result.update(dict.fromkeys(same, number))
        left, number = left - same, number + 1
    return result


def normalizable():
    """The characters with a decomposition, a combining class or a part in a composition, to the reference."""
    decompose, compatible, compose = normalizers.NFD().normalize_str, normalizers.NFKD().normalize_str, normalizers.NFC().normalize_str
    candidates = [code for code in CODE_POINTS
                  if unicode.combining(chr(code)) or unicode.normalize("NFKD", chr(code)) != chr(code)]
    held = {0x345}  # of the highest class: after it every other mark moves
    for code in candidates:
        letter = chr(code)
        if compatible(letter) != letter or decompose("x\u0345" + letter) != "x\u0345" + letter:
            held.add(code)
        if len(decompose(letter)) > 1 and compose(decompose(letter)) == letter:
            held.update(map(ord, decompose(letter)))
    return held


def lower_case():
    """(first, last, step, difference) for runs of characters; U+0130, which becomes two, is left out."""
    lower, runs = normalizers.Lowercase().normalize_str, []
    for code in CODE_POINTS:
        changed = lower(chr(code))
        if changed == chr(code) or code == 0x130:
            continue
        assert len(changed) == 1, f"U+{code:04X} becomes several characters"
        difference = ord(changed) - code
        for run in runs[-2:]:
            step = code - run[1]
            if run[3] == difference and step <= 2 and (run[0] == run[1] or step == run[2]):
                run[1:3] = code, step
                break
        else:
            runs.append([code, code, 1, difference])
    return runs


def ranges(codes):
    """First code points of alternating stretches: in, out, in, …"""
    return [code for code in range(0x110001) if (code in codes) != (code - 1 in codes)]


def partition(value, shift):
    """Each stretch of equal values as its first code point and the value."""
    return [code << shift | value[code] for code in range(0x110000) if code == 0 or value[code] != value[code - 1]]


def array(kind, name, items):
    lines, line = [], ""
    for item in items:
        shown = f'"{item}",' if isinstance(item, str) else f"{item}," if item < 10 else f"0x{item:X},"
        if len(line) + len(shown) > 118:
            lines.append(line)
            line = ""
        line += shown
    body = "\n".join(lines + [line])
    return f"extern const {kind} {name}[] = {{\n{body}\n}};\nextern const size_t {name}Count = {len(items)};\n"


def source(*arrays):
    body = "\n".join(arrays)
    return f"""// Generated by scripts/generate_unicode.py: do not edit.
// unicodedata2 {unicode.unidata_version}, tokenizers {__version__}.
// clang-format off
#include "runtime/Tokenizer/UnicodeData.h"

namespace cheems::unicode {{

{body}
}} // namespace cheems::unicode
"""


def generate():
    """The text of each file."""
    runs = [[first, last, step, difference & 0xFFFFFFFF] for first, last, step, difference in lower_case()]
    names = [name.replace("_", "").lower() for name in SCRIPTS]
    return {
        "UnicodeAttributes.cpp": source(array("uint32_t", "attributes", partition(attributes(), 11))),
        "UnicodeScripts.cpp": source(array("uint32_t", "scripts", partition(scripts(), 8)),
                                     array("char *const", "scriptNames", names),
                                     array("uint32_t", "splitScripts", partition(split_scripts(), 8))),
        "UnicodeForms.cpp": source(array("uint32_t", "normalizableBounds", ranges(normalizable())),
                                   array("uint32_t", "lowerCase", [number for run in runs for number in run])),
    }


def main():
    if oldest.unidata_version != "14.0.0" or unicode.unidata_version != "16.0.0":
        print("generate_unicode: needs Python 3.11 (Unicode 14) and unicodedata2==16.0.0", file=sys.stderr)
        return 77
    differing = 0
    for name, text in generate().items():
        path = FOLDER / name
        if sys.argv[1:] != ["--check"]:
            path.write_text(text)
        elif path.read_text() != text:
            print(f"generate_unicode: {path} differs; run scripts/generate_unicode.py", file=sys.stderr)
            differing = 1
    return differing


sys.exit(main())
