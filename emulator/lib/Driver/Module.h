//===- Module.h - Modules, libraries and their functions --------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_MODULE_H
#define CHEEMS_EMULATOR_DRIVER_MODULE_H

#include "Machine/Launch.h"
#include "Types.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::emulator::driver {

struct Context;
struct LoadedModule;

/// CUfunction.
struct Function {
  CUfunction handle;
  std::weak_ptr<LoadedModule> module;
  const Kernel *kernel;
  uint64_t maxDynamicShared;
  int carveout = -1;
  bool nonPortableCluster = false;
  int clusterPolicy = 0;
};

/// CUmodule. Work that was submitted keeps it alive.
struct LoadedModule : std::enable_shared_from_this<LoadedModule> {
  CUmodule handle = nullptr;
  /// Its GPU has the module's variables. A graph may keep both alive.
  std::shared_ptr<Context> context;
  std::unique_ptr<Module> module;
  int ptxVersion = 0; ///< 90 for 9.0
  std::map<std::string, std::shared_ptr<Function>> functions;
};

struct Library;

/// CUkernel: an entry of a library, whatever the context.
struct LibraryKernel {
  CUkernel handle;
  std::weak_ptr<Library> library;
  std::string name;
};

/// CUlibrary. It is loaded into a context when something of it is asked for
/// there.
struct Library {
  CUlibrary handle = nullptr;
  std::string ptx;
  std::map<const Context *, std::shared_ptr<LoadedModule>> modules;
  std::map<std::string, std::shared_ptr<LibraryKernel>> kernels;
};

/// Buffers of the caller for messages (CU_JIT_INFO_LOG_BUFFER and so on), and
/// checks of the options that there are.
class JITOptions {
public:
  JITOptions(unsigned count, const CUjit_option *options, void **values);

  void info(const std::string &message);
  void error(const std::string &message);

private:
  struct Log {
    char *buffer = nullptr;
    size_t bytes = 0;
    void **filled = nullptr; ///< the option's value becomes what was written
  };
  void write(Log &log, const std::string &message);

  Log infoLog, errorLog;
};

/// CUlinkState: texts that become one image.
struct Link {
  struct Text {
    std::string name, ptx;
  };
  JITOptions options; ///< of cuLinkCreate: its logs are told how it ends
  std::vector<Text> texts = {};
  std::string image = {}; ///< what cuLinkComplete gave
};

/// PTX text of an image: text itself, or the best uncompressed text of a fat
/// binary. Throws Failure 209 for machine code, 200 for anything else.
std::string textOfImage(const void *image, int architecture);
std::string readFile(const char *path);

std::shared_ptr<LoadedModule> loadModule(Context &context, std::string_view ptx,
                                         JITOptions &options);
std::shared_ptr<Function> findFunction(Context &context, CUfunction handle);
std::shared_ptr<Function> functionOf(LoadedModule &module,
                                     const std::string &name);
LoadedModule &moduleOf(Context &context, Library &library);
int functionAttribute(const Function &function, CUfunction_attribute attribute);
void setFunctionAttribute(Context &context, Function &function,
                          CUfunction_attribute attribute, int value);
void parameterInfo(const Kernel &kernel, size_t index, size_t *offset,
                   size_t *bytes);

} // namespace cheems::emulator::driver

#endif
