// Unicode normal forms through utf8proc, and the simple text rewrites.
#include "runtime/Tokenizer/Normalizer.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/Regex.h"
#include "runtime/Tokenizer/Utf8.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include <utf8proc.h>

namespace cheems {

namespace {

using tokenizer_json::Json;

/// A chain of replacements can double the text at every link: no real one grows
/// it further than this.
void checkGrowth(size_t before, size_t after) {
  if (after > 4096 + 256 * before) {
    throw Error("tokenizer.json: the normalizer grows a text of " +
                std::to_string(before) + " bytes to more than " +
                std::to_string(4096 + 256 * before) +
                "; its Replace rules are refused");
  }
}

/// utf8proc_map does the same, but its ordering of combining marks takes
/// quadratic time on long runs of them.
class NormalForm : public Normalizer {
public:
  NormalForm(bool compatibility, bool compose) : compose(compose) {
    options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
              (compatibility ? UTF8PROC_COMPAT : 0);
  }

  void apply(std::string &text) const override {
    std::vector<utf8proc_int32_t> codepoints;
    codepoints.reserve(text.size());
    for (std::string_view rest = text; !rest.empty();) {
      utf8::Scan next = utf8::scan(rest);
      rest.remove_prefix(next.length);
      utf8proc_int32_t parts[32]; // the longest decomposition in Unicode is 18
      int boundary = UTF8PROC_BOUNDCLASS_START;
      auto count = utf8proc_decompose_char(
          static_cast<utf8proc_int32_t>(next.codepoint), parts, 32,
          static_cast<utf8proc_option_t>(options), &boundary);
      if (count < 0 || count > 32) {
        throw Error(std::string("Unicode normalization failed: ") +
                    utf8proc_errmsg(count));
      }
      codepoints.insert(codepoints.end(), parts, parts + count);
    }
    order(codepoints);
    if (compose) {
      auto count = utf8proc_normalize_utf32(
          codepoints.data(), static_cast<utf8proc_ssize_t>(codepoints.size()),
          static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
      codepoints.resize(static_cast<size_t>(count));
    }
    text.clear();
    for (utf8proc_int32_t codepoint : codepoints) {
      utf8::append(text, static_cast<char32_t>(codepoint));
    }
  }

private:
  /// The canonical order: every run of characters with a combining class sorted
  /// by it, stably.
  static void order(std::vector<utf8proc_int32_t> &codepoints) {
    std::vector<Mark> marks;
    for (size_t begin = 0; begin < codepoints.size();) {
      size_t end = begin;
      marks.clear();
      while (end < codepoints.size() && classOf(codepoints[end]) != 0) {
        marks.push_back({classOf(codepoints[end]), end, codepoints[end]});
        ++end;
      }
      if (marks.size() > 1) {
        std::sort(marks.begin(), marks.end());
        for (size_t index = begin; index < end; ++index) {
          codepoints[index] = std::get<2>(marks[index - begin]);
        }
      }
      begin = end + 1;
    }
  }

  /// Combining class, place, character: ordered so that equal classes keep
  /// their order.
  using Mark = std::tuple<int, size_t, utf8proc_int32_t>;
  static int classOf(utf8proc_int32_t codepoint) {
    return utf8proc_get_property(codepoint)->combining_class;
  }

  int options;
  bool compose;
};

class Lowercase : public Normalizer {
public:
  void apply(std::string &text) const override {
    std::string lowered;
    for (std::string_view rest = text; !rest.empty();) {
      utf8::Scan next = utf8::scan(rest);
      rest.remove_prefix(next.length);
      if (next.codepoint ==
          0x130) { // the one character whose lower case is two
        lowered += "i\xCC\x87";
      } else {
        utf8::append(lowered,
                     static_cast<char32_t>(utf8proc_tolower(
                         static_cast<utf8proc_int32_t>(next.codepoint))));
      }
    }
    text = std::move(lowered);
  }
};

class Prepend : public Normalizer {
public:
  explicit Prepend(std::string prefix) : prefix(std::move(prefix)) {}
  void apply(std::string &text) const override {
    if (!text.empty()) {
      text.insert(0, prefix);
    }
  }

private:
  std::string prefix;
};

class Replace : public Normalizer {
public:
  Replace(Regex pattern, std::string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}
  void apply(std::string &text) const override {
    std::vector<Span> matches;
    pattern.findAll(text, matches);
    std::string replaced;
    size_t from = 0;
    for (Span match : matches) {
      replaced.append(text, from, match.begin - from);
      replaced += content;
      checkGrowth(text.size(), replaced.size());
      from = match.end;
    }
    replaced.append(text, from);
    text = std::move(replaced);
  }

private:
  Regex pattern;
  std::string content;
};

class Chain : public Normalizer {
public:
  std::vector<std::unique_ptr<Normalizer>> parts;
  void apply(std::string &text) const override {
    size_t before = text.size();
    for (const auto &part : parts) {
      part->apply(text);
      checkGrowth(before, text.size());
    }
  }
};

} // namespace

std::unique_ptr<Normalizer>
Normalizer::make(const Json *component, const std::string &where, int depth) {
  if (!component) {
    return nullptr;
  }
  const std::string &type = tokenizer_json::typeOf(*component, where);
  if (type == "NFC" || type == "NFD" || type == "NFKC" || type == "NFKD") {
    return std::make_unique<NormalForm>(type[2] == 'K', type.back() == 'C');
  }
  if (type == "Lowercase") {
    return std::make_unique<Lowercase>();
  }
  if (type == "Prepend") {
    return std::make_unique<Prepend>(
        tokenizer_json::requireString(*component, "prepend", where));
  }
  if (type == "Replace") {
    return std::make_unique<Replace>(
        Regex::fromPattern(
            tokenizer_json::require(*component, "pattern", where), where),
        tokenizer_json::requireString(*component, "content", where));
  }
  if (type == "Sequence") {
    if (depth == tokenizer_json::maximumDepth) {
      tokenizer_json::malformed(where, "Sequences nest too deeply");
    }
    auto chain = std::make_unique<Chain>();
    for (const Json &part :
         tokenizer_json::requireArray(*component, "normalizers", where)) {
      chain->parts.push_back(make(&part, where, depth + 1));
    }
    return chain;
  }
  tokenizer_json::unsupported(
      where, "normalizer " + tokenizer_json::shown(type),
      "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Sequence");
}

} // namespace cheems
