#include "runtime/Executor/CUDA/WeightUpload.h"
#include "runtime/CUDA/Stream.h"
#include "runtime/Error.h"
#include <algorithm>
#include <cstring>

using namespace cheems;
using namespace cheems::cuda;

namespace {

constexpr int64_t stagingBytes = int64_t{16} << 20;
constexpr int64_t alignment = 256; ///< that of the driver's own allocations
constexpr char uploadPurpose[] =
    "the model's weights; compile it with smaller --weights, or use --device "
    "cpu";

/// One of the ways to the GPU: while its copy runs, the host fills another's
/// buffer.
struct Lane {
  PinnedMemory buffer;
  Stream stream; ///< goes first, and waits

  Lane(const std::shared_ptr<const Context> &context, int64_t bytes)
      : buffer(context, bytes, "the upload of weights"), stream(context) {}
};

} // namespace

WeightUpload::WeightUpload(const Metadata &metadata, const std::string &name)
    : file(name) {
  for (const Parameter &each : metadata.parameters) {
    if (each.readBy("cuda")) {
      pieces.push_back({each.offset, each.bytes, 0});
    }
  }
  // If several begin at one offset, the longest holds them all.
  std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return a.offset != b.offset ? a.offset < b.offset : a.bytes > b.bytes;
  });
  auto same = [](const Piece &a, const Piece &b) {
    return a.offset == b.offset;
  };
  pieces.erase(std::unique(pieces.begin(), pieces.end(), same), pieces.end());
  for (Piece &piece : pieces) {
    piece.place = size;
    if (__builtin_add_overflow(size, piece.bytes, &size) ||
        __builtin_add_overflow(size, alignment - 1, &size)) {
      throw MemoryShort(name + ": its weights are too large for any GPU");
    }
    size = size / alignment * alignment;
  }
}

void WeightUpload::upload(const std::shared_ptr<const Context> &context,
                          const void *weights, const Progress &progress) {
  memory = std::make_unique<DeviceMemory>(context, size, uploadPurpose);
  const auto *section = static_cast<const char *>(weights);
  int64_t all = 0, done = 0;
  for (const Piece &piece : pieces) {
    all += piece.bytes;
  }
  const int64_t room = std::min(stagingBytes, memory->bytes());
  int64_t filled = 0;
  Lane lanes[2] = {{context, room}, {context, room}};
  Lane *lane = lanes;
  for (const Piece &piece : pieces) {
    for (int64_t at = 0; at < piece.bytes;) {
      int64_t part = std::min(piece.bytes - at, room - filled);
      char *staged = lane->buffer.data() + filled;
      std::memcpy(staged, section + piece.offset + at,
                  static_cast<size_t>(part));
      lane->stream.copyToDevice(memory->address() +
                                    static_cast<uint64_t>(piece.place + at),
                                staged, part);
      at += part;
      filled += part;
      done += part;
      if (filled == room || done == all) {
        if (progress) {
          progress(done, all);
        }
        lane = lane == lanes ? lanes + 1 : lanes;
        lane->stream.synchronize(); // its buffer is free again
        filled = 0;
      }
    }
  }
  for (Lane &each : lanes) {
    each.stream.synchronize();
  }
}

CUdeviceptr WeightUpload::addressOf(int64_t offset) const {
  auto found = std::lower_bound(
      pieces.begin(), pieces.end(), offset,
      [](const Piece &piece, int64_t value) { return piece.offset < value; });
  if (found == pieces.end() || found->offset != offset) {
    throw DamagedFile(file +
                      ": corrupted: its code for cuda reads weights at " +
                      std::to_string(offset) +
                      ", where none for it begin; compile the model again");
  }
  return memory->address() + static_cast<uint64_t>(found->place);
}
