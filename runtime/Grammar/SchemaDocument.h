// Documents that hold schemas: reading them, and what references in them name.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMADOCUMENT_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMADOCUMENT_H

#include "runtime/Grammar/JsonText.h"

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace cheems::grammar {

/// Throws Error(usage) for what is too large or too deep, or no JSON; `name`
/// begins the message. The order of properties is that of the text.
Json parseDocument(const std::string &text, const std::string &name);

/// What references in a document name: places like "#/$defs/node", and schemas
/// with $id or $anchor. A schema with $id is a resource: its own references
/// start there.
class References {
public:
  /// Looks a member up.
  using Find = std::function<const Json *(const Json &, const std::string &)>;

  /// `spend` is called for each value that is read.
  References(const Json &document, std::function<void()> spend)
      : document(document), spend(std::move(spend)) {}

  /// Returns the resource that a schema with a reference is in.
  const Json &resourceOf(const Json &schema);
  /// `fail` gets a message where there is none, and must not return.
  const Json &resolve(const Json &resource, const std::string &reference,
                      const Find &find,
                      const std::function<void(const std::string &)> &fail);

private:
  void readNames();
  const Json *inside(const Json &resource, const std::string &fragment,
                     const Find &find) const;

  const Json &document;
  std::function<void()> spend;
  bool read = false;
  std::unordered_map<const Json *, const Json *> resources; ///< where not all
  std::unordered_map<std::string, const Json *> ids;
  std::map<std::pair<const Json *, std::string>, const Json *> anchors;
};

} // namespace cheems::grammar

#endif
