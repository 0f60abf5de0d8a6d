#include "Room.h"
#include "Limits.h"
#include "runtime/Error.h"
#include "tools/Support/Format.h"
#include <filesystem>

namespace cheems::bench {

std::string gibibytes(double bytes) {
  return format("%.1f GiB", bytes / (1 << 30));
}

/// The folder's weights and the compiled file's are on the disk together;
/// running needs the latter in memory.
void checkRoom(const std::string &name, const std::string &folder,
               double weights, double state) {
  auto check = [&](const std::string &what, double needed, double free) {
    if (needed > free) {
      throw Error(name + " needs " + gibibytes(needed) + what + ", and " +
                  gibibytes(free) + " are free");
    }
  };
  check(" of disk in " + folder + " for a moment", 2 * weights,
        static_cast<double>(std::filesystem::space(folder).available));
  check(" of memory", weights + state, static_cast<double>(freeBytes()));
}

} // namespace cheems::bench
