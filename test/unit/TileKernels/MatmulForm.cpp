// The text of a matmul, its values, and how far off it may be.
#include "MatmulForm.h"
#include "Estimate.h"
#include "cheems/Reference/Linear.h"
#include <algorithm>

namespace cheems::test {
namespace {

using reference::Tensor;

const char *nameOf(Number number) {
  switch (number) {
  case Number::BF16:
    return "bf16";
  case Number::F16:
    return "f16";
  default:
    return "f32";
  }
}

constexpr const char *beginning = R"(
#all = affine_map<(t, n) -> (t, n)>
#row = affine_map<(t, n) -> (n)>
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
!x = tensor<?xDEPTHxf32>
!w = tensor<COLUMNSxDEPTHxNUMBER>
!v = tensor<COLUMNSxf32>
!s = tensor<?xCOLUMNSxf32>
!y = tensor<?xCOLUMNSxRESULT>
func.func @product(%x: !x, %w: !w, %w2: !w, %bias: !v, %bias2: !v, %factor: !v, %y: !y) -> !y ATTRIBUTES {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %half = arith.constant 0.5 : f32
  %root = arith.constant 0.70710678118654752 : f32
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%t) : !s
)";

/// Operands of an elementwise op: tensors of the sums' shape, then vectors.
struct Operands {
  std::vector<std::string> sums, vectors = {};
};

/// Arguments of the body are %0, %1 and so on; it defines %r.
std::string elementwise(const std::string &result, const Operands &in,
                        const std::string &out, const std::string &outType,
                        const std::string &element, const std::string &body) {
  std::string maps, names, types, arguments;
  auto add = [&](const std::string &name, const char *map, const char *type) {
    size_t number = arguments.empty()
                        ? 0
                        : std::count(arguments.begin(), arguments.end(), ',');
    maps += std::string(map) + ", ";
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + std::string(type);
    arguments += "%" + std::to_string(number) + ": f32, ";
  };
  for (const std::string &name : in.sums) {
    add(name, "#all", "!s");
  }
  for (const std::string &name : in.vectors) {
    add(name, "#row", "!v");
  }
  return "  " + result + " = linalg.generic {indexing_maps = [" + maps +
         "#all], iterator_types = [\"parallel\", \"parallel\"]} ins(" + names +
         " : " + types + ") outs(" + out + " : " + outType + ") {\n  ^bb0(" +
         arguments + "%old: " + element + "):\n" + body +
         "    linalg.yield %r : " + element + "\n  } -> " + outType + "\n";
}

/// %g is the activation of %0.
std::string activationText(Activation activation) {
  switch (activation) {
  case Activation::SiLU:
    return "    %n = arith.negf %0 : f32\n    %d = math.exp %n : f32\n"
           "    %m = arith.addf %d, %one : f32\n"
           "    %g = arith.divf %0, %m : f32\n";
  case Activation::GELU:
    return "    %n = arith.mulf %0, %root : f32\n    %d = math.erf %n : f32\n"
           "    %m = arith.addf %d, %one : f32\n"
           "    %h = arith.mulf %0, %half : f32\n"
           "    %g = arith.mulf %h, %m : f32\n";
  case Activation::GELUTanh:
    return "    %cubic = arith.constant 0.044715 : f32\n"
           "    %linear = arith.constant -1.5957691216057308 : f32\n"
           "    %square = arith.mulf %0, %0 : f32\n"
           "    %grown = arith.mulf %square, %cubic : f32\n"
           "    %growth = arith.addf %grown, %one : f32\n"
           "    %n = arith.mulf %0, %linear : f32\n"
           "    %power = arith.mulf %n, %growth : f32\n"
           "    %d = math.exp %power : f32\n    %m = arith.addf %d, %one : "
           "f32\n"
           "    %g = arith.divf %0, %m : f32\n";
  case Activation::ReLU:
    return "    %g = arith.maximumf %0, %zero : f32\n";
  case Activation::ReLU2:
    return "    %m = arith.maximumf %0, %zero : f32\n"
           "    %g = arith.mulf %m, %m : f32\n";
  }
  llvm_unreachable("every activation is handled above");
}

std::string matmulText(const std::string &result, const std::string &weight,
                       const std::string &bias) {
  std::string sum = bias.empty() ? result : result + "_sum";
  std::string text =
      "  " + sum +
      "_zero = linalg.fill ins(%zero : f32) outs(%e : !s) -> !s\n  " + sum +
      " = linalg.matmul indexing_maps = [#x, #w, #y] ins(%x, " + weight +
      " : !x, !w) outs(" + sum + "_zero : !s) -> !s\n";
  if (!bias.empty()) {
    text += elementwise(result, {{sum}, {bias}}, "%e", "!s", "f32",
                        "    %r = arith.addf %0, %1 : f32\n");
  }
  return text;
}

/// Slopes of activations are at most 1.13, but for squares. An exponential has
/// the error of its power, which was multiplied by log2(e), and three
/// operations follow. The error function of the GPU is a quotient of
/// polynomials.
Estimate activated(Estimate x, Activation activation) {
  double slope =
      activation == Activation::ReLU2 ? 2 * std::abs(x.value) + x.error : 1.13;
  double value = reference::activate(x.value, activation), own = 0;
  switch (activation) {
  case Activation::SiLU:
    own = std::abs(value) * ((std::abs(x.value) + 4) * 2 * kF32 + kApproximate);
    break;
  case Activation::GELU:
    own = std::abs(x.value) * 8 * kF32;
    break;
  case Activation::GELUTanh:
    own = std::abs(x.value) * (8 * kF32 + kApproximate);
    break;
  case Activation::ReLU:
    break;
  case Activation::ReLU2:
    own = std::abs(value) * 2 * kF32;
    break;
  }
  return {value, slope * x.error + own};
}

/// Sums of products are exact terms that are added in f32, in any order. An
/// instruction of tensor cores may cut what it adds.
double unitOfSums(const MatmulForm &form) {
  auto depth = static_cast<double>(form.depth);
  return form.isF32() ? (depth + 1) * kF32 : (depth + 16) * 2 * kF32;
}

Tensor magnitudes(Tensor tensor) {
  for (double &value : tensor.data) {
    value = std::abs(value);
  }
  return tensor;
}

} // namespace

