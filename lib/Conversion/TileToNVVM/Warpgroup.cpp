// cheems_tile.warpgroup_mma, warpgroup_wait and fence: wgmma of sm_90a. Sums go
// through each piece of assembler text, so nothing that LLVM does to them comes
// between a fence and its products, or before a wait.
#include "Patterns.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// k of one instruction, and bytes of it in a row of 16-bit numbers.
constexpr int64_t kDepth = 16, kDepthBytes = 32;
/// Rows after which a swizzle repeats.
constexpr int64_t kSwizzlePeriod = 8;

/// The half of a descriptor that is the same for all places of a buffer whose
/// rows have k side by side (PTX ISA, "Matrix Descriptor"): how far eight rows
/// are from the next eight, in 16 bytes, and how wide the swizzle is. How far
/// pieces along k are apart is not asked for with a swizzle; 1 is usual.
static int64_t descriptorOf(BufferType buffer) {
  int64_t rowBytes = buffer.getRowBytes();
  int64_t stride = kSwizzlePeriod * rowBytes / 16;
  int64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  return swizzle << 62 | stride << 32 | int64_t(1) << 16;
}

namespace {
/// Assembler text that changes sums where they are.
struct Text {
  ThreadBuilder &t;
  SmallVector<Value> sums;
  SmallVector<Value> descriptors;

  /// {$0, $1, ...}
  std::string registers() const {
    std::string text = "{";
    for (size_t at = 0; at < sums.size(); ++at) {
      text += (at ? ", $" : "$") + std::to_string(at);
    }
    return text + "}";
  }
  /// Descriptors come behind the sums, which are there twice.
  std::string descriptor(size_t number) const {
    return "$" + std::to_string(2 * sums.size() + number);
  }

  Value emit(const std::string &text) {
    std::string constraints, inputs;
    for (size_t at = 0; at < sums.size(); ++at) {
      constraints += "=f,";
      inputs += std::to_string(at) + ",";
    }
    constraints += inputs;
    for (size_t at = 0; at < descriptors.size(); ++at) {
      constraints += "l,";
    }
    SmallVector<Value> operands = sums;
    llvm::append_range(operands, descriptors);
    auto type = LLVM::LLVMStructType::getLiteral(
        t.b.getContext(), SmallVector<Type>(sums.size(), t.b.getF32Type()));
    Value all =
        LLVM::InlineAsmOp::create(
            t.b, t.loc, type, operands, text, constraints + "~{memory}",
            /*has_side_effects=*/true, /*is_align_stack=*/false,
            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    for (auto [at, sum] : llvm::enumerate(sums)) {
      sum = LLVM::ExtractValueOp::create(t.b, t.loc, all, int64_t(at));
    }
    return t.vector(sums);
  }
};

struct LowerWarpgroupMma : OpConversionPattern<WarpgroupMmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupMmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType a = op.getA().getType(), b = op.getB().getType();
    auto layout = cast<FragmentAttr>(op.getC().getType().getEncoding());
    int64_t columns = b.getRows() / layout.getWarpsN();
    // The number of the warpgroup, as the layout counts its warps.
    int64_t down = layout.getWarpsM() / kWarpgroupWarps;
    Value group = t.shiftRight(
        t.thread(), llvm::Log2_64(uint64_t(kWarpgroupWarps * kWarpThreads)));
    Value row = t.mul(t.bitAnd(group, down - 1), kWarpgroupRows);
    Value column =
        t.mul(t.shiftRight(group, llvm::Log2_64(uint64_t(down))), columns);
    Value left = descriptor(t, a, adaptor.getA(), adaptor.getStageA(), row);
    Value right = descriptor(t, b, adaptor.getB(), adaptor.getStageB(), column);

    Text text{t, t.elements(adaptor.getC()), {}};
    std::string name = a.getElementType().isBF16() ? "bf16" : "f16";
    std::string instruction = "wgmma.mma_async.sync.aligned.m64n" +
                              std::to_string(columns) + "k16.f32." + name +
                              "." + name + " ";
    // All products add, and turn no sign; k is side by side in both operands.
    std::string code = "{ .reg .pred adds; setp.eq.u32 adds, 1, 1;\n"
                       "wgmma.fence.sync.aligned;\n";
    for (int64_t k = 0; k < a.getColumns() / kDepth; ++k) {
      text.descriptors.push_back(along(t, left, k));
      text.descriptors.push_back(along(t, right, k));
      code += instruction + text.registers() + ", " +
              text.descriptor(size_t(2 * k)) + ", " +
              text.descriptor(size_t(2 * k + 1)) + ", adds, 1, 1, 0, 0;\n";
    }
    code += "wgmma.commit_group.sync.aligned; }";
    rewriter.replaceOp(op, text.emit(code));
    return success();
  }

private:
  /// Of the rows from `row` on, a multiple of the swizzle's period: so the
  /// first piece of the first row is where it would be without swizzle.
  static Value descriptor(ThreadBuilder &t, BufferType type, Value offset,
                          Value stage, Value row) {
    Value begin = t.shared(t.add(offset, t.mul(row, type.getRowBytes())));
    Value address =
        LLVM::PtrToIntOp::create(t.b, t.loc, t.b.getI32Type(), begin);
    // 18 bits, in 16 bytes.
    Value place = t.shiftRight(t.bitAnd(address, 0x3ffff), 4);
    Value first = arith::OrIOp::create(t.b, t.loc, t.wide(place),
                                       constant(t, descriptorOf(type)));
    if (type.getStages() == 1) {
      return first;
    }
    // What a loop computes is this sum alone.
    return arith::AddIOp::create(
        t.b, t.loc, first, t.wide(t.mul(stage, type.getStageBytes() / 16)));
  }

  /// Swizzles take bits 4 to 6 of an address from bits 7 to 9, and buffers are
  /// aligned to those: so k further on is a plain sum.
  static Value along(ThreadBuilder &t, Value descriptor, int64_t k) {
    return k == 0 ? descriptor
                  : arith::AddIOp::create(t.b, t.loc, descriptor,
                                          constant(t, k * kDepthBytes / 16))
                        .getResult();
  }

  static Value constant(ThreadBuilder &t, int64_t value) {
    return arith::ConstantOp::create(t.b, t.loc, t.b.getI64IntegerAttr(value));
  }
};

struct LowerWarpgroupWait : OpConversionPattern<WarpgroupWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    Text text{t, t.elements(adaptor.getTile()), {}};
    rewriter.replaceOp(op, text.emit("wgmma.wait_group.sync.aligned " +
                                     std::to_string(op.getPending()) + ";"));
    return success();
  }
};

struct LowerFence : OpConversionPattern<FenceOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(FenceOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LLVM::InlineAsmOp::create(
        rewriter, op.getLoc(), TypeRange(), ValueRange(),
        "fence.proxy.async.shared::cta;", "~{memory}",
        /*has_side_effects=*/true, /*is_align_stack=*/false,
        LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr());
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tile::populateWarpgroupPatterns(const TypeConverter &types,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerWarpgroupMma, LowerWarpgroupWait, LowerFence>(
      types, patterns.getContext());
}
