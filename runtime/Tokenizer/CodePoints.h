// Sets of characters, and what the reference's Unicode tables say of them.
#ifndef CHEEMS_RUNTIME_TOKENIZER_CODEPOINTS_H
#define CHEEMS_RUNTIME_TOKENIZER_CODEPOINTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// A set of code points, as ranges in order that do not touch.
class CodePoints {
public:
  CodePoints() = default;
  explicit CodePoints(char32_t only) : CodePoints(only, only) {}
  CodePoints(char32_t first, char32_t last);

  static CodePoints everything() { return {0, 0x10FFFF}; }

  bool contains(char32_t codepoint) const;
  bool empty() const { return ranges.empty(); }
  CodePoints operator|(const CodePoints &other) const;
  CodePoints operator&(const CodePoints &other) const;
  CodePoints operator~() const;

  /// Members of a PCRE2 class, the long ranges first: it tries one after the
  /// other.
  std::string members() const;

  /// Adds what lies after all that is in the set.
  void append(char32_t first, char32_t last);

private:
  struct Range {
    char32_t first, last;
  };
  std::vector<Range> ranges;
};

namespace unicode {

/// The characters of a general category: "Lu", or "L" for all that begin so.
CodePoints ofCategory(std::string_view name);
/// Those with one of the attribute bits.
CodePoints withAttribute(uint32_t bits);
/// Those of a script, in lower case without '_'; nothing for an unknown name.
std::optional<CodePoints> ofScript(std::string_view name);
/// Those that have a part in normal forms.
const CodePoints &normalizable();

/// The class of UnicodeScripts; 0 is cut from nothing.
uint32_t splitScript(char32_t codepoint);
char32_t toLower(char32_t codepoint);

} // namespace unicode

} // namespace cheems

#endif
