#include "runtime/Executor/CUDA/CudaModule.h"
#include "runtime/Artifact/VariantChoice.h"
#include <cstring>

using namespace cheems;
using namespace cheems::cuda;

namespace {

/// "7.1" of the text's `.version`.
std::string versionOf(std::string_view ptx) {
  constexpr std::string_view word = ".version ";
  size_t begin = ptx.find(word);
  if (begin == std::string_view::npos) {
    return "unknown";
  }
  begin += word.size();
  return std::string(ptx.substr(begin, ptx.find('\n', begin) - begin));
}

std::string architectures(const CudaImage &image) {
  std::string all;
  for (const GPUCode &code : image.gpus) {
    all += (all.empty() ? "" : ", ") + code.architecture;
  }
  return all;
}

std::string images(const CudaImage &image) {
  std::string all;
  for (const std::string &name : CudaModule::names(image)) {
    all += (all.empty() ? "" : ", ") + name;
  }
  return all;
}

} // namespace

std::vector<std::string> CudaModule::names(const CudaImage &image) {
  std::vector<std::string> all;
  for (const GPUCode &code : image.gpus) {
    all.push_back(code.architecture + ".ptx");
    if (!code.cubin.empty()) {
      all.push_back(code.architecture + ".cubin");
    }
  }
  return all;
}

CudaModule::CudaModule(std::shared_ptr<const Context> given,
                       const CudaImage &image, const std::string &file,
                       const std::string &variant)
    : context(std::move(given)), file(file),
      chosen(choose(image, context->device(), file, variant)) {
  Context::Current current(*context);
  if (!(chosen.takesCubin && loadCubin())) {
    loadPTX();
  }
}

CudaModule::Choice CudaModule::choose(const CudaImage &image,
                                      const DeviceInfo &gpu,
                                      const std::string &file,
                                      const std::string &variant) {
  Choice chosen;
  if (auto forced = ForcedVariant::of(variant, "CHEEMS_CUDA_IMAGE")) {
    std::string_view name = forced.name;
    size_t dot = name.find('.');
    std::string_view kind =
        dot == std::string_view::npos ? "" : name.substr(dot + 1);
    for (const GPUCode &code : image.gpus) {
      if (code.architecture == name.substr(0, dot)) {
        chosen.code = &code;
      }
    }
    chosen.takesCubin = kind == "cubin";
    chosen.takesPTX = kind == "ptx";
    if (!chosen.code || chosen.takesCubin == chosen.takesPTX ||
        (chosen.takesCubin && chosen.code->cubin.empty())) {
      throw Error(Status::usage, forced.by + " asks for '" + forced.name +
                                     "', but " + file +
                                     " has: " + images(image));
    }
    return chosen;
  }
  chosen.code = image.best(gpu.major, gpu.minor);
  if (!chosen.code) {
    throw Error(Status::unsupported,
                file + ": its code for GPUs is for " + architectures(image) +
                    ", and " + gpu.name + " is sm_" +
                    std::to_string(gpu.major * 10 + gpu.minor) +
                    "; use --device cpu, or compile the model for another "
                    "--cuda-arch");
  }
  chosen.takesCubin = !chosen.code->cubin.empty() &&
                      chosen.code->cubinRunsOn(gpu.major, gpu.minor);
  return chosen;
}

bool CudaModule::loadCubin() {
  CUresult code = context->driver().cuModuleLoadDataEx.result(
      &module, chosen.code->cubin.data(), 0, nullptr, nullptr);
  if (code == CUDA_SUCCESS) {
    loaded = chosen.code->architecture + ".cubin";
    return true;
  }
  // Code for another GPU, or by an assembler that is newer than the driver:
  // drivers answer this in several ways. Then the driver makes its own code.
  // Without memory, or in a context that is lost, the PTX cannot be loaded
  // either, and its failure would hide the reason.
  if (code == CUDA_ERROR_OUT_OF_MEMORY || losesContext(code) ||
      !chosen.takesPTX) {
    refuse(code, "");
  }
  if (!context->device().software) {
    whyPTX = file + ": the driver does not load its machine code for " +
             chosen.code->architecture + " (" +
             context->driver().describe(code) +
             "), and compiles its PTX instead";
  }
  return false;
}

void CudaModule::loadPTX() {
  char log[4096] = {};
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, nullptr};
  size_t room = sizeof(log) - 1;
  void *place = static_cast<void *>(&values[1]);
  std::memcpy(place, &room, sizeof(room)); // a number in a pointer's place
  CUresult code = context->driver().cuModuleLoadDataEx.result(
      &module, chosen.code->ptx.data(), 2, options, values);
  if (code != CUDA_SUCCESS) {
    refuse(code, log);
  }
  loaded = chosen.code->architecture + ".ptx";
}

void CudaModule::refuse(CUresult code, const std::string &log) const {
  const Driver &driver = context->driver();
  if (code == CUDA_ERROR_UNSUPPORTED_PTX_VERSION) {
    int version = driver.version();
    throw Error(
        Status::unsupported,
        file + ": its code for GPUs is PTX " + versionOf(chosen.code->ptx) +
            ", which the driver of CUDA " + std::to_string(version / 1000) +
            "." + std::to_string(version % 1000 / 10) +
            " does not know; install a newer driver");
  }
  std::string reason = driver.describe(code);
  if (std::string line = log.substr(0, log.find('\n')); !line.empty()) {
    reason += " (" + line + ")";
  }
  if (!whyPTX.empty()) {
    reason += "; " + whyPTX;
  }
  throw DriverError(code, file + ": its code for " + chosen.code->architecture +
                              " cannot be loaded: " + reason);
}

CudaModule::~CudaModule() {
  context->cleanUp([&] { context->driver().cuModuleUnload.result(module); });
}

std::vector<CUfunction> CudaModule::functions(const LaunchPlan &plan,
                                              const Switches &switches) const {
  constexpr int64_t without = 48 << 10; // what each kernel may have
  const Driver &driver = context->driver();
  Context::Current current(*context);
  std::vector<CUfunction> found;
  for (const LaunchPlan::Kernel &kernel : plan.kernels) {
    CUfunction function = nullptr;
    if (driver.cuModuleGetFunction.result(
            &function, module, kernel.name.c_str()) != CUDA_SUCCESS) {
      throw DamagedFile(file + ": its code for " + chosen.code->architecture +
                        " has no kernel '" + kernel.name +
                        "'; compile the model again");
    }
    if (kernel.shared > without) {
      driver.cuFuncSetAttribute(function,
                                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                static_cast<int>(kernel.shared));
    }
    if (switches.carveout) {
      driver.cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
          *switches.carveout);
    }
    found.push_back(function);
  }
  return found;
}
