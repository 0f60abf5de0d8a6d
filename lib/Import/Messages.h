// How the importer words its errors: one line each, whatever the files contain.
#ifndef CHEEMS_LIB_IMPORT_MESSAGES_H
#define CHEEMS_LIB_IMPORT_MESSAGES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <string>

namespace cheems {

/// The files are damaged or contradict each other (exit code 1).
llvm::Error failed(const llvm::Twine &message);
/// An UnsupportedError (exit code 3).
llvm::Error unsupported(const llvm::Twine &message);
/// 'text' with control characters escaped and cut to a readable length: names
/// come from untrusted files.
std::string quoted(llvm::StringRef text);
/// "[64, 128]"
std::string shapeText(llvm::ArrayRef<int64_t> shape);

} // namespace cheems

#endif
