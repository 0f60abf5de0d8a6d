// Rows that are chosen by number: embeddings, and logits of wanted rows.
#include "Cases.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/RMSNorm.h"

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {

/// Draws numbers of rows below `limit`.
Array drawnRows(Random &random, int64_t count, int64_t limit) {
  Array rows(Number::I32, {count});
  for (int64_t i = 0; i < count; ++i) {
    rows.set(i, static_cast<double>(random.between(0, limit - 1)));
  }
  return rows;
}

const char *nameOf(Number number) {
  return number == Number::F32    ? "f32"
         : number == Number::BF16 ? "bf16"
                                  : "f16";
}

constexpr const char *embedding = R"(
func.func @embed(%table: tensor<ROWSxCOLUMNSxNUMBER>, %ids: tensor<?xi32>, %y: tensor<?xCOLUMNSxf32>) -> tensor<?xCOLUMNSxf32> {
  %r = cheems.gather_rows ins(%table, %ids : tensor<ROWSxCOLUMNSxNUMBER>, tensor<?xi32>) outs(%y : tensor<?xCOLUMNSxf32>) -> tensor<?xCOLUMNSxf32>
  return %r : tensor<?xCOLUMNSxf32>
}
)";

TEST(GatherKernelTest, EmbeddingsAreTheRowsOfTheTable) {
  struct Form {
    int64_t rows, columns;
    Number number;
  };
  const std::vector<Form> forms = {
      {300, 64, Number::BF16}, {40, 768, Number::F32},   {17, 33, Number::BF16},
      {9, 1, Number::F32},     {25, 1000, Number::BF16}, {50, 130, Number::F32},
      {90, 96, Number::F16},   {30, 35, Number::F16},
  };
  forEachCase([&](uint64_t number) {
    const Form &form = forms[formOf(number, forms.size())];
    std::string text = replaced(embedding, "ROWS", std::to_string(form.rows));
    text = replaced(text, "COLUMNS", std::to_string(form.columns));
    TileModule *module =
        compiledStep(replaced(text, "NUMBER", nameOf(form.number)));
    ASSERT_NE(module, nullptr);
    Random random(number);
    Tensor values =
        random.tensor({form.rows, form.columns}, -1e3, 1e3, form.number);
    int64_t count = random.between(1, 70);
    Array table(form.number, values), ids = drawnRows(random, count, form.rows),
                                      y(Number::F32, {count, form.columns});
    Tensor want({count, form.columns});
    for (int64_t t = 0; t < count; ++t) {
      for (int64_t d = 0; d < form.columns; ++d) {
        want(t, d) = values(static_cast<int64_t>(ids.get(t)), d);
      }
    }
    ASSERT_TRUE(module->call("embed", {&table, &ids, &y}));
    EXPECT_EQ(y.bytes(), Array(Number::F32, want).bytes());
  });
}

/// The text is what the importer makes.
constexpr const char *head = R"(
#x = affine_map<(t, n, k) -> (t, k)>
#w = affine_map<(t, n, k) -> (n, k)>
#y = affine_map<(t, n, k) -> (t, n)>
!x = tensor<?xSIZExf32>
!w = tensor<VOCABULARYxSIZExNUMBER>
!y = tensor<?xVOCABULARYxf32>
func.func @head(%x: !x, %rows: tensor<?xi32>, %norm: tensor<SIZExf32>, %weight: !w, %logits: !y) -> !y {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %r = tensor.dim %rows, %c0 : tensor<?xi32>
  %e = tensor.empty(%r) : !x
  %wanted = cheems.gather_rows ins(%x, %rows : !x, tensor<?xi32>) outs(%e : !x) -> !x
  %n = cheems.rms_norm epsilon 1.0e-06 ins(%wanted, %norm : !x, tensor<SIZExf32>) outs(%e : !x) -> !x
  %f = linalg.fill ins(%zero : f32) outs(%logits : !y) -> !y
  %l = linalg.matmul indexing_maps = [#x, #w, #y] ins(%n, %weight : !x, !w) outs(%f : !y) -> !y
  return %l : !y
}
)";

TEST(GatherKernelTest, LogitsAreThoseOfTheWantedRows) {
  struct Form {
    int64_t vocabulary, size;
    Number number;
  };
  const std::vector<Form> forms = {{500, 64, Number::BF16},
                                   {131, 96, Number::F32},
                                   {1100, 48, Number::F16},
                                   {77, 33, Number::BF16}};
  forEachCase([&](uint64_t number) {
    const Form &form = forms[formOf(number, forms.size())];
    std::string text =
        replaced(head, "VOCABULARY", std::to_string(form.vocabulary));
    text = replaced(text, "SIZE", std::to_string(form.size));
    TileModule *module =
        compiledStep(replaced(text, "NUMBER", nameOf(form.number)));
    ASSERT_NE(module, nullptr);
    Random random(number);
    int64_t count = random.between(1, 40);
    Tensor values = random.tensor({count, form.size}, -2, 2),
           gain = random.tensor({form.size}, -2, 2),
           weights =
               random.tensor({form.vocabulary, form.size}, -1, 1, form.number);
    Array x(Number::F32, values), norm(Number::F32, gain),
        weight(form.number, weights);
    auto logitsOf = [&](Array rows) {
      Array logits(Number::F32, {rows.elements(), form.vocabulary});
      EXPECT_TRUE(module->call("head", {&x, &rows, &norm, &weight, &logits}));
      return logits;
    };
    Array all(Number::I32, {count});
    for (int64_t t = 0; t < count; ++t) {
      all.set(t, static_cast<double>(t));
    }
    Array whole = logitsOf(all);
    // The norm's error of f32 may make another number of what is rounded.
    Tensor normal = cheems::reference::rmsNorm(values, gain, 1e-6),
           want = linear(normal, {weights, std::nullopt});
    auto size = static_cast<double>(form.size);
    double unit = (2 * size + 32) * kF32 + kApproximate +
                  (form.number == Number::BF16  ? kBF16
                   : form.number == Number::F16 ? kF16
                                                : 0);
    for (Tensor *tensor : {&normal, &weights}) {
      for (double &value : tensor->data) {
        value = std::abs(value);
      }
    }
    Tensor sizes = linear(normal, {weights, std::nullopt});
    for (size_t i = 0; i < want.data.size(); ++i) {
      ASSERT_LE(std::abs(whole.get(static_cast<int64_t>(i)) - want.data[i]),
                unit * sizes.data[i]);
    }
    Array rows = drawnRows(random, random.between(1, 20), count),
          some = logitsOf(rows);
    for (int64_t t = 0; t < rows.elements(); ++t) {
      for (int64_t n = 0; n < form.vocabulary; ++n) {
        int64_t from = static_cast<int64_t>(rows.get(t)) * form.vocabulary + n;
        ASSERT_EQ(some.get(t * form.vocabulary + n), whole.get(from));
      }
    }
  });
}

} // namespace
