#include "lib/Import/InputFile.h"
#include "lib/Import/Messages.h"
#include "llvm/Support/FileSystem.h"

namespace cheems {

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path, bool terminated) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status)) {
    return failed(path + ": " + error.message());
  }
  if (!llvm::sys::fs::is_regular_file(status)) {
    return failed(path + ": not a regular file");
  }
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, terminated);
  if (!buffer) {
    return failed(path + ": " + buffer.getError().message());
  }
  return std::move(*buffer);
}

} // namespace cheems
