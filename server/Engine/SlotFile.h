// States of slots as files in one folder: nothing outside of it is reached,
// whatever a file's name is.
#ifndef CHEEMS_SERVER_ENGINE_SLOTFILE_H
#define CHEEMS_SERVER_ENGINE_SLOTFILE_H

#include "runtime/Error.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::serve {

/// What goes into a file: a state means nothing without its tokens.
struct SlotRecord {
  std::vector<int32_t> tokens;
  std::string isolation;
  std::string state; ///< as Session::writeState, whole

  std::string encode() const;
  /// What `encode` wrote; the state is not looked at. Throws DamagedFile that
  /// begins with `name`.
  static SlotRecord decode(std::string_view bytes, const std::string &name);
};

/// What a client asked of a file cannot be, and the folder is not at fault.
struct SlotFileRefused : FileUnusable {
  int httpStatus;
  SlotFileRefused(int httpStatus, const std::string &message)
      : FileUnusable(message), httpStatus(httpStatus) {}
};

/// What all files in a folder of slots may take together.
struct SlotFolderLimits {
  uint64_t files = 256;
  uint64_t bytes = uint64_t{16} << 30;
};

class SlotFolder {
public:
  /// What a server that was killed left half written is removed. Throws
  /// FileUnusable where `path` is no folder.
  explicit SlotFolder(const std::string &path,
                      const SlotFolderLimits &limits = {});
  ~SlotFolder();
  SlotFolder(const SlotFolder &) = delete;
  SlotFolder &operator=(const SlotFolder &) = delete;

  /// Why a file must not be called so; "": it may.
  static std::string faultOf(const std::string &name);

  /// The file appears under its name when it is whole and on the disk. It takes
  /// the place of a regular file alone. Throws FileUnusable, and
  /// SlotFileRefused where it would go beyond the limits.
  void write(const std::string &name, std::string_view bytes) const;
  /// Throws FileUnusable, and SlotFileRefused where there is no regular file of
  /// that name, or one of more than `most` bytes.
  std::string read(const std::string &name, uint64_t most = UINT64_MAX) const;

private:
  void removeStale() const;
  /// Throws SlotFileRefused for what is there and no regular file.
  void requireRegular(const std::string &name) const;
  void requireRoom(const std::string &name, uint64_t bytes) const;

  int descriptor;
  const SlotFolderLimits limits;
};

} // namespace cheems::serve

#endif
