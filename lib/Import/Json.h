// JSON from untrusted files: llvm::json after the checks it leaves out.
#ifndef CHEEMS_LIB_IMPORT_JSON_H
#define CHEEMS_LIB_IMPORT_JSON_H

#include "llvm/Support/JSON.h"
#include <optional>
#include <string>

namespace cheems {

/// Parses `text`, refusing nesting that would exhaust the stack (llvm::json
/// recurses) and repeated keys (llvm::json keeps the last, so two readers could
/// see two models). `file` leads every message.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef file);
/// The same where the text must be an object.
llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef text,
                                                   llvm::StringRef file);

/// config.json's text with the numbers that JSON lacks, spelled as JSON: of
/// version 4 of transformers Infinity, -Infinity and NaN stand bare, and
/// version 5 writes {"__float__": "Infinity"}. This makes the latter of the
/// former.
std::string spellFloats(llvm::StringRef text);
/// The number that such an object stands for.
std::optional<double> spelledFloat(const llvm::json::Value &value);

} // namespace cheems

#endif
