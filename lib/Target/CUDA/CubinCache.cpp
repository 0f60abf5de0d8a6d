// Machine code that was assembled before, in files that are named by what it
// was made of.
#include "CubinCache.h"
#include "lib/Support/TemporaryFile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <vector>
#include <xxhash.h>

namespace fs = llvm::sys::fs;

namespace cheems::cuda {
namespace {

/// Ten thousand bytes each: beyond this many the older half goes.
constexpr size_t mostFiles = 2000;
constexpr llvm::StringLiteral magic = "cheems cubin 1";

std::string hex(XXH128_hash_t hash) {
  return llvm::utohexstr(hash.high64, true, 16) +
         llvm::utohexstr(hash.low64, true, 16);
}

} // namespace

std::string CubinCache::keyOf(llvm::ArrayRef<llvm::StringRef> parts) {
  std::string all;
  for (llvm::StringRef part : parts) {
    // with its length: what is at an end of one is not at the next's beginning
    all += std::to_string(part.size()) + ":" + part.str();
  }
  return hex(XXH3_128bits(all.data(), all.size()));
}

std::string CubinCache::pathOf(const std::string &key) const {
  return folder + "/" + key + ".cubin";
}

std::optional<CubinCache::Entry>
CubinCache::find(const std::string &key) const {
  if (folder.empty()) {
    return std::nullopt;
  }
  auto file = llvm::MemoryBuffer::getFile(pathOf(key));
  if (!file) {
    return std::nullopt;
  }
  // A line with the checksum and the report's length; the report; the code.
  auto [line, rest] = (*file)->getBuffer().split('\n');
  size_t length = 0;
  auto [head, lengthText] = line.rsplit(' ');
  auto [name, sum] = head.rsplit(' ');
  if (name != magic || lengthText.getAsInteger(10, length) ||
      length > rest.size() ||
      sum != hex(XXH3_128bits(rest.data(), rest.size()))) {
    return std::nullopt;
  }
  return Entry{rest.take_front(length).str(), rest.drop_front(length).str()};
}

void CubinCache::keep(const std::string &key, const Entry &entry) const {
  if (folder.empty() ||
      fs::create_directories(folder, true, fs::perms::owner_all)) {
    return;
  }
  std::string rest = entry.report + entry.code;
  auto file = TemporaryFile::create(pathOf(key) + ".", ".tmp");
  if (!file) {
    return;
  }
  std::error_code error;
  {
    llvm::raw_fd_ostream os(file->path(), error);
    if (error) {
      return;
    }
    os << magic << " " << hex(XXH3_128bits(rest.data(), rest.size())) << " "
       << entry.report.size() << "\n"
       << rest;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error && !file->keep(pathOf(key))) {
    shrink();
  }
}

void CubinCache::shrink() const {
  std::vector<std::pair<llvm::sys::TimePoint<>, std::string>> files;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    auto status = it->status();
    if (status && llvm::StringRef(it->path()).ends_with(".cubin")) {
      files.emplace_back(status->getLastModificationTime(), it->path());
    }
  }
  if (files.size() > mostFiles) {
    std::sort(files.begin(), files.end());
    for (size_t i = 0; i < files.size() / 2; ++i) {
      (void)fs::remove(files[i].second);
    }
  }
}

} // namespace cheems::cuda
