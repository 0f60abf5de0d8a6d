// Chooses where compiled code is kept for its user alone.
#include "runtime/Process/CachePlace.h"
#include "runtime/Error.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace cheems {

namespace {

Error cannot(const std::string &what, const std::string &path, int error) {
  return Error("cannot " + what + " " + path + ": " + std::strerror(error) +
               "; set XDG_CACHE_HOME to another place");
}

/// What a folder with this state lets others do, or nothing.
std::string weakness(const struct stat &found) {
  if (found.st_uid != geteuid()) {
    return "belongs to another user";
  }
  return (found.st_mode & 022) != 0 ? "can be written by other users" : "";
}

void refuse(const std::string &path, const std::string &why) {
  throw Error("the cache folder " + path + " " + why +
              ", and models in it are programs: remove it, or set "
              "XDG_CACHE_HOME to a place of your own");
}

/// Where every user may rename what is there, a check of it says nothing.
void checkParent(const fs::path &path) {
  struct stat found;
  fs::path parent = path.parent_path();
  if (stat(parent.c_str(), &found) == 0 && (found.st_mode & 0002) != 0 &&
      (found.st_mode & S_ISVTX) == 0) {
    refuse(path.string(),
           "lies in " + parent.string() + ", where every user can replace it");
  }
}

void makeFolder(const fs::path &path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    if (path.has_parent_path() && path != path.parent_path()) {
      makeFolder(path.parent_path());
    }
    if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
      throw cannot("make the cache folder", path.string(), errno);
    }
  }
}

} // namespace

std::string standardCache() {
  const char *cache = std::getenv("XDG_CACHE_HOME");
  if (cache && cache[0] == '/') { // the specification says to ignore others
    return std::string(cache) + "/cheems";
  }
  const char *home = std::getenv("HOME");
  if (!home || !*home) {
    const passwd *user = getpwuid(getuid());
    home = user ? user->pw_dir : nullptr;
  }
  if (!home || !*home) {
    throw Error("compiled code needs a place: set "
                "XDG_CACHE_HOME or HOME");
  }
  return std::string(home) + "/.cache/cheems";
}

void prepareCache(const std::string &path) {
  makeFolder(path);
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  struct stat found;
  if (error || stat(real.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) {
    throw cannot("use the cache folder", path, error ? error.value() : ENOTDIR);
  }
  std::string weak = weakness(found);
  if (!weak.empty()) {
    refuse(path, weak);
  }
  checkParent(real);
  if ((found.st_mode & 0777) != 0700 && chmod(real.c_str(), 0700) != 0) {
    throw cannot("set the rights of the cache folder", path, errno);
  }
}

} // namespace cheems
