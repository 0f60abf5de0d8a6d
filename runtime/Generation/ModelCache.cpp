#include "runtime/Generation/ModelCache.h"
#include "runtime/Error.h"
#include "runtime/Generation/ChildProcess.h"
#include "runtime/Generation/Prompt.h"
#include "runtime/Process/FileFault.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <pwd.h>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace cheems {

namespace {

/// The texts that a compiled model is made of, beside its weights.
constexpr const char *textFiles[] = {
    "config.json",         "generation_config.json",
    "tokenizer.json",      "tokenizer_config.json",
    "chat_template.jinja", "model.safetensors.index.json"};

/// A list of texts under one hash; where one ends counts.
class Key {
public:
  void add(const std::string &text) {
    bytes += std::to_string(text.size()) + ":" + text;
  }
  /// What tells one state of a file from another without reading it.
  void addStamp(const fs::path &file) {
    std::error_code ignored;
    add(file.string());
    add(std::to_string(fs::file_size(file, ignored)));
    add(std::to_string(
        fs::last_write_time(file, ignored).time_since_epoch().count()));
  }
  std::string hex() const {
    char text[17];
    std::snprintf(text, sizeof(text), "%016llx",
                  static_cast<unsigned long long>(
                      XXH3_64bits(bytes.data(), bytes.size())));
    return text;
  }

private:
  std::string bytes;
};

/// Name and features of the first processor, as the kernel words them.
std::string cpuName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line, name;
  while (std::getline(file, line) && !line.empty()) {
    if (line.rfind("model name", 0) == 0 || line.rfind("flags", 0) == 0) {
      name += line + "\n";
    }
  }
  return name;
}

/// The last part of a folder's name, fit for a file name.
std::string shortName(const fs::path &folder) {
  std::string name = folder.filename().string().substr(0, 64);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c <= ' ' || c == 0x7f; },
      '_');
  return name.empty() ? "model" : name;
}

fs::path canonicalFolder(const std::string &folder) {
  std::error_code error;
  fs::path path = fs::canonical(folder, error);
  if (error) {
    throw Error("cannot read " + folder + ": " + error.message());
  }
  if (!fs::exists(path / "config.json", error)) {
    throw Error(folder + " is no model folder: it has no config.json");
  }
  return path;
}

} // namespace

ModelCache::ModelCache(std::string compiler, std::string directory)
    : compiler(std::move(compiler)), directory(std::move(directory)) {}

std::string ModelCache::defaultDirectory() {
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
    throw Error("a model folder needs a place for the compiled model: set "
                "XDG_CACHE_HOME or HOME");
  }
  return std::string(home) + "/.cache/cheems";
}

std::string ModelCache::standardCompiler() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error("cannot tell where this program is: " + error.message());
  }
  return (self.parent_path() / "cheems-compile").string();
}

ModelCache ModelCache::standard() {
  return ModelCache(standardCompiler(), defaultDirectory());
}

std::string ModelCache::path(const std::string &folder) const {
  fs::path source = canonicalFolder(folder);
  if (access(compiler.c_str(), X_OK) != 0) {
    throw Error(folder + " is a model folder, and there is no " + compiler +
                " to compile it; give a compiled model");
  }
  Key key;
  for (const char *name : textFiles) {
    std::error_code error;
    bool there = fs::exists(source / name, error);
    key.add(name);
    key.add(there ? "present" : "absent");
    key.add(there ? readText((source / name).string()) : "");
  }
  std::vector<fs::path> weights;
  std::error_code error;
  for (fs::directory_iterator it(source, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".safetensors") {
      weights.push_back(it->path());
    }
  }
  std::sort(weights.begin(), weights.end());
  for (const fs::path &file : weights) {
    key.addStamp(file);
  }
  std::string version;
  if (int code = runChild({compiler, "--version"}, &version)) {
    throw Error(compiler + " --version ended with exit code " +
                std::to_string(code));
  }
  key.add(version);
  key.addStamp(compiler); // builds of one version differ
  key.add(cpuName());
  return directory + "/" + shortName(source) + "-" + key.hex() + ".cheems";
}

void ModelCache::compile(const std::string &folder,
                         const std::string &target) const {
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    throw Error("cannot make the cache folder " + directory + ": " +
                error.message() + "; set XDG_CACHE_HOME to another place");
  }
  // A folder of its own: whatever the compiler leaves in it goes, and two at
  // once do not meet. The last to finish wins, with the same bytes.
  std::string temporary = directory + "/compiling-XXXXXX";
  if (!mkdtemp(temporary.data())) {
    throw Error("cannot write to the cache folder " + directory +
                "; set XDG_CACHE_HOME to another place");
  }
  struct Remove {
    const std::string &folder;
    ~Remove() {
      std::error_code ignored;
      fs::remove_all(folder, ignored);
    }
  } remove{temporary};
  std::string output = temporary + "/model";
  if (int code = runChild({compiler, folder, "-o", output})) {
    throw CompileFailed{code};
  }
  fs::rename(output, target, error);
  if (error) {
    throw Error("cannot keep the compiled model as " + target + ": " +
                error.message());
  }
}

/// From here on the file is the one to name where it suddenly cannot be read.
static std::shared_ptr<const Model> openWatched(const std::string &path) {
  fault::watch(path);
  return Model::open(path);
}

std::shared_ptr<const Model>
ModelCache::open(const std::string &folder,
                 const std::function<void(const std::string &)> &notify) const {
  std::string target = path(folder);
  std::error_code error;
  if (fs::exists(target, error)) {
    try {
      return openWatched(target);
    } catch (const Error &problem) {
      if (problem.status != Status::failed) {
        throw;
      }
      notify(std::string(problem.what()) + "; compiling it again");
    }
  }
  if (isatty(STDERR_FILENO)) {
    notify("compiling " + folder + " into " + target);
  }
  compile(fs::canonical(folder).string(), target);
  return openWatched(target);
}

std::shared_ptr<const Model>
openModel(const std::string &path,
          const std::function<void(const std::string &)> &notify) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return ModelCache::standard().open(path, notify);
  }
  return openWatched(path);
}

} // namespace cheems
