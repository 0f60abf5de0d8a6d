#include "server/Engine/MemoryLimit.h"
#include <algorithm>
#include <fstream>

namespace cheems::serve {

namespace {

/// A file that says "max", or has no number, limits nothing.
void lower(int64_t &limit, const std::string &path) {
  std::ifstream file(path);
  int64_t bytes = 0;
  if (file >> bytes && bytes > 0) {
    limit = std::min(limit, bytes);
  }
}

/// The group's and those of all above it, as far as they are mounted here.
void walk(int64_t &limit, const std::string &mount, std::string group,
          const char *name) {
  for (;;) {
    lower(limit, mount + (group == "/" ? "" : group) + "/" + name);
    size_t slash = group.rfind('/');
    if (slash == std::string::npos || group == "/" || group.empty()) {
      return;
    }
    group.erase(std::max<size_t>(slash, 1));
  }
}

} // namespace

int64_t memoryLimit(const std::string &root) {
  int64_t limit = INT64_MAX;
  std::ifstream machine(root + "/proc/meminfo");
  std::string name;
  if (int64_t kibibytes = 0; machine >> name >> kibibytes) {
    limit = kibibytes * 1024; // MemTotal comes first
  }
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    std::string controllers =
                    "," + line.substr(first + 1, second - first - 1) + ",",
                group = line.substr(second + 1);
    if (controllers == ",,") {
      walk(limit, root + "/sys/fs/cgroup", group, "memory.max");
      // in a container the group's own path may be that of the host
      lower(limit, root + "/sys/fs/cgroup/memory.max");
    } else if (controllers.find(",memory,") != std::string::npos) {
      const char *bytes = "memory.limit_in_bytes";
      walk(limit, root + "/sys/fs/cgroup/memory", group, bytes);
      lower(limit, root + "/sys/fs/cgroup/memory/" + bytes);
    }
  }
  return limit;
}

} // namespace cheems::serve
