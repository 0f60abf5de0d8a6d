// JSON from untrusted files: llvm::json after the checks it leaves out.
#ifndef CHEEMS_LIB_IMPORT_JSON_H
#define CHEEMS_LIB_IMPORT_JSON_H

#include "llvm/Support/JSON.h"

namespace cheems {

/// Parses `text`, refusing nesting that would exhaust the stack (llvm::json
/// recurses) and repeated keys (llvm::json keeps the last, so two readers could
/// see two models). `file` leads every message.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef file);
/// The same where the text must be an object.
llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef text,
                                                   llvm::StringRef file);

} // namespace cheems

#endif
