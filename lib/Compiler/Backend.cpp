// Back ends from shared libraries.
#include "cheems/Compiler/Backend.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/DynamicLibrary.h"
#include <filesystem>

namespace cheems {

llvm::Error loadBackend(const std::string &file, BackendRegistry &registry) {
  auto failed = [&](const llvm::Twine &reason) {
    return llvm::createStringError("cannot load the back end " + file + ": " +
                                   reason);
  };
  // A name without a slash would be looked for among the system's libraries.
  std::error_code ignored;
  std::string path = std::filesystem::absolute(file, ignored).string();
  std::string message;
  auto library =
      llvm::sys::DynamicLibrary::getPermanentLibrary(path.c_str(), &message);
  if (!library.isValid()) {
    return failed(message);
  }
  auto *entry = reinterpret_cast<BackendPlugin (*)()>(
      library.getAddressOfSymbol("cheemsBackendPlugin"));
  if (!entry) {
    return failed("it has no function cheemsBackendPlugin");
  }
  BackendPlugin plugin = entry();
  if (plugin.version != kBackendPluginVersion) {
    return failed("it is of plugin version " + llvm::Twine(plugin.version) +
                  ", but this compiler takes version " +
                  llvm::Twine(kBackendPluginVersion) + "; build it again");
  }
  if (llvm::StringRef(plugin.llvmVersion) != LLVM_VERSION_STRING) {
    return failed("it is built with LLVM " + llvm::Twine(plugin.llvmVersion) +
                  ", but this compiler with LLVM " LLVM_VERSION_STRING);
  }
  BackendRegistry added;
  plugin.add(added);
  if (added.all().empty()) {
    return failed("it adds none");
  }
  for (auto &backend : added.take()) {
    if (registry.find(backend->name())) {
      return failed("there is a back end '" + backend->name() + "' already");
    }
    registry.add(std::move(backend));
  }
  return llvm::Error::success();
}

} // namespace cheems
