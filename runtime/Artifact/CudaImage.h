// What a file says of its code for NVIDIA's GPUs (docs/abi.md, "The image for
// cuda").
#ifndef CHEEMS_RUNTIME_ARTIFACT_CUDAIMAGE_H
#define CHEEMS_RUNTIME_ARTIFACT_CUDAIMAGE_H

#include "runtime/Artifact/Metadata.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

/// Code for GPUs of one architecture.
struct GPUCode {
  std::string architecture; ///< "sm_80" or "sm_90a"
  std::string path;         ///< to its fields, for messages
  std::string_view plan;
  std::string_view ptx;   ///< ends with a zero
  std::string_view cubin; ///< empty: none

  /// Whether a GPU of compute capability `major`.`minor` runs its PTX, once
  /// the driver has finished it.
  bool runsOn(int major, int minor) const;
  /// The same of machine code, which is for fewer GPUs.
  bool cubinRunsOn(int major, int minor) const;
};

struct CudaImage {
  static constexpr const char *target = "cuda";
  int64_t decodeRows = 0; ///< that the decode entry is for, at most
  int64_t prefill = 512;  ///< rows of a prompt to feed at once
  std::vector<GPUCode> gpus;

  /// `bytes` is the section of `image`, of the file `name`; parts of it stay
  /// there. Throws DamagedFile.
  static CudaImage parse(const ImageEntry &image, std::string_view bytes,
                         const std::string &name);
  /// The code that is best for a GPU: made for it, else for older ones. Null
  /// where there is none.
  const GPUCode *best(int major, int minor) const;
};

} // namespace cheems

#endif
