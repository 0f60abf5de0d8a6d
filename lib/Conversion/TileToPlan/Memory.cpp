// Memory of the GPU as the host sees it: where it begins, and its extents.
#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace cheems {

SmallVector<Value> extentsOf(OpBuilder &b, Location loc, MemRefType type,
                             ValueRange converted) {
  SmallVector<Value> extents;
  ValueRange numbers = converted.drop_front();
  for (int64_t extent : type.getShape()) {
    if (!ShapedType::isDynamic(extent)) {
      extents.push_back(arith::ConstantIndexOp::create(b, loc, extent));
      continue;
    }
    extents.push_back(numbers.front());
    numbers = numbers.drop_front();
  }
  return extents;
}

SmallVector<Value> packed(MemRefType type, Value address,
                          ArrayRef<Value> extents) {
  SmallVector<Value> values{address};
  for (auto [extent, number] : llvm::zip_equal(type.getShape(), extents)) {
    if (ShapedType::isDynamic(extent)) {
      values.push_back(number);
    }
  }
  return values;
}

namespace {
Value product(OpBuilder &b, Location loc, Value first,
              ArrayRef<Value> factors) {
  for (Value factor : factors) {
    first = arith::MulIOp::create(b, loc, first, factor);
  }
  return first;
}

struct ConvertAlloc : OpConversionPattern<memref::AllocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::AllocOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MemRefType type = op.getType();
    SmallVector<Value> values{Value()}; // the address comes last
    for (ValueRange size : adaptor.getDynamicSizes()) {
      values.push_back(size.front());
    }
    Value element = arith::ConstantIndexOp::create(
        rewriter, loc, type.getElementTypeBitWidth() / 8);
    Value bytes =
        product(rewriter, loc, element, extentsOf(rewriter, loc, type, values));
    values.front() = plan::AreaOp::create(
        rewriter, loc, plan::AddressType::get(getContext()), bytes);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct ConvertDim : OpConversionPattern<memref::DimOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::DimOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> extents = extentsOf(
        rewriter, op.getLoc(), cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource());
    rewriter.replaceOp(op, extents[size_t(*op.getConstantIndex())]);
    return success();
  }
};

/// A parameter: its offset is that in the weight section.
struct ConvertView : OpConversionPattern<memref::ViewOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::ViewOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<plan::WeightsOp>(
        op, plan::AddressType::get(getContext()),
        uint64_t(*getConstantIntValue(op.getByteShift())));
    return success();
  }
};

struct ConvertCast : OpConversionPattern<memref::CastOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::CastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> extents = extentsOf(
        rewriter, op.getLoc(), cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource());
    rewriter.replaceOpWithMultiple(
        op, {packed(cast<MemRefType>(op.getType()), adaptor.getSource().front(),
                    extents)});
    return success();
  }
};

struct ConvertCollapse : OpConversionPattern<memref::CollapseShapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::CollapseShapeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> extents =
        extentsOf(rewriter, loc, op.getSrcType(), adaptor.getSrc());
    SmallVector<Value> collapsed;
    for (const auto &group : op.getReassociationIndices()) {
      SmallVector<Value> factors = llvm::map_to_vector(
          group, [&](int64_t dimension) { return extents[size_t(dimension)]; });
      collapsed.push_back(product(rewriter, loc, factors.front(),
                                  ArrayRef(factors).drop_front()));
    }
    rewriter.replaceOpWithMultiple(
        op, {packed(op.getResultType(), adaptor.getSrc().front(), collapsed)});
    return success();
  }
};

struct ConvertExpand : OpConversionPattern<memref::ExpandShapeOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::ExpandShapeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> values{adaptor.getSrc().front()};
    for (ValueRange extent : adaptor.getOutputShape()) {
      values.push_back(extent.front()); // one for each dynamic extent
    }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct DropDealloc : OpConversionPattern<memref::DeallocOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(memref::DeallocOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op); // areas go with the session
    return success();
  }
};
} // namespace

void populateMemoryPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns) {
  patterns.add<ConvertAlloc, ConvertDim, ConvertView, ConvertCast,
               ConvertCollapse, ConvertExpand, DropDealloc>(
      types, patterns.getContext());
}

} // namespace cheems
