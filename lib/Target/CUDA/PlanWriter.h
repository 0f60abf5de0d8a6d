// The parts of a launch plan while it is made: numbers that a step's sizes
// determine, areas of scratch memory, launches.
#ifndef CHEEMS_LIB_TARGET_CUDA_PLANWRITER_H
#define CHEEMS_LIB_TARGET_CUDA_PLANWRITER_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

namespace cheems::cuda {

/// A number of a plan; equal ones are one.
struct Number {
  enum class Kind { Constant, Field, Operation };
  Kind kind;
  int64_t constant = 0;
  std::string name; ///< of the field or the operation
  std::array<size_t, 2> of = {};

  bool operator<(const Number &other) const {
    return std::tie(kind, constant, name, of) <
           std::tie(other.kind, other.constant, other.name, other.of);
  }
};

/// Where the memory of an argument begins.
struct Place {
  enum class Kind {
    Weights,
    Pool,
    Area,
    Tokens,
    Segments,
    Rows,
    Logits,
    EmbeddingRows,
    Embeddings,
    TopValues,
    TopTokens,
    LogSums
  };
  Kind kind;
  int64_t index = 0; ///< Weights: bytes; Pool, Area: which one
};

/// A tensor map that the runtime makes of memory, for copies of boxes of it.
struct PlanMap {
  Place place;
  size_t rows, columns; ///< numbers of the plan
  std::string element;  ///< "bf16", "f16" or "f32"
  int64_t boxRows, boxColumns;
};

/// What a launch hands to its kernel.
using PlanArgument = std::variant<Place, size_t, float, PlanMap>;

class PlanWriter {
public:
  size_t constant(int64_t value) {
    return keep({Number::Kind::Constant, value, "", {}});
  }
  size_t field(llvm::StringRef name) {
    return keep({Number::Kind::Field, 0, name.str(), {}});
  }
  /// `name` is one of "add", "subtract", "multiply", "divide", "ceildiv",
  /// "min", "max", "less", "equal": the last two are 1 or 0.
  size_t operation(llvm::StringRef name, size_t a, size_t b);
  /// Its value where it does not depend on the step.
  std::optional<int64_t> valueOf(size_t number) const;

  /// Scratch memory of so many bytes.
  Place area(size_t bytes);
  /// Launches that follow are of this part of the step.
  void beginPart(llvm::StringRef name) { parts.push_back(name.str()); }
  /// \param when 1 or 0: whether the step has the launch; none: it has.
  void launch(size_t kernel, std::optional<size_t> when,
              std::array<size_t, 3> grid, std::vector<PlanArgument> arguments);

  /// Only numbers that something needs are written. Areas that are never in use
  /// at the same time share their memory, if they have as many bytes.
  llvm::json::Object finish() const;

private:
  struct Area {
    size_t bytes;
    size_t first = 0, last = 0; ///< launches that use it
    bool used = false;
  };
  struct Launch {
    size_t kernel;
    std::optional<size_t> part, when;
    std::array<size_t, 3> grid;
    std::vector<PlanArgument> arguments;
  };

  size_t keep(Number number);
  /// New names of the numbers that the plan needs: nothing for others.
  std::vector<std::optional<size_t>> renumber() const;
  /// The memory that each area gets, and how many bytes those have.
  std::pair<std::vector<size_t>, std::vector<size_t>> placeAreas() const;

  std::map<Number, size_t> known;
  std::vector<Number> numbers;
  std::vector<Area> areas;
  std::vector<std::string> parts;
  std::vector<Launch> launches;
};

} // namespace cheems::cuda

#endif
