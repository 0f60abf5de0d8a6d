// What is the same on the vector of a thread's elements: elementwise ops,
// constants, repeated numbers, coordinates.
#include "Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

bool tile::isElementwise(Operation *op) {
  return isa_and_nonnull<arith::ArithDialect>(op->getDialect()) &&
         op->hasTrait<OpTrait::Elementwise>();
}

/// The constant index of the element, if it is one.
static std::optional<int64_t> elementOf(tensor::ExtractOp op) {
  if (op.getIndices().size() != 1) {
    return std::nullopt;
  }
  return getConstantIntValue(op.getIndices().front());
}

bool tile::isUniformElement(Operation *op) {
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  RankedTensorType tile =
      extract ? extract.getTensor().getType() : RankedTensorType();
  auto layout =
      tile ? dyn_cast_or_null<TileLayoutAttrInterface>(tile.getEncoding())
           : TileLayoutAttrInterface();
  return layout && tile.getRank() == 1 && layout.getThreadBits(0) == 0 &&
         elementOf(extract);
}

namespace {
/// Threads hold all elements, in their order.
struct LowerExtract : OpConversionPattern<tensor::ExtractOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::ExtractOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isUniformElement(op)) {
      return rewriter.notifyMatchFailure(op, "is of what threads hold apart");
    }
    ThreadBuilder t(rewriter, op.getLoc());
    rewriter.replaceOp(op,
                       t.elements(adaptor.getTensor())[size_t(*elementOf(op))]);
    return success();
  }
};

struct LowerElementwise : ConversionPattern {
  LowerElementwise(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isElementwise(op)) {
      return rewriter.notifyMatchFailure(op, "is not elementwise");
    }
    SmallVector<Type> types;
    if (failed(getTypeConverter()->convertTypes(op->getResultTypes(), types))) {
      return rewriter.notifyMatchFailure(op, "has a result of no vector");
    }
    Operation *made = Operation::create(
        op->getLoc(), op->getName(), types, operands,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        BlockRange(), /*numRegions=*/0);
    rewriter.insert(made);
    rewriter.replaceOp(op, made);
    return success();
  }
};

/// An index is a number of 32 bits, so a cast changes nothing or the width.
template <typename CastOp, typename ExtendOp>
struct LowerIndexCast : OpConversionPattern<CastOp> {
  LowerIndexCast(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern<CastOp>(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(CastOp op, typename CastOp::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type to = this->getTypeConverter()->convertType(op.getType());
    unsigned from = adaptor.getIn().getType().getIntOrFloatBitWidth();
    unsigned width = to.getIntOrFloatBitWidth();
    if (from == width) {
      rewriter.replaceOp(op, adaptor.getIn());
    } else if (from < width) {
      rewriter.replaceOpWithNewOp<ExtendOp>(op, to, adaptor.getIn());
    } else {
      rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, to, adaptor.getIn());
    }
    return success();
  }
};

struct LowerConstant : OpConversionPattern<arith::ConstantOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (auto number = dyn_cast<IntegerAttr>(op.getValue())) {
      int64_t value = number.getValue().getSExtValue();
      if (!llvm::isInt<32>(value)) {
        return op.emitOpError("is an index of more than 32 bits");
      }
      rewriter.replaceOpWithNewOp<arith::ConstantOp>(
          op, rewriter.getI32IntegerAttr(int32_t(value)));
      return success();
    }
    auto all = cast<SplatElementsAttr>(op.getValue());
    VectorType type = vectorOf(cast<RankedTensorType>(op.getType()));
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(
        op, DenseElementsAttr::get(type, all.getSplatValue<Attribute>()));
    return success();
  }
};

struct LowerSplat : OpConversionPattern<tensor::SplatOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tensor::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, vectorOf(op.getType()),
                                                     adaptor.getInput());
    return success();
  }
};

struct LowerBroadcast : OpConversionPattern<tile::BroadcastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType from = op.getVector().getType(),
                     to = op.getResult().getType();
    auto kept = size_t(1 - cast<SliceAttr>(from.getEncoding()).getAxis());
    auto slice = layoutOf(from).getElements(from.getShape());
    SmallVector<Value> numbers = t.elements(adaptor.getVector());
    SmallVector<Value> elements;
    for (const auto &at : layoutOf(to).getElements(to.getShape())) {
      const auto *number =
          llvm::find_if(slice, [&](const auto &s) { return s[0] == at[kept]; });
      elements.push_back(numbers[size_t(number - slice.begin())]);
    }
    rewriter.replaceOp(op, t.vector(elements));
    return success();
  }
};

struct LowerIndices : OpConversionPattern<tile::IndicesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(tile::IndicesOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    RankedTensorType tile = op.getResult().getType();
    auto axis = size_t(op.getAxis());
    SmallVector<int32_t> distances;
    for (const auto &at : layoutOf(tile).getElements(tile.getShape())) {
      distances.push_back(int32_t(at[axis]));
    }
    VectorType type = vectorOf(tile);
    Value first = vector::BroadcastOp::create(rewriter, op.getLoc(), type,
                                              t.place(tile)[axis]);
    Value rest = arith::ConstantOp::create(
        rewriter, op.getLoc(),
        DenseElementsAttr::get(type, ArrayRef<int32_t>(distances)));
    rewriter.replaceOp(op, t.add(first, rest));
    return success();
  }
};
} // namespace

void tile::populateElementwisePatterns(const TypeConverter &types,
                                       RewritePatternSet &patterns) {
  patterns.add<LowerElementwise, LowerConstant, LowerExtract, LowerSplat,
               LowerBroadcast, LowerIndices,
               LowerIndexCast<arith::IndexCastOp, arith::ExtSIOp>,
               LowerIndexCast<arith::IndexCastUIOp, arith::ExtUIOp>>(
      types, patterns.getContext());
}
