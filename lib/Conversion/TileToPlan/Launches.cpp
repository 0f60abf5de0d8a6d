// Launches hand over what compiled kernels have as parameters.
#include "Patterns.h"
#include "cheems/Dialect/CheemsTile/IR/KernelABI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace cheems {
namespace {

struct ConvertLaunch : OpConversionPattern<tile::LaunchOp> {
  using OpConversionPattern::OpConversionPattern;

  /// `operands` are those of the launch's ins and outs, converted.
  static SmallVector<Value> argumentsOf(OpBuilder &b, tile::LaunchOp launch,
                                        ArrayRef<ValueRange> operands) {
    Location loc = launch.getLoc();
    SmallVector<Value> given(launch.getInputs());
    llvm::append_range(given, launch.getOutputs());
    auto extents = [&](unsigned argument) {
      return extentsOf(b, loc, cast<MemRefType>(given[argument].getType()),
                       operands[argument]);
    };
    // The kernel's own types say which extents are arguments.
    auto types = SymbolTable::lookupNearestSymbolFrom<tile::KernelOp>(
                     launch, launch.getKernelAttr())
                     .getArgumentTypes();
    SmallVector<Value> arguments;
    using Kind = tile::KernelParameter::Kind;
    for (const tile::KernelParameter &each : tile::parametersOf(types)) {
      switch (each.kind) {
      case Kind::Extent:
        arguments.push_back(extents(each.argument)[each.dimension]);
        break;
      case Kind::TensorMap: {
        SmallVector<Value> sides = extents(each.argument);
        arguments.push_back(plan::TensorMapOp::create(
            b, loc, types[each.argument], operands[each.argument].front(),
            sides[0], sides[1]));
        break;
      }
      case Kind::Pointer:
      case Kind::Index:
      case Kind::I32:
      case Kind::F32:
        arguments.push_back(operands[each.argument].front());
        break;
      }
    }
    return arguments;
  }

  LogicalResult
  matchAndRewrite(tile::LaunchOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<ValueRange> operands(adaptor.getInputs());
    llvm::append_range(operands, adaptor.getOutputs());
    SmallVector<Value> arguments = argumentsOf(rewriter, op, operands);
    if (op.getWhen()) {
      auto when = plan::WhenOp::create(rewriter, op.getLoc(),
                                       adaptor.getWhen().front());
      rewriter.createBlock(&when.getBody());
    }
    auto grid = adaptor.getGrid();
    plan::LaunchOp::create(rewriter, op.getLoc(), op.getKernel(),
                           grid[0].front(), grid[1].front(), grid[2].front(),
                           arguments);
    rewriter.eraseOp(op);
    return success();
  }
};

struct ConvertMark : OpConversionPattern<MarkOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MarkOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<plan::PartOp>(op, op.getPart());
    return success();
  }
};

struct DropReturn : OpConversionPattern<func::ReturnOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(func::ReturnOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void populateLaunchPatterns(const TypeConverter &types,
                            RewritePatternSet &patterns) {
  patterns.add<ConvertLaunch, ConvertMark, DropReturn>(types,
                                                       patterns.getContext());
}

} // namespace cheems