std::string textOf(const MatmulForm &form) {
  std::string text = replaced(beginning, "DEPTH", std::to_string(form.depth));
  text = replaced(text, "COLUMNS", std::to_string(form.columns));
  text = replaced(text, "NUMBER", nameOf(form.number));
  text = replaced(text, "RESULT", nameOf(form.result));
  text = replaced(text, "ATTRIBUTES",
                  form.mostRows ? "attributes {cheems.most_rows = " +
                                      std::to_string(form.mostRows) + " : i64}"
                                : "");
  text += matmulText("%p", "%w", form.bias ? "%bias" : "");
  if (form.products() == 2) {
    text += matmulText("%p2", "%w2", form.bias ? "%bias2" : "");
  }
  std::string result = "%p", activation = activationText(form.activation);
  switch (form.after) {
  case After::Nothing:
    break;
  case After::Activation:
    text += elementwise("%a", {{result}}, "%e", "!s", "f32",
                        activation + "    %r = arith.mulf %g, %one : f32\n");
    result = "%a";
    break;
  case After::Gate:
    text += elementwise("%a", {{"%p", "%p2"}}, "%e", "!s", "f32",
                        activation + "    %r = arith.mulf %g, %1 : f32\n");
    result = "%a";
    break;
  case After::Residual:
    text += elementwise("%a", {{"%p"}, {"%factor"}}, "%y", "!y", "f32",
                        "    %m = arith.mulf %1, %old : f32\n"
                        "    %r = arith.addf %m, %0 : f32\n");
    result = "%a";
    break;
  case After::Mask:
    text += "  %a = cheems.dynamic_mask ins(" + result +
            ", %factor : !s, !v) outs(%e : !s) -> !s\n";
    result = "%a";
    break;
  }
  if (form.result != Number::F32) {
    std::string element = nameOf(form.result);
    text += elementwise("%rounded", {{result}}, "%y", "!y", element,
                        "    %r = arith.truncf %0 : f32 to " + element + "\n");
    result = "%rounded";
  }
  return text + "  return " + result + " : !y\n}\n";
}

