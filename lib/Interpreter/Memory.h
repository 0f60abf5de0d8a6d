// What the blocks of a grid write into, and what a block has of its own.
#ifndef CHEEMS_LIB_INTERPRETER_MEMORY_H
#define CHEEMS_LIB_INTERPRETER_MEMORY_H

#include "cheems/Interpreter/RuntimeValue.h"
#include <array>
#include <deque>
#include <map>

namespace mlir {
class Operation;
} // namespace mlir

namespace cheems::interpreter {

/// Memory of the GPU while a grid runs, or shared memory of a block. It knows
/// which block reads and writes what, because what blocks do may not depend on
/// their order.
class Memory {
public:
  Memory(Tensor contents, bool isWritable);

  const Tensor &contents() const { return now; }
  bool isWritable() const { return writable; }
  /// Whether the element is the same whichever block runs first: no other one
  /// writes it.
  bool read(int64_t place, int64_t block);
  /// The same of what other blocks read there, and write.
  bool write(int64_t place, double element, int64_t block);

private:
  Tensor now;
  bool writable;
  /// Each element has the number of the block; or nobody, or several.
  std::vector<int64_t> readers, writers;
};

/// A block of a kernel's grid while it runs.
struct TileBlock {
  /// A stage that is on its way: it arrives when it is waited for.
  struct Copy {
    std::shared_ptr<Memory> buffer;
    int64_t first; ///< of its elements in the buffer
    Tensor stage;
  };

  std::array<int64_t, 3> at;            ///< x, y, z
  int64_t number;                       ///< of all blocks of the grid
  std::vector<Copy> begun;              ///< after the last commit
  std::deque<std::vector<Copy>> groups; ///< the oldest first
  /// How many steps of each `fill_ring` are filled, and waited for.
  struct Steps {
    int64_t filled = 0, awaited = 0;
  };
  std::map<mlir::Operation *, Steps> rings;
};

} // namespace cheems::interpreter

#endif
