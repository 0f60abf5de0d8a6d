// Structured ops: a region for every point of their loops. Matmuls of rows
// with rows go to the evaluator.
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "Affine.h"
#include "Handlers.h"
#include "Letters.h"
#include "cheems/Reference/Linear.h"
#include "mlir/IR/TypeUtilities.h"

namespace cheems::interpreter {
using namespace mlir;

namespace {
/// One structured op as it runs.
class Loops {
public:
  Loops(linalg::LinalgOp op, Frame &f)
      : op(op), f(f), maps(op.getIndexingMapsArray()) {}

  void run() {
    if (!op.hasPureTensorSemantics()) {
      f.fail() << "cannot be interpreted on buffers";
      return;
    }
    if (!findExtents()) {
      return;
    }
    for (Value init : op.getDpsInits()) {
      results.push_back(f.tensor(init));
    }
    ArrayRef<int64_t> outer = f.loops;
    forEachIndex(extents, [&](ArrayRef<int64_t> index) {
      f.loops = index;
      point(index);
      return !f.failed();
    });
    f.loops = outer;
    if (f.failed()) {
      return;
    }
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
      f.set(result, std::move(value));
    }
  }

private:
  ArrayRef<int64_t> shapeOf(OpOperand &operand) {
    const RuntimeValue &value = f.value(operand.get());
    return value.isTensor() ? ArrayRef<int64_t>(value.tensor().shape)
                            : ArrayRef<int64_t>();
  }

  /// How far the loops run, by the shapes of operands, which must agree.
  bool findExtents() {
    SmallVector<int64_t> shapes;
    for (OpOperand &operand : op->getOpOperands()) {
      llvm::append_range(shapes, shapeOf(operand));
    }
    AffineMap loops = op.getShapesToLoopsMap();
    if (!loops) {
      f.fail()
          << "cannot be interpreted: no operand says how far its loops run";
      return false;
    }
    extents = evaluate(loops, shapes);
    for (auto [operand, map] : llvm::zip(op->getOpOperands(), maps)) {
      for (auto [expr, extent] :
           llvm::zip(map.getResults(), shapeOf(operand))) {
        auto loop = dyn_cast<AffineDimExpr>(expr);
        if (loop && extents[loop.getPosition()] != extent) {
          f.fail() << "takes operand " << operand.getOperandNumber()
                   << " of shape " << shapeText(shapeOf(operand))
                   << ", but loop " << loop.getPosition() << " runs to "
                   << extents[loop.getPosition()];
          return false;
        }
      }
    }
    return true;
  }

  std::optional<int64_t> place(OpOperand &operand, ArrayRef<int64_t> index) {
    SmallVector<int64_t> at = evaluate(maps[operand.getOperandNumber()], index);
    ArrayRef<int64_t> shape = shapeOf(operand);
    std::optional<int64_t> place = offsetOf(shape, at);
    if (!place) {
      f.fail() << "takes element " << shapeText(at) << " of operand "
               << operand.getOperandNumber() << ", which is "
               << shapeText(shape);
    }
    return place;
  }

  RuntimeValue argument(OpOperand &operand, ArrayRef<int64_t> index) {
    if (!f.value(operand.get()).isTensor()) {
      return f.value(operand.get());
    }
    std::optional<int64_t> at = place(operand, index);
    if (!at) {
      return {};
    }
    if (!op.isDpsInit(&operand)) {
      return f.element(operand.get(), *at);
    }
    // What an earlier point has left.
    double left = resultOf(operand).data[*at];
    return isUninitialised(left)
               ? f.element(operand.get(), *at)
               : numberOf(left, getElementTypeOrSelf(operand.get().getType()));
  }

  void point(ArrayRef<int64_t> index) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.payloadUsesValueFromOperand(&operand)) {
        f.set(op.getMatchingBlockArgument(&operand), argument(operand, index));
      }
    }
    if (f.failed()) {
      return;
    }
    SmallVector<RuntimeValue> yielded = f.run(*op.getBlock());
    if (f.failed()) {
      return;
    }
    for (auto [i, init] : llvm::enumerate(op.getDpsInitsMutable())) {
      if (std::optional<int64_t> at = place(init, index)) {
        results[i].data[*at] =
            f.elementOf(yielded[i], getElementTypeOrSelf(init.get().getType()));
      }
    }
  }

  Tensor &resultOf(OpOperand &init) {
    return results[init.getOperandNumber() - op.getNumDpsInputs()];
  }

  linalg::LinalgOp op;
  Frame &f;
  SmallVector<AffineMap> maps;
  SmallVector<int64_t> extents;
  std::vector<Tensor> results;
};
} // namespace

template <typename OpTy> static void addStructured(Handlers &handlers) {
  handlers.add<OpTy>([](OpTy op, Frame &f) {
    Loops(cast<linalg::LinalgOp>(op.getOperation()), f).run();
  });
}

/// y[t, n] += sum_k x[t, k] * w[n, k]
static bool isMatmulOfRows(linalg::LinalgOp op) {
  AffineExpr t, n, k;
  MLIRContext *context = op->getContext();
  bindDims(context, t, n, k);
  auto map = [&](AffineExpr row, AffineExpr column) {
    return AffineMap::get(3, 0, {row, column}, context);
  };
  return op.hasPureTensorSemantics() &&
         llvm::all_of(op->getOperandTypes(),
                      [](Type type) {
                        return isa<FloatType>(getElementTypeOrSelf(type));
                      }) &&
         op.getIndexingMapsArray() ==
             SmallVector<AffineMap>{map(t, k), map(n, k), map(t, n)};
}

static void matmul(linalg::MatmulOp op, Frame &f) {
  auto structured = cast<linalg::LinalgOp>(op.getOperation());
  if (!isMatmulOfRows(structured)) {
    Loops(structured, f).run();
    return;
  }
  Value x = op.getInputs()[0], w = op.getInputs()[1], init = op.getOutputs()[0];
  Letters n(f);
  n("TK", x)("NK", w)("TN", init);
  const Tensor &rows = f.read(x), &weights = f.read(w), &before = f.read(init);
  if (f.failed()) {
    return;
  }
  Tensor y = reference::linear(rows, {weights, std::nullopt});
  for (size_t i = 0; i < y.data.size(); ++i) {
    y.data[i] += before.data[i];
  }
  f.set(op.getResult(0), std::move(y));
}

static void fill(linalg::FillOp op, Frame &f) {
  if (op->getNumResults() == 0 ||
      isa<ShapedType>(op.getInputs()[0].getType())) {
    f.fail() << "cannot be interpreted on buffers, or with more than a number";
    return;
  }
  Tensor y(f.tensor(op.getOutputs()[0]).shape);
  Value number = op.getInputs()[0];
  llvm::fill(y.data, f.elementOf(f.value(number), number.getType()));
  f.set(op.getResult(0), std::move(y));
}

void addLinalg(Handlers &handlers) {
  handlers.add<linalg::MatmulOp>(matmul);
  handlers.add<linalg::FillOp>(fill);
  addStructured<linalg::GenericOp>(handlers);
  addStructured<linalg::CopyOp>(handlers);
  addStructured<linalg::TransposeOp>(handlers);
  addStructured<linalg::BroadcastOp>(handlers);
  addStructured<linalg::MapOp>(handlers);
  addStructured<linalg::ReduceOp>(handlers);
  handlers.add<linalg::IndexOp>([](linalg::IndexOp op, Frame &f) {
    f.set(op.getResult(), f.loops[op.getDim()]);
  });
}

} // namespace cheems::interpreter
