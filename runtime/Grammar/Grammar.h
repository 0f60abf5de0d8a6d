// What a text may be: rules over bytes, from a GBNF grammar or a JSON schema.
#ifndef CHEEMS_RUNTIME_GRAMMAR_GRAMMAR_H
#define CHEEMS_RUNTIME_GRAMMAR_GRAMMAR_H

#include <memory>
#include <string>
#include <string_view>

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

/// A control token as grammars and vocabularies spell it: between bytes that no
/// text has. So only a grammar that names the token allows it, and its letters
/// do not stand for it.
std::string controlToken(std::string_view text);

/// How a family of models writes one call of a tool: `begin`, the name,
/// `between`, the arguments, `end`. The default is that of Qwen's templates.
struct CallSyntax {
  std::string begin = "<tool_call>\n{\"name\": ";
  std::string between = ", \"arguments\": ";
  std::string end = "}\n</tool_call>";
  bool quotesName = true; ///< the name is a JSON string, else its bare letters
};

/// One call of a tool. `tools` is a JSON list of {"name": …, "parameters":
/// schema}; without parameters, the arguments are any object. Throws
/// Error(usage) as jsonSchemaGrammar does.
std::shared_ptr<const Grammar> toolCallGrammar(const std::string &tools,
                                               const CallSyntax &syntax = {});

} // namespace cheems

#endif
