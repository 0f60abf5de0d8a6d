// Unicode normal forms through utf8proc, and the simple text rewrites.
#include "runtime/Tokenizer/Normalizer.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/CodePoints.h"
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
    throw Error("tokenizer.json: the normalizer makes a text of " +
                std::to_string(before) + " bytes longer than " +
                std::to_string(4096 + 256 * before) +
                "; its Replace rules are refused");
  }
}

/// A text that is being made, and its marks if there are any.
struct Marked {
  std::string text, marks;
  bool hasMarks;

  void append(std::string_view bytes, char mark) {
    text += bytes;
    marks.append(hasMarks ? bytes.size() : 0, mark);
  }
  void append(std::string_view bytes, std::string_view theirMarks) {
    text += bytes;
    marks += theirMarks;
  }
  void moveTo(std::string &into, std::string &intoMarks) {
    into = std::move(text);
    intoMarks = std::move(marks);
  }
};

/// The mark of what is made of [begin, end).
char markOf(const std::string &marks, size_t begin, size_t end) {
  return char(!marks.empty() && marks.find('\1', begin) < end);
}

/// utf8proc knows more characters than the reference, so it gets only those
/// that have a part in the reference's normal forms; they never act on others.
/// utf8proc_map would do it in one, but its ordering of combining marks takes
/// quadratic time on long runs of them.
class NormalForm : public Normalizer {
public:
  NormalForm(bool compatibility, bool compose) : compose(compose) {
    options = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE |
              (compatibility ? UTF8PROC_COMPAT : 0);
  }

  using Normalizer::apply;
  void apply(std::string &text, std::string &marks, bool &) const override {
    const CodePoints &active = unicode::normalizable();
    Marked normal{{}, {}, !marks.empty()};
    std::vector<utf8proc_int32_t> run;
    char runMark = 0;
    size_t at = 0;
    for (std::string_view rest = text; !rest.empty();) {
      utf8::Scan next = utf8::scan(rest);
      char mark = marks.empty() ? char(0) : marks[at];
      if (active.contains(next.codepoint)) {
        if (mark != runMark && standsApart(next.codepoint, run)) {
          finish(run, normal, runMark);
        }
        decompose(next.codepoint, run);
        runMark = char(runMark | mark);
      } else {
        finish(run, normal, runMark);
        normal.append(rest.substr(0, next.length), mark);
      }
      rest.remove_prefix(next.length);
      at += next.length;
    }
    finish(run, normal, runMark);
    normal.moveTo(text, marks);
  }

private:
  void decompose(char32_t codepoint, std::vector<utf8proc_int32_t> &run) const {
    utf8proc_int32_t parts[32]; // the longest decomposition in Unicode is 18
    int boundary = UTF8PROC_BOUNDCLASS_START;
    auto count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(codepoint), parts, 32,
        static_cast<utf8proc_option_t>(options), &boundary);
    if (count < 0 || count > 32) {
      throw Error(std::string("Unicode normalization failed: ") +
                  utf8proc_errmsg(count));
    }
    run.insert(run.end(), parts, parts + count);
  }

  /// Whether the run becomes the same whether this character follows or not.
  /// Runs are cut there only where marks change.
  bool standsApart(char32_t codepoint,
                   const std::vector<utf8proc_int32_t> &run) const {
    std::vector<utf8proc_int32_t> parts;
    decompose(codepoint, parts);
    if (run.empty() || classOf(parts[0]) != 0) {
      return run.empty();
    }
    auto starter = run.end() - 1; // nothing before it has a part in it
    while (starter != run.begin() && classOf(*starter) != 0) {
      --starter;
    }
    std::vector<utf8proc_int32_t> both(starter, run.end());
    both.push_back(parts[0]);
    order(both);
    composeAll(both);
    return both.back() == parts[0];
  }

  void composeAll(std::vector<utf8proc_int32_t> &run) const {
    if (compose) {
      auto count = utf8proc_normalize_utf32(
          run.data(), static_cast<utf8proc_ssize_t>(run.size()),
          static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
      run.resize(static_cast<size_t>(count));
    }
  }

  /// Appends what a run of decomposed characters becomes, and empties it.
  void finish(std::vector<utf8proc_int32_t> &run, Marked &text,
              char &mark) const {
    if (run.empty()) {
      return;
    }
    order(run);
    composeAll(run);
    std::string made;
    for (utf8proc_int32_t codepoint : run) {
      utf8::append(made, static_cast<char32_t>(codepoint));
    }
    text.append(made, mark);
    run.clear();
    mark = 0;
  }

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
  using Normalizer::apply;
  void apply(std::string &text, std::string &marks, bool &) const override {
    Marked lowered{{}, {}, !marks.empty()};
    size_t at = 0;
    for (std::string_view rest = text; !rest.empty();) {
      utf8::Scan next = utf8::scan(rest);
      rest.remove_prefix(next.length);
      std::string made;
      if (next.codepoint ==
          0x130) { // the one character whose lower case is two
        made = "i\xCC\x87";
      } else {
        utf8::append(made, unicode::toLower(next.codepoint));
      }
      lowered.append(made, marks.empty() ? char(0) : marks[at]);
      at += next.length;
    }
    lowered.moveTo(text, marks);
  }
};

