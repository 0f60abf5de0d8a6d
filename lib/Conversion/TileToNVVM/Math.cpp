// Functions that the GPU approximates, one instruction each where it can.
// Passes.td says how far off they are.
#include "mlir/Dialect/Math/IR/Math.h"
#include "Patterns.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cheems;
using namespace cheems::tile;

namespace {
/// What is done to one f32: scale * intrinsic(x * argument).
struct Approximation {
  StringRef intrinsic;
  double argument = 1;
  double result = 1;
};
} // namespace

static std::optional<Approximation> approximationOf(Operation *op) {
  using Result = std::optional<Approximation>;
  constexpr double kLog2E = llvm::numbers::log2e, kLn2 = llvm::numbers::ln2;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([](math::Exp2Op) -> Result {
        return Approximation{"llvm.nvvm.ex2.approx.ftz.f32"};
      })
      .Case([=](math::ExpOp) -> Result {
        return Approximation{"llvm.nvvm.ex2.approx.ftz.f32", kLog2E};
      })
      .Case([](math::Log2Op) -> Result {
        return Approximation{"llvm.nvvm.lg2.approx.ftz.f"};
      })
      .Case([=](math::LogOp) -> Result {
        return Approximation{"llvm.nvvm.lg2.approx.ftz.f", 1, kLn2};
      })
      .Case([](math::RsqrtOp) -> Result {
        return Approximation{"llvm.nvvm.rsqrt.approx.ftz.f"};
      })
      .Case([](math::SqrtOp) -> Result {
        return Approximation{"llvm.nvvm.sqrt.rn.f"};
      })
      .Default([](Operation *) -> Result { return std::nullopt; });
}

/// Those that math-to-llvm turns into one instruction.
static bool isInstruction(Operation *op) {
  return isa<math::AbsFOp, math::FmaOp, math::FloorOp, math::CeilOp,
             math::TruncOp, math::RoundEvenOp>(op);
}

/// cheems-finish-kernels makes polynomials of it.
static bool isPolynomial(Operation *op) {
  return isa<math::ErfOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

/// A logarithm of what is near 1, for which the GPU has no instruction.
static bool isNearOne(Operation *op) {
  return isa<math::Log1pOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isF32();
}

bool tile::isSupportedMath(Operation *op) {
  return isInstruction(op) || isPolynomial(op) || isNearOne(op) ||
         (approximationOf(op) &&
          !getElementTypeOrSelf(op->getResult(0).getType()).isF64());
}

static Value scaled(ThreadBuilder &t, Value number, double factor) {
  if (factor == 1) {
    return number;
  }
  Value constant =
      arith::ConstantOp::create(t.b, t.loc, t.b.getF32FloatAttr(float(factor)));
  return arith::MulFOp::create(t.b, t.loc, number, constant);
}

/// A function of one element, of any floating-point type, computed in f32.
static Value inF32(ThreadBuilder &t, Value number,
                   function_ref<Value(Value)> body) {
  Type type = number.getType(), f32 = t.b.getF32Type();
  if (type == f32) {
    return body(number);
  }
  Value wide = arith::ExtFOp::create(t.b, t.loc, f32, number);
  return arith::TruncFOp::create(t.b, t.loc, type, body(wide));
}

/// The same for each element of a vector, or for a number.
static Value forEach(ThreadBuilder &t, Value operand,
                     function_ref<Value(Value)> body) {
  if (!isa<VectorType>(operand.getType())) {
    return inF32(t, operand, body);
  }
  SmallVector<Value> results;
  for (Value element : t.elements(operand)) {
    results.push_back(inF32(t, element, body));
  }
  return t.vector(results);
}

namespace {
struct LowerMath : ConversionPattern {
  LowerMath(const TypeConverter &types, MLIRContext *context)
      : ConversionPattern(types, MatchAnyOpTypeTag(), /*benefit=*/2, context) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isa_and_nonnull<math::MathDialect>(op->getDialect())) {
      return rewriter.notifyMatchFailure(op, "is no function of numbers");
    }
    ThreadBuilder t(rewriter, op->getLoc());
    if (std::optional<Approximation> made = approximationOf(op)) {
      rewriter.replaceOp(op, forEach(t, operands[0], [&](Value x) {
                           Value y = t.intrinsic(made->intrinsic, x.getType(),
                                                 scaled(t, x, made->argument));
                           return scaled(t, y, made->result);
                         }));
      return success();
    }
    if (!isInstruction(op) && !isPolynomial(op)) {
      return rewriter.notifyMatchFailure(op, "is a function no GPU has");
    }
    Type type = getTypeConverter()->convertType(op->getResult(0).getType());
    Operation *made = Operation::create(
        op->getLoc(), op->getName(), type, operands,
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        BlockRange(), /*numRegions=*/0);
    rewriter.insert(made);
    rewriter.replaceOp(op, made);
    return success();
  }
};

