// States of slots as files in one folder: nothing outside of it is reached,
// whatever a file's name is.
#ifndef CHEEMS_RUNTIME_SERVE_ENGINE_SLOTFILE_H
#define CHEEMS_RUNTIME_SERVE_ENGINE_SLOTFILE_H

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

class SlotFolder {
public:
  /// Throws FileUnusable where `path` is no folder.
  explicit SlotFolder(const std::string &path);
  ~SlotFolder();
  SlotFolder(const SlotFolder &) = delete;
  SlotFolder &operator=(const SlotFolder &) = delete;

  /// Why a file must not be called so; "": it may.
  static std::string faultOf(const std::string &name);

  /// The file appears under its name when it is whole and on the disk. Throws
  /// FileUnusable.
  void write(const std::string &name, std::string_view bytes) const;
  /// Throws FileUnusable, also for what is no regular file; `missing` says
  /// whether there is none of that name.
  std::string read(const std::string &name, bool &missing) const;

private:
  int descriptor;
};

} // namespace cheems::serve

#endif
