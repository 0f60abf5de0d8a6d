// Machine code by NVIDIA's ptxas, where there is one. Without it the driver
// makes machine code of the PTX when it loads it.
#ifndef CHEEMS_TARGET_CUDA_ASSEMBLER_H
#define CHEEMS_TARGET_CUDA_ASSEMBLER_H

#include "cheems/Target/CUDA/Architecture.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cheems::cuda {

/// What ptxas says of a kernel; bytes are those of a thread.
struct KernelResources {
  std::string kernel;
  int64_t registers = 0;
  int64_t stack = 0; ///< in local memory, spilled registers included
  int64_t spillStores = 0, spillLoads = 0;
};

struct Cubin {
  std::string bytes; ///< an ELF file for one GPU
  std::vector<KernelResources> kernels;
  /// What makes it slower than it could be, by kernel.
  std::vector<std::string> faults;
  bool cached = false; ///< assembled before, by the same ptxas
};

class Assembler {
public:
  /// $CHEEMS_PTXAS, none where that is "none"; else the first ptxas of PATH, of
  /// the toolkit ($CUDA_HOME, $CUDA_PATH, $CUDA_ROOT, /usr/local/cuda), of the
  /// package nvidia-cuda-nvcc in $VIRTUAL_ENV or a folder of $PYTHONPATH.
  /// Nothing if there is none; an error if CHEEMS_PTXAS names no program, or
  /// the one found says no version.
  static llvm::Expected<std::optional<Assembler>> find();

  /// Machine code for `architecture`. Fails by kernel name where registers are
  /// spilled, where memory is local, and where ptxas warns that it serialises
  /// asynchronous matmuls (C75xx). A kernel that spills for the sake of more
  /// blocks is assembled again without that wish, and the code that spills less
  /// is kept; what fails then is no error. `cache`: a folder that keeps
  /// code by its content, for the user alone; empty: none.
  llvm::Expected<Cubin> assemble(llvm::StringRef ptx,
                                 const Architecture &architecture,
                                 const std::string &cache = "") const {
    return assemble(ptx, architecture, cache, /*strict=*/true);
  }
  /// The same, but what makes code slow is no error: `faults` tells of it.
  llvm::Expected<Cubin> assembleAnyway(llvm::StringRef ptx,
                                       const Architecture &architecture,
                                       const std::string &cache = "") const {
    return assemble(ptx, architecture, cache, /*strict=*/false);
  }

  const std::string &path() const { return program; }
  /// "V13.0.88"
  const std::string &version() const { return release; }

private:
  llvm::Expected<Cubin> assemble(llvm::StringRef ptx,
                                 const Architecture &architecture,
                                 const std::string &cache, bool strict) const;
  Assembler(std::string program, std::string release)
      : program(std::move(program)), release(std::move(release)) {}
  std::string program, release;
};

/// How to come by a ptxas: the end of a line that says that there is none.
extern const char *const kNoAssembler;

} // namespace cheems::cuda

#endif
