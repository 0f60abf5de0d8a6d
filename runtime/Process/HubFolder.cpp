#include "runtime/Process/HubFolder.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <vector>

namespace fs = std::filesystem;

namespace cheems {

namespace {

bool isThere(const fs::path &path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The folders in `folder` whose name begins with `prefix`, by name.
std::vector<fs::path> foldersIn(const fs::path &folder,
                                const std::string &prefix = "") {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    std::error_code ignored;
    if (it->path().filename().string().rfind(prefix, 0) == 0 &&
        it->is_directory(ignored)) {
      found.push_back(it->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The snapshots of a model that have a configuration. The one that its branch
/// `main` names comes first.
std::vector<fs::path> snapshotsOf(const fs::path &model) {
  std::vector<fs::path> found = foldersIn(model / "snapshots");
  found.erase(std::remove_if(found.begin(), found.end(),
                             [](const fs::path &each) {
                               return !isThere(each / "config.json");
                             }),
              found.end());
  std::string name;
  std::error_code ignored;
  if (fs::path main = model / "refs" / "main";
      fs::is_regular_file(main, ignored)) { // a pipe would be waited for
    std::ifstream(main) >> name;
  }
  auto newest = std::find(found.begin(), found.end(),
                          model / "snapshots" / (name.empty() ? "-" : name));
  if (newest != found.end()) {
    std::rotate(found.begin(), newest, newest + 1);
  }
  return found;
}

} // namespace

std::string hubFolderHint(const std::string &folder) {
  fs::path place = fs::path(folder).lexically_normal();
  if (!place.has_filename()) {
    place = place.parent_path(); // a slash at the end
  }
  if (isThere(place / "config.json")) {
    return "";
  }
  std::vector<fs::path> candidates;
  auto add = [&](const fs::path &model) {
    std::vector<fs::path> more = snapshotsOf(model);
    candidates.insert(candidates.end(), more.begin(), more.end());
  };
  bool cache = isThere(place / "snapshots");
  if (cache) {
    add(place);
  } else if (place.filename() == "snapshots") {
    cache = true;
    add(place.parent_path());
  } else {
    for (const fs::path &hub : {place, place / "hub"}) {
      for (const fs::path &model : foldersIn(hub, "models--")) {
        cache = true;
        add(model);
      }
    }
  }
  if (!cache) {
    return "";
  }
  std::string said = folder + " is a folder of Hugging Face's cache, not a "
                              "model folder; ";
  if (candidates.empty()) {
    return said + "download the model: no snapshot in it has a config.json";
  }
  return said + "give " + candidates.front().string() +
         (candidates.size() == 1
              ? ""
              : ", or another of its " + std::to_string(candidates.size()) +
                    " snapshots");
}

} // namespace cheems
