// cheems_tile.mma: mma.sync.m16n8k16, or m16n8k32 of bytes, k outermost. And
// cheems_tile.nibbles, which makes bytes for it.
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The blocks of 16 x 8 x 16 of a warp, or of 16 x 8 x 32, and where their
/// registers are in the vectors of a thread.
struct Blocks {
  int64_t m, n, k;
  bool neighbours;  ///< for two blocks
  int64_t together; ///< elements of a register

  /// The first element of each register of an operand, for row block `row` and
  /// k block `step`. `halves` is 2 for a (rows g and g + 8), 1 for b.
  SmallVector<int64_t> registers(int64_t row, int64_t step,
                                 int64_t halves) const {
    SmallVector<int64_t> elements;
    if (!neighbours) {
      int64_t begin = (row * k + step) * 2 * together * halves;
      for (int64_t at = 0; at < 2 * halves; ++at) {
        elements.push_back(begin + together * at);
      }
      return elements;
    }
    // Four registers of each row for two blocks: two for each of them.
    int64_t begin =
        ((row * (k / 2) + step / 2) * 4 * halves + step % 2 * 2) * together;
    for (int64_t pair = 0; pair < 2; ++pair) {
      for (int64_t half = 0; half < halves; ++half) {
        elements.push_back(begin + (4 * half + pair) * together);
      }
    }
    return elements;
  }
};

struct LowerMma : OpConversionPattern<MmaOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    auto fragment = cast<FragmentAttr>(op.getA().getType().getEncoding());
    ArrayRef<int64_t> a = op.getA().getType().getShape();
    int64_t together = fragment.isOfBytes() ? 4 : 2;
    Blocks blocks{a[0] / fragment.getWarpsM() / 16,
                  op.getB().getType().getDimSize(0) / fragment.getWarpsN() / 8,
                  a[1] / fragment.getWarpsK() / (8 * together),
                  fragment.hasNeighbours(), together};
    SmallVector<Value> first = registers(t, adaptor.getA());
    SmallVector<Value> second = registers(t, adaptor.getB());
    SmallVector<Value> sums = t.elements(adaptor.getC());
    auto pick = [=](ArrayRef<Value> registers, ArrayRef<int64_t> elements) {
      return llvm::map_to_vector(elements, [&](int64_t at) {
        return registers[size_t(at / together)];
      });
    };
    for (int64_t k = 0; k < blocks.k; ++k) {
      for (int64_t m = 0; m < blocks.m; ++m) {
        auto rows = pick(first, blocks.registers(m, k, 2));
        for (int64_t n = 0; n < blocks.n; ++n) {
          auto columns = pick(second, blocks.registers(n, k, 1));
          auto sum = MutableArrayRef<Value>(sums).slice(
              size_t(m * blocks.n + n) * 4, 4);
          multiply(t, rows, columns, sum, op.getA().getType().getElementType());
        }
      }
    }
    rewriter.replaceOp(op, t.vector(sums));
    return success();
  }

private:
  /// Registers of an operand: vectors for f16, and i32 for others, as the op
  /// wants them.
  static SmallVector<Value> registers(ThreadBuilder &t, Value operand) {
    SmallVector<Value> elements = t.elements(operand);
    if (elements[0].getType().isInteger(8)) {
      return t.toWords(elements);
    }
    bool packed = elements[0].getType().isBF16();
    SmallVector<Value> pairs;
    for (size_t at = 0; at < elements.size(); at += 2) {
      ArrayRef<Value> pair = ArrayRef<Value>(elements).slice(at, 2);
      pairs.push_back(packed ? t.toWords(pair).front() : t.vector(pair));
    }
    return pairs;
  }

  static void multiply(ThreadBuilder &t, ArrayRef<Value> a, ArrayRef<Value> b,
                       MutableArrayRef<Value> sums, Type element) {
    Type sum = sums[0].getType();
    auto result = LLVM::LLVMStructType::getLiteral(t.b.getContext(),
                                                   {sum, sum, sum, sum});
    bool bytes = element.isInteger(8);
    auto type = bytes              ? NVVM::MMATypes::s8
                : element.isBF16() ? NVVM::MMATypes::bf16
                                   : NVVM::MMATypes::f16;
    std::optional<NVVM::MMAIntOverflow> overflow;
    if (bytes) {
      overflow = NVVM::MMAIntOverflow::wrapped;
    }
    Value product = NVVM::MmaOp::create(
        t.b, t.loc, result, a, b, sums,
        ArrayRef<int64_t>{16, 8, bytes ? 32 : 16}, std::nullopt, overflow,
        std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [at, sum] : llvm::enumerate(sums)) {
      sum = LLVM::ExtractValueOp::create(t.b, t.loc, product, int64_t(at));
    }
  }
};

/// The result has, for 16 neighbouring bytes, four for each part, low halves
/// and then high halves; rows g and g + 8 stand together.
struct LowerNibbles : OpConversionPattern<NibblesOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(NibblesOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    auto fragment = cast<FragmentAttr>(op.getPacked().getType().getEncoding());
    size_t rows = fragment.getRole() == FragmentRole::A ? 2 : 1;
    SmallVector<Value> packed = t.toWords(t.elements(adaptor.getPacked()));
    Value mask = t.i32(int32_t(0xf0f0f0f0)), four = t.i32(4);
    SmallVector<Value> words;
    for (size_t block = 0; block < packed.size(); block += 4 * rows) {
      for (bool high : {false, true}) {
        for (size_t row = 0; row < rows; ++row) {
          Value word = packed[block + 4 * row + size_t(op.getPart())];
          if (!high) {
            word = arith::ShLIOp::create(rewriter, t.loc, word, four);
          }
          words.push_back(t.bitAnd(word, mask));
        }
      }
    }
    rewriter.replaceOp(op, t.vector(t.fromWords(words, rewriter.getI8Type())));
    return success();
  }
};
} // namespace

void tile::populateMmaPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns) {
  patterns.add<LowerMma, LowerNibbles>(types, patterns.getContext());
}
