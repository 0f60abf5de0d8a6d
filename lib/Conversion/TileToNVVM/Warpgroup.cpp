// cheems_tile.warpgroup_mma, its form with a tile in registers, warpgroup_wait
// and fence: wgmma of sm_90a. Sums go through each piece of assembler text, so
// nothing that LLVM does to them comes between a fence and its matmuls, or
// before a wait.
#include "Patterns.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

/// Bytes that k of one instruction has in a row.
constexpr int64_t kDepthBytes = 2 * kMmaDepth;
/// What addresses in descriptors count.
constexpr int64_t kDescriptorBytes = 16;
/// Rows after which a swizzle repeats.
constexpr int64_t kSwizzledRows = 8;

/// The half of a descriptor that is the same for all addresses in a buffer (PTX
/// ISA, "Matrix Descriptor"): how far eight rows are from the next eight, in 16
/// bytes, and how wide the swizzle is.
/// \param leading how far columns are from those that the swizzle has no room
///   for, in 16 bytes; where k is side by side nothing asks for it, and 1 is
///   usual.
static int64_t descriptorOf(BufferType buffer, int64_t leading = 1) {
  int64_t rowBytes = buffer.getRowBytes();
  int64_t stride = kSwizzledRows * rowBytes / kDescriptorBytes;
  int64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  return swizzle << 62 | stride << 32 | leading << 16;
}

static Value constant(ThreadBuilder &t, int64_t value) {
  return arith::ConstantOp::create(t.b, t.loc, t.b.getI64IntegerAttr(value));
}

/// A descriptor of the rows from `row` on, a multiple of the swizzle's period:
/// so the first piece of the first row is where it would be without swizzle.
static Value descriptor(ThreadBuilder &t, BufferType type, int64_t constants,
                        Value offset, Value stage, Value row) {
  Value begin =
      t.shared(row ? t.add(offset, t.mul(row, type.getRowBytes())) : offset);
  Value address = LLVM::PtrToIntOp::create(t.b, t.loc, t.b.getI32Type(), begin);
  // 18 bits, in 16 bytes.
  Value place = t.shiftRight(t.bitAnd(address, 0x3ffff), 4);
  Value first =
      arith::OrIOp::create(t.b, t.loc, t.wide(place), constant(t, constants));
  if (type.getStages() == 1) {
    return first;
  }
  // What a loop computes is this sum alone.
  return arith::AddIOp::create(
      t.b, t.loc, first,
      t.wide(t.mul(stage, type.getStageBytes() / kDescriptorBytes)));
}

/// Swizzles take bits 4 to 6 of an address from bits 7 to 9, and buffers are
/// aligned to those: so k further on is a plain sum.
static Value along(ThreadBuilder &t, Value descriptor, int64_t bytes) {
  return bytes == 0
             ? descriptor
             : arith::AddIOp::create(t.b, t.loc, descriptor,
                                     constant(t, bytes / kDescriptorBytes))
                   .getResult();
}

namespace {
/// Assembler text that changes sums where they are.
struct Text {
  ThreadBuilder &t;
  SmallVector<Value> sums;
  SmallVector<Value> inputs; ///< descriptors, and words of tiles
  bool fromNothing = false;  ///< the text does not read sums

  /// {$0, $1, ...}
  std::string registers() const { return list(0, sums.size()); }
  /// The place of an input in the text.
  std::string take(Value input) {
    inputs.push_back(input);
    return "$" + std::to_string(afterSums() + inputs.size() - 1);
  }
  std::string takeAll(ArrayRef<Value> words) {
    size_t first = afterSums() + inputs.size();
    llvm::append_range(inputs, words);
    return list(first, words.size());
  }

