// How much memory this process may have.
#ifndef CHEEMS_SERVER_ENGINE_MEMORYLIMIT_H
#define CHEEMS_SERVER_ENGINE_MEMORYLIMIT_H

#include <cstdint>
#include <string>

namespace cheems::serve {

/// The least of the machine's memory and the limits of the process's cgroup (v2
/// or v1) and those above it. Tests point `root` at a made-up tree.
int64_t memoryLimit(const std::string &root = "");

} // namespace cheems::serve

#endif
