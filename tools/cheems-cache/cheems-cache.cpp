// cheems-cache: what compiled models the cache holds.
#include "Options.h"
#include "runtime/Error.h"
#include "runtime/Generation/CacheFolder.h"
#include "runtime/Generation/Program.h"
#include "runtime/Process/Output.h"
#include "tools/Support/Format.h"
#include <ctime>
#include <filesystem>

using namespace cheems;

namespace {

constexpr size_t shownKey = 12; ///< letters of a key; the beginning is enough

std::string megabytes(int64_t bytes) {
  return format("%.2f MB", static_cast<double>(bytes) / 1e6);
}

int64_t sizeOf(const std::vector<CachedModel> &models) {
  int64_t bytes = 0;
  for (const CachedModel &model : models) {
    bytes += model.bytes;
  }
  return bytes;
}

std::string madeFrom(const CacheIndex::Origin &origin) {
  std::string text = origin.folder.empty() ? "(not known)" : origin.folder;
  for (const std::string &word : origin.arguments) {
    text += " " + word;
  }
  return text;
}

void list(const CacheFolder &cache, const std::string &place) {
  std::vector<CachedModel> models = cache.models();
  std::string text;
  for (const CachedModel &model : models) {
    std::time_t seconds = model.used / 1000000000;
    char used[32];
    std::strftime(used, sizeof(used), "%Y-%m-%d %H:%M",
                  std::localtime(&seconds));
    text += format(
        "%-12s  %12s  %s  %s\n", model.key.substr(0, shownKey).c_str(),
        megabytes(model.bytes).c_str(), used, madeFrom(model.origin).c_str());
  }
  int64_t limit = CacheFolder::standardLimit();
  text += format("%zu %s in %s, %s", models.size(),
                 models.size() == 1 ? "model" : "models", place.c_str(),
                 megabytes(sizeOf(models)).c_str()) +
          (limit > 0 ? " of at most " + megabytes(limit) : "") + "\n";
  writeOutput(text);
}

/// Those that the words of the command line mean.
std::vector<CachedModel> chosen(const std::vector<CachedModel> &models,
                                const cache::Options &options) {
  if (options.all) {
    return models;
  }
  std::error_code error;
  std::string folder =
      std::filesystem::weakly_canonical(options.model, error).string();
  std::vector<CachedModel> ofFolder, ofKey;
  for (const CachedModel &model : models) {
    if (!model.origin.folder.empty() && model.origin.folder == folder) {
      ofFolder.push_back(model);
    } else if (model.key.rfind(options.model, 0) == 0) {
      ofKey.push_back(model);
    }
  }
  if (!ofFolder.empty()) {
    return ofFolder;
  }
  if (ofKey.size() > 1) {
    throw Error(Status::usage, "several keys begin with " + options.model +
                                   "; give more of it");
  }
  if (ofKey.empty()) {
    throw Error("no model of the cache is " + options.model +
                "; cheems-cache list shows them");
  }
  return ofKey;
}

int run(const cache::Options &options) {
  std::string place = CacheFolder::standard();
  CacheFolder cache(place);
  if (!options.remove) {
    list(cache, place);
    return 0;
  }
  std::vector<CachedModel> models = chosen(cache.models(), options);
  for (const CachedModel &model : models) {
    cache.remove(model);
  }
  printMessage(format("cheems-cache: removed %zu %s, %s", models.size(),
                      models.size() == 1 ? "model" : "models",
                      megabytes(sizeOf(models)).c_str()));
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  return runProgram("cheems-cache", "", [&] {
    auto options = cache::parseOptions(argc, argv);
    return options ? run(*options) : 0;
  });
}
