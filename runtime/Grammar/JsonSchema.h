// Makes nodes of a grammar from JSON schemas.
#ifndef CHEEMS_RUNTIME_GRAMMAR_JSONSCHEMA_H
#define CHEEMS_RUNTIME_GRAMMAR_JSONSCHEMA_H

#include "runtime/Grammar/SchemaContents.h"
#include "runtime/Grammar/SchemaUnions.h"

#include <deque>
#include <map>
#include <string>
#include <tuple>
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

  /// Accepts a text that the document, as a schema, accepts, and then `next`.
  NodeId value(NodeId next);
  /// Says where a schema was met that accepts nothing; empty: none was.
  const std::string &whyNothing() const { return impossible; }

private:
  /// A rule that is called, and is yet to be made.
  struct Pending {
    RuleId rule;
    Parts parts;
    bool expanded; ///< the parts are those of one alternative
  };
  /// A key says which schemas are meant, whether only what they say by
  /// themselves is meant, and whether they are chosen.
  using Key = std::vector<std::tuple<uint32_t, bool, bool>>;

  NodeId value(const Parts &parts, NodeId next);
  RuleId ruleOf(const Parts &parts, bool expanded);
  NodeId alternatives(const Parts &parts);
  NodeId alternative(const Parts &parts);
  std::string placed(const Parts &parts, const std::string &why) const;
  NodeId nothing(const Parts &parts, const std::string &why);
  NodeId typed(const Parts &parts, const std::string &type,
               const Exclusions &without);
  NodeId object(const Parts &parts);
  void objectEnd(const ObjectRule &rule, NodeId close,
                 std::vector<NodeId> &lanes);
  NodeId name(const ObjectRule &rule, const ObjectRule::Family &family,
              NodeId next);
  NodeId array(const Parts &parts);
  NodeId string(const Parts &parts);
  NodeId number(const Parts &parts, bool whole);

  GrammarBuilder &builder;
  JsonText text;
  const Json &document;
  SchemaReader reader;
  SchemaRules rules;
  SchemaContents contents;
  SchemaUnions unions;
  std::map<Key, RuleId> made;
  std::deque<Pending> pending;
  std::string impossible;
};

} // namespace cheems::grammar

#endif
