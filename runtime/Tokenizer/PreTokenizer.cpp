// The pre-tokenizers other than Split, which most of them are made of.
#include "runtime/Tokenizer/PreTokenizer.h"

#include "runtime/Tokenizer/ByteAlphabet.h"
#include "runtime/Tokenizer/Split.h"
#include "runtime/Tokenizer/UnicodeData.h"
#include "runtime/Tokenizer/Utf8.h"

namespace cheems {

namespace {

using tokenizer_json::Json;

/// GPT-2's own expression.
constexpr const char *byteLevelRegex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Replaces every piece by what `append(text, piece)` writes.
template <typename Append> void rewrite(Pieces &pieces, Append append) {
  std::string text;
  text.reserve(pieces.text.size() + pieces.text.size() / 2);
  for (size_t index = 0; index < pieces.spans.size(); ++index) {
    size_t begin = text.size();
    append(text, pieces[index]);
    pieces.spans[index] = {begin, text.size()};
  }
  pieces.text = std::move(text);
}

class ByteLevel : public PreTokenizer {
public:
  ByteLevel(bool prefixSpace, bool useRegex, const std::string &where)
      : prefixSpace(prefixSpace) {
    if (useRegex) {
      split = std::make_unique<Split>(Regex::oniguruma(byteLevelRegex, where),
                                      SplitBehavior::isolated, false);
    }
  }

  void apply(Pieces &pieces) const override {
    if (prefixSpace) {
      rewrite(pieces, [](std::string &out, std::string_view piece) {
        out += piece[0] == ' ' ? "" : " ";
        out += piece;
      });
    }
    if (split) {
      split->apply(pieces);
    }
    rewrite(pieces, byte_alphabet::appendCharacters);
  }

private:
  bool prefixSpace;
  std::unique_ptr<Split> split;
};

/// Spaces become a mark that also stands before words.
class Metaspace : public PreTokenizer {
public:
  enum class Prepend { always, first, never };

  Metaspace(std::string mark, Prepend prepend, bool cut,
            const std::string &where)
      : mark(std::move(mark)), prepend(prepend) {
    if (cut) {
      split = std::make_unique<Split>(Regex::literal(this->mark, where),
                                      SplitBehavior::mergedWithNext, false);
    }
  }

