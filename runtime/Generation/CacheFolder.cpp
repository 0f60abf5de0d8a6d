#include "runtime/Generation/CacheFolder.h"
#include "runtime/Error.h"
#include "runtime/Generation/Workplace.h"
#include "runtime/Process/CachePlace.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace fs = std::filesystem;

namespace cheems {

namespace {

constexpr const char *workPrefix = "compiling-";

Error cannot(const std::string &what, const std::string &path, int error) {
  return Error("cannot " + what + " " + path + ": " + std::strerror(error) +
               "; set XDG_CACHE_HOME to another place");
}

std::vector<fs::path> filesIn(const std::string &path) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    found.push_back(it->path());
  }
  return found;
}

} // namespace

std::string CacheFolder::standard() { return standardCache(); }

int64_t CacheFolder::standardLimit() {
  const char *text = std::getenv("CHEEMS_CACHE_SIZE");
  if (!text || !*text) {
    return int64_t(20) * 1000000000;
  }
  const std::string given = text, units = "KMGT";
  int64_t bytes = 0;
  bool fits = given.find_first_not_of("0123456789") != 0;
  size_t at = 0;
  for (; fits && at < given.size() && given[at] >= '0' && given[at] <= '9';
       ++at) {
    fits = !__builtin_mul_overflow(bytes, 10, &bytes) &&
           !__builtin_add_overflow(bytes, given[at] - '0', &bytes);
  }
  if (fits && at < given.size()) {
    size_t unit = units.find(given[at++]);
    fits = unit != std::string::npos && at == given.size();
    for (size_t i = 0; fits && i <= unit; ++i) {
      fits = !__builtin_mul_overflow(bytes, 1000, &bytes);
    }
  }
  if (!fits) {
    throw Error(Status::usage, "CHEEMS_CACHE_SIZE is '" + given +
                                   "', not a size such as 20G or 500M");
  }
  return bytes;
}

void CacheFolder::prepare() const { prepareCache(path); }

std::string CacheFolder::modelPath(const std::string &key) const {
  return path + "/" + key + ".cheems";
}

CacheIndex CacheFolder::index() const { return CacheIndex::load(indexPath()); }

FileLock CacheFolder::lock() const {
  auto lock = FileLock::create(path + "/lock");
  if (!lock) {
    throw cannot("use the cache folder", path, ENOENT);
  }
  lock->take(FileLock::Kind::exclusive);
  return std::move(*lock);
}

void CacheFolder::update(
    const std::function<void(CacheIndex &)> &change) const {
  FileLock held = lock();
  CacheIndex known = index();
  change(known);
  known.save(indexPath());
}

std::vector<CachedModel> CacheFolder::models() const {
  CacheIndex known = index();
  std::vector<CachedModel> result;
  for (const fs::path &file : filesIn(path)) {
    struct stat found;
    if (file.extension() == ".cheems" && stat(file.c_str(), &found) == 0) {
      CachedModel model;
      model.key = file.stem().string();
      model.path = file.string();
      model.bytes = found.st_size;
      model.used = FileStamp(found).modified;
      model.origin = known.models[model.key];
      result.push_back(std::move(model));
    }
  }
  std::sort(result.begin(), result.end(),
            [](const CachedModel &a, const CachedModel &b) {
              return std::tie(b.used, a.key) < std::tie(a.used, b.key);
            });
  return result;
}

void CacheFolder::remove(const CachedModel &model) const {
  if (unlink(model.path.c_str()) != 0 && errno != ENOENT) {
    throw cannot("remove", model.path, errno);
  }
  update([&](CacheIndex &known) { known.models.erase(model.key); });
}

int CacheFolder::shrink(int64_t limit) const {
  std::vector<CachedModel> kept = models();
  int64_t total = 0;
  for (const CachedModel &model : kept) {
    total += model.bytes;
  }
  int removed = 0;
  for (auto model = kept.rbegin(); model != kept.rend() && total > limit;
       ++model) {
    auto use = FileLock::open(model->path);
    if (!use || use->tryTake(FileLock::Kind::exclusive)) {
      remove(*model);
      total -= model->bytes;
      removed += use.has_value();
    }
  }
  return removed;
}

void CacheFolder::sweep() const {
  FileLock held = lock(); // who writes the index has it
  for (const fs::path &file : filesIn(path)) {
    std::string name = file.filename().string();
    if (name.rfind(workPrefix, 0) == 0) {
      Workplace::removeIfLeft(file.string());
    } else if (name.rfind("index.json.", 0) == 0) {
      unlink(file.c_str());
    }
  }
}

std::string CacheFolder::workPath(const std::string &key) const {
  return path + "/" + workPrefix + key;
}

} // namespace cheems
