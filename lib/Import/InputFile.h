// Opens an input file, so that no file makes the program wait or fail in a way
// that names nothing.
#ifndef CHEEMS_LIB_IMPORT_INPUTFILE_H
#define CHEEMS_LIB_IMPORT_INPUTFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>
#include <optional>
#include <string>

namespace cheems {

/// What a link says; nothing where `path` is no link.
std::optional<std::string> linkTarget(const std::string &path);

/// Sees the descriptor of a file before anything is read, and may refuse it.
using AcceptFile = llvm::function_ref<llvm::Error(int descriptor)>;

/// The bytes of a file, a zero after them where `terminated`. These are
/// refused: a pipe or a device, which might never end, or never open; and a
/// pointer of Git LFS, which only names the file that is wanted.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path, bool terminated = true,
          AcceptFile accept = nullptr);

} // namespace cheems

#endif
