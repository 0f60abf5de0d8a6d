// The pre-tokenizers other than Split, which most of them are made of.
#include "runtime/Tokenizer/PreTokenizer.h"

#include "runtime/Tokenizer/ByteAlphabet.h"
#include "runtime/Tokenizer/Split.h"

namespace cheems {

namespace {

using tokenizer_json::Json;

/// GPT-2's own expression.
constexpr const char *byteLevelRegex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

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
  template <typename Append>
  static void rewrite(Pieces &pieces, Append append) {
    std::string text;
    text.reserve(pieces.text.size() + pieces.text.size() / 2);
    for (size_t index = 0; index < pieces.spans.size(); ++index) {
      size_t begin = text.size();
      append(text, pieces[index]);
      pieces.spans[index] = {begin, text.size()};
    }
    pieces.text = std::move(text);
  }

  bool prefixSpace;
  std::unique_ptr<Split> split;
};

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
/// the alphabet's own characters.
std::unique_ptr<PreTokenizer> makePart(const Json &component,
                                       const std::string &where, int depth,
                                       bool &bytesMapped) {
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
      chain->parts.push_back(makePart(part, where, depth + 1, bytesMapped));
    }
    return chain;
  }
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
    return splitAt("\\p{N}",
                   individual ? SplitBehavior::isolated
                              : SplitBehavior::contiguous,
                   false);
  }
  if (type == "Whitespace") {
    return splitAt(
        "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]+|"
        "[^\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}\\s]+",
        SplitBehavior::removed, true);
  }
  if (type == "WhitespaceSplit") {
    return splitAt("\\s", SplitBehavior::removed, false);
  }
  tokenizer_json::unsupported(
      where, "pre-tokenizer " + tokenizer_json::shown(type),
      "Sequence, Split, ByteLevel, Digits, Whitespace, WhitespaceSplit");
}

} // namespace

Pieces::Pieces(std::string whole) : text(std::move(whole)) {
  if (!text.empty()) {
    spans.push_back({0, text.size()});
  }
}

std::unique_ptr<PreTokenizer> PreTokenizer::make(const Json *component,
                                                 const std::string &where) {
  bool bytesMapped = false;
  return component ? makePart(*component, where, 0, bytesMapped) : nullptr;
}

} // namespace cheems
