// An operation of the paper with the numbers of its shape: a model of one layer
// that has it, which of that layer's loops are its own, and what it has to do.
#ifndef CHEEMS_TOOLS_CHEEMS_BENCH_OPERATION_H
#define CHEEMS_TOOLS_CHEEMS_BENCH_OPERATION_H

#include "RandomModel.h"
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cheems::bench {

/// Rows of one sequence that are processed together.
struct OperationStep {
  int64_t rows = 1;
  int64_t position = 0; ///< rows before them
};

/// What a compiled model has made of it.
struct OperationCode {
  int64_t elementBytes = 2; ///< of weights, keys and values
  bool codes = false;       ///< experts' rows are bytes, with a scale each
  int64_t chunk = 0;        ///< rows of an SSD chunk; 0: row by row
};

/// Part of a parallel loop in the time of an operation.
enum class LoopRole {
  own,    ///< the operation's: its time begins or ends with one
  beside, ///< the operation's where it lies in that time
  before, ///< not its own, but its time begins where the last such one ends
  other   ///< not its own
};

class Operation {
public:
  virtual ~Operation() = default;

  std::string kind;
  /// The shape is written as on the command line.
  std::string shape;
  int64_t rows = 1;
  /// Its numbers by name.
  std::vector<std::pair<const char *, std::optional<int64_t>>> numbers;

  /// "ssd 8192x12x64x128".
  std::string name() const { return kind + " " + shape; }

  virtual RandomModel model() const = 0;
  /// Returns the bytes that the model keeps of a sequence of `longest` rows.
  virtual double stateBytes(int64_t longest, int64_t elementBytes) const = 0;
  /// Finds the role by the name that a profile shows (NameLoops.cpp gives it).
  virtual LoopRole role(std::string_view loop) const = 0;
  /// On a GPU the kernels are told apart: whether one is the operation's.
  virtual bool ownsKernel(std::string_view kernel) const = 0;
  /// Additions and multiplications.
  virtual double operations(const OperationStep &step,
                            const OperationCode &code) const = 0;
  /// Returns the bytes that have to be read or written at least once.
  virtual int64_t bytes(const OperationStep &step,
                        const OperationCode &code) const = 0;
  /// Memory that such steps work on: what caches would have to hold.
  virtual int64_t workingSet(const OperationStep &step,
                             const OperationCode &code) const {
    return bytes(step, code);
  }
};

using OperationPointer = std::shared_ptr<const Operation>;

/// "ssd", "attention", "experts".
bool isOperation(const std::string &kind);
/// From "AxBxC" of --shapes. Throws Error: usage.
OperationPointer parseOperation(const std::string &kind,
                                const std::string &shape);
/// Those of the targets in docs/performance.md.
std::vector<OperationPointer> defaultOperations(const std::string &kind);

/// The numbers of "AxBxC", each between 1 and `most`; none where that, or
/// their count, is not so.
std::vector<int64_t> parseNumbers(const std::string &text, size_t least,
                                  size_t count, int64_t most);

std::shared_ptr<Operation> makeSSD(const std::vector<int64_t> &numbers);
std::shared_ptr<Operation> makeAttention(const std::vector<int64_t> &numbers);
std::shared_ptr<Operation> makeExperts(const std::vector<int64_t> &numbers);

} // namespace cheems::bench

#endif
