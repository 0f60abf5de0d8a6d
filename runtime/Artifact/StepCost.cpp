#include "runtime/Artifact/StepCost.h"
#include <algorithm>
#include <string_view>

using namespace cheems;

namespace {

/// How a step uses a parameter; checkpoints name them alike.
enum class Use { vector, product, embedding, head, experts };

bool endsWith(std::string_view name, std::string_view end) {
  return name.size() >= end.size() &&
         name.substr(name.size() - end.size()) == end;
}

bool isEmbedding(const Parameter &parameter) {
  return endsWith(parameter.name, "embed_tokens.weight") ||
         endsWith(parameter.name, "word_embed.weight");
}

Use useOf(const Parameter &parameter) {
  std::string_view name = parameter.name;
  if (endsWith(name, "lm_head.weight") || endsWith(name, "lm_head.bias")) {
    return Use::head;
  }
  if (parameter.shape.size() < 2) {
    return Use::vector;
  }
  if (isEmbedding(parameter)) {
    // Rows are looked up as they are: codes of them are a tied head's.
    return parameter.codeBits || parameter.scales ? Use::head : Use::embedding;
  }
  if (endsWith(name, "down_embed.weight") ||
      endsWith(name, "up_embed.weight")) {
    return Use::experts;
  }
  return Use::product;
}

/// Numbers of the checkpoint's that it stands for: scales add none.
int64_t weightsOf(const Parameter &parameter) {
  return parameter.scales          ? 0
         : parameter.codeBits == 4 ? 2 * parameter.elements()
                                   : parameter.elements();
}

/// N and K of a matrix [N, K], or of panels [N/16, K/v, 16, v].
StepCost::Product productOf(const Parameter &matrix) {
  int64_t columns = matrix.shape[0];
  if (matrix.shape.size() == 4) {
    columns *= matrix.shape[2];
  }
  return {columns, weightsOf(matrix) / columns};
}

} // namespace

StepCost::StepCost(const Metadata &data)
    : tied(std::none_of(
          data.parameters.begin(), data.parameters.end(),
          [](const Parameter &each) { return useOf(each) == Use::head; })),
      expertsPerToken(data.expertsPerToken), keepWindow(data.keepWindow) {
  for (const Parameter &parameter : data.parameters) {
    switch (useOf(parameter)) {
    case Use::vector:
      sharedBytes += parameter.bytes;
      break;
    case Use::product:
      sharedBytes += parameter.bytes;
      rowProducts += addProduct(parameter);
      break;
    case Use::head:
      addHead(parameter);
      break;
    case Use::embedding:
      embeddings.push_back(tableOf(parameter));
      if (tied) {
        addHead(parameter);
      }
      break;
    case Use::experts:
      experts.push_back(tableOf(parameter));
      break;
    }
  }
  for (const StateKind &kind : data.state) {
    // Of every stored entry, or of the whole where nothing grows.
    state.push_back({kind.slotBytes(1), kind.hasCapacity()});
    if (kind.name == "keys" && kind.extents.size() == 4) {
      // [layers, heads, capacity, P]: a product with the query, one with the
      // value.
      perVisibleKey = 4.0 * static_cast<double>(kind.extents[0]) *
                      static_cast<double>(data.heads) *
                      static_cast<double>(kind.extents[3]);
    } else if (kind.name == "ssd") {
      // Decay, what is added (two), what is read out (two).
      perRowOfState = 5.0 * static_cast<double>(kind.slotBytes(1)) /
                      static_cast<double>(kind.elementBytes);
    }
  }
}

double StepCost::addProduct(const Parameter &matrix) {
  Product product = productOf(matrix);
  // Keys of experts, [2, heads, n, keys], are no panels.
  if (!matrix.scales && !endsWith(matrix.name, ".keys") &&
      std::find(shapes.begin(), shapes.end(), product) == shapes.end()) {
    shapes.push_back(product);
  }
  return 2.0 * static_cast<double>(weightsOf(matrix));
}

void StepCost::addHead(const Parameter &parameter) {
  headBytes += parameter.bytes;
  if (parameter.shape.size() >= 2) {
    logitProducts += addProduct(parameter);
  }
}

StepCost::Table StepCost::tableOf(const Parameter &matrix) {
  Product shape = productOf(matrix);
  return {shape.columns, matrix.bytes / shape.columns, shape.length};
}

int64_t StepCost::Table::bytes(int64_t wanted) const {
  return std::min(wanted, rows) * rowBytes;
}

int64_t StepCost::visible(int64_t tokens) const {
  return keepWindow == 0 ? tokens : std::min(tokens, keepWindow);
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
    int64_t ofSequence = kind.entries
                             ? kind.bytes * visible(step.position + step.rows)
                             : (step.position > 0 ? kind.bytes : 0);
    total += step.sequences * ofSequence;
  }
  return total;
}

double StepCost::operations(const StepShape &step) const {
  auto rows = static_cast<double>(step.sequences * step.rows);
  double keys = 0; // seen by all rows of a sequence
  for (int64_t row = 1; row <= step.rows; ++row) {
    keys += static_cast<double>(visible(step.position + row));
  }
  double total = rows * rowProducts +
                 static_cast<double>(step.logitRows) * logitProducts +
                 static_cast<double>(step.sequences) * keys * perVisibleKey +
                 rows * perRowOfState;
  for (const Table &table : experts) {
    total += 2.0 * rows * static_cast<double>(expertsPerToken) *
             static_cast<double>(table.rowElements);
  }
  return total;
}
