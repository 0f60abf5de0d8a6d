// A scanner that knows as much of JSON as finding and reading the tables takes;
// what it passes over is checked by the parser that reads the rest.
#include "runtime/Tokenizer/TokenTables.h"
#include "runtime/Json/Json.h"
#include "runtime/Tokenizer/Json.h"
#include "runtime/Tokenizer/Utf8.h"

#include <cstring>

namespace cheems {

class TokenTableReader {
public:
  TokenTableReader(std::string_view text, TokenTables &tables)
      : text(text), tables(tables) {}

  bool read() {
    bool ok = object([&](std::string_view field) {
      return field == "model" ? once(model) && modelFields() : skipValue();
    });
    space();
    if (!ok || at != text.size() || cuts.size() != 2) {
      return false;
    }
    size_t from = 0;
    for (auto [begin, end] : cuts) {
      tables.rest.append(text.substr(from, begin - from));
      from = end;
    }
    tables.rest.append(text.substr(from));
    return true;
  }

private:
  bool modelFields() {
    return object([&](std::string_view field) {
      if (field == "vocab") {
        return once(vocabulary) && cut([&] { return readTokens(); });
      }
      if (field == "merges") {
        return once(merges) && cut([&] { return readMerges(); });
      }
      return skipValue();
    });
  }

  bool readTokens() {
    return object([&](std::string_view token) {
      int32_t id;
      return number(id) && (tables.tokens.emplace_back(token, id), true);
    });
  }

  bool readMerges() {
    return list('[', ']', [&] {
      std::string_view left, right;
      if (accept('[')) {
        if (!string(left) || !accept(',') || !string(right) || !accept(']')) {
          return false;
        }
      } else {
        if (!string(left)) {
          return false;
        }
        size_t gap = left.find(' ');
        if (gap == left.npos || left.find(' ', gap + 1) != left.npos ||
            left.rfind("#version", 0) == 0) {
          return false;
        }
        right = left.substr(gap + 1);
        left = left.substr(0, gap);
      }
      tables.merges.emplace_back(left, right);
      return !left.empty() && !right.empty();
    });
  }

  /// A second field of a name would hide the first.
  static bool once(bool &seen) { return !std::exchange(seen, true); }

  /// Leaves out what `inside` reads, between its brackets.
  template <typename Inside> bool cut(Inside inside) {
    space();
    size_t begin = at + 1;
    if (!inside()) {
      return false;
    }
    cuts.emplace_back(begin, at - 1);
    return true;
  }

  void space() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' ||
                                text[at] == '\t' || text[at] == '\r')) {
      ++at;
    }
  }

  bool accept(char wanted) {
    space();
    if (at == text.size() || text[at] != wanted) {
      return false;
    }
    ++at;
    return true;
  }

  template <typename Item> bool list(char open, char close, Item item) {
    if (!accept(open)) {
      return false;
    }
    if (accept(close)) {
      return true;
    }
    do {
      if (!item()) {
        return false;
      }
    } while (accept(','));
    return accept(close);
  }

  template <typename Field> bool object(Field field) {
    return list('{', '}', [&] {
      std::string_view name;
      return string(name) && accept(':') && field(name);
    });
  }

  bool string(std::string_view &value) {
    if (!accept('"')) {
      return false;
    }
    size_t begin = at;
    bool plain = true, ascii = true;
    for (; at < text.size() && text[at] != '"'; ++at) {
      auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x20) {
        return false;
      }
      ascii &= byte < 0x80;
      if (byte == '\\') {
        plain = false;
        ++at;
      }
    }
    if (at >= text.size()) {
      return false;
    }
    ++at;
    value = text.substr(begin, at - 1 - begin);
    if (plain) {
      return ascii || utf8::firstInvalid(value) == value.npos;
    }
    auto parsed =
        parseJson<tokenizer_json::Json>(text.substr(begin - 1, at - begin + 1));
    if (!parsed.is_string()) {
      return false;
    }
    value = tables.escaped.emplace_back(parsed.get<std::string>());
    return true;
  }

  bool number(int32_t &value) {
    space();
    size_t begin = at;
    int64_t sum = 0;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9' &&
           at < begin + 8) {
      sum = 10 * sum + (text[at++] - '0');
    }
    if (at == begin || at == text.size()) {
      return false;
    }
    value = static_cast<int32_t>(sum);
    bool leadingZero = text[begin] == '0' && at > begin + 1;
    return !leadingZero && sum <= tokenizer_json::maximumId &&
           std::strchr(",} \n\t\r", text[at]);
  }

  /// To the end of a value, whatever is in it.
  bool skipValue() {
    space();
    for (int depth = 0; at < text.size();) {
      char next = text[at];
      if (next == '"') {
        for (++at; at < text.size() && text[at] != '"'; ++at) {
          at += text[at] == '\\';
        }
        if (at >= text.size()) {
          return false;
        }
      } else if (next == '{' || next == '[') {
        ++depth;
      } else if (next == '}' || next == ']' || next == ',') {
        if (depth == 0) {
          return true; // the list's
        }
        depth -= next != ',';
      }
      ++at;
    }
    return false;
  }

  std::string_view text;
  TokenTables &tables;
  size_t at = 0;
  std::vector<std::pair<size_t, size_t>> cuts;
  bool model = false, vocabulary = false, merges = false;
};

std::optional<TokenTables> TokenTables::read(std::string_view text) {
  TokenTables tables;
  return TokenTableReader(text, tables).read()
             ? std::optional<TokenTables>(std::move(tables))
             : std::nullopt;
}

} // namespace cheems
