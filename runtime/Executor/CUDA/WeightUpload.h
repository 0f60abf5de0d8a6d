// The weights that an image for CUDA reads, in the memory of a card.
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

  /// Copies the parameters that "cuda" reads out of the weight section
  /// `weights` of the file `name`. Throws Error naming the bytes where the card
  /// has no room for them, DriverError, and what `progress` throws.
  WeightUpload(const std::shared_ptr<const Context> &context,
               const Metadata &metadata, const void *weights,
               const std::string &name, const Progress &progress = nullptr);

  /// Where the parameter lies that begins at `offset` of the weight section: at
  /// a multiple of 256. Throws DamagedFile where none does.
  CUdeviceptr addressOf(int64_t offset) const;
  /// Of the card's memory.
  int64_t bytes() const { return memory->bytes(); }

private:
  struct Piece {
    int64_t offset, bytes, place;
  };
  void copy(const std::shared_ptr<const Context> &context, const char *weights,
            const Progress &progress);

  std::string file;
  std::vector<Piece> pieces; ///< ascending by offset
  std::unique_ptr<DeviceMemory> memory;
};

} // namespace cheems::cuda

#endif
