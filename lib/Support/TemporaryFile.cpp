// Creates files under names that no other has, and renames them.
#include "lib/Support/TemporaryFile.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <fcntl.h>
#include <random>
#include <unistd.h>

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

/// What a file holds, or which names a folder has, goes to the disk.
static std::error_code putOnDisk(const std::string &path) {
  auto lastError = [] {
    return std::error_code(errno, std::generic_category());
  };
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return lastError();
  }
  std::error_code error;
  if (llvm::sys::RetryAfterSignal(-1, ::fsync, file) != 0) {
    error = lastError();
  }
  if (::close(file) != 0 && !error) {
    error = lastError();
  }
  return error;
}

TemporaryFile::~TemporaryFile() {
  if (!name.empty()) {
    (void)fs::remove(name);
    llvm::sys::DontRemoveFileOnSignal(name);
  }
}

std::error_code TemporaryFile::keep(const std::string &as) {
  // After a rename that came first a crash would leave a name without bytes.
  if (std::error_code error = putOnDisk(name)) {
    return error;
  }
  if (std::error_code error = fs::rename(name, as)) {
    return error;
  }
  llvm::sys::DontRemoveFileOnSignal(name);
  name.clear();
  // The new name, too; a hint where it cannot be had: the file is there.
  std::string folder = llvm::sys::path::parent_path(as).str();
  (void)putOnDisk(folder.empty() ? "." : folder);
  return {};
}

} // namespace cheems
