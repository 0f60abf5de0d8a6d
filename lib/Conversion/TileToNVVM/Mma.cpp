// cheems_tile.mma: mma.sync.m16n8k16, k outermost.
#include "Patterns.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// The blocks of 16 x 8 x 16 of a warp, and where their registers are in the
/// vectors of a thread.
struct Blocks {
  int64_t m, n, k;
  int64_t kWidth;

  /// The first element of each register of an operand, for row block `row` and
  /// k block `step`. `halves` is 2 for a (rows g and g + 8), 1 for b.
  SmallVector<int64_t> registers(int64_t row, int64_t step,
                                 int64_t halves) const {
    SmallVector<int64_t> elements;
    if (kWidth == 2) {
      int64_t begin = (row * k + step) * 4 * halves;
      for (int64_t at = 0; at < 2 * halves; ++at) {
        elements.push_back(begin + 2 * at);
      }
      return elements;
    }
    // 8 neighbours of each row for two blocks: 4 for each of them.
    int64_t begin = (row * (k / 2) + step / 2) * 8 * halves + step % 2 * 4;
    for (int64_t pair = 0; pair < 2; ++pair) {
      for (int64_t half = 0; half < halves; ++half) {
        elements.push_back(begin + 8 * half + 2 * pair);
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
    Blocks blocks{a[0] / fragment.getWarpsM() / 16,
                  op.getB().getType().getDimSize(0) / fragment.getWarpsN() / 8,
                  a[1] / fragment.getWarpsK() / 16, fragment.getKWidth()};
    SmallVector<Value> first = registers(t, adaptor.getA());
    SmallVector<Value> second = registers(t, adaptor.getB());
    SmallVector<Value> sums = t.elements(adaptor.getC());
    auto pick = [](ArrayRef<Value> registers, ArrayRef<int64_t> elements) {
      return llvm::map_to_vector(
          elements, [&](int64_t at) { return registers[size_t(at / 2)]; });
    };
    for (int64_t k = 0; k < blocks.k; ++k) {
      for (int64_t m = 0; m < blocks.m; ++m) {
        auto rows = pick(first, blocks.registers(m, k, 2));
        for (int64_t n = 0; n < blocks.n; ++n) {
          auto columns = pick(second, blocks.registers(n, k, 1));
          auto sum = MutableArrayRef<Value>(sums).slice(
              size_t(m * blocks.n + n) * 4, 4);
          multiply(t, rows, columns, sum,
                   op.getA().getType().getElementType().isBF16());
        }
      }
    }
    rewriter.replaceOp(op, t.vector(sums));
    return success();
  }

private:
  /// Pairs of an operand: i32 for bf16, vectors for f16, as the op wants them.
  static SmallVector<Value> registers(ThreadBuilder &t, Value operand) {
    SmallVector<Value> elements = t.elements(operand);
    bool packed = elements[0].getType().isBF16();
    SmallVector<Value> pairs;
    for (size_t at = 0; at < elements.size(); at += 2) {
      ArrayRef<Value> pair = ArrayRef<Value>(elements).slice(at, 2);
      pairs.push_back(packed ? t.toWords(pair).front() : t.vector(pair));
    }
    return pairs;
  }

  static void multiply(ThreadBuilder &t, ArrayRef<Value> a, ArrayRef<Value> b,
                       MutableArrayRef<Value> sums, bool isBF16) {
    Type f32 = t.b.getF32Type();
    auto result = LLVM::LLVMStructType::getLiteral(t.b.getContext(),
                                                   {f32, f32, f32, f32});
    auto type = isBF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::f16;
    Value product = NVVM::MmaOp::create(
        t.b, t.loc, result, a, b, sums, ArrayRef<int64_t>{16, 8, 16},
        std::nullopt, std::nullopt, std::array{type, type},
        std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
    for (auto [at, sum] : llvm::enumerate(sums)) {
      sum = LLVM::ExtractValueOp::create(t.b, t.loc, product, int64_t(at));
    }
  }
};
} // namespace

void tile::populateMmaPatterns(const TypeConverter &types,
                               RewritePatternSet &patterns) {
  patterns.add<LowerMma>(types, patterns.getContext());
}