class Prepend : public Normalizer {
public:
  explicit Prepend(std::string prefix) : prefix(std::move(prefix)) {}
  using Normalizer::apply;
  void apply(std::string &text, std::string &marks, bool &) const override {
    if (!text.empty()) {
      text.insert(0, prefix);
      marks.insert(0, marks.empty() ? 0 : prefix.size(), 0);
    }
  }

private:
  std::string prefix;
};

class Replace : public Normalizer {
public:
  Replace(Regex pattern, std::string content)
      : pattern(std::move(pattern)), content(std::move(content)) {}
  using Normalizer::apply;
  void apply(std::string &text, std::string &marks,
             bool &beginsText) const override {
    std::vector<TextSpan> matches;
    pattern.findAll(text, matches);
    if (!matches.empty() && matches[0].begin == 0 && matches[0].end != 0 &&
        content.empty()) {
      beginsText = false;
    }
    Marked replaced{{}, {}, !marks.empty()};
    size_t from = 0;
    auto keepTo = [&](size_t end) {
      std::string_view bytes = text, theirs = marks;
      replaced.append(bytes.substr(from, end - from),
                      marks.empty() ? "" : theirs.substr(from, end - from));
    };
    for (TextSpan match : matches) {
      keepTo(match.begin);
      replaced.append(content, markOf(marks, match.begin, match.end));
      checkGrowth(text.size(), replaced.text.size());
      from = match.end;
    }
    keepTo(text.size());
    replaced.moveTo(text, marks);
  }

private:
  Regex pattern;
  std::string content;
};

class Strip : public Normalizer {
public:
  Strip(bool left, bool right) : left(left), right(right) {}
  using Normalizer::apply;
  void apply(std::string &text, std::string &marks,
             bool &beginsText) const override {
    std::string_view rest = text;
    while (left && !rest.empty() && isSpace(rest)) {
      rest.remove_prefix(utf8::scan(rest).length);
      beginsText = false;
    }
    while (right && !rest.empty()) {
      size_t last = utf8::previous(rest, rest.size());
      if (!isSpace(rest.substr(last))) {
        break;
      }
      rest = rest.substr(0, last);
    }
    size_t from = size_t(rest.data() - text.data());
    marks = marks.empty() ? "" : marks.substr(from, rest.size());
    text = std::string(rest);
  }

private:
  static bool isSpace(std::string_view text) {
    return utf8::isWhitespace(utf8::scan(text).codepoint);
  }

  bool left, right;
};

class Chain : public Normalizer {
public:
  std::vector<std::unique_ptr<Normalizer>> parts;
  using Normalizer::apply;
  void apply(std::string &text, std::string &marks,
             bool &beginsText) const override {
    size_t before = text.size();
    for (const auto &part : parts) {
      part->apply(text, marks, beginsText);
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
  if (type == "Strip") {
    return std::make_unique<Strip>(
        tokenizer_json::requireBool(*component, "strip_left", where),
        tokenizer_json::requireBool(*component, "strip_right", where));
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
      "NFC, NFD, NFKC, NFKD, Lowercase, Prepend, Replace, Strip, Sequence");
}

} // namespace cheems
