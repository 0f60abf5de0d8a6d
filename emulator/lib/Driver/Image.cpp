//===- Image.cpp ----------------------------------------------------------===//
#include "Failure.h"
#include "Module.h"

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>

/// What cuModuleLoadData may be given: PTX text, a fat binary that has such a
/// text in it, or machine code.
namespace cheems::emulator::driver {
namespace {

constexpr uint32_t fatBinary = 0xBA55ED50;
constexpr uint32_t fatBinaryWrapper = 0x466243B1;
constexpr uint32_t elf = 0x464C457F;

/// A fat binary has this header before all of its entries.
struct FatHeader {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< of the entries
};

/// Each entry begins with this header.
struct FatEntry {
  static constexpr uint16_t ptx = 1;
  static constexpr uint64_t compressed = 0x2000 | 0x8000; ///< LZ4 or Zstandard
  uint16_t kind, unused;
  uint32_t headerBytes;
  uint64_t bytes;
  uint32_t compressedBytes, unused1;
  uint16_t minor, major;
  uint32_t architecture;
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
};

/// What nvcc's stub of a program points to.
struct FatWrapper {
  uint32_t magic, version;
  const void *data, *rest;
};

template <typename T> T at(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

std::string textOfFatBinary(const std::byte *data, int architecture) {
  auto header = at<FatHeader>(data);
  require(header.headerBytes >= sizeof header, CUDA_ERROR_INVALID_IMAGE);
  uint32_t best = 0;
  std::string text;
  for (uint64_t offset = 0; offset + sizeof(FatEntry) <= header.bytes;) {
    const std::byte *start = data + header.headerBytes + offset;
    auto entry = at<FatEntry>(start);
    require(entry.headerBytes >= sizeof entry &&
                entry.headerBytes <= header.bytes - offset &&
                entry.bytes <= header.bytes - offset - entry.headerBytes,
            CUDA_ERROR_INVALID_IMAGE);
    if (entry.kind == FatEntry::ptx && !(entry.flags & FatEntry::compressed) &&
        int(entry.architecture) <= architecture && entry.architecture > best) {
      best = entry.architecture;
      const std::byte *begin = start + entry.headerBytes;
      text.assign(reinterpret_cast<const char *>(begin), entry.bytes);
    }
    offset += entry.headerBytes + entry.bytes;
  }
  if (best == 0) {
    noteOnce("a fat binary without uncompressed PTX for this GPU is refused "
             "(fatbinary --compress=false keeps the text as it is)");
    fail(CUDA_ERROR_NO_BINARY_FOR_GPU);
  }
  return text;
}

} // namespace

std::string textOfImage(const void *image, int architecture) {
  require(image);
  const auto *data = static_cast<const std::byte *>(image);
  // A text that ends within the first word has none after it to read.
  require(!std::memchr(image, 0, 4), CUDA_ERROR_INVALID_IMAGE);
  switch (at<uint32_t>(data)) {
  case fatBinaryWrapper:
    data = static_cast<const std::byte *>(at<FatWrapper>(data).data);
    require(data && at<uint32_t>(data) == fatBinary, CUDA_ERROR_INVALID_IMAGE);
    [[fallthrough]];
  case fatBinary:
    return textOfFatBinary(data, architecture);
  case elf:
    noteOnce("machine code is refused: this driver executes PTX");
    fail(CUDA_ERROR_NO_BINARY_FOR_GPU);
  default:
    return static_cast<const char *>(image);
  }
}

std::string readFile(const char *path) {
  require(path);
  std::ifstream file(path, std::ios::binary);
  require(file.good(), CUDA_ERROR_FILE_NOT_FOUND);
  return std::string(std::istreambuf_iterator<char>(file), {}) + '\0';
}

} // namespace cheems::emulator::driver
