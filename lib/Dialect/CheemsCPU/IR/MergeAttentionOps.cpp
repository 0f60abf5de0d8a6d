// Verification of merge_attention.
#include "AttentionUtils.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

LogicalResult MergeAttentionOp::verify() {
  ArrayRef<int64_t> values = shapeOf(getY()), rows = values.take_front(2);
  for (auto [of, name] : {std::pair{getLaterMaximum(), "later_maximum"},
                          {getLaterSum(), "later_sum"},
                          {getMaximum(), "maximum"},
                          {getSum(), "sum"}}) {
    if (failed(verifySameShape(*this, "C1", shapeOf(of), rows,
                               std::string("shapes of ") + name +
                                   " and [T, H]"))) {
      return failure();
    }
  }
  return verifySameShape(*this, "C2", shapeOf(getLaterY()), values,
                         "shapes of later_y and y");
}
