#include "lib/Import/InputFile.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/ScopeExit.h"
#include <climits>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cheems {
namespace {

/// After a call that has set errno.
llvm::Error unreadable(llvm::StringRef path) {
  std::error_code reason = llvm::errnoAsErrorCode();
  auto target = linkTarget(path.str());
  if (target && reason == std::errc::no_such_file_or_directory) {
    return failed(path + ": a link to " + quoted(*target) +
                  ", which is not there");
  }
  return failed(path + ": " + reason.message());
}

/// What Git keeps in place of a large file, until the file is fetched.
bool isLfsPointer(llvm::StringRef bytes) {
  return bytes.starts_with("version https://git-lfs.github.com/spec/") ||
         bytes.starts_with("version https://hawser.github.com/spec/");
}

} // namespace

std::optional<std::string> linkTarget(const std::string &path) {
  std::string target(PATH_MAX, '\0');
  ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0) {
    return std::nullopt;
  }
  target.resize(static_cast<size_t>(length));
  return target;
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openInput(llvm::StringRef path, bool terminated, AcceptFile accept) {
  // A device may do something when it is opened, so its kind is looked at
  // first. The file that was opened counts, so it is looked at once more.
  std::string name = path.str();
  struct stat status;
  if (stat(name.c_str(), &status) != 0) {
    return unreadable(path);
  }
  if (!S_ISREG(status.st_mode)) {
    return failed(path + ": not a regular file");
  }
  int descriptor = open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) {
    return unreadable(path);
  }
  llvm::scope_exit closing([&] { close(descriptor); });
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    return failed(path + ": not a regular file");
  }
  if (accept) {
    if (llvm::Error refused = accept(descriptor)) {
      return std::move(refused);
    }
  }
  auto buffer = llvm::MemoryBuffer::getOpenFile(
      descriptor, path, static_cast<uint64_t>(status.st_size), terminated);
  if (!buffer) {
    return failed(path + ": " + buffer.getError().message());
  }
  if (isLfsPointer((*buffer)->getBuffer())) {
    return failed(path + ": a pointer of Git LFS, not the file itself; run "
                         "'git lfs pull' where the folder was cloned, or "
                         "download the file");
  }
  return std::move(*buffer);
}

} // namespace cheems
