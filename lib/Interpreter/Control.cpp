// Calls, loops and branches; what hands values on.
#include "Handlers.h"
#include "Slices.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace cheems::interpreter {
using namespace mlir;

static SmallVector<RuntimeValue> valuesOf(ValueRange values, Frame &f) {
  return llvm::map_to_vector(values, [&](Value each) { return f.value(each); });
}

static void setResults(Operation *op, ArrayRef<RuntimeValue> results,
                       Frame &f) {
  if (f.failed()) {
    return;
  }
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
    f.set(result, value);
  }
}

static void call(func::CallOp op, Frame &f) {
  if (func::FuncOp callee = f.function(op.getCalleeAttr())) {
    setResults(op, f.call(callee, valuesOf(op.getOperands(), f)), f);
  }
}

static void loop(scf::ForOp op, Frame &f) {
  int64_t from = f.integer(op.getLowerBound()),
          end = f.integer(op.getUpperBound()), step = f.integer(op.getStep());
  if (step <= 0 || (op.getUnsignedCmp() && (from < 0 || end < 0))) {
    f.fail() << "cannot be interpreted from " << from << " to " << end
             << " by steps of " << step;
    return;
  }
  SmallVector<RuntimeValue> carried = valuesOf(op.getInitArgs(), f);
  for (int64_t i = from; i < end && !f.failed(); i += step) {
    SmallVector<RuntimeValue> arguments{i};
    llvm::append_range(arguments, carried);
    carried = f.run(*op.getBody(), arguments);
  }
  setResults(op, carried, f);
}

/// The first region hands on whether to go on, and with what.
static void loopWhile(scf::WhileOp op, Frame &f) {
  SmallVector<RuntimeValue> carried = valuesOf(op.getInits(), f);
  while (!f.failed()) {
    SmallVector<RuntimeValue> checked = f.run(*op.getBeforeBody(), carried);
    if (f.failed()) {
      return;
    }
    auto next = ArrayRef(checked).drop_front();
    if (checked.front().asInteger() == 0) {
      setResults(op, next, f);
      return;
    }
    carried = f.run(*op.getAfterBody(), next);
  }
}

static void branch(scf::IfOp op, Frame &f) {
  Block *taken =
      f.integer(op.getCondition()) != 0 ? op.thenBlock() : op.elseBlock();
  setResults(op, taken ? f.run(*taken) : SmallVector<RuntimeValue>(), f);
}

/// One iteration after the other. Each sees the tensors as they were before the
/// loop, and says at its end which slices it has made.
static void parallelLoop(scf::ForallOp op, Frame &f) {
  SmallVector<int64_t> from = f.extents(op.getMixedLowerBound()),
                       end = f.extents(op.getMixedUpperBound()),
                       step = f.extents(op.getMixedStep()), counts;
  for (size_t d = 0; d < from.size(); ++d) {
    if (step[d] <= 0) {
      f.fail() << "cannot be interpreted by steps of " << step[d];
      return;
    }
    counts.push_back(llvm::divideCeilSigned(end[d] - from[d], step[d]));
  }
  std::vector<Tensor> outputs;
  for (auto [output, argument] :
       llvm::zip_equal(op.getOutputs(), op.getRegionOutArgs())) {
    f.set(argument, f.value(output));
    outputs.push_back(f.tensor(output));
  }
  SmallVector<Value> variables = op.getInductionVars();
  forEachIndex(counts, [&](ArrayRef<int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d) {
      f.set(variables[d], from[d] + index[d] * step[d]);
    }
    f.run(*op.getBody());
    for (Operation &each : op.getTerminator().getYieldingOps()) {
      auto made = dyn_cast<tensor::ParallelInsertSliceOp>(each);
      if (!made && !f.failed()) {
        f.fail() << "cannot be interpreted with " << each.getName();
      }
      if (f.failed()) {
        break;
      }
      unsigned output =
          cast<BlockArgument>(made.getDest()).getArgNumber() - variables.size();
      insertSlice(cast<OffsetSizeAndStrideOpInterface>(made.getOperation()),
                  made.getDroppedDims(), f.tensor(made.getSource()),
                  outputs[output], f);
    }
    return !f.failed();
  });
  for (auto [result, output] : llvm::zip_equal(op->getResults(), outputs)) {
    f.set(result, std::move(output));
  }
}

void addControl(Handlers &handlers) {
  handlers.add<func::CallOp>(call);
  handlers.add<scf::ForOp>(loop);
  handlers.add<scf::IfOp>(branch);
  handlers.add<scf::WhileOp>(loopWhile);
  handlers.add<scf::ForallOp>(parallelLoop);
  handlers.addTerminator<func::ReturnOp>();
  handlers.addTerminator<linalg::YieldOp>();
  handlers.addTerminator<scf::ConditionOp>();
  handlers.addTerminator<scf::InParallelOp>();
  handlers.addTerminator<scf::YieldOp>();
}

} // namespace cheems::interpreter
