// What a compiled file says about itself, read strictly: sizes that lie are
// refused before anything uses them.
#ifndef CHEEMS_RUNTIME_ARTIFACT_METADATA_H
#define CHEEMS_RUNTIME_ARTIFACT_METADATA_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems {

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
  int64_t ssdChunk = 0;  ///< rows that SSD takes at once; 0: not told
  int64_t prefill = 512; ///< rows of a prompt to feed at once
  /// Tile products take denormals for zeros and make none; so must all else in
  /// a variant that has them.
  bool flushesDenormals() const;
};

/// One state pool: `slots` blocks of shape [extents…], where one extent may be
/// the capacity.
struct StateKind {
  static constexpr int64_t capacityExtent = -1;
  std::string name, type;
  int64_t elementBytes = 0;
  std::vector<int64_t> extents; ///< without slots
  bool hasCapacity() const;
  /// Numbers of entries, each at most the sequence's own (docs/abi.md).
  bool holdsCounts() const { return type == "i32" && !hasCapacity(); }
  /// Bytes of one slot. Throws Error when they do not fit in 63 bits.
  int64_t slotBytes(int64_t capacity) const;
};

/// Where a tensor of the checkpoint went, or several in one.
struct Parameter {
  std::string name, type;     ///< several names are joined by "+"
  std::vector<int64_t> shape; ///< as stored: panels are [N/16, K/v, 16, v]
  int64_t bytes = 0;
  int64_t codeBits = 0; ///< 8, or 4: two to a byte; 0: no codes
  bool scales = false;  ///< of codes, which stand in front of them
  int64_t elements() const;
};

struct Metadata {
  std::string compiler, modelType, precision, kvType, weights, pipeline;
  int64_t stateLayout = 1; ///< version of what the pools hold; 1: not told
  int64_t vocabulary = 0, hidden = 0, layers = 0, maxPositions = 0;
  int64_t heads = 0;           ///< of queries
  int64_t expertsPerToken = 0; ///< each layer retrieves; 0: none
  /// Numbers of the checkpoint's; nothing where older compilers did not tell.
  std::optional<int64_t> parameterCount;
  int64_t defaultContext = 0; ///< 0: unlimited
  int64_t trainedContext = 0;
  bool dynamicRope = false;
  double ropeFactor = 1.0;
  int64_t keepWindow = 0; ///< keys kept a head; 0: all
  int64_t block = 0;      ///< rows a windowed sequence is processed in
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;
  std::string targetCpu;
  std::vector<std::string> targetFeatures;
  std::string sanitizer; ///< whose checks the code carries: "address",
                         ///< "thread", or none
  std::vector<Variant> variants;
  /// Parts of a step in the order of its marks; the same in all variants.
  std::vector<std::string> generalMarks, decodeMarks;
  std::vector<StateKind> state;
  std::vector<std::string> warnings;
  std::vector<Parameter> parameters;

  /// Whether any pool grows with the context.
  bool hasCapacity() const;
  /// Entries a head and slot keeps at this context (0: unlimited).
  int64_t capacity(int64_t context) const;
  /// How many of them, from the first on, a sequence of `tokens` tokens uses
  /// between steps.
  int64_t usedEntries(int64_t tokens) const;

  /// `json` comes from the file `name`, whose weights have `weightBytes` bytes.
  /// Throws Error.
  static Metadata parse(std::string_view json, uint64_t weightBytes,
                        const std::string &name);
};

} // namespace cheems

#endif
