// The software GPU, opened as a program opens a driver: by its file, with
// names of cuda.h 13.0.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_GPU_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_GPU_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace cheems::test {

/// A call of the driver that failed; `what` has the call, the error's name and
/// what the GPU found.
struct GPUError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One for the process. CHEEMS_EMULATOR_ARCH and CHEEMS_EMULATOR_MODE say what
/// it is and when asynchronous copies take effect; they are read once.
class GPU {
public:
  using Address = uint64_t;

  static GPU &get();
  /// "sm_80" or "sm_90a".
  std::string architecture() const;
  /// Whether asynchronous copies take effect when they begin.
  static bool copiesEarly();

  Address allocate(size_t bytes);
  void free(Address address);
  void write(Address target, const void *source, size_t bytes);
  void read(void *target, Address source, size_t bytes);

  struct Launch {
    std::string kernel;
    std::array<uint32_t, 3> grid;
    uint32_t threads; ///< of a block, along x
    uint32_t shared;  ///< bytes, dynamic
    std::vector<std::vector<std::byte>> parameters;
  };
  /// A kernel of `ptx`, as the driver's functions take it, with so many bytes
  /// of dynamic shared memory.
  void *function(const std::string &ptx, const std::string &kernel, int shared);
  /// Throws GPUError of a failure, with what the GPU found. All memory of the
  /// GPU is gone then.
  [[noreturn]] void fail(const std::string &what);
  /// Runs a kernel of `ptx`, and waits for it. After a finding all memory of
  /// the GPU is gone.
  void launch(const std::string &ptx, const Launch &launch);

  /// What is counted from here on is of another step.
  void nextStep() { call("cuProfilerStart"); }

private:
  GPU();
  void *symbol(const char *name);
  template <typename... Arguments>
  void call(const char *name, Arguments... arguments);
  void openContext();
  /// The context keeps its error for ever: another one takes its place.
  void renewContext();
  /// What was found since the last time.
  std::string findings();

  void *library = nullptr;
  int device = 0;
  std::string report; ///< the file of findings
  std::map<std::string, void *, std::less<>> symbols;
  std::map<std::string, void *, std::less<>> modules; ///< by their PTX
};

/// Memory of the GPU for as long as this lives.
class GPUMemory {
public:
  explicit GPUMemory(size_t bytes)
      : place(GPU::get().allocate(bytes ? bytes : 1)) {}
  ~GPUMemory();
  GPUMemory(const GPUMemory &) = delete;
  GPUMemory &operator=(const GPUMemory &) = delete;
  GPU::Address address() const { return place; }

private:
  GPU::Address place;
};

} // namespace cheems::test

#endif