/// log(1 + x) of one f32. Near 1 it is 2 atanh(s) with s = x / (2 + x), as a
/// series in which nothing is lost; elsewhere the logarithm is not small, and
/// an instruction is near enough.
struct Log1p {
  ThreadBuilder &t;

  Value number(double value) {
    return arith::ConstantOp::create(t.b, t.loc,
                                     t.b.getF32FloatAttr(float(value)));
  }
  Value add(Value a, Value c) {
    return arith::AddFOp::create(t.b, t.loc, a, c);
  }
  Value mul(Value a, Value c) {
    return arith::MulFOp::create(t.b, t.loc, a, c);
  }
  Value isLess(Value a, Value c) {
    return arith::CmpFOp::create(t.b, t.loc, arith::CmpFPredicate::OLE, a, c);
  }

  Value series(Value x) {
    constexpr int kTerms = 8; // |s| <= 1/3: the next one is below 2^-27
    Value s = t.intrinsic("llvm.nvvm.div.full.ftz", x.getType(),
                          {x, add(x, number(2))});
    Value square = mul(s, s), sum = number(2.0 / (2 * kTerms - 1));
    for (int i = kTerms - 2; i >= 0; --i) {
      sum = LLVM::FMAOp::create(t.b, t.loc, sum, square,
                                number(2.0 / (2 * i + 1)));
    }
    return mul(s, sum);
  }

  Value of(Value x) {
    Value far = t.intrinsic("llvm.nvvm.lg2.approx.ftz.f", x.getType(),
                            add(x, number(1)));
    far = mul(far, number(llvm::numbers::ln2));
    Value isNear = t.both(isLess(number(-0.5), x), isLess(x, number(1)));
    return arith::SelectOp::create(t.b, t.loc, isNear, series(x), far);
  }
};

struct LowerLog1p : OpConversionPattern<math::Log1pOp> {
  LowerLog1p(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/3) {}

  LogicalResult
  matchAndRewrite(math::Log1pOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ThreadBuilder t(rewriter, op.getLoc());
    Log1p log1p{t};
    rewriter.replaceOp(op, forEach(t, adaptor.getOperand(),
                                   [&](Value x) { return log1p.of(x); }));
    return success();
  }
};

/// A division that may multiply by a reciprocal.
struct LowerFastDivision : OpConversionPattern<arith::DivFOp> {
  LowerFastDivision(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::DivFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::arcp) ||
        !getElementTypeOrSelf(op.getType()).isF32()) {
      return rewriter.notifyMatchFailure(op, "has to be exact, or is not f32");
    }
    ThreadBuilder t(rewriter, op.getLoc());
    auto divide = [&](Value a, Value c) {
      return t.intrinsic("llvm.nvvm.div.full.ftz", rewriter.getF32Type(),
                         {a, c});
    };
    if (!isa<VectorType>(adaptor.getLhs().getType())) {
      rewriter.replaceOp(op, divide(adaptor.getLhs(), adaptor.getRhs()));
      return success();
    }
    SmallVector<Value> results;
    for (auto [a, c] : llvm::zip_equal(t.elements(adaptor.getLhs()),
                                       t.elements(adaptor.getRhs()))) {
      results.push_back(divide(a, c));
    }
    rewriter.replaceOp(op, t.vector(results));
    return success();
  }
};
} // namespace

void tile::populateMathPatterns(const TypeConverter &types,
                                RewritePatternSet &patterns) {
  patterns.add<LowerMath, LowerLog1p, LowerFastDivision>(types,
                                                         patterns.getContext());
}
