#include "runtime/Generation/ModelCache.h"
#include "runtime/Artifact/CpuFeatures.h"
#include "runtime/Error.h"
#include "runtime/Generation/ChildProcess.h"
#include "runtime/Generation/Workplace.h"
#include "runtime/Process/FileFault.h"
#include "runtime/Process/HubFolder.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace cheems {

namespace {

/// The texts that a compiled model is made of, beside its weights.
constexpr const char *textFiles[] = {"config.json",
                                     "generation_config.json",
                                     "tokenizer.json",
                                     "tokenizer_config.json",
                                     "chat_template.jinja",
                                     "additional_chat_templates/tool_use.jinja",
                                     "model.safetensors.index.json"};

/// Whether there is something of this name, if only a link to nothing: what is
/// there and cannot be read is an error and does not count as absent.
bool hasEntry(const fs::path &path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

fs::path canonicalFolder(const std::string &folder) {
  std::error_code error;
  fs::path path = fs::canonical(folder, error);
  if (error) {
    throw Error("cannot read " + folder + ": " + error.message());
  }
  if (!hasEntry(path / "config.json")) {
    std::string hint = hubFolderHint(folder);
    throw Error(hint.empty()
                    ? folder + " is not a model folder: it has no config.json"
                    : hint);
  }
  return path;
}

/// The files of a model folder that count, in an order.
std::vector<std::string> filesOf(const fs::path &folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const char *name : textFiles) {
    if (hasEntry(folder / name)) {
      files.push_back((folder / name).string());
    }
  }
  size_t texts = files.size();
  for (fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".safetensors") {
      files.push_back(it->path().string());
    }
  }
  if (error) {
    throw Error("cannot read " + folder.string() + ": " + error.message());
  }
  std::sort(files.begin() + static_cast<std::ptrdiff_t>(texts), files.end());
  return files;
}

using Stamps = std::map<std::string, FileStamp>;

Stamps stampsOf(const std::vector<std::string> &files) {
  Stamps stamps;
  for (const std::string &file : files) {
    stamps[file] = FileStamp::of(file);
  }
  return stamps;
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) {
    text += " " + word;
  }
  return text;
}

} // namespace

/// A model folder as it was when its files were looked at.
struct ModelCache::Source {
  std::string given; ///< as the user wrote it
  fs::path folder;
  std::vector<std::string> arguments;
  std::string key;
  Stamps stamps;
  DeviceChoice device = {}; ///< that it is opened for

  void checkUnchanged() const {
    if (stampsOf(filesOf(folder)) != stamps) {
      throw Error(given + " changed while it was compiled; run this again");
    }
  }
};

ModelCache::ModelCache(Settings given)
    : settings(std::move(given)), cache(settings.directory) {}

std::string ModelCache::standardCompiler() {
  std::error_code error;
  fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) {
    throw Error("cannot find out where this program is: " + error.message());
  }
  return (self.parent_path() / "cheems-compile").string();
}

ModelCache ModelCache::standard() {
  Settings settings;
  settings.compiler = standardCompiler();
  settings.directory = CacheFolder::standard();
  settings.limit = CacheFolder::standardLimit();
  settings.cpu = CpuFeatures::host().usable();
  return ModelCache(std::move(settings));
}

void ModelCache::remember(const std::function<void(CacheIndex &)> &change,
                          const Notify &notify) const {
  try {
    cache.update(change);
  } catch (const Error &problem) {
    if (problem.status == Status::interrupted) {
      throw;
    }
    notify(std::string(problem.what()) + "; going on without it");
  }
}

