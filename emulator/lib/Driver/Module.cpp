//===- Module.cpp ---------------------------------------------------------===//
#include "Module.h"

#include "PTX/Link.h"
#include "Process.h"
#include "Support/Error.h"

#include <algorithm>
#include <cstring>
#include <regex>

namespace cheems::emulator::driver {
namespace {

/// The newest text that a driver of this version takes.
constexpr int newestPTX = 90;

/// 90 for `.version 9.0`; 0 if there is none, which the parser refuses.
int versionOf(std::string_view ptx) {
  static const std::regex directive(R"((^|\n)\s*\.version\s+(\d+)\.(\d))");
  std::match_results<std::string_view::const_iterator> match;
  // It is the first directive; only comments may come before it.
  const std::string_view front = ptx.substr(0, 1 << 16);
  if (!std::regex_search(front.begin(), front.end(), match, directive)) {
    return 0;
  }
  return 10 * std::stoi(match[2]) + std::stoi(match[3]);
}

} // namespace

JITOptions::JITOptions(unsigned count, const CUjit_option *options,
                       void **values) {
  require(count == 0 || (options && values));
  for (unsigned i = 0; i < count; ++i) {
    auto number = [&] { return reinterpret_cast<uintptr_t>(values[i]); };
    switch (options[i]) {
    case CU_JIT_INFO_LOG_BUFFER:
      infoLog.buffer = static_cast<char *>(values[i]);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      infoLog.bytes = uint32_t(number());
      infoLog.filled = &values[i];
      break;
    case CU_JIT_ERROR_LOG_BUFFER:
      errorLog.buffer = static_cast<char *>(values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      errorLog.bytes = uint32_t(number());
      errorLog.filled = &values[i];
      break;
    case CU_JIT_WALL_TIME: {
      float none = 0;
      std::memcpy(&values[i], &none, sizeof none);
      break;
    }
    case CU_JIT_THREADS_PER_BLOCK:
    case CU_JIT_CACHE_MODE:
    case CU_JIT_TARGET_FROM_CUCONTEXT:
    case CU_JIT_TARGET:
    case CU_JIT_FALLBACK_STRATEGY:
    case CU_JIT_MAX_REGISTERS:
    case CU_JIT_OPTIMIZATION_LEVEL:
    case CU_JIT_GENERATE_DEBUG_INFO:
    case CU_JIT_GENERATE_LINE_INFO:
    case CU_JIT_LOG_VERBOSE:
    case CU_JIT_FAST_COMPILE:
    case CU_JIT_POSITION_INDEPENDENT_CODE:
    case CU_JIT_MIN_CTA_PER_SM:
    case CU_JIT_MAX_THREADS_PER_BLOCK:
    case CU_JIT_OVERRIDE_DIRECTIVE_VALUES:
    case CU_JIT_SPLIT_COMPILE:
      break; // hints for a compiler; nothing is compiled here
    case CU_JIT_NEW_SM3X_OPT:
    case CU_JIT_LTO:
    case CU_JIT_FTZ:
    case CU_JIT_PREC_DIV:
    case CU_JIT_PREC_SQRT:
    case CU_JIT_FMA:
    case CU_JIT_GLOBAL_SYMBOL_NAMES:
    case CU_JIT_GLOBAL_SYMBOL_ADDRESSES:
    case CU_JIT_GLOBAL_SYMBOL_COUNT:
    case CU_JIT_REFERENCED_KERNEL_NAMES:
    case CU_JIT_REFERENCED_KERNEL_COUNT:
    case CU_JIT_REFERENCED_VARIABLE_NAMES:
    case CU_JIT_REFERENCED_VARIABLE_COUNT:
    case CU_JIT_OPTIMIZE_UNUSED_DEVICE_VARIABLES:
      noteOnce("JIT option " + std::to_string(options[i]) +
               " is not modelled by this emulator");
      fail(CUDA_ERROR_NOT_SUPPORTED);
    default:
      fail(CUDA_ERROR_INVALID_VALUE);
    }
  }
  for (Log *log : {&infoLog, &errorLog}) {
    write(*log, "");
  }
}

void JITOptions::write(Log &log, const std::string &message) {
  if (!log.buffer || log.bytes == 0) {
    return;
  }
  size_t bytes = std::min(message.size(), log.bytes - 1);
  std::memcpy(log.buffer, message.data(), bytes);
  log.buffer[bytes] = 0;
  *log.filled = reinterpret_cast<void *>(bytes);
}

void JITOptions::info(const std::string &message) { write(infoLog, message); }
void JITOptions::error(const std::string &message) { write(errorLog, message); }

std::shared_ptr<LoadedModule> loadModule(Context &context, std::string_view ptx,
                                         JITOptions &options) {
  auto loaded = std::make_shared<LoadedModule>();
  loaded->context = context.shared_from_this();
  for (const ptx::NamedText &text : ptx::textsOf(ptx)) {
    loaded->ptxVersion = std::max(loaded->ptxVersion, versionOf(text.text));
  }
  if (loaded->ptxVersion > newestPTX) {
    options.error("PTX ISA " + std::to_string(loaded->ptxVersion / 10) + "." +
                  std::to_string(loaded->ptxVersion % 10) +
                  " is newer than 9.0, the version of CUDA 13.0");
    fail(CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  }
  try {
    loaded->module = Module::load(context.device, ptx);
  } catch (const std::exception &refusal) {
    options.error(refusal.what());
    throw;
  }
  std::string message;
  for (const auto &[name, kernel] : loaded->module->kernels()) {
    message += name + ": " + std::to_string(kernel.registers) +
               " registers (an estimate), " +
               std::to_string(kernel.staticSharedBytes) +
               " bytes of shared memory, " + std::to_string(kernel.localBytes) +
               " bytes of local memory\n";
  }
  options.info(message);
  return loaded;
}

std::shared_ptr<Function> functionOf(LoadedModule &module,
                                     const std::string &name) {
  auto &function = module.functions[name];
  if (!function) {
    const Kernel *kernel = module.module->kernel(name);
    if (!kernel) {
      module.functions.erase(name);
      fail(CUDA_ERROR_NOT_FOUND);
    }
    function = std::make_shared<Function>();
    function->kernel = kernel;
    function->maxDynamicShared =
        49152 - std::min<uint64_t>(49152, kernel->staticSharedBytes);
    function->module = module.weak_from_this();
    function->handle = process().functions.add(function);
  }
  return function;
}

LoadedModule &moduleOf(Context &context, Library &library) {
  auto &module = library.modules[&context];
  if (!module) {
    JITOptions none(0, nullptr, nullptr);
    try {
      module = loadModule(context, library.ptx, none);
    } catch (...) {
      library.modules.erase(&context);
      throw;
    }
    module->handle = process().modules.add(module);
  }
  return *module;
}

std::shared_ptr<Function> findFunction(Context &context, CUfunction handle) {
  if (auto kernel =
          process().kernels.find(reinterpret_cast<CUkernel>(handle))) {
    auto library = kernel->library.lock();
    require(library, CUDA_ERROR_INVALID_HANDLE);
    return functionOf(moduleOf(context, *library), kernel->name);
  }
  auto function = process().functions.get(handle);
  auto module = function->module.lock();
  require(module && module->context.get() == &context,
          CUDA_ERROR_INVALID_HANDLE);
  return function;
}

} // namespace cheems::emulator::driver
