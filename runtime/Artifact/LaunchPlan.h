// What a step launches on a GPU, as the compiler wrote it down (docs/abi.md,
// "The image for cuda"), read strictly.
#ifndef CHEEMS_RUNTIME_ARTIFACT_LAUNCHPLAN_H
#define CHEEMS_RUNTIME_ARTIFACT_LAUNCHPLAN_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::cuda {

/// What the numbers of a plan come from.
struct StepSizes {
  int64_t tokens = 0, segments = 0, rows = 0; ///< of the step
  int64_t slots = 0, capacity = 0;            ///< of the pools
  int64_t embeddingRows = 0;                  ///< of the step
  int64_t ring = 0;                           ///< of the pools that are rings
};

struct LaunchPlan {
  struct Kernel {
    std::string name;
    int64_t threads = 0; ///< of a block
    int64_t shared = 0;  ///< bytes of dynamic shared memory of a block
    /// Waits by itself for the kernels before it: it may be started before they
    /// have ended.
    bool overlaps = false;
  };

  struct Number {
    enum class Kind { constant, field, operation };
    /// `less` and `equal` are 1 or 0.
    enum class Operation {
      add,
      subtract,
      multiply,
      divide,
      ceildiv,
      min,
      max,
      less,
      equal
    };
    Kind kind = Kind::constant;
    int64_t constant = 0;
    int64_t StepSizes::*field = nullptr;
    Operation operation = Operation::add;
    size_t a = 0, b = 0; ///< earlier numbers
  };

  /// Boxes of a matrix that the hardware copies: swizzled, but not those of
  /// f32.
  struct TensorMap {
    enum class Element { f16, bf16, f32 };
    size_t rows = 0, columns = 0; ///< numbers
    Element element = Element::f16;
    int64_t boxRows = 0, boxColumns = 0;
    int64_t elementBytes() const { return element == Element::f32 ? 4 : 2; }
    int64_t boxRowBytes() const { return elementBytes() * boxColumns; }
  };

  struct Argument {
    enum class Kind {
      number, ///< 32 bits
      real,   ///< f32
      // Addresses of 64 bits:
      weights,
      pool,
      area,
      tokens,
      segments,
      rows,
      logits,
      embeddingRows,
      embeddings,
      topValues,
      topTokens,
      logSums
    };
    Kind kind = Kind::number;
    /// Which number, pool or area; of weights the offset in their section.
    int64_t index = 0;
    float real = 0;
    /// The argument is a tensor map of the memory at that address.
    std::optional<TensorMap> map;
  };

  struct Launch {
    size_t kernel = 0;
    int64_t part = -1;          ///< of the step; -1: of none
    std::optional<size_t> when; ///< 0: a step has it not; none: it always has
    std::array<size_t, 3> grid = {};
    std::vector<Argument> arguments;

    /// Returns the blocks in a step whose numbers have these values. 0: nothing
    /// runs.
    int64_t blocks(const std::vector<int64_t> &values) const;
  };

  /// One entry's launches, in order: each reads what those before it wrote.
  struct Entry {
    std::vector<Number> numbers;
    std::vector<size_t> areas; ///< scratch memory: their numbers of bytes
    std::vector<std::string> parts;
    std::vector<Launch> launches;

    /// The value of each number, into `values`, which has room for all. Throws
    /// Error where one does not fit in 63 bits or is negative.
    void evaluate(const StepSizes &sizes, std::vector<int64_t> &values) const;
  };

  /// Finds the best logits of the rows that a step has left.
  struct TopLogits {
    int64_t count; ///< of each row
    Entry entry;
  };

  std::vector<Kernel> kernels;
  Entry general, decode;
  std::vector<TopLogits> topLogits; ///< ascending by count

  /// `json` stands in the file `name`, whose metadata tell of it in `path` and
  /// of so many pools. Throws DamagedFile.
  static LaunchPlan parse(std::string_view json, const std::string &path,
                          const std::string &name, size_t pools);
};

} // namespace cheems::cuda

#endif
