// Whether a schema accepts a value that is there.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMAJUDGE_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMAJUDGE_H

#include "runtime/Grammar/SchemaReader.h"

namespace cheems::grammar {

/// The pattern that strings of a format match; null: the format is no more than
/// a remark.
std::shared_ptr<const Pattern> patternOfFormat(const std::string &format);

/// The same for strings of `maximum` characters at most. Lengths multiply the
/// states of a pattern, so this one leaves more texts out, and may have another
/// maximum.
struct ShortFormat {
  std::shared_ptr<const Pattern> pattern;
  int64_t maximum;
};
ShortFormat shortFormat(const std::string &format, int64_t maximum);

class SchemaJudge {
public:
  explicit SchemaJudge(SchemaReader &reader) : reader(reader) {}

  bool accepts(const SchemaAt &schema, const Json &value) {
    return accepts(Parts{schema}, value);
  }
  bool accepts(const Parts &parts, const Json &value);
  /// What one part of an alternative says by itself.
  bool fits(const SchemaAt &part, const Json &value);
  bool matches(const Pattern &pattern, const std::string &text);
  std::shared_ptr<const Pattern> pattern(const SchemaAt &part, const Json &text,
                                         const std::string &keyword);
  /// The name of the format that is to be kept; empty: there is none. Beside a
  /// pattern none is: that says what the format means to its author.
  std::string format(const SchemaAt &part) const;
  /// Equal for equal values, whatever the order of members and the form of
  /// numbers.
  static std::string keyOf(const Json &value);
  static bool isOfType(const Json &value, const std::string &type);
  /// Returns the number of a keyword that counts. None: the schema does not
  /// have it. All but maxLength are refused above the most repetitions.
  std::optional<int64_t> count(const SchemaAt &part, const char *keyword) const;
  Decimal number(const SchemaAt &part, const char *keyword) const;
  /// Adds what the part says about numbers.
  void addTo(NumberRule &rule, const SchemaAt &part) const;

private:
  bool isAmong(const Json &list, const std::string &key);
  bool fitsObject(const SchemaAt &part, const Json &value);
  bool fitsArray(const SchemaAt &part, const Json &value);
  bool fitsString(const SchemaAt &part, const std::string &value);
  bool fitsNumber(const SchemaAt &part, const Json &value);

  SchemaReader &reader;
  std::map<std::string, std::shared_ptr<const Pattern>> patterns;
  /// Holds the values of each enum that was asked.
  std::unordered_map<const Json *, std::unordered_set<std::string>> lists;
  size_t patternText = 0; ///< bytes of those that are kept
};

} // namespace cheems::grammar

#endif
