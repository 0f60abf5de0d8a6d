// What a text may be: rules over bytes, from a GBNF grammar or a JSON schema.
#ifndef CHEEMS_RUNTIME_GRAMMAR_GRAMMAR_H
#define CHEEMS_RUNTIME_GRAMMAR_GRAMMAR_H

#include <memory>
#include <string>

namespace cheems {

/// Immutable once made: any number of constraints and threads may share one.
class Grammar;

/// A grammar as llama.cpp writes it (GBNF); its rule "root" is the text. Throws
/// Error(usage) with line and column of the first fault, and names left
/// recursion, rules that are missing and what is too large.
std::shared_ptr<const Grammar> parseGbnf(const std::string &text);

/// Any JSON object.
std::shared_ptr<const Grammar> jsonObjectGrammar();

/// What a JSON schema accepts, given as its text. Throws Error(usage) that
/// names the first keyword that is not supported, and where it is.
std::shared_ptr<const Grammar> jsonSchemaGrammar(const std::string &schema);

/// One call of a tool, as Qwen's templates write it:
/// `<tool_call>\n{"name": "…", "arguments": {…}}\n</tool_call>`. `tools` is a
/// JSON list of {"name": …, "parameters": schema}; without parameters, the
/// arguments are any object. Throws Error(usage) as jsonSchemaGrammar does.
std::shared_ptr<const Grammar> toolCallGrammar(const std::string &tools);

} // namespace cheems

#endif
