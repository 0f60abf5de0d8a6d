// One sequence's state as a file or as the same bytes in memory: a file is
// written whole or not at all, and read only by a model that would compute the
// same state (docs/abi.md has the layout).
#ifndef CHEEMS_RUNTIME_STATE_STATEFILE_H
#define CHEEMS_RUNTIME_STATE_STATEFILE_H

#include "runtime/Artifact/Model.h"
#include "runtime/Error.h"
#include "runtime/State/StatePools.h"
#include <string>
#include <string_view>

namespace cheems {

/// What a state means nothing without.
struct StateIdentity {
  uint64_t configuration = 0; ///< XXH3-64 of the model's config.json
  uint64_t layout = 0;        ///< of the pools and what shapes them
  uint64_t weights = 0;       ///< of the checkpoint's tensors
  std::string weightFormat;   ///< at most 31 bytes: "bf16"
  uint32_t layoutVersion = 1; ///< Metadata::stateLayout, part of the layout
  /// These stand for the weights' block checksums: what earlier versions of
  /// this runtime wrote as weights, and what stands for older files'
  /// checkpoints.
  uint64_t storedWeights = 0;
  /// The layout as earlier versions of this runtime wrote it, with the model's
  /// block.
  uint64_t layoutWithBlock = 0;

  static StateIdentity of(const Model &model);
};

constexpr char stateFileMagic[] = "CHEEMS\n\x1a"; ///< eight bytes
constexpr uint32_t stateFileVersion = 2;

/// The file's first 128 bytes; integers are little-endian.
struct StateFileHeader {
  char magic[8];
  uint32_t version;
  uint32_t layoutVersion; ///< part of the layout, here for messages
  uint64_t fileSize;
  uint64_t position;         ///< tokens the sequence was fed
  uint64_t entries;          ///< stored of each capacity extent
  uint64_t stateBytes;       ///< after the header
  uint64_t applicationBytes; ///< after those
  uint64_t configuration, layout, weights;
  char weightFormat[32];   ///< padded with zeros, at least one
  uint64_t partial;        ///< 1: without the entries, which a slot still has
  uint64_t headerChecksum; ///< XXH3-64 of the 120 bytes above
};
static_assert(sizeof(StateFileHeader) == 128, "files rely on this layout");

/// What is written: what `pools` hold for `slot` after `position` tokens, in
/// `entries` entries, and `application`.
struct StateToWrite {
  const StateIdentity &identity;
  const StatePools &pools;
  int64_t slot;
  int32_t position;
  int64_t entries; ///< none of a partial one
  std::string_view application;
  bool partial = false;

  size_t bytes() const;
};

/// The old file stays until the new one is whole and on the disk. Throws Error.
void writeStateFile(const std::string &path, const StateToWrite &state);
/// The same bytes to memory, which has room for state.bytes().
void writeState(char *bytes, const StateToWrite &state);

/// An open state file, or its bytes in memory.
class StateFile {
public:
  /// Checks everything that is not state: that the file is whole in size, of a
  /// known version, from this model, and has `metadata`'s number of entries for
  /// its position. Throws Error naming the file and what does not fit.
  StateFile(const std::string &path, const StateIdentity &identity,
            const Metadata &metadata);
  /// `bytes`, which must outlive this, are called `name` in messages.
  StateFile(std::string_view bytes, const std::string &name,
            const StateIdentity &identity, const Metadata &metadata);
  ~StateFile();
  StateFile(const StateFile &) = delete;
  StateFile &operator=(const StateFile &) = delete;

  int32_t position() const { return static_cast<int32_t>(header.position); }
  bool partial() const { return header.partial != 0; }

  /// Reads all of it against its checksum, and that it fits pools like these.
  /// Changes nothing. Throws Error.
  void check(const StatePools &pools) const;
  /// The application's bytes.
  std::string application() const;
  /// After a check, with what `application` gave. Checks again what came into
  /// the slot, for the file may have changed since. Throws Error; the slot then
  /// holds anything.
  void read(StatePools &pools, int64_t slot,
            std::string_view application) const;

private:
  void checkAll(uint64_t size, const StateIdentity &identity,
                const Metadata &metadata);
  void checkHeader(uint64_t size);
  void checkIdentity(const StateIdentity &identity) const;
  void checkSizes(const Metadata &metadata);
  DamagedFile bad(const std::string &what) const;
  DamagedFile corrupted(const std::string &what) const;
  void readAt(uint64_t offset, void *bytes, size_t size) const;

  class Contents;
  void judge(const Contents &contents) const;

  std::string path;
  int descriptor = -1;     ///< of a file
  std::string_view memory; ///< else
  int64_t mostEntries = 0; ///< that a sequence of so many tokens can have
  StateFileHeader header;
};

} // namespace cheems

#endif
