// Runs the cheems-compile beside this program.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_COMPILE_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_COMPILE_H

#include "runtime/Artifact/DeviceChoice.h"
#include "runtime/Generation/ChildProcess.h"
#include <string>
#include <vector>

namespace cheems::bench {

/// Goes away, with all that is in it, unless the same signal comes twice: what
/// a handler may call cannot empty a folder, and a compiler may still be
/// writing there.
class TemporaryFolder {
public:
  /// The folder is in $TMPDIR, or /tmp. Throws Error.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

/// `flags` go along. A child begins with its parent's peak of memory, so its
/// own is told only while this process has used little. Throws Error,
/// CompileFailed.
ChildCost compileModel(const std::string &folder, const std::string &output,
                       const std::vector<std::string> &flags = {});

/// Flags for the one variant that would run here: CHEEMS_CPU's, or this
/// machine's best.
std::vector<std::string> variantToRun();
/// What single operations are compiled for: GPUs where `device` is one, else
/// the CPU.
std::vector<std::string> targetToRun(const DeviceChoice &device);
/// Returns where they run then: "auto" is the CPU.
DeviceChoice deviceToRun(const DeviceChoice &device);

} // namespace cheems::bench

#endif