  Value emit(const std::string &text) {
    std::string constraints, tied;
    for (size_t at = 0; at < sums.size(); ++at) {
      // The first matmul writes sums before the last one reads its inputs.
      constraints += "=&f,";
      tied += fromNothing ? "" : std::to_string(at) + ",";
    }
    constraints += tied;
    for (Value input : inputs) {
      constraints += input.getType().isInteger(64) ? "l," : "r,";
    }
    SmallVector<Value> operands;
    if (!fromNothing) {
      operands = sums;
    }
    llvm::append_range(operands, inputs);
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

private:
  /// Sums are there twice, as results and as operands.
  size_t afterSums() const { return (fromNothing ? 1 : 2) * sums.size(); }
  static std::string list(size_t first, size_t count) {
    std::string text = "{";
    for (size_t at = 0; at < count; ++at) {
      text += (at ? ", $" : "$") + std::to_string(first + at);
    }
    return text + "}";
  }
};

/// The matmuls of one op. All turn no sign; all but perhaps the first add.
class Products {
public:
  Products(ThreadBuilder &t, Value given, Value sums, Type element,
           int64_t columns)
      : text{t, t.elements(sums), {}, matchPattern(given, m_PosZeroFloat())} {
    std::string name = element.isBF16() ? "bf16" : "f16";
    instruction = "wgmma.mma_async.sync.aligned.m64n" +
                  std::to_string(columns) + "k16.f32." + name + "." + name +
                  " ";
  }

  /// \param transposed of operands in memory: 1 where their rows are k.
  void add(const std::string &a, Value b, const std::string &transposed) {
    bool first = code.empty();
    code += instruction + text.registers() + ", " + a + ", " + text.take(b) +
            (first && text.fromNothing ? ", none" : ", adds") + ", 1, 1, " +
            transposed + ";\n";
  }

  Value commit() {
    std::string predicates = "{ .reg .pred adds; setp.eq.u32 adds, 1, 1;\n";
    if (text.fromNothing) {
      predicates += ".reg .pred none; setp.eq.u32 none, 1, 0;\n";
    }
    return text.emit(predicates + "wgmma.fence.sync.aligned;\n" + code +
                     "wgmma.commit_group.sync.aligned; }");
  }

  Text text;

private:
  std::string instruction, code;
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
    Value row, column;
    if (layout.getWarpsM() * layout.getWarpsN() > kWarpgroupWarps) {
      Value group = t.shiftRight(
          t.thread(), llvm::Log2_64(uint64_t(kWarpgroupWarps * kWarpThreads)));
      row = t.mul(t.bitAnd(group, down - 1), kWarpgroupRows);
      column =
          t.mul(t.shiftRight(group, llvm::Log2_64(uint64_t(down))), columns);
    }
    Value left = descriptor(t, a, descriptorOf(a), adaptor.getA(),
                            adaptor.getStageA(), row);
    Value right = descriptor(t, b, descriptorOf(b), adaptor.getB(),
                             adaptor.getStageB(), column);
    Products products(t, op.getC(), adaptor.getC(), a.getElementType(),
                      columns);
    // k is side by side in both operands.
    for (int64_t k = 0; k < a.getColumns() / kMmaDepth; ++k) {
      std::string rows = products.text.take(along(t, left, k * kDepthBytes));
      products.add(rows, along(t, right, k * kDepthBytes), "0, 0");
    }
    rewriter.replaceOp(op, products.commit());
    return success();
  }
};

struct LowerWarpgroupMmaRegisters
    : OpConversionPattern<WarpgroupMmaRegistersOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupMmaRegistersOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    BufferType b = op.getB().getType();
    int64_t leading = b.getStageBytes() / kDescriptorBytes;
    Value right = descriptor(t, b, descriptorOf(b, leading), adaptor.getB(),
                             adaptor.getStageB(), Value());
    Products products(t, op.getC(), adaptor.getC(), b.getElementType(),
                      op.getC().getType().getDimSize(1));
    // Registers of 16 k are those of `mma`.
    SmallVector<Value> words = t.toWords(t.elements(adaptor.getA()));
    for (int64_t k = 0; k < b.getRows() / kMmaDepth; ++k) {
      std::string rows =
          products.text.takeAll(ArrayRef(words).slice(size_t(4 * k), 4));
      products.add(rows, along(t, right, k * kMmaDepth * b.getRowBytes()), "1");
    }
    rewriter.replaceOp(op, products.commit());
    return success();
  }
};

struct LowerWarpgroupWait : OpConversionPattern<WarpgroupWaitOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(WarpgroupWaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    Text text{t, t.elements(adaptor.getTile()), {}};
    // Registers that were read change no earlier.
    if (adaptor.getHeld()) {
      text.takeAll(t.toWords(t.elements(adaptor.getHeld())));
    }
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
  patterns.add<LowerWarpgroupMma, LowerWarpgroupMmaRegisters,
               LowerWarpgroupWait, LowerFence>(types, patterns.getContext());
}
