#include "runtime/Artifact/StepCost.h"
#include <algorithm>

using namespace cheems;

namespace {

/// N and K of a matrix, or of several beside each other.
StepCost::Product matmulOf(const Parameter &matrix) {
  int64_t columns = matrix.logical[0], length = 1;
  for (size_t d = 1; d < matrix.logical.size(); ++d) {
    length *= matrix.logical[d];
  }
  return {columns, length};
}

} // namespace

StepCost::StepCost(const Metadata &data, const std::string &target)
    : expertsPerToken(data.expertsPerToken), keepWindow(data.keepWindow),
      ringWindow(data.ringWindow) {
  for (const Parameter &parameter : data.parameters) {
    if (!parameter.readBy(target)) {
      continue;
    }
    switch (parameter.use) {
    case ParameterUse::vector:
      sharedBytes += parameter.bytes;
      break;
    case ParameterUse::product:
      addShape(parameter);
      [[fallthrough]];
    case ParameterUse::expertKeys:
      sharedBytes += parameter.bytes;
      rowMatmuls += 2.0 * static_cast<double>(parameter.numbers());
      break;
    case ParameterUse::tied:
      tied = true;
      embeddings.push_back(tableOf(parameter));
      [[fallthrough]];
    case ParameterUse::head:
      addShape(parameter);
      logitMatmuls += 2.0 * static_cast<double>(parameter.numbers());
      [[fallthrough]];
    case ParameterUse::headBias:
      headBytes += parameter.bytes;
      break;
    case ParameterUse::embedding:
      embeddings.push_back(tableOf(parameter));
      break;
    case ParameterUse::experts:
      experts.push_back(tableOf(parameter));
      break;
    }
  }
  for (const StateKind &kind : data.state) {
    // These are the bytes of every stored entry, or of the whole state if
    // nothing grows.
    state.push_back(
        {kind.slotBytes({1, 1}), kind.hasCapacity(), kind.isRing()});
    if (kind.role == PoolRole::keys) {
      // [layers, heads, capacity, P]: a product with the query, one with the
      // value.
      (kind.isRing() ? perKeyOfRing : perVisibleKey) =
          4.0 * static_cast<double>(kind.extents[0]) *
          static_cast<double>(data.heads) *
          static_cast<double>(kind.extents[3]);
    } else if (kind.role == PoolRole::running) {
      // Decay, what is added (two), what is read out (two).
      perRowOfState = 5.0 * static_cast<double>(kind.slotBytes({1, 1})) /
                      static_cast<double>(kind.elementBytes);
    }
  }
}

void StepCost::addShape(const Parameter &matrix) {
  Product product = matmulOf(matrix);
  if (!matrix.scales &&
      std::find(shapes.begin(), shapes.end(), product) == shapes.end()) {
    shapes.push_back(product);
  }
}

StepCost::Table StepCost::tableOf(const Parameter &matrix) {
  Product shape = matmulOf(matrix);
  if (matrix.scales) {
    return {shape.columns, matrix.bytes / shape.columns, 0};
  }
  // Not bytes / rows: a layout may have more rows than the table.
  int64_t rowBytes = shape.length * (matrix.bytes / matrix.elements()) /
                     (matrix.quantizedBits == 4 ? 2 : 1);
  return {shape.columns, rowBytes, shape.length};
}

int64_t StepCost::Table::bytes(int64_t wanted) const {
  return std::min(wanted, rows) * rowBytes;
}

int64_t StepCost::visible(int64_t tokens, bool ofRing) const {
  int64_t window = ofRing ? ringWindow : keepWindow;
  return window == 0 ? tokens : std::min(tokens, window);
}

int64_t StepCost::bytes(const StepShape &step) const {
  int64_t rows = step.sequences * step.rows;
  int64_t total = sharedBytes + (step.logitRows > 0 ? headBytes : 0);
  for (const Table &table : embeddings) {
    bool readWhole = tied && step.logitRows > 0; // as the head, above
    total += readWhole ? 0 : table.bytes(rows);
  }
  for (const Table &table : experts) {
    total += table.bytes(rows * expertsPerToken);
  }
  for (const Stored &kind : state) {
    int64_t ofSequence =
        kind.entries
            ? kind.bytes * visible(step.position + step.rows, kind.ring)
            : (step.position > 0 ? kind.bytes : 0);
    total += step.sequences * ofSequence;
  }
  return total;
}

double StepCost::operations(const StepShape &step) const {
  auto rows = static_cast<double>(step.sequences * step.rows);
  double attention = 0; // of all rows of a sequence
  for (int64_t row = 1; row <= step.rows; ++row) {
    int64_t tokens = step.position + row;
    attention += static_cast<double>(visible(tokens, false)) * perVisibleKey +
                 static_cast<double>(visible(tokens, true)) * perKeyOfRing;
  }
  double total =
      rows * rowMatmuls + static_cast<double>(step.logitRows) * logitMatmuls +
      static_cast<double>(step.sequences) * attention + rows * perRowOfState;
  for (const Table &table : experts) {
    total += 2.0 * rows * static_cast<double>(expertsPerToken) *
             static_cast<double>(table.rowElements);
  }
  return total;
}