ModelCache::Source ModelCache::read(const std::string &given,
                                    const std::vector<std::string> &arguments,
                                    const Notify &notify) const {
  Source source = {given, canonicalFolder(given), arguments, "", {}, {}};
  if (access(settings.compiler.c_str(), X_OK) != 0) {
    throw Error(given + " is a model folder, and there is no " +
                settings.compiler + " to compile it; give a compiled model");
  }
  cache.prepare();
  CacheIndex known = cache.index();
  std::map<std::string, CacheIndex::File> learned;
  auto contents = [&](const std::string &path, const FileStamp &stamp) {
    auto found = known.files.find(path);
    if (found != known.files.end() && found->second.stamp == stamp) {
      return found->second.hash;
    }
    std::string hash = hashOfFile(path);
    if (stamp.settled(settings.settling)) {
      learned[path] = {stamp, hash};
    }
    return hash;
  };

  std::string identity; // a list of texts; where one ends counts
  auto add = [&](const std::string &text) {
    identity += std::to_string(text.size()) + ":" + text;
  };
  std::vector<std::string> files = filesOf(source.folder);
  source.stamps = stampsOf(files);
  for (const std::string &file : files) {
    add(fs::path(file).filename().string());
    add(contents(file, source.stamps[file]));
  }
  add(contents(settings.compiler, FileStamp::of(settings.compiler)));
  for (const std::string &feature : settings.cpu) {
    add(feature);
  }
  add(""); // after the last feature
  for (const std::string &word : arguments) {
    add(word);
  }
  source.key = hashOfText(identity);
  if (!learned.empty()) {
    remember(
        [&](CacheIndex &index) {
          for (const auto &[path, file] : learned) {
            index.files[path] = file;
          }
        },
        notify);
  }
  return source;
}

std::string ModelCache::path(const std::string &folder,
                             const std::vector<std::string> &arguments) const {
  return cache.modelPath(
      read(folder, arguments, [](const std::string &) {}).key);
}

/// From here on the file is the one to name where it suddenly cannot be read.
static std::shared_ptr<const Model> openWatched(const std::string &path,
                                                const DeviceChoice &device) {
  fault::watch(path);
  return Model::open(path, {device});
}

/// What fails though the file is sound may be due to where the cache is: a
/// mount that no code may run from, say.
static Error withPlace(const Error &problem, const std::string &path) {
  return Error(problem.status, std::string(problem.what()) +
                                   "; compiled models are kept in " +
                                   fs::path(path).parent_path().string() +
                                   ", and XDG_CACHE_HOME names another place");
}

/// The model stays locked as long as it is used: no one removes it to make
/// room.
static std::shared_ptr<const Model>
openLocked(const std::string &path, const DeviceChoice &device, FileLock lock) {
  struct Use {
    FileLock lock;
    std::shared_ptr<const Model> model;
  };
  try {
    auto use =
        std::make_shared<Use>(Use{std::move(lock), openWatched(path, device)});
    return {use, use->model.get()};
  } catch (const DamagedFile &) {
    throw;
  } catch (const cuda::DriverError &) { // no fault of the place
    throw;
  } catch (const Error &problem) {
    if (problem.status != Status::failed) {
      throw;
    }
    throw withPlace(problem, path);
  }
}

std::shared_ptr<const Model> ModelCache::openKept(const Source &source,
                                                  const Notify &notify) const {
  std::string target = cache.modelPath(source.key);
  auto lock = FileLock::open(target);
  if (!lock) {
    return nullptr;
  }
  lock->take(FileLock::Kind::shared);
  struct stat found;
  if (lock->gone() || fstat(lock->descriptor(), &found) != 0) {
    return nullptr; // to make room, just now
  }
  if (found.st_uid != geteuid()) {
    throw Error(target + " belongs to another user, and models are programs: "
                         "remove it");
  }
  futimens(lock->descriptor(), nullptr); // when it was used last
  CacheIndex::Origin origin = {source.folder.string(), source.arguments};
  if (!(cache.index().models[source.key] == origin)) { // the folder was moved
    remember([&](CacheIndex &index) { index.models[source.key] = origin; },
             notify);
  }
  try {
    return openLocked(target, source.device, std::move(*lock));
  } catch (const DamagedFile &problem) {
    notify(std::string(problem.what()) + "; compiling it again");
    unlink(target.c_str());
    return nullptr;
  }
}

