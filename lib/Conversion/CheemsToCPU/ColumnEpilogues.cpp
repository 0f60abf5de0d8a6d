// What follows some columns of a merged matmul, done in place after it.
#include "cheems/Conversion/CheemsToCPU/Patterns.h"
#include "cheems/Dialect/Cheems/Utils/Elementwise.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Dialect/CheemsCPU/Utils/Strategy.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::cpu;

namespace {
/// The only user of `value` but for questions for its shape.
Operation *onlyUser(Value value) {
  Operation *only = nullptr;
  for (Operation *user : value.getUsers()) {
    if (isa<tensor::DimOp>(user)) {
      continue;
    }
    if (only) {
      return nullptr;
    }
    only = user;
  }
  return only;
}

struct MergedMatmul {
  LinearOp linear;
  SmallVector<tensor::ExtractSliceOp> parts; ///< by columns
  SmallVector<RotaryOp> rotated;             ///< of the first parts
  tensor::ExtractSliceOp mappedPart;
  SmallVector<linalg::GenericOp> mapped; ///< one after the other

  explicit MergedMatmul(LinearOp linear) : linear(linear) {}

  static int64_t from(tensor::ExtractSliceOp part) {
    return part.getStaticOffsets()[1];
  }
  static int64_t width(tensor::ExtractSliceOp part) {
    return part.getStaticSizes()[1];
  }

  /// Columns of all rows.
  bool isPart(tensor::ExtractSliceOp part) {
    if (!part || part.getSourceType().getRank() != 2 ||
        part.getType().getRank() != 2 || !part.hasUnitStride() ||
        part.getStaticOffsets()[0] != 0 || ShapedType::isDynamic(from(part)) ||
        ShapedType::isDynamic(width(part))) {
      return false;
    }
    OpFoldResult rows = part.getMixedSizes()[0];
    if (auto known = dyn_cast<Attribute>(rows)) {
      return getConstantIntValue(known) ==
             cast<ShapedType>(linear.getY().getType()).getDimSize(0);
    }
    auto dim = cast<Value>(rows).getDefiningOp<tensor::DimOp>();
    return dim && dim.getConstantIndex() == 0 &&
           llvm::is_contained(ArrayRef<Value>{linear.getX(), linear.getY(),
                                              linear.getResult(0)},
                              dim.getSource());
  }

  bool findParts() {
    if (!linear.hasIdentityEpilogue() || linear->getNumResults() != 1) {
      return false;
    }
    for (Operation *user : linear.getResult(0).getUsers()) {
      if (isa<tensor::DimOp>(user)) {
        continue;
      }
      auto part = dyn_cast<tensor::ExtractSliceOp>(user);
      if (!isPart(part)) {
        return false;
      }
      parts.push_back(part);
    }
    llvm::sort(parts, [](tensor::ExtractSliceOp a, tensor::ExtractSliceOp b) {
      return from(a) < from(b);
    });
    // What is done to a part in place is done to whatever shares its columns.
    for (size_t i = 1; i < parts.size(); ++i) {
      if (from(parts[i]) < from(parts[i - 1]) + width(parts[i - 1])) {
        return false;
      }
    }
    return !parts.empty();
  }

  /// Whether `value` is there where the matmul ends.
  bool before(Value value) {
    Operation *definition = value.getDefiningOp();
    return !definition || (definition->getBlock() == linear->getBlock() &&
                           definition->isBeforeInBlock(linear));
  }

  void findRotated() {
    int64_t end = 0;
    for (tensor::ExtractSliceOp part : parts) {
      auto heads = dyn_cast_if_present<tensor::ExpandShapeOp>(
          onlyUser(part.getResult()));
      if (from(part) != end || !heads || heads.getType().getRank() != 3 ||
          heads.getReassociationIndices()[0].size() != 1) {
        return;
      }
      auto rotary = dyn_cast_if_present<RotaryOp>(onlyUser(heads.getResult()));
      if (!rotary || rotary->getNumResults() != 1 ||
          rotary.getX() != heads.getResult() || !rotary.turnsWholeHeads() ||
          !before(rotary.getCosine()) || !before(rotary.getSine())) {
        return;
      }
      int64_t size = heads.getType().getDimSize(2);
      if (rotated.empty()) {
        if (std::lcm(size, LinearOp::kColumns) >
            kMostPanels * LinearOp::kColumns) {
          return;
        }
      } else if (RotaryOp first = rotated.front();
                 first.getCosine() != rotary.getCosine() ||
                 first.getSine() != rotary.getSine()) {
        return;
      }
      rotated.push_back(rotary);
      end = from(part) + width(part);
    }
  }

