// What an alternative of a schema says about each type of value, all keywords
// together.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMARULES_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMARULES_H

#include "runtime/Grammar/SchemaJudge.h"

namespace cheems::grammar {

/// This is the rule of objects. Names that are not listed come after those
/// that are.
struct ObjectRule {
  struct Property {
    std::string name;
    Parts value;
    bool required = false;
    bool possible = true;
  };
  /// Names that a pattern matches, or all others, and what they may have.
  struct Family {
    std::shared_ptr<const Pattern> pattern; ///< null: no pattern matches them
    Parts value;
  };
  std::vector<Property> properties;
  std::vector<Family> families;
  std::vector<std::shared_ptr<const Pattern>> patterns; ///< of all families
  Parts names;                                          ///< that names must fit
  int64_t minimum = 0, required = 0;
  std::optional<int64_t> maximum;
};

struct ArrayRule {
  std::vector<Parts> first; ///< of the first items, one each
  Parts rest;
  int64_t minimum = 0;
  std::optional<int64_t> maximum;
  bool unique = false; ///< no item comes twice
};

/// What `not` takes away.
struct Exclusions {
  bool all = false;
  std::set<std::string> types;
  std::vector<Json> values;
};

class SchemaRules {
public:
  explicit SchemaRules(SchemaReader &reader) : reader(reader), judge(reader) {}

  /// Types that are written; "integer" only without "number". Without a type,
  /// those that the keywords are about.
  std::vector<std::string> types(const Parts &parts);
  bool mayBe(const Parts &parts, const std::string &type);
  /// Values of enum and const that fit all parts; none: there are no such
  /// keywords.
  std::optional<std::vector<Json>> constants(const Parts &parts);
  /// All values that fit schemas of constants, booleans and null, whatever
  /// alternatives they have; none: others might fit.
  std::optional<std::vector<Json>> values(const Parts &parts);
  ObjectRule object(const Parts &parts);
  /// What the value of a property must fit; none: it cannot be there.
  std::optional<Parts> valueOf(const Parts &parts, const std::string &name);
  ArrayRule array(const Parts &parts);
  StringRule string(const Parts &parts);
  NumberRule number(const Parts &parts, bool whole);
  Exclusions exclusions(const Parts &parts);
  bool fits(const Parts &parts, const Json &value);
  bool matches(const Pattern &pattern, const std::string &text) {
    return judge.matches(pattern, text);
  }

private:
  using Patterns =
      std::vector<std::pair<std::shared_ptr<const Pattern>, const Json *>>;
  Patterns patternsOf(const SchemaAt &part);
  const Json *objectAt(const SchemaAt &part, const char *keyword);
  void addFamilies(ObjectRule &rule, const Parts &parts);
  std::optional<std::vector<std::string>> listedNames(const Parts &names);

  SchemaReader &reader;
  SchemaJudge judge;
  std::map<std::pair<std::string, int64_t>, ShortFormat> shortFormats;
};

} // namespace cheems::grammar

#endif