std::shared_ptr<const Model> ModelCache::compile(const Source &source,
                                                 const Notify &notify) const {
  Workplace workplace(cache.workPath(source.key), [&] {
    notify("another process compiles " + source.given + "; waiting for it");
  });
  if (auto model = openKept(source, notify)) { // that process has made it
    return model;
  }
  cache.sweep();
  notify("compiling " + source.given + joined(source.arguments) +
         " once, to be kept in " + settings.directory);
  std::string output = cache.workPath(source.key) + "/model.cheems",
              target = cache.modelPath(source.key);
  std::vector<std::string> words = {settings.compiler, source.folder.string(),
                                    "-o", output};
  words.insert(words.end(), source.arguments.begin(), source.arguments.end());
  if (int code = runChild(words)) {
    throw CompileFailed{code};
  }
  source.checkUnchanged();
  auto lock = FileLock::open(output);
  if (!lock) {
    throw Error(Status::usage,
                settings.compiler + " made no model of " + source.given +
                    joined(source.arguments) +
                    "; drop the option that asks it for something else");
  }
  lock->take(FileLock::Kind::shared);
  std::error_code error;
  fs::rename(output, target, error);
  if (error) {
    throw Error("cannot keep the compiled model as " + target + ": " +
                error.message());
  }
  remember(
      [&](CacheIndex &index) {
        index.models[source.key] = {source.folder.string(), source.arguments};
      },
      notify);
  std::shared_ptr<const Model> model;
  try {
    model = openLocked(target, source.device, std::move(*lock));
  } catch (const DamagedFile &) { // --emit made something else
    unlink(target.c_str());
    throw;
  }
  if (int removed = settings.limit > 0 ? cache.shrink(settings.limit) : 0) {
    notify("removed " + std::to_string(removed) +
           (removed == 1 ? " model" : " models") +
           " from the cache, unused for the longest time, to stay below "
           "CHEEMS_CACHE_SIZE");
  }
  return model;
}

std::shared_ptr<const Model>
ModelCache::open(const std::string &folder, const Notify &notify,
                 const std::vector<std::string> &arguments,
                 const DeviceChoice &device) const {
  Source source = read(folder, arguments, notify);
  source.device = device;
  std::shared_ptr<const Model> model = openKept(source, notify);
  return model ? model : compile(source, notify);
}

/// What `arguments` say of an option, however often.
static std::vector<std::string>
valuesOf(const std::string &option, const std::vector<std::string> &arguments) {
  std::vector<std::string> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == option && i + 1 < arguments.size()) {
      values.push_back(arguments[++i]);
    } else if (arguments[i].rfind(option + "=", 0) == 0) {
      values.push_back(arguments[i].substr(option.size() + 1));
    }
  }
  return values;
}

std::vector<std::string> compileArguments(std::vector<std::string> arguments,
                                          const DeviceChoice &device) {
  std::vector<std::string> targets = valuesOf("--target", arguments);
  if (device.kind == DeviceChoice::Kind::cuda && targets.empty()) {
    targets = {"cuda"};
    arguments.insert(arguments.end(), {"--target", "cuda"});
  }
  bool cpu =
      targets.empty() ||
      std::any_of(targets.begin(), targets.end(), [](const std::string &names) {
        return ("," + names + ",").find(",cpu,") != std::string::npos;
      });
  const char *forced = std::getenv("CHEEMS_CPU");
  if (cpu && valuesOf("--cpu", arguments).empty() && !(forced && *forced)) {
    arguments.insert(arguments.end(), {"--cpu", "native"});
  }
  return arguments;
}

std::shared_ptr<const Model>
openModel(const std::string &path, const Notify &notify,
          const std::vector<std::string> &arguments,
          const DeviceChoice &device) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return ModelCache::standard().open(
        path, notify, compileArguments(arguments, device), device);
  }
  if (!arguments.empty() && fs::exists(path, error)) {
    throw Error(Status::usage,
                path + " was compiled already:" + joined(arguments) +
                    " is for a model folder; drop it, or give the folder");
  }
  return openWatched(path, device);
}

} // namespace cheems
