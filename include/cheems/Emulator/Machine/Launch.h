//===- Launch.h - What the driver drives: modules and grids -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_LAUNCH_H
#define CHEEMS_EMULATOR_MACHINE_LAUNCH_H

#include "cheems/Emulator/Memory/GlobalMemory.h"
#include "cheems/Emulator/Support/Error.h"
#include "cheems/Emulator/Support/Options.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// The line between the driver, which knows contexts and streams, and the
/// machine, which knows warps.
namespace cheems::emulator {

struct Extent {
  uint32_t x = 1, y = 1, z = 1;

  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// A card: its options and its memory. One exists per context.
struct Device {
  explicit Device(const Options &options)
      : options(options), memory(options.memoryBytes) {}

  const Options options;
  GlobalMemory memory;
  uint64_t grids = 0; ///< made so far: %gridid
};

struct Program; // Decode/Program.h

/// An entry of a module, decoded.
struct Kernel {
  struct Parameter {
    uint64_t offset, bytes, alignment;
  };
  std::string name;
  std::vector<Parameter>
      parameters; ///< where each lies in the parameter buffer
  uint64_t parameterBytes = 0;
  uint64_t staticSharedBytes = 0;
  uint64_t localBytes = 0; ///< per thread
  int registers = 0; ///< an estimate per thread, from what is live at once
  /// The most that a thread may own at start: .maxnreg, or what the largest
  /// block leaves to it; 0: no directive says so.
  int registerLimit = 0;
  uint32_t maxThreads =
      1024; ///< per block: .maxntid, .reqntid or the card's limit
  Extent requiredThreads{0, 0, 0}; ///< .reqntid; zeros: any
  Extent requiredCluster{0, 0, 0}; ///< .reqnctapercluster; zeros: any
  std::shared_ptr<const Program> program;
};

/// PTX that was loaded: its kernels and its variables, which live in the card's
/// memory until the module goes.
class Module {
public:
  struct Global {
    uint64_t address, bytes;
  };

  /// Throws Refusal or NotModelled, or std::bad_alloc if the card is full.
  /// `device` must outlive the module.
  static std::unique_ptr<Module> load(Device &device, std::string_view ptx);
  ~Module();

  const Kernel *kernel(const std::string &name) const;
  const Global *global(const std::string &name) const;
  const std::map<std::string, Kernel> &kernels() const { return kernels_; }

private:
  explicit Module(Device &device) : device(device) {}

  Device &device;
  std::map<std::string, Kernel> kernels_;
  std::map<std::string, Global> globals_;
  std::vector<uint64_t> allocations; ///< of variables
};

/// What is started. The driver has checked the numbers against the card's
/// limits.
struct Launch {
  const Kernel *kernel = nullptr;
  Extent grid, block, cluster;
  uint32_t dynamicSharedBytes = 0;
  std::vector<std::byte> parameters; ///< kernel->parameterBytes
  bool cooperative = false;          ///< all blocks are resident at once
  /// It may start before the kernel that comes before it in its stream has
  /// ended (griddepcontrol).
  bool programmatic = false;
};

/// How many blocks a multiprocessor holds at once: by threads, registers,
/// shared memory and the limit of blocks.
int residentBlocksPerMultiprocessor(const Options &options,
                                    const Kernel &kernel, uint32_t threads,
                                    uint64_t dynamicSharedBytes);

/// A launch in progress.
class Grid {
public:
  enum class State {
    finished,
    /// All resident blocks wait for the kernel before this one
    /// (griddepcontrol.wait).
    waitsForPrimary,
  };

  Grid(Device &device, Launch launch);
  ~Grid();

  /// Runs until it ends or waits. Throws Finding.
  State run();
  /// What the kernel before this one wrote is visible now; run() goes on.
  void primaryFinished();

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace cheems::emulator

#endif