  /// The elementwise op on `value` and on rows that are there already.
  linalg::GenericOp elementwise(Value value) {
    auto op = dyn_cast_if_present<linalg::GenericOp>(onlyUser(value));
    if (!op || !isElementwiseOnRows(op) || op.getDpsInits()[0] == value ||
        !op.getRegionOutputArgs()[0].use_empty()) {
      return {};
    }
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (operand->get() == value
              ? op.getMatchingIndexingMap(operand).getNumResults() != 2
              : op.getMatchingIndexingMap(operand).getNumResults() != 1 ||
                    !before(operand->get())) {
        return {};
      }
    }
    auto scalars = op.walk([&](Operation *inner) {
      return llvm::all_of(inner->getOperands(),
                          [&](Value scalar) {
                            return op.getRegion().isAncestor(
                                       scalar.getParentRegion()) ||
                                   before(scalar);
                          }) ||
                     inner == op
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    return scalars.wasInterrupted() ? linalg::GenericOp() : op;
  }

  void findMapped() {
    for (tensor::ExtractSliceOp part :
         llvm::reverse(ArrayRef(parts).drop_front(rotated.size()))) {
      Value value = part.getResult();
      while (linalg::GenericOp op = elementwise(value)) {
        mapped.push_back(op);
        value = op.getResult(0);
      }
      if (!mapped.empty()) {
        mappedPart = part;
        return;
      }
    }
  }

  /// The epilogue: all that is mapped, one after the other.
  Value cloneMapped(OpBuilder &b, ValueRange arguments) {
    if (mapped.empty()) {
      return arguments[0];
    }
    Value value = arguments[0], before = mappedPart.getResult();
    auto others = arguments.drop_front().begin();
    IRMapping map;
    for (linalg::GenericOp op : mapped) {
      for (OpOperand *operand : op.getDpsInputOperands()) {
        map.map(op.getMatchingBlockArgument(operand),
                operand->get() == before ? value : Value(*others++));
      }
      for (Operation &inner : op.getBlock()->without_terminator()) {
        b.clone(inner, map);
      }
      value =
          map.lookupOrDefault(op.getBlock()->getTerminator()->getOperand(0));
      before = op.getResult(0);
    }
    return value;
  }

  /// The matmul into whole lines of a cache where it has a tensor of its own.
  Value widen(PatternRewriter &rewriter) {
    Location loc = linear.getLoc();
    auto type = cast<RankedTensorType>(linear.getY().getType());
    if (!linear.getY().getDefiningOp<tensor::EmptyOp>() ||
        type.isDynamicDim(1)) {
      return linear.getResult(0);
    }
    rewriter.setInsertionPoint(linear);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(rewriter, loc, linear.getY());
    sizes[1] = rewriter.getIndexAttr(
        llvm::alignTo(type.getDimSize(1), LinearOp::kColumns));
    Value y =
        tensor::EmptyOp::create(rewriter, loc, sizes, rewriter.getF32Type());
    SmallVector<Value> operands(linear->getOperands());
    operands.back() = y;
    return mlir::clone(rewriter, linear, TypeRange{y.getType()}, operands)
        ->getResult(0);
  }

  LogicalResult fuse(PatternRewriter &rewriter) {
    if (!findParts()) {
      return rewriter.notifyMatchFailure(linear, "is not read by columns");
    }
    findRotated();
    findMapped();
    if (rotated.empty() && mapped.empty()) {
      return rewriter.notifyMatchFailure(linear, "nothing follows its columns");
    }
    remark::passed(
        linear.getLoc(),
        remark::RemarkOpts::name("column-epilogue")
            .category("cheems-fuse-epilogues")
            .function(linear->getParentOfType<func::FuncOp>().getName()))
        << remark::metric("rotated", rotated.size())
        << remark::metric("mapped", mapped.size());
    Value y = widen(rewriter);
    rewriter.setInsertionPointAfterValue(y);
    Value cosine, sine;
    SmallVector<Value> with;
    IntegerAttr columns;
    DenseI64ArrayAttr range;
    if (!rotated.empty()) {
      cosine = rotated[0].getCosine();
      sine = rotated[0].getSine();
      tensor::ExtractSliceOp last = parts[rotated.size() - 1];
      columns = rewriter.getI64IntegerAttr(from(last) + width(last));
    }
    if (!mapped.empty()) {
      range = rewriter.getDenseI64ArrayAttr(
          {from(mappedPart), from(mappedPart) + width(mappedPart)});
      Value before = mappedPart.getResult();
      for (linalg::GenericOp op : mapped) {
        for (Value operand : op.getDpsInputs()) {
          if (operand != before) {
            with.push_back(operand);
          }
        }
        before = op.getResult(0);
      }
    }
    auto epilogue = ColumnEpilogueOp::create(
        rewriter, linear.getLoc(), y.getType(), columns, range,
        /*at=*/Value(), cosine, sine, with, y,
        [&](OpBuilder &b, ValueRange arguments) {
          return cloneMapped(b, arguments);
        });
    for (tensor::ExtractSliceOp part : parts) {
      rewriter.setInsertionPoint(part);
      Value columns = tensor::ExtractSliceOp::create(
          rewriter, part.getLoc(), part.getType(), epilogue.getResult(0),
          part.getMixedOffsets(), part.getMixedSizes(), part.getMixedStrides());
      if (part == mappedPart) {
        rewriter.replaceAllUsesWith(mapped.back().getResult(0), columns);
        for (linalg::GenericOp op : llvm::reverse(mapped)) {
          rewriter.eraseOp(op);
        }
      }
      rewriter.replaceOp(part, columns);
    }
    for (RotaryOp op : rotated) {
      rewriter.replaceOp(op, op.getX());
    }
    if (y != linear.getResult(0)) {
      rewriter.replaceOp(linear, y);
    }
    return success();
  }
};

struct FuseColumnEpilogue : OpRewritePattern<LinearOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearOp op,
                                PatternRewriter &rewriter) const override {
    return MergedMatmul(op).fuse(rewriter);
  }
};
} // namespace

void cheems::populateFuseColumnEpiloguesPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseColumnEpilogue>(patterns.getContext());
}
