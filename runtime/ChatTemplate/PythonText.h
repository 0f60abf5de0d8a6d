// Python's str on UTF-8: positions count characters, "space" is what
// str.isspace says.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_PYTHONTEXT_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_PYTHONTEXT_H

#include "runtime/ChatTemplate/BigInteger.h"
#include "runtime/ChatTemplate/TrackedText.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::jinja {

/// Offset of the first byte that is not valid UTF-8, or npos.
size_t firstInvalid(std::string_view text);
/// The character at `offset` of valid text; moves `offset` past it.
char32_t nextWideCharacter(std::string_view text, size_t &offset);
inline char32_t nextCharacter(std::string_view text, size_t &offset) {
  auto byte = static_cast<unsigned char>(text[offset]);
  return byte < 0x80 ? (++offset, byte) : nextWideCharacter(text, offset);
}
void appendCharacter(std::string &out, char32_t character);
void appendCharacter(TrackedText &out, char32_t character, Origin origin);
/// Its characters, each as text.
MeteredVector<std::string_view> characters(std::string_view text);
size_t lengthOf(std::string_view text);
/// Returns where character `index` starts; the text's size if it has no more
/// than that.
size_t offsetOf(std::string_view text, size_t index);

/// Returns where `wanted` begins at or after `from`, or npos. It takes linear
/// time, unlike std::string::find.
size_t find(std::string_view text, std::string_view wanted, size_t from = 0);

bool isSpace(char32_t character);
enum class Side { both, left, right };
/// `set`: the characters to take off; spaces without it.
std::string_view strip(std::string_view text, Side side,
                       std::optional<std::string_view> set = std::nullopt);
/// At str.splitlines' line ends, which are more than "\n".
MeteredVector<std::string_view> splitLines(std::string_view text);

/// Full case mapping, as str.upper, lower, title and capitalize do it.
TrackedText upper(const TrackedText &text);
TrackedText lower(const TrackedText &text);
TrackedText title(const TrackedText &text);
TrackedText capitalize(const TrackedText &text);

/// Writes \x, \u or \U with its digits.
void appendEscape(TrackedText &out, char32_t character, Origin origin);
/// Writes as repr() does, in quotes.
void appendQuoted(TrackedText &out, const TrackedText &text);
std::string inQuotes(std::string_view text);
/// Spells a float as repr() does: the shortest digits that read back the same.
std::string spelled(double number);
/// float(text) and int(text, base); nothing where Python raises ValueError.
std::optional<double> parseFloat(std::string_view text);
std::optional<BigInteger> parseInteger(std::string_view text, int64_t base);

} // namespace cheems::jinja

#endif
