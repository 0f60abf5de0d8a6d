#include "lib/Import/FolderFiles.h"
#include "lib/Import/InputFile.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <sys/stat.h>

namespace cheems {
namespace {

/// The folder `blobs` beside the folder `snapshots` that `folder` is in, by
/// name; empty where there is none.
std::string blobsBeside(llvm::StringRef folder) {
  llvm::StringRef up = llvm::sys::path::parent_path(folder);
  while (!up.empty() && llvm::sys::path::filename(up) != "snapshots") {
    up = llvm::sys::path::parent_path(up);
  }
  return up.empty() ? "" : (llvm::sys::path::parent_path(up) + "/blobs").str();
}

bool isInside(llvm::StringRef file, llvm::StringRef folder) {
  return !folder.empty() && file.consume_front(folder) &&
         (folder.ends_with("/") || file.starts_with("/"));
}

/// Whether the open file is what `path` names itself, through no link.
bool isEntry(llvm::StringRef path, int descriptor) {
  struct stat entry, opened;
  return lstat(path.str().c_str(), &entry) == 0 &&
         fstat(descriptor, &opened) == 0 && entry.st_dev == opened.st_dev &&
         entry.st_ino == opened.st_ino;
}

} // namespace

llvm::Expected<FolderFiles> FolderFiles::open(llvm::StringRef folder,
                                              bool allowLinks) {
  if (!llvm::sys::fs::is_directory(folder)) {
    return failed(folder + (llvm::sys::fs::exists(folder)
                                ? ": not a model folder"
                                : ": no such model folder"));
  }
  FolderFiles files(folder, allowLinks);
  llvm::SmallString<256> real;
  if (std::error_code error = llvm::sys::fs::real_path(folder, real)) {
    return failed(folder + ": " + error.message());
  }
  files.real = real.str().str();
  files.blobs = blobsBeside(files.real);
  return files;
}

std::string FolderFiles::path(llvm::StringRef name) const {
  llvm::SmallString<256> path(given);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

bool FolderFiles::has(llvm::StringRef name) const {
  llvm::sys::fs::file_status status;
  return llvm::sys::fs::status(path(name), status, /*follow=*/false) !=
         std::errc::no_such_file_or_directory;
}

std::vector<std::string> FolderFiles::endingWith(llvm::StringRef end) const {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(given, error), none;
       !error && it != none; it.increment(error)) {
    llvm::StringRef name = llvm::sys::path::filename(it->path());
    if (name.ends_with(end)) {
      names.push_back(name.str());
    }
  }
  llvm::sort(names);
  return names;
}

llvm::Error FolderFiles::accept(llvm::StringRef name, int descriptor) const {
  std::string path = this->path(name);
  // a folder in the folder may be a link itself
  bool isNested = llvm::sys::path::has_parent_path(name);
  if (allowLinks || (!isNested && isEntry(path, descriptor))) {
    return llvm::Error::success();
  }
  // The link is that of the open file, so that nobody can change it meanwhile.
  auto place = linkTarget("/proc/self/fd/" + std::to_string(descriptor));
  if (!place) {
    return failed(path + ": a link, and /proc, which tells where it leads, "
                         "cannot be read; put a copy of the file there, or "
                         "give --allow-links");
  }
  if (isInside(*place, real) || isInside(*place, blobs)) {
    return llvm::Error::success();
  }
  return failed(path + ": a link to " + quoted(*place) +
                ", which is outside of the model folder; put a copy of the "
                "file there, or give --allow-links");
}

llvm::Expected<std::optional<std::string>>
FolderFiles::text(llvm::StringRef name) const {
  // a folder in the folder may be a link to nothing
  llvm::StringRef inner = llvm::sys::path::parent_path(name);
  if (!inner.empty() && has(inner) && !llvm::sys::fs::exists(path(inner))) {
    auto opened = openInput(path(inner));
    if (!opened) {
      return opened.takeError();
    }
  }
  if (!has(name)) {
    return std::nullopt;
  }
  auto accepts = [&](int descriptor) { return accept(name, descriptor); };
  auto buffer = openInput(path(name), /*terminated=*/true, accepts);
  if (!buffer) {
    return buffer.takeError();
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  text.consume_front("\xEF\xBB\xBF");
  return text.str();
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
FolderFiles::weights(llvm::StringRef name) const {
  return openInput(path(name), /*terminated=*/false);
}

} // namespace cheems
