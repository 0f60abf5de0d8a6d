// Schemas that say the same at different places of a document, so that they
// share rules.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMACONTENTS_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMACONTENTS_H

#include "runtime/Grammar/SchemaReader.h"

#include <string>
#include <unordered_map>

namespace cheems::grammar {

class SchemaContents {
public:
  SchemaContents(GrammarBuilder &builder, SchemaReader &reader)
      : builder(builder), reader(reader) {}

  /// Equal for schemas that differ in remarks at most, such as titles.
  /// References mean the same where they start at the same place. What is
  /// numbered must outlive this.
  uint32_t numberOf(const Json &schema);

private:
  /// What a keyword gives.
  enum Role { value, schema, schemasByName };
  static Role roleOf(const std::string &keyword);
  uint32_t numberOf(const Json &json, Role role);

  GrammarBuilder &builder;
  SchemaReader &reader;
  std::unordered_map<const Json *, uint32_t> known; ///< schemas alone
  std::unordered_map<std::string, uint32_t> numbers;
};

} // namespace cheems::grammar

#endif
