// The text of a quantized matmul, its values, and its evaluator.
#include "QuantizedMatmulForm.h"

namespace cheems::test {
namespace {

using reference::QuantizedWeights;
using reference::Tensor;

constexpr const char *beginning = R"(
#all = affine_map<(t, n) -> (t, n)>
#row = affine_map<(t, n) -> (n)>
!x = tensor<?xDEPTHxf32>
!q = tensor<?xDEPTHxi8>
!c = tensor<COLUMNSxBYTESxi8>
!w = tensor<COLUMNSxGROUPSxSCALE>
!v = tensor<COLUMNSxf32>
!s = tensor<?xCOLUMNSxf32>
func.func @product(%x: !x, %c: !c, %w: !w, %c2: !c, %w2: !w, %bias: !v, %bias2: !v, %y: !s) -> !s ATTRIBUTES {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %t = tensor.dim %x, %c0 : !x
  %e = tensor.empty(%t) : !s
  %q0 = tensor.empty(%t) : !q
  %r0 = tensor.empty(%t) : tensor<?xf32>
  %q, %scales = cheems.quantize_entries ins(%x : !x) outs(%q0, %r0 : !q, tensor<?xf32>) -> !q, tensor<?xf32>
)";

std::string elementwise(const std::string &result,
                        const std::vector<std::string> &operands,
                        const std::string &out, const std::string &body) {
  std::string maps, names, types, arguments;
  for (auto [i, name] : llvm::enumerate(operands)) {
    bool vector = llvm::StringRef(name).starts_with("%bias");
    maps += vector ? "#row, " : "#all, ";
    names += (i ? ", " : "") + name;
    types += (i ? ", " : "") + std::string(vector ? "!v" : "!s");
    arguments += "%" + std::to_string(i) + ": f32, ";
  }
  return "  " + result + " = linalg.generic {indexing_maps = [" + maps +
         "#all], iterator_types = [\"parallel\", \"parallel\"]} ins(" + names +
         " : " + types + ") outs(" + out + " : !s) {\n  ^bb0(" + arguments +
         "%old: f32):\n" + body + "    linalg.yield %r : f32\n  } -> !s\n";
}

std::string matmulText(const QuantizedMatmulForm &form,
                       const std::string &number) {
  std::string sum = "%sum" + number, result = "%p" + number;
  return "  " + (form.bias ? sum : result) +
         " = cheems_tile.quantized_matmul bits " + std::to_string(form.bits) +
         " ins(%q, %scales : !q, tensor<?xf32>) weights(%c" + number + ", %w" +
         number + " : !c, !w) outs(%e : !s) -> !s\n" +
         (form.bias ? elementwise(result, {sum, "%bias" + number}, "%e",
                                  "    %r = arith.addf %0, %1 : f32\n")
                    : "");
}

float at(const Tensor &tensor, int64_t t, int64_t n) {
  return static_cast<float>(tensor(t, n));
}

} // namespace

std::string textOf(const QuantizedMatmulForm &form) {
  auto number = [](int64_t value) { return std::to_string(value); };
  std::string text = replaced(beginning, "DEPTH", number(form.depth));
  int64_t bytes = form.bits == 8 ? form.depth : (form.depth + 127) / 128 * 64;
  text = replaced(text, "BYTES", number(bytes));
  text = replaced(text, "COLUMNS", number(form.columns));
  text = replaced(text, "GROUPS", number(form.groups()));
  text = replaced(text, "SCALE", form.bits == 8 ? "f32" : "bf16");
  text = replaced(text, "ATTRIBUTES",
                  form.mostRows ? "attributes {cheems.most_rows = " +
                                      number(form.mostRows) + " : i64}"
                                : "");
  text += matmulText(form, "");
  std::string result = "%p";
  switch (form.after) {
  case After::Nothing:
    break;
  case After::ReLU:
    text += elementwise("%a", {"%p"}, "%e",
                        "    %r = arith.maximumf %0, %zero : f32\n");
    result = "%a";
    break;
  case After::Gate:
    text += matmulText(form, "2") +
            elementwise("%a", {"%p", "%p2"}, "%e",
                        "    %g = arith.maximumf %0, %zero : f32\n"
                        "    %r = arith.mulf %g, %1 : f32\n");
    result = "%a";
    break;
  case After::Residual:
    text +=
        elementwise("%a", {"%p"}, "%y", "    %r = arith.addf %old, %0 : f32\n");
    result = "%a";
    break;
  }
  return text + "  return " + result + " : !s\n}\n";
}

QuantizedValues drawnValues(const QuantizedMatmulForm &form, Random &random,
                            int64_t rows) {
  QuantizedValues values;
  values.x = random.tensor({rows, form.depth}, -2, 2);
  for (int64_t t = 0; t < rows; ++t) {
    // Rows of very different magnitudes, and of almost nothing.
    double unit = random.once(8)   ? 0x1p-101
                  : random.once(3) ? std::ldexp(1, int(random.between(-90, 90)))
                                   : 1;
    for (int64_t k = 0; k < form.depth; ++k) {
      values.x(t, k) = nearest(values.x(t, k) * unit, Number::F32);
    }
  }
  int64_t most = form.bits == 8 ? 127 : 7, least = form.bits == 8 ? -127 : -8;
  for (size_t i = 0; i < form.products(); ++i) {
    QuantizedWeights w{
        Tensor({form.columns, form.depth}),
        random.tensor({form.columns, form.groups()}, -0.1, 0.1,
                      form.bits == 8 ? Number::F32 : Number::BF16)};
    for (double &code : w.codes.data) {
      code = static_cast<double>(random.between(least, most));
    }
    values.weights.push_back(std::move(w));
    values.biases.push_back(random.tensor({form.columns}, -1, 1));
  }
  values.y = random.tensor({rows, form.columns}, -2, 2);
  return values;
}

std::optional<Array> run(TileModule &module, const QuantizedMatmulForm &form,
                         const QuantizedValues &values) {
  auto codes = [&](const QuantizedWeights &w) {
    return Array(Number::I8,
                 form.bits == 8 ? w.codes : reference::nibblesOf(w.codes));
  };
  auto scales = [&](const QuantizedWeights &w) {
    return Array(form.bits == 8 ? Number::F32 : Number::BF16, w.scales);
  };
  Array x(Number::F32, values.x),
      c = codes(values.weights.front()), w = scales(values.weights.front()),
      c2 = codes(values.weights.back()), w2 = scales(values.weights.back()),
      bias(Number::F32, values.biases.front()),
      bias2(Number::F32, values.biases.back()), y(Number::F32, values.y);
  auto results =
      module.call("product", {&x, &c, &w, &c2, &w2, &bias, &bias2, &y});
  if (!results) {
    return std::nullopt;
  }
  // A residual is updated in place; others may have memory of their own.
  return results->empty() ? y : results->front();
}

Array expected(const QuantizedMatmulForm &form, const QuantizedValues &values) {
  reference::RoundedRows rows = reference::roundedRows(values.x);
  std::vector<Tensor> sums;
  for (size_t i = 0; i < form.products(); ++i) {
    sums.push_back(reference::quantizedMatmul(rows, values.weights[i]));
    for (size_t j = 0; form.bias && j < sums[i].data.size(); ++j) {
      auto bias = static_cast<float>(
          values.biases[i].data[j % static_cast<size_t>(form.columns)]);
      sums[i].data[j] = static_cast<float>(sums[i].data[j]) + bias;
    }
  }
  Tensor y({values.rows(), form.columns});
  for (int64_t t = 0; t < values.rows(); ++t) {
    for (int64_t n = 0; n < form.columns; ++n) {
      float sum = at(sums[0], t, n);
      switch (form.after) {
      case After::Nothing:
        break;
      case After::ReLU:
        sum = std::max(sum, 0.0F);
        break;
      case After::Gate:
        sum = std::max(sum, 0.0F) * at(sums[1], t, n);
        break;
      case After::Residual:
        sum = at(values.y, t, n) + sum;
        break;
      }
      y(t, n) = sum;
    }
  }
  return Array(Number::F32, y);
}

} // namespace cheems::test