MatmulValues drawnValues(const MatmulForm &form, Random &random, int64_t rows) {
  MatmulValues values;
  values.x = random.tensor({rows, form.depth}, -2, 2);
  // Sums are about 2 in magnitude, for any depth.
  double most = 3 / std::sqrt(static_cast<double>(form.depth));
  for (size_t i = 0; i < form.products(); ++i) {
    values.weights.push_back(
        random.tensor({form.columns, form.depth}, -most, most, form.number));
    values.biases.push_back(random.tensor({form.columns}, -1, 1));
  }
  values.factor = random.tensor({form.columns}, -1, 1);
  values.y = random.tensor({rows, form.columns}, -2, 2);
  return values;
}

std::optional<Array> run(TileModule &module, const MatmulForm &form,
                         const MatmulValues &values) {
  Array x(Number::F32, values.x), w(form.number, values.weights.front()),
      w2(form.number, values.weights.back()),
      bias(Number::F32, values.biases.front()),
      bias2(Number::F32, values.biases.back()),
      factor(Number::F32, values.factor), y(form.result, values.y);
  auto results =
      module.call("product", {&x, &w, &w2, &bias, &bias2, &factor, &y});
  if (!results) {
    return std::nullopt;
  }
  // A residual is updated in place; others may have memory of their own.
  return results->empty() ? y : results->front();
}

testing::AssertionResult isMatmul(const Array &got, const MatmulForm &form,
                                  const MatmulValues &values) {
  Tensor x = values.x;
  for (double &value : x.data) {
    value = nearest(value, form.number);
  }
  std::vector<Tensor> sums, sizes;
  for (const Tensor &weight : values.weights) {
    sums.push_back(linear(x, {weight, std::nullopt}));
    sizes.push_back(linear(magnitudes(x), {magnitudes(weight), std::nullopt}));
  }
  auto sumOf = [&](size_t product, int64_t t, int64_t n) {
    Estimate sum{sums[product](t, n), unitOfSums(form) * sizes[product](t, n)};
    return form.bias ? sum + Estimate{values.biases[product](n)} : sum;
  };
  for (int64_t t = 0; t < values.rows(); ++t) {
    for (int64_t n = 0; n < form.columns; ++n) {
      Estimate want = sumOf(0, t, n);
      switch (form.after) {
      case After::Nothing:
        break;
      case After::Activation:
        want = activated(want, form.activation);
        break;
      case After::Gate:
        want = activated(want, form.activation) * sumOf(1, t, n);
        break;
      case After::Residual:
        want = want + Estimate{values.factor(n)} * Estimate{values.y(t, n)};
        break;
      case After::Mask:
        want = masked(want, values.factor(n));
        break;
      }
      if (form.result != Number::F32) {
        want = rounded(want.value, want.error,
                       form.result == Number::BF16 ? kBF16 : kF16);
      }
      double value = got.get(t * form.columns + n);
      // Written so that NaN fails.
      if (!(std::abs(value - want.value) <= want.error)) {
        return testing::AssertionFailure()
               << "row " << t << ", column " << n << " is " << value
               << ", the evaluator has " << want.value << ", bound "
               << want.error;
      }
    }
  }
  return testing::AssertionSuccess();
}

} // namespace cheems::test
