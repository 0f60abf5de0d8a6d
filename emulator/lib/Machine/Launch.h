//===- Launch.h - What the driver drives: modules and grids -----*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_MACHINE_LAUNCH_H
#define CHEEMS_EMULATOR_MACHINE_LAUNCH_H

#include "AddressSpaces/GlobalMemory.h"
#include "Support/Error.h"
#include "Support/Options.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
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

/// What kernels get by malloc. It lives until a kernel frees it or the context
/// ends.
struct Heap {
  uint64_t limit = 8 << 20; ///< bytes
  uint64_t used = 0;
  std::map<uint64_t, uint64_t> blocks = {}; ///< address -> bytes
};

/// A GPU: its options and its memory. One exists per context.
struct Device {
  explicit Device(const Options &options)
      : options(options), memory(options.memoryBytes) {}

  const Options options;
  GlobalMemory memory;
  uint64_t grids = 0; ///< made so far: %gridid
  Heap heap;
  /// What vprintf has made, in the order of execution. A grid that ends or
  /// waits for the one before it writes it to stdout.
  std::string printed = {};
  /// Warnings of grids that have ended or wait, for whoever reports them.
  std::vector<Finding> warnings = {};

  /// Whether the range belongs to one allocation that the host knows. What
  /// kernels get by malloc is theirs alone (CUDA C++ Programming Guide,
  /// "Dynamic Global Memory Allocation").
  bool isOfHost(uint64_t address, uint64_t bytes) const {
    if (!memory.contains(address, bytes)) {
      return false;
    }
    auto after = heap.blocks.upper_bound(address);
    return after == heap.blocks.begin() ||
           address - std::prev(after)->first >= std::prev(after)->second;
  }
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
  /// The most registers that a thread may own at start: what .maxnreg says, or
  /// what the largest block leaves to each thread; 0: no directive limits them.
  int registerLimit = 0;
  uint32_t maxThreads =
      1024; ///< per block: .maxntid, .reqntid or the GPU's limit
  Extent requiredThreads{0, 0, 0}; ///< .reqntid; zeros: any
  Extent requiredCluster{0, 0, 0}; ///< .reqnctapercluster; zeros: any
  std::shared_ptr<const Program> program;
};

/// PTX that was loaded: its kernels and its variables, which live in the GPU's
/// memory until the module goes.
class Module {
public:
  struct Global {
    uint64_t address, bytes;
  };

  /// Loads a text, or several in an image of the linker (PTX/Link.h). Throws
  /// Refusal or NotModelled, or std::bad_alloc if the GPU is full. `device`
  /// must outlive the module.
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

/// What is started. The driver has checked the numbers against the GPU's
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
  /// run() also comes back when all its blocks have let the next kernel start
  /// (griddepcontrol.launch_dependents) or have ended.
  bool pausesAtRelease = false;

  /// Its blocks run in one interleaving on one host thread: they may see each
  /// other's effects, or those of the kernel before it or after it.
  bool isInterleaved() const;
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
    /// All blocks have released their dependents, and some still run. This
    /// state is returned once, if Launch::pausesAtRelease is set. run() goes
    /// on.
    released,
  };

  Grid(Device &device, Launch launch);
  ~Grid();

  /// Runs until it ends or waits. Throws Finding.
  State run();
  /// What the kernel before this one wrote is visible now; run() goes on.
  void primaryFinished();

  /// After State::released: what its blocks had written by then is not to be
  /// seen, or is again. A grid whose blocks may see each other's effects shows
  /// all, because a dependent may then, too.
  void hideWrites();
  void showWrites();

private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation;
};

} // namespace cheems::emulator

#endif
