// Whether two schemas surely have no value in common.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMAOVERLAP_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMAOVERLAP_H

#include "runtime/Grammar/SchemaTags.h"

namespace cheems::grammar {

class SchemaOverlap {
public:
  SchemaOverlap(SchemaReader &reader, SchemaRules &rules, SchemaTags &tags)
      : reader(reader), rules(rules), tags(tags) {}

  /// Whether `other` accepts no text that is written for an alternative. False
  /// where that is not sure.
  bool apart(const Parts &written, const SchemaAt &other, int depth = 4);

private:
  bool partsApart(const Parts &written, const Parts &other, int depth);
  bool typeApart(const std::string &type, const Parts &written,
                 const Parts &other, int depth);
  bool objectsApart(const Parts &written, const Parts &other, int depth);
  bool arraysApart(const Parts &written, const Parts &other, int depth);
  /// Whether one of the others accepts no value of all that are written.
  bool valuesApart(const Parts &written, const Parts &others, int depth);

  SchemaReader &reader;
  SchemaRules &rules;
  SchemaTags &tags;
};

} // namespace cheems::grammar

#endif
