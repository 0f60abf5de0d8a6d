// What a file says of its code for CPUs.
#ifndef CHEEMS_RUNTIME_ARTIFACT_CPUIMAGE_H
#define CHEEMS_RUNTIME_ARTIFACT_CPUIMAGE_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

struct ImageEntry;

/// Bytes a step of T rows on N threads needs: fixed + perRow*T + perThread*N.
struct WorkspaceSize {
  int64_t fixed = 0, perRow = 0, perThread = 0;
  /// Throws Error when the sum does not fit in 63 bits.
  int64_t bytes(int64_t rows, int64_t threads) const;
};

/// Code for one set of CPU features; the file lists the best first.
struct Variant {
  std::string name;
  std::vector<std::string> features;
  /// Features that make it the better choice, though it runs without.
  std::vector<std::string> wants;
  std::string generalEntry, decodeEntry;
  WorkspaceSize generalWorkspace, decodeWorkspace;
  int64_t ssdChunk = 0;    ///< rows that SSD takes at once; 0: not told
  int64_t prefill = 512;   ///< rows of a prompt to feed at once
  int64_t decodeRows = 64; ///< that the decode entry is for, at most
  /// Tile matmuls take denormals for zeros and make none; so must all else in
  /// a variant that has them.
  bool flushesDenormals() const;
};

/// The fields of the image for `cpu`.
struct CpuImage {
  static constexpr const char *target = "cpu";
  std::string cpu;                   ///< as cheems-compile was told
  std::vector<std::string> features; ///< that even the last variant needs
  std::string sanitizer; ///< whose checks the code carries: "address",
                         ///< "thread", or none
  std::vector<Variant> variants;
  /// Parts of a step in the order of its marks; the same in all variants.
  std::vector<std::string> generalMarks, decodeMarks;

  /// `image` is that of the file `name`. Throws DamagedFile.
  static CpuImage parse(const ImageEntry &image, const std::string &name);
};

} // namespace cheems

#endif
