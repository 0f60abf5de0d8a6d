// Kernels of a model, loaded into a context.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_CUDAMODULE_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_CUDAMODULE_H

#include "runtime/Artifact/CudaImage.h"
#include "runtime/Artifact/LaunchPlan.h"
#include "runtime/CUDA/Device.h"
#include "runtime/Executor/CUDA/Switches.h"

namespace cheems::cuda {

class CudaModule {
public:
  /// Loads what is best for the GPU: machine code, or the PTX where there is
  /// none or it cannot be loaded. `variant` forces one, "sm_80.ptx",
  /// and where that is empty CHEEMS_CUDA_IMAGE. Throws Error: unsupported where
  /// the image has nothing for the GPU or the driver is too old for its code;
  /// usage where what is forced is not there; DriverError. `file` is for
  /// messages. `image` must outlive this.
  CudaModule(std::shared_ptr<const Context> context, const CudaImage &image,
             const std::string &file, const std::string &variant = "");
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;
  CudaModule &operator=(const CudaModule &) = delete;

  /// The code of an image that is best for a GPU, or what is forced, and which
  /// forms of it may be loaded.
  struct Choice {
    const GPUCode *code = nullptr;
    bool takesCubin = true, takesPTX = true;
  };
  /// Needs no driver. Throws as the constructor.
  static Choice choose(const CudaImage &image, const DeviceInfo &gpu,
                       const std::string &file, const std::string &variant);

  /// What an image has: "sm_80.ptx", "sm_80.cubin", ….
  static std::vector<std::string> names(const CudaImage &image);

  /// Whose plan belongs to the kernels.
  const GPUCode &code() const { return *chosen.code; }
  /// "sm_90a.cubin"
  const std::string &name() const { return loaded; }

  /// Why the PTX was loaded where machine code was there, as one line; empty
  /// where that was not so. The software GPU takes no machine code, so of that
  /// nothing is said.
  const std::string &fallback() const { return whyPTX; }

  /// Returns them in the plan's order, allowed their shared memory, with the
  /// carve-out that `switches` ask for. Throws DamagedFile where one is
  /// missing, DriverError.
  std::vector<CUfunction> functions(const LaunchPlan &plan,
                                    const Switches &switches) const;

private:
  /// False where the PTX may be loaded in its place.
  bool loadCubin();
  void loadPTX();
  [[noreturn]] void refuse(CUresult code, const std::string &log) const;

  std::shared_ptr<const Context> context;
  std::string file;
  Choice chosen;
  std::string loaded, whyPTX;
  CUmodule module = nullptr;
};

} // namespace cheems::cuda

#endif
