// Functions of one number are as far off as cheems-lower-tiles says.
#include "Cases.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

constexpr const char *text = R"(
#all = affine_map<(t, n) -> (t, n)>
!x = tensor<?x100xf32>
func.func @apply(%x: !x, %z: !x, %y: !x) -> !x {
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %z : !x, !x) outs(%y : !x) {
  ^bb0(%a: f32, %b: f32, %old: f32):
    %f = OP : f32
    %kept = arith.mulf %f, %old : f32
    linalg.yield %kept : f32
  } -> !x
  return %r : !x
}
)";

struct Function {
  const char *name, *op;
  double (*value)(double a, double b);
  double least, most; ///< of a
  /// How far off it may be, of a and the value.
  double (*error)(double a, double value);
  TileModule *module = nullptr;
};

TEST(FunctionKernelTest, ErrorsAreThoseThatThePassNames) {
  constexpr double log2e = 1.4426950408889634;
  auto approximate = [](double, double value) {
    return kApproximate * std::abs(value);
  };
  // Near 1 logarithms are near 0, and the error is not.
  auto logarithm = [](double, double value) {
    return kApproximate * std::max(std::abs(value), 1.0);
  };
  auto exact = [](double, double value) { return kF32 * std::abs(value); };
  std::vector<Function> functions;
  functions.push_back({"exp2", "math.exp2 %a",
                       [](double a, double) { return std::exp2(a); }, -100, 100,
                       approximate});
  functions.push_back(
      {"exp", "math.exp %a", [](double a, double) { return std::exp(a); }, -80,
       80,
       [](double a, double value) {
         return (kApproximate + 2 * kF32 * std::abs(a) * log2e) * value;
       }});
  functions.push_back({"log2", "math.log2 %a",
                       [](double a, double) { return std::log2(a); }, 1e-3, 8,
                       logarithm});
  functions.push_back({"log", "math.log %a",
                       [](double a, double) { return std::log(a); }, 1e-3, 8,
                       logarithm});
  functions.push_back({"rsqrt", "math.rsqrt %a",
                       [](double a, double) { return 1 / std::sqrt(a); }, 1e-6,
                       1e6, approximate});
  functions.push_back({"sqrt", "math.sqrt %a",
                       [](double a, double) { return std::sqrt(a); }, 0, 1e6,
                       exact});
  functions.push_back({"divf", "arith.divf %a, %b",
                       [](double a, double b) { return a / b; }, -1e3, 1e3,
                       exact});
  functions.push_back(
      {"erf", "math.erf %a", [](double a, double) { return std::erf(a); }, -6,
       6, [](double, double value) { return 8 * kF32 * std::abs(value); }});
  auto log1p = [](double a, double) { return std::log1p(a); };
  auto relative = [](double, double value) {
    return 8 * kF32 * std::abs(value);
  };
  functions.push_back({"log1p", "math.log1p %a", log1p, -0.5, 1, relative});
  functions.push_back(
      {"log1p of little", "math.log1p %a", log1p, 0, 1e-5, relative});
  functions.push_back({"log1p of much", "math.log1p %a", log1p, -0.999, 50,
                       [](double, double value) {
                         return 2 * kApproximate *
                                std::max(std::abs(value), 1.0);
                       }});
  for (Function &function : functions) {
    function.module = compiledStep(replaced(text, "OP", function.op));
  }
  forEachCase([&](uint64_t number) {
    Function &function = functions[formOf(number, functions.size())];
    SCOPED_TRACE(function.name);
    ASSERT_NE(function.module, nullptr);
    Random random(number);
    llvm::SmallVector<int64_t, 2> shape{random.between(1, 40), 100};
    Tensor a = random.tensor(shape, function.least, function.most),
           b = random.tensor(shape, 0.1, 10), one(shape);
    std::fill(one.data.begin(), one.data.end(), 1.0);
    Array x(Number::F32, a), z(Number::F32, b), y(Number::F32, one);
    ASSERT_TRUE(function.module->call("apply", {&x, &z, &y}));
    for (int64_t i = 0; i < y.elements(); ++i) {
      double from = x.get(i), want = function.value(from, z.get(i));
      ASSERT_LE(std::abs(y.get(i) - want), function.error(from, want) + kTiny)
          << "of " << from << " it is " << y.get(i);
    }
  });
}

} // namespace
