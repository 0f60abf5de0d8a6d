// What a step has to read and to compute, told from a model's metadata alone:
// what timings are held against (docs/bench.md has the formulas).
#ifndef CHEEMS_RUNTIME_ARTIFACT_STEPCOST_H
#define CHEEMS_RUNTIME_ARTIFACT_STEPCOST_H

#include "runtime/Artifact/Metadata.h"

namespace cheems {

/// A step of equal sequences.
struct StepShape {
  int64_t sequences = 1;
  int64_t rows = 1;      ///< of each sequence
  int64_t position = 0;  ///< tokens each was fed before
  int64_t logitRows = 1; ///< rows whose logits are wanted, of all together
};

class StepCost {
public:
  /// Columns and length, N and K, of a matmul's weights.
  struct Product {
    int64_t columns, length;
    bool operator==(const Product &other) const {
      return columns == other.columns && length == other.length;
    }
  };

  /// Takes the costs of the code for a target, which reads the parameters that
  /// say so.
  explicit StepCost(const Metadata &metadata,
                    const std::string &target = "cpu");

  /// Bytes that have to come from memory at least once: weights, the rows taken
  /// from tables, what is stored of every sequence.
  int64_t bytes(const StepShape &step) const;
  /// Additions and multiplications of matmuls, attention and SSD; elementwise
  /// work is not counted.
  double operations(const StepShape &step) const;

  /// Returns one matmul of each shape.
  const std::vector<Product> &products() const { return shapes; }

private:
  /// A table of which a step reads some rows.
  struct Table {
    int64_t rows, rowBytes, rowElements;
    int64_t bytes(int64_t wanted) const;
  };
  /// State of one sequence: `bytes` once, or of each stored entry.
  struct Stored {
    int64_t bytes;
    bool entries, ring;
  };
  void addShape(const Parameter &matrix);
  static Table tableOf(const Parameter &matrix);
  /// Keys that a head sees among the first `tokens`.
  int64_t visible(int64_t tokens, bool ofRing) const;

  bool tied = false;                       ///< the embedding is the head
  int64_t sharedBytes = 0, headBytes = 0;  ///< read whole
  double rowMatmuls = 0, logitMatmuls = 0; ///< operations per row
  std::vector<Table> embeddings, experts;
  int64_t expertsPerToken, keepWindow, ringWindow;
  std::vector<Stored> state;
  double perVisibleKey = 0, perKeyOfRing = 0, perRowOfState = 0; ///< operations
  std::vector<Product> shapes;
};

} // namespace cheems

#endif
