// Creates files under names that no other has, and renames them.
#include "lib/Target/CPU/TemporaryFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include <random>

namespace fs = llvm::sys::fs;

namespace cheems {

llvm::ErrorOr<TemporaryFile> TemporaryFile::create(llvm::StringRef before,
                                                   llvm::StringRef after) {
  std::random_device random;
  for (int attempt = 0;; ++attempt) {
    std::string path =
        (llvm::Twine(before) + llvm::Twine(random()) + after).str();
    fs::file_t file = fs::kInvalidFile;
    std::error_code error =
        fs::openFileForWrite(path, file, fs::CD_CreateNew, fs::OF_None, 0666);
    if (error == std::errc::file_exists && attempt < 100) {
      continue;
    }
    if (error) {
      return error;
    }
    TemporaryFile result(std::move(path));
    llvm::sys::RemoveFileOnSignal(result.name);
    if (std::error_code failed = fs::closeFile(file)) {
      return failed;
    }
    return result;
  }
}

TemporaryFile::~TemporaryFile() {
  if (!name.empty()) {
    fs::remove(name);
    llvm::sys::DontRemoveFileOnSignal(name);
  }
}

std::error_code TemporaryFile::keep(const std::string &as) {
  if (std::error_code error = fs::rename(name, as)) {
    return error;
  }
  llvm::sys::DontRemoveFileOnSignal(name);
  name.clear();
  return {};
}

} // namespace cheems