  void apply(Pieces &pieces) const override {
    bool front = prepend == Prepend::always ||
                 (prepend == Prepend::first && pieces.beginsText);
    rewrite(pieces, [&](std::string &out, std::string_view piece) {
      bool marked = piece[0] == ' ' || piece.substr(0, mark.size()) == mark;
      out += front && !marked ? mark : "";
      for (char byte : piece) {
        if (byte == ' ') {
          out += mark;
        } else {
          out.push_back(byte);
        }
      }
    });
    if (split) {
      split->apply(pieces);
    }
  }

private:
  std::string mark;
  Prepend prepend;
  std::unique_ptr<Split> split;
};

/// Cuts where the script changes. What a piece has before its first
/// character with a script is lost, as the reference loses it.
class UnicodeScripts : public PreTokenizer {
public:
  void apply(Pieces &pieces) const override {
    std::vector<TextSpan> cut;
    for (size_t index = 0; index < pieces.spans.size(); ++index) {
      TextSpan span = pieces.spans[index];
      uint32_t last = 0;
      for (size_t at = span.begin; at < span.end;) {
        utf8::Scan next = utf8::scan(std::string_view(pieces.text).substr(at));
        uint32_t script = unicode::splitScript(next.codepoint);
        if (script != 0 && script != last) {
          if (last != 0) {
            cut.back().end = at;
          }
          cut.push_back({at, span.end});
          last = script;
        }
        at += next.length;
      }
    }
    pieces.spans = std::move(cut);
  }
};

std::unique_ptr<PreTokenizer>
makeMetaspace(const Json &component, const std::string &where, bool leads) {
  const std::string &mark =
      tokenizer_json::requireString(component, "replacement", where);
  if (mark.empty() || utf8::scan(mark).length != mark.size()) {
    tokenizer_json::malformed(where, "replacement " +
                                         tokenizer_json::shown(mark) +
                                         " must be one character");
  }
  std::string scheme = "always";
  if (tokenizer_json::find(component, "prepend_scheme", where)) {
    scheme = tokenizer_json::requireString(component, "prepend_scheme", where);
  }
  if (!tokenizer_json::optionalBool(component, "add_prefix_space", true,
                                    where)) {
    // files written before prepend_scheme existed
    if (scheme != "never" &&
        tokenizer_json::find(component, "prepend_scheme", where)) {
      tokenizer_json::malformed(
          where, "add_prefix_space and prepend_scheme contradict each other");
    }
    scheme = "never";
  }
  Metaspace::Prepend prepend = Metaspace::Prepend::always;
  if (scheme == "first") {
    if (!leads) {
      tokenizer_json::unsupported(
          where, "a 'Metaspace' of prepend_scheme 'first' after others",
          "one that comes first, or prepend_scheme always or never");
    }
    prepend = Metaspace::Prepend::first;
  } else if (scheme == "never") {
    prepend = Metaspace::Prepend::never;
  } else if (scheme != "always") {
    tokenizer_json::unsupported(
        where, "prepend_scheme " + tokenizer_json::shown(scheme),
        "always, first, never");
  }
  return std::make_unique<Metaspace>(
      mark, prepend,
      tokenizer_json::optionalBool(component, "split", true, where), where);
}

class Chain : public PreTokenizer {
public:
  std::vector<std::unique_ptr<PreTokenizer>> parts;
  void apply(Pieces &pieces) const override {
    for (const auto &part : parts) {
      part->apply(pieces);
    }
  }
};

/// `bytesMapped` tells whether a ByteLevel came before: a second one would map
/// the alphabet's own characters. `leads`: whether nothing came before.
std::unique_ptr<PreTokenizer> makePart(const Json &component,
                                       const std::string &where, int depth,
                                       bool &bytesMapped, bool &leads) {
  const std::string &type = tokenizer_json::typeOf(component, where);
  auto splitAt = [&](const char *expression, SplitBehavior behavior,
                     bool invert) {
    return std::make_unique<Split>(Regex::oniguruma(expression, where),
                                   behavior, invert);
  };
  if (type == "Sequence") {
    if (depth == tokenizer_json::maximumDepth) {
      tokenizer_json::malformed(where, "Sequences nest too deeply");
    }
    auto chain = std::make_unique<Chain>();
    for (const Json &part :
         tokenizer_json::requireArray(component, "pretokenizers", where)) {
      chain->parts.push_back(
          makePart(part, where, depth + 1, bytesMapped, leads));
    }
    return chain;
  }
  const bool first = std::exchange(leads, false);
  if (type == "Split") {
    return std::make_unique<Split>(
        Regex::fromPattern(tokenizer_json::require(component, "pattern", where),
                           where),
        parseSplitBehavior(
            tokenizer_json::requireString(component, "behavior", where), where),
        tokenizer_json::requireBool(component, "invert", where));
  }
  if (type == "ByteLevel") {
    if (bytesMapped) {
      tokenizer_json::unsupported(where, "a second 'ByteLevel'",
                                  "one ByteLevel");
    }
    bytesMapped = true;
    return std::make_unique<ByteLevel>(
        tokenizer_json::requireBool(component, "add_prefix_space", where),
        tokenizer_json::optionalBool(component, "use_regex", true, where),
        where);
  }
  if (type == "Digits") {
    bool individual = tokenizer_json::optionalBool(
        component, "individual_digits", false, where);
    return std::make_unique<Split>(
        Regex::anyOf(unicode::withAttribute(unicode::numeric), where),
        individual ? SplitBehavior::isolated : SplitBehavior::contiguous,
        false);
  }
  if (type == "Punctuation") {
    bool given = tokenizer_json::find(component, "behavior", where);
    return std::make_unique<Split>(
        Regex::anyOf(unicode::withAttribute(unicode::punctuation), where),
        given ? parseSplitBehavior(
                    tokenizer_json::requireString(component, "behavior", where),
                    where)
              : SplitBehavior::isolated,
        false);
  }
  if (type == "Metaspace") {
    return makeMetaspace(component, where, first);
  }
  if (type == "UnicodeScripts") {
    return std::make_unique<UnicodeScripts>();
  }
  if (type == "Whitespace") {
    return splitAt("[\\w\\u200c\\u200d]+|[^\\w\\u200c\\u200d\\s]+",
                   SplitBehavior::removed, true);
  }
  if (type == "WhitespaceSplit") {
    return splitAt("\\s", SplitBehavior::removed, false);
  }
  tokenizer_json::unsupported(
      where, "pre-tokenizer " + tokenizer_json::shown(type),
      "Sequence, Split, ByteLevel, Digits, Metaspace, Punctuation, "
      "UnicodeScripts, Whitespace, WhitespaceSplit");
}

} // namespace

Pieces::Pieces(std::string whole, bool beginsText)
    : text(std::move(whole)), beginsText(beginsText) {
  if (!text.empty()) {
    spans.push_back({0, text.size()});
  }
}

std::unique_ptr<PreTokenizer> PreTokenizer::make(const Json *component,
                                                 const std::string &where) {
  bool bytesMapped = false, leads = true;
  return component ? makePart(*component, where, 0, bytesMapped, leads)
                   : nullptr;
}

} // namespace cheems
