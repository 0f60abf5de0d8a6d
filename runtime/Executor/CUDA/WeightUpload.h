// The weights that an image for CUDA reads, in the memory of a GPU.
#ifndef CHEEMS_RUNTIME_EXECUTOR_CUDA_WEIGHTUPLOAD_H
#define CHEEMS_RUNTIME_EXECUTOR_CUDA_WEIGHTUPLOAD_H

#include "runtime/Artifact/Metadata.h"
#include "runtime/CUDA/Memory.h"
#include <functional>
#include <memory>
#include <vector>

namespace cheems::cuda {

class WeightUpload {
public:
  /// Told of the bytes that are on their way, of how many.
  using Progress = std::function<void(int64_t done, int64_t all)>;

  /// Uploads the parameters that "cuda" reads from the file `name`.
  WeightUpload(const Metadata &metadata, const std::string &name);

  /// Returns the bytes that they take of the GPU's memory.
  int64_t bytes() const { return size; }
  /// Copies them out of the weight section `weights`. Throws Error naming the
  /// bytes where the GPU has no room for them, DriverError, and what
  /// `progress` throws.
  void upload(const std::shared_ptr<const Context> &context,
              const void *weights, const Progress &progress = nullptr);

  /// Once they are there: where the parameter lies that begins at `offset` of
  /// the weight section: at a multiple of 256. Throws DamagedFile where none
  /// does.
  CUdeviceptr addressOf(int64_t offset) const;

private:
  struct Piece {
    int64_t offset, bytes, place;
  };
  std::string file;
  std::vector<Piece> pieces; ///< ascending by offset
  int64_t size = 0;
  std::unique_ptr<DeviceMemory> memory;
};

} // namespace cheems::cuda

#endif
