// The alternatives of schemas as they are written: none that was chosen of a
// oneOf has a text that another of its schemas accepts.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMAUNIONS_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMAUNIONS_H

#include "runtime/Grammar/SchemaOverlap.h"

namespace cheems::grammar {

class SchemaUnions {
public:
  SchemaUnions(SchemaReader &reader, SchemaRules &rules)
      : reader(reader), rules(rules), tags(reader, rules),
        overlap(reader, rules, tags) {}

  /// Fails where a text might fit two schemas of a oneOf.
  std::vector<Alternative> written(const Parts &parts);

private:
  void keepToOne(Alternative &way);
  bool tellApart(Alternative &way, const SchemaAt &other);

  SchemaReader &reader;
  SchemaRules &rules;
  SchemaTags tags;
  SchemaOverlap overlap;
};

} // namespace cheems::grammar

#endif
