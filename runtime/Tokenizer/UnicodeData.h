// The generated tables of UnicodeAttributes.cpp, UnicodeScripts.cpp and
// UnicodeForms.cpp. Partitions list the first code point of each stretch above
// some bits that say what holds in it.
#ifndef CHEEMS_RUNTIME_TOKENIZER_UNICODEDATA_H
#define CHEEMS_RUNTIME_TOKENIZER_UNICODEDATA_H

#include <cstddef>
#include <cstdint>

namespace cheems::unicode {

/// First code point << 11, a bit for each of Attribute, general category.
extern const uint32_t attributes[];
extern const size_t attributesCount;
enum Attribute : uint32_t {
  categoryBits = 0x1F, ///< the index of the name in `categoryNames`
  alphabetic = 0x20,
  lowercase = 0x40,
  uppercase = 0x80,
  punctuation = 0x100, ///< to the pre-tokenizer Punctuation
  numeric = 0x200,     ///< to the pre-tokenizer Digits
  newer = 0x400,       ///< not as in Unicode 14, the oldest that PCRE2 may know
};
inline constexpr char categoryNames[] =
    "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn";

/// First code point << 8, index of the script in `scriptNames`.
extern const uint32_t scripts[];
extern const size_t scriptsCount;
extern const char *const scriptNames[]; ///< lower case, without '_'
extern const size_t scriptNamesCount;

/// First code point << 8, class; the pre-tokenizer UnicodeScripts cuts between
/// two classes, and class 0 from nothing.
extern const uint32_t splitScripts[];
extern const size_t splitScriptsCount;

/// The characters that have a part in normal forms: where they begin, where
/// they end, and so on. All others stand as they are.
extern const uint32_t normalizableBounds[];
extern const size_t normalizableBoundsCount;

/// First and last of a run, the step in it, what to add for the lower case.
extern const uint32_t lowerCase[];
extern const size_t lowerCaseCount;

} // namespace cheems::unicode

#endif
