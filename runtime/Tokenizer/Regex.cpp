// PCRE2 with just-in-time compilation, falling back to its interpreter where
// the machine code runs out of stack.
#include "runtime/Tokenizer/Regex.h"

#include "runtime/Error.h"
#include "runtime/Tokenizer/Utf8.h"
#include "runtime/Work.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace cheems {

namespace {

template <auto release> struct Release {
  template <typename T> void operator()(T *object) const { release(object); }
};
using Code = std::unique_ptr<pcre2_code, Release<pcre2_code_free>>;
using CompileContext =
    std::unique_ptr<pcre2_compile_context, Release<pcre2_compile_context_free>>;
using MatchContext =
    std::unique_ptr<pcre2_match_context, Release<pcre2_match_context_free>>;
using MatchData =
    std::unique_ptr<pcre2_match_data, Release<pcre2_match_data_free>>;

template <typename Pointer, typename T> Pointer own(T *object) {
  if (!object) {
    throw std::bad_alloc();
  }
  return Pointer(object);
}

/// Oniguruma's Ruby syntax: ^ and $ at every line, only \n ends a line.
Code compile(const std::string &pcre, unsigned options, int &error,
             size_t &offset) {
  auto context = own<CompileContext>(pcre2_compile_context_create(nullptr));
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_bsr(context.get(), PCRE2_BSR_UNICODE);
  return Code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pcre.data()),
                            pcre.size(), options | PCRE2_UTF, &error, &offset,
                            context.get()));
}

constexpr unsigned expressionOptions =
    PCRE2_UCP | PCRE2_MULTILINE | PCRE2_NEVER_BACKSLASH_C;
/// Backtracking steps allowed from one position: this many and a few a byte of
/// text (a run of spaces costs one each).
constexpr size_t baseMatchLimit = 5'000'000, matchLimitPerByte = 8;

/// PCRE2's own properties are of use if it knows no Unicode before 14, from
/// where the tables tell what changed, nor one after theirs.
RegexProperties fittingProperties() {
  char version[24] = {};
  pcre2_config(PCRE2_CONFIG_UNICODE_VERSION, version);
  int major = 0;
  std::from_chars(version, version + sizeof(version), major);
  return major >= 14 && major <= 16 ? RegexProperties::native
                                    : RegexProperties::listed;
}

/// Whether valid UTF-8 holds none but the first 256 characters: those after
/// begin with a byte from C4 on.
bool isLatin(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char byte) {
    return static_cast<unsigned char>(byte) >= 0xC4;
  });
}

std::string messageOf(int error) {
  unsigned char message[160] = {};
  pcre2_get_error_message(error, message, sizeof message);
  return reinterpret_cast<const char *>(message);
}

} // namespace

struct Regex::Compiled {
  Code code;
  Code latin; ///< for texts of the first 256 characters; the same if null
  std::string expression, where;
};

Regex::Regex(const std::string &pcre, const std::string &latin,
             unsigned options, const std::string &source,
             const std::string &where) {
  auto make = [&](const std::string &expression) {
    int error = 0;
    size_t offset = 0;
    Code code = compile(expression, options, error, offset);
    if (!code) {
      throw Error(Status::unsupported, where + ": regular expression " +
                                           tokenizer_json::shown(source) +
                                           " is refused: " + messageOf(error));
    }
    // Failure (no executable memory, or an expression it has no code for)
    // leaves the interpreter, with the same results.
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
    return code;
  };
  auto made = std::make_shared<Compiled>();
  made->code = make(pcre);
  if (latin != pcre) {
    made->latin = make(latin);
  }
  made->expression = tokenizer_json::shown(source);
  made->where = where;
  compiled = std::move(made);
}

Regex Regex::oniguruma(const std::string &expression,
                       const std::string &where) {
  static const RegexProperties properties = fittingProperties();
  return oniguruma(expression, where, properties);
}

Regex Regex::oniguruma(const std::string &expression, const std::string &where,
                       RegexProperties properties) {
  return Regex(translateRegex(expression, where, properties),
               translateRegex(expression, where, RegexProperties::latin),
               expressionOptions, expression, where);
}

Regex Regex::anyOf(const CodePoints &set, const std::string &where) {
  std::string pcre = "[" + set.members() + "]";
  return Regex(pcre, pcre, 0, "of a set", where);
}

Regex Regex::literal(const std::string &text, const std::string &where) {
  return Regex(text, text, PCRE2_LITERAL, text, where);
}

Regex Regex::fromPattern(const tokenizer_json::Json &pattern,
                         const std::string &where) {
  if (tokenizer_json::find(pattern, "Regex", where)) {
    return oniguruma(tokenizer_json::requireString(pattern, "Regex", where),
                     where);
  }
  if (tokenizer_json::find(pattern, "String", where)) {
    return literal(tokenizer_json::requireString(pattern, "String", where),
                   where);
  }
  tokenizer_json::unsupported(where, "a pattern of another kind",
                              "Regex, String");
}

void Regex::findAll(std::string_view text,
                    std::vector<TextSpan> &matches) const {
  matches.clear();
  auto data = own<MatchData>(pcre2_match_data_create(1, nullptr));
  auto context = own<MatchContext>(pcre2_match_context_create(nullptr));
  size_t limit = std::min<size_t>(
      baseMatchLimit + matchLimitPerByte * text.size(), UINT32_MAX);
  pcre2_set_match_limit(context.get(), static_cast<uint32_t>(limit));

  const pcre2_code *code = compiled->latin && isLatin(text)
                               ? compiled->latin.get()
                               : compiled->code.get();
  const char *base = text.empty() ? "" : text.data();
  for (size_t start = 0; start <= text.size();) {
    auto match = [&](uint32_t options) {
      return pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(base), text.size(),
                         start, options | PCRE2_NO_UTF_CHECK, data.get(),
                         context.get());
    };
    int result = match(0);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT) {
      result = match(PCRE2_NO_JIT);
    }
    if (result == PCRE2_ERROR_NOMATCH) {
      break;
    }
    if (result < 0) {
      throw Error(compiled->where + ": regular expression " +
                  compiled->expression + " gave up at byte " +
                  std::to_string(start) + " of the text: " + messageOf(result));
    }
    const size_t *ends = pcre2_get_ovector_pointer(data.get());
    size_t begin = ends[0], end = ends[1];
    if (begin == end && !matches.empty() && matches.back().end == end) {
      start = end < text.size() ? end + utf8::scan(text.substr(end)).length
                                : end + 1;
      continue;
    }
    Work::checkAt(matches.size());
    matches.push_back({begin, end});
    start = end;
  }
}

} // namespace cheems
