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

/// What a pool is for (docs/abi.md).
enum class PoolRole {
  keys,      ///< [layers, heads, capacity, size of a head]
  values,    ///< the same
  masks,     ///< [layers, heads, capacity]
  positions, ///< the same: of kept entries
  scales,    ///< the same: of quantized keys or values
  counts,    ///< [layers, heads]: numbers of entries
  running    ///< [layers, ...]: the sum of everything fed
};

/// Entries per head and slot that a session gives its pools.
struct PoolSizes {
  int64_t capacity; ///< of pools that have one
  int64_t ring;     ///< of those for the latest rows
  /// Implicit: few models have rings.
  PoolSizes(int64_t capacity = 0, int64_t ring = 0)
      : capacity(capacity), ring(ring) {}
};

/// One state pool: `slots` blocks of shape [extents…], where one extent may be
/// the capacity or a ring.
struct StateKind {
  static constexpr int64_t capacityExtent = -1, ringExtent = -2;
  std::string name;
  PoolRole role = PoolRole::running;
  std::string type;
  int64_t elementBytes = 0;
  std::vector<int64_t> extents; ///< without slots
  /// Whether it has entries, a ring of them included.
  bool hasCapacity() const;
  /// Row r is entry r modulo their number.
  bool isRing() const;
  /// Numbers of entries, each at most the sequence's own (docs/abi.md).
  bool holdsCounts() const { return role == PoolRole::counts; }
  /// Bytes of one slot. Throws Error when they do not fit in 63 bits.
  int64_t slotBytes(const PoolSizes &sizes) const;
};

/// How a step uses a parameter.
enum class ParameterUse {
  vector,     ///< norms, scales, biases: read whole
  product,    ///< a matrix that every row is multiplied with
  expertKeys, ///< the same, of each head and half one
  experts,    ///< a table of which a row reads what it retrieved
  embedding,  ///< a table of which a row reads one
  head,     ///< a matrix that rows whose logits are wanted are multiplied with
  headBias, ///< read with it
  tied      ///< the embedding, which is the head, too
};

/// Says where one tensor of the checkpoint is stored, or several in one.
struct Parameter {
  std::string name; ///< several names are joined by "+"
  ParameterUse use = ParameterUse::vector;
  std::vector<int64_t> logical; ///< what it means: a matrix is [N, K]
  std::string type;
  std::vector<int64_t> shape; ///< as stored, in the layout
  std::string layout;         ///< "rows", or what a target calls it
  int64_t offset = 0;         ///< in the weight section
  int64_t bytes = 0;
  int64_t quantizedBits = 0; ///< 8, or 4: two to a byte; 0: no quantized values
  bool scales = false;       ///< of the quantized values stored before them
  std::vector<std::string> targets; ///< whose images read it
  int64_t elements() const;
  /// How many numbers of the checkpoint it has; scales have none.
  int64_t numbers() const;
  bool readBy(const std::string &target) const;
};

/// Code for a target, of which only the target's own executor knows more.
struct ImageEntry {
  std::string target, section;
  std::string path;   ///< to the fields, for messages: "images[0]"
  std::string fields; ///< JSON of all of them
};

struct Metadata {
  std::string compiler, modelType, precision, kvType, weights, pipeline;
  int64_t stateLayout = 1; ///< version of what the pools hold; 1: not told
  int64_t vocabulary = 0, hidden = 0, layers = 0, maxPositions = 0;
  int64_t heads = 0;           ///< of queries
  int64_t expertsPerToken = 0; ///< each layer retrieves; 0: none
  /// Numbers of the checkpoint's; nothing where older compilers did not tell.
  std::optional<int64_t> parameterCount;
  /// XXH3-64 of the checkpoint's tensors, whatever a target makes of them;
  /// nothing where older compilers did not tell.
  std::optional<uint64_t> checkpoint;
  int64_t defaultContext = 0; ///< 0: unlimited
  int64_t trainedContext = 0;
  bool dynamicRope = false;
  double ropeFactor = 1.0;
  int64_t keepWindow = 0; ///< keys kept per head; 0: all
  int64_t ringWindow = 0; ///< rows that are seen of rings; 0: there are none
  int64_t block = 0;      ///< rows a windowed sequence is processed in
  std::optional<int64_t> bosToken, padToken;
  std::vector<int64_t> eosTokens;
  std::vector<ImageEntry> images; ///< of each target one
  std::vector<StateKind> state;
  std::vector<std::string> warnings;
  std::vector<Parameter> parameters;

  /// Null where the file has none for it.
  const ImageEntry *image(std::string_view target) const;
  /// Whether any pool grows with the context.
  bool hasCapacity() const;
  /// Entries that a head and slot keeps at this context (0: unlimited).
  int64_t capacity(int64_t context) const;
  /// The same of a ring, where steps have at most so many rows; 0 without one.
  int64_t ring(int64_t context, int64_t rows) const;
  /// The rows of a ring that a sequence of `tokens` tokens needs: those that
  /// are seen, and the others of the block of entries in which they begin.
  /// Kernels read these, too, and multiply them by zero.
  int64_t ringRows(int64_t tokens) const;
  /// Whether a sequence as long as the context loses some of its entries.
  bool evicts(int64_t context) const;
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
