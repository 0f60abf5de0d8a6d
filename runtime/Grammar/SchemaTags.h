// Properties that tell the schemas of a union apart. Of a discriminated union
// they are always written: readers choose by them, though a schema that has a
// default for its own does not require it.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMATAGS_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMATAGS_H

#include "runtime/Grammar/SchemaRules.h"

#include <map>

namespace cheems::grammar {

class SchemaTags {
public:
  SchemaTags(SchemaReader &reader, SchemaRules &rules)
      : reader(reader), rules(rules) {}

  /// The alternatives that are written: those of a union with a discriminator
  /// require the property that it names, if all have constants for it.
  std::vector<Alternative> expand(const Parts &parts);
  /// Schemas of the objects that have a property, or do not. They live as long
  /// as this.
  SchemaAt with(const std::string &name, const std::string &where);
  SchemaAt without(const std::string &name, const std::string &where);

private:
  /// Empty: the union has none.
  const std::string &tagOf(const Alternative::Choice &choice);
  bool hasConstants(const SchemaAt &schema, const std::string &name);

  SchemaReader &reader;
  SchemaRules &rules;
  std::map<const Json *, std::string> tags; ///< by the lists of schemas
  std::map<std::string, Json> present, absent;
};

} // namespace cheems::grammar

#endif
