// Makes nodes of a grammar from JSON schemas.
#ifndef CHEEMS_RUNTIME_GRAMMAR_JSONSCHEMA_H
#define CHEEMS_RUNTIME_GRAMMAR_JSONSCHEMA_H

#include "runtime/Grammar/JsonText.h"

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace cheems::grammar {

/// The schemas of one document. What is not supported throws Error(usage),
/// which names it and where it is.
class JsonSchema {
public:
  using RuleId = GrammarBuilder::RuleId;

  /// References start at `document`, which must outlive this; `name` is what
  /// messages call it.
  JsonSchema(GrammarBuilder &builder, const Json &document, std::string name);

  /// A text that the schema accepts, then `next`; `where` is its place, as
  /// references write it.
  NodeId value(const Json &schema, const std::string &where, NodeId next);

private:
  [[noreturn]] void fail(const std::string &where,
                         const std::string &message) const;
  NodeId schemaNode(const Json &schema, const std::string &where);
  void checkKeywords(const Json &schema, const std::string &where) const;
  std::vector<std::string> typesOf(const Json &schema,
                                   const std::string &where) const;
  NodeId choices(const Json &schema, const std::string &keyword,
                 const std::string &where);
  const Json &keep(Json schema);
  Json joined(const Json &siblings, const Json &alternative,
              const std::string &where) const;
  NodeId constants(const Json &schema, const std::vector<std::string> &types,
                   const std::string &where);
  static bool isOfType(const Json &value, const std::string &type);
  NodeId typed(const Json &schema, const std::string &type,
               const std::string &where);
  NodeId object(const Json &schema, const std::string &where);
  NodeId array(const Json &schema, const std::string &where);
  NodeId string(const Json &schema, const std::string &where);
  NodeId integer(const Json &schema, const std::string &where);
  std::optional<int64_t> bound(const Json &schema, const char *keyword,
                               int inward, const std::string &where) const;
  std::optional<int64_t> count(const Json &schema, const char *keyword,
                               const std::string &where) const;
  void requireOrder(std::optional<int64_t> minimum,
                    std::optional<int64_t> maximum, const char *low,
                    const char *high, const std::string &where) const;

  GrammarBuilder &builder;
  JsonText text;
  const Json &document;
  std::string name;
  std::map<const Json *, RuleId> made; ///< by the schema's address
  std::deque<Json> kept;               ///< schemas that stand in no document
  int open = 0;                        ///< that are being made
};

} // namespace cheems::grammar

#endif
