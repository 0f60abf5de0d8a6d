#include "runtime/Artifact/ExecutorPlugins.h"
#include "runtime/Error.h"
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sstream>
#include <vector>

using namespace cheems;

namespace {

const cheems_executor_plugin *load(const std::string &file) {
  auto failed = [&](const std::string &reason) {
    return Error("cannot load " + file +
                 ", which CHEEMS_EXECUTORS names: " + reason);
  };
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    throw failed(reason ? reason : "unknown reason");
  }
  auto *get = reinterpret_cast<decltype(&cheems_executor_plugin_get)>(
      dlsym(library, "cheems_executor_plugin_get"));
  const cheems_executor_plugin *plugin = get ? get() : nullptr;
  if (!plugin) {
    throw failed("it has no cheems_executor_plugin_get that gives one");
  }
  if (plugin->version != CHEEMS_EXECUTOR_VERSION) {
    throw failed("it is of version " + std::to_string(plugin->version) +
                 ", but this runtime takes version " +
                 std::to_string(CHEEMS_EXECUTOR_VERSION) + "; build it again");
  }
  return plugin;
}

} // namespace

const cheems_executor_plugin *
cheems::findExecutorPlugin(const std::string &target) {
  static std::mutex mutex;
  static bool loaded = false;
  static std::vector<const cheems_executor_plugin *> plugins;
  std::lock_guard<std::mutex> guard(mutex);
  if (!loaded) {
    const char *names = secure_getenv("CHEEMS_EXECUTORS");
    std::istringstream list(names ? names : "");
    std::vector<const cheems_executor_plugin *> found;
    for (std::string file; std::getline(list, file, ':');) {
      if (!file.empty()) {
        // A name without a slash would be looked for among the system's.
        found.push_back(
            load(file.find('/') == std::string::npos ? "./" + file : file));
      }
    }
    plugins = std::move(found);
    loaded = true;
  }
  for (const cheems_executor_plugin *each : plugins) {
    if (target == each->target) {
      return each;
    }
  }
  return nullptr;
}
