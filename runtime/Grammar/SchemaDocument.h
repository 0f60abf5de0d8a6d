// Documents that hold schemas: reading them, and what references in them name.
#ifndef CHEEMS_RUNTIME_GRAMMAR_SCHEMADOCUMENT_H
#define CHEEMS_RUNTIME_GRAMMAR_SCHEMADOCUMENT_H

#include "runtime/Grammar/JsonText.h"

#include <functional>
#include <string>

namespace cheems::grammar {

/// Throws Error(usage) for what is too large or too deep, or no JSON; `name`
/// begins the message. The order of properties is that of the text.
Json parseDocument(const std::string &text, const std::string &name);

/// The schema that a reference like "#/$defs/node" names. `find` looks members
/// up. `fail` gets a message where there is none, and must not return.
const Json &resolveReference(
    const Json &document, const std::string &reference,
    const std::function<const Json *(const Json &, const std::string &)> &find,
    const std::function<void(const std::string &)> &fail);

} // namespace cheems::grammar

#endif
