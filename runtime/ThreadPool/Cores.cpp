#include "runtime/ThreadPool/Cores.h"
#include <algorithm>
#include <fstream>
#include <sched.h>
#include <set>
#include <sstream>
#include <thread>

using namespace cheems;

namespace {

/// First line of a file, empty when it cannot be read.
std::string firstLine(const std::string &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

void tighten(int &quota, double cpus) {
  int whole = std::max(1, static_cast<int>(std::min(cpus, 1e6)));
  quota = quota == 0 ? whole : std::min(quota, whole);
}

/// cpu.max holds "max 100000" or "QUOTA PERIOD"; version 1 keeps the two in
/// files of their own, -1 for none.
void readQuota(const std::string &folder, bool v2, int &quota) {
  double limit = -1, period = 0;
  if (v2) {
    std::istringstream(firstLine(folder + "/cpu.max")) >> limit >> period;
  } else {
    std::istringstream(firstLine(folder + "/cpu.cfs_quota_us")) >> limit;
    std::istringstream(firstLine(folder + "/cpu.cfs_period_us")) >> period;
  }
  if (limit > 0 && period > 0) {
    tighten(quota, limit / period);
  }
}

bool contains(const std::string &commaList, const std::string &item) {
  return ("," + commaList + ",").find("," + item + ",") != std::string::npos;
}

struct Mount {
  std::string root, point;
};

/// Returns where the cpu controller is mounted. A container may see only its
/// own part of the hierarchy: `root`.
std::vector<Mount> controllerMounts(const std::string &root, bool v2) {
  std::vector<Mount> mounts;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string skip, type, source, options;
    Mount mount;
    fields >> skip >> skip >> skip >> mount.root >> mount.point;
    while (fields >> skip && skip != "-") {
    }
    fields >> type >> source >> options;
    if (v2 ? type == "cgroup2" : type == "cgroup" && contains(options, "cpu")) {
      mounts.push_back(mount);
    }
  }
  return mounts;
}

/// The tightest quota from our own group up to the mount.
int readCgroups(const std::string &root) {
  int quota = 0;
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    std::string controllers = line.substr(first + 1, second - first - 1),
                path = line.substr(second + 1);
    bool v2 = controllers.empty();
    if (!v2 && !contains(controllers, "cpu")) {
      continue;
    }
    for (const Mount &mount : controllerMounts(root, v2)) {
      std::string group = path;
      if (mount.root != "/" &&
          group.compare(0, mount.root.size(), mount.root) == 0) {
        group.erase(0, mount.root.size());
      }
      while (true) {
        readQuota(root + mount.point + (group == "/" ? "" : group), v2, quota);
        size_t slash = group.rfind('/');
        if (slash == std::string::npos) {
          break;
        }
        group.erase(slash);
      }
    }
  }
  return quota;
}

} // namespace

CoreLimits CoreLimits::read(const std::vector<int> &cpus,
                            const std::string &root) {
  CoreLimits limits;
  std::set<std::string> cores;
  for (int cpu : cpus) {
    std::string folder = root + "/sys/devices/system/cpu/cpu" +
                         std::to_string(cpu) + "/topology/";
    std::string siblings = firstLine(folder + "core_cpus_list");
    if (siblings.empty()) { // before Linux 5.3
      siblings = firstLine(folder + "thread_siblings_list");
    }
    cores.insert(siblings.empty() ? "cpu" + std::to_string(cpu) : siblings);
  }
  limits.logical = std::max<int>(1, cpus.size());
  limits.physical = std::max<int>(1, cores.size());
  limits.quota = readCgroups(root);
  return limits;
}

CoreLimits CoreLimits::host() {
  std::vector<int> cpus;
  // sched_getaffinity refuses a set smaller than the kernel's own.
  for (int size = CPU_SETSIZE; size <= 1 << 20; size *= 4) {
    std::vector<cpu_set_t> set(size / CPU_SETSIZE);
    size_t bytes = set.size() * sizeof(cpu_set_t);
    bool known = sched_getaffinity(0, bytes, set.data()) == 0;
    for (int cpu = 0; known && cpu < size; ++cpu) {
      if (CPU_ISSET_S(cpu, bytes, set.data())) {
        cpus.push_back(cpu);
      }
    }
    if (known) {
      break;
    }
  }
  if (cpus.empty()) {
    for (unsigned cpu = 0;
         cpu < std::max(1u, std::thread::hardware_concurrency()); ++cpu) {
      cpus.push_back(static_cast<int>(cpu));
    }
  }
  return read(cpus);
}
