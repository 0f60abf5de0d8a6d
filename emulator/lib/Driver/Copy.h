//===- Copy.h - Copies and sets of memory -----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_COPY_H
#define CHEEMS_EMULATOR_DRIVER_COPY_H

#include "Work.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace cheems::emulator::driver {

/// One end of a copy: rows of a box.
struct CopyEnd {
  bool onDevice = false;
  uint64_t device = 0;       ///< address of the first byte
  std::byte *host = nullptr; ///< the same, of the host
  size_t pitch = 0;          ///< bytes from row to row
  size_t slice = 0;          ///< bytes from plane to plane
};

/// A box of bytes, 1-D to 3-D.
class CopyWork : public Work {
public:
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMCPY; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<CopyWork>(*this);
  }
  Progress run(Context &context, bool early) override;
  uint64_t nanoseconds() const override;

  CopyEnd from, to;
  size_t width = 0, height = 1, depth = 1;
  /// Bytes of pageable memory as they were when the copy was submitted.
  std::shared_ptr<const std::vector<std::byte>> staged;
  /// What a graph's node was made of.
  CUDA_MEMCPY3D parameters{};
};

/// Rows of elements that get one value.
class SetWork : public Work {
public:
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEMSET; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<SetWork>(*this);
  }
  Progress run(Context &context, bool early) override;
  uint64_t nanoseconds() const override;

  CUDA_MEMSET_NODE_PARAMS parameters{};
};

/// Checked against the memory of the context.
std::unique_ptr<CopyWork> makeCopy(Context &context,
                                   const CUDA_MEMCPY3D &parameters);
std::unique_ptr<SetWork> makeSet(Context &context,
                                 const CUDA_MEMSET_NODE_PARAMS &parameters);

} // namespace cheems::emulator::driver

#endif
