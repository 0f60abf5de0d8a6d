// What the schemas of a document say, before a grammar is made of them:
// keywords, references and alternatives.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMAREADER_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMAREADER_H

#include "runtime/Grammar/SchemaDocument.h"

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace cheems::grammar {

/// A schema, and its place as references write it.
struct SchemaAt {
  const Json *schema;
  std::string where;
  /// This is set by an anyOf or oneOf beside properties, or by a pattern of
  /// names that are listed, too: where it is closed, it is closed for those as
  /// well. Closed objects of an allOf are not: each may have what another
  /// lists.
  bool chosen = false;
};
/// Schemas that a value must fit all of.
using Parts = std::vector<SchemaAt>;

/// One of the ways to fit some parts: all of `parts` hold, and of each only
/// what it says beside $ref, allOf, anyOf and oneOf.
struct Alternative {
  /// Records, for a oneOf or an anyOf with a discriminator, which of its
  /// schemas this one fits.
  struct Choice {
    SchemaAt from;
    const char *keyword;
    size_t chosen;

    const Json &list() const { return (*from.schema)[keyword]; }
    /// Whether it may fit no other.
    bool isOneOf() const { return keyword == std::string_view("oneOf"); }
  };
  Parts parts;
  std::vector<Choice> choices;
};

/// Whether it is as if the keyword were not there: programs write null for
/// fields that are not set.
bool isAbsent(std::string_view keyword, const Json &value);
/// The type that a keyword is about whose value narrows what is valid; empty:
/// any. Null: it narrows nothing.
const std::string *narrowedType(const std::string &keyword, const Json &value);

class SchemaReader {
public:
  /// All must outlive it; `name` is what messages call the document.
  SchemaReader(GrammarBuilder &builder, const Json &document, std::string name);

  /// Throws Error(usage).
  [[noreturn]] void fail(const std::string &where,
                         const std::string &message) const;
  /// Returns how messages begin.
  std::string place(const std::string &where) const {
    return name + ", at " + where;
  }
  /// A value fits all parts if, and only if, it fits one of these.
  std::vector<Alternative> expand(const Parts &parts);
  /// Acts as an object's own lookup, which takes as many steps as there are
  /// members. The object is one of the document.
  const Json *find(const Json &object, const std::string &key);
  /// Returns where the references of the schema start.
  const Json &resourceOf(const Json &schema) {
    return references.resourceOf(schema);
  }
  /// A member of the schema, if it is one; null: it has none.
  const Json *keyword(const SchemaAt &part, const char *name) const;
  void spend(size_t steps = 1) { builder.spend(steps); }
  /// Whether it has $ref, allOf, anyOf or oneOf, or is nullable.
  bool branches(const Json &schema) const;

  static SchemaAt step(const SchemaAt &part, const Json &schema,
                       const std::string &keyword,
                       const std::string &name = "");
  /// Shortens for messages: not too long, whatever the names in it are.
  static std::string shortened(const std::string &name);

private:
  struct Open;
  void open(Open &open, std::vector<Open> &more);
  void checkKeywords(const SchemaAt &part);
  const Json &target(const SchemaAt &part, const Json &reference);
  const Json &list(const SchemaAt &part, const char *keyword) const;

  GrammarBuilder &builder;
  std::string name;
  std::unordered_set<const Json *> checked;
  std::unordered_map<const Json *,
                     std::unordered_map<std::string_view, const Json *>>
      indices; ///< of large objects
  References references;
  std::map<std::pair<const Json *, std::string>, const Json *> targets;
};

} // namespace cheems::grammar

#endif
