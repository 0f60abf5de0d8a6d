// append_visible, compiled: comparisons, moves and a rounding, so bit for bit.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/AppendVisible.h"
#include "cheems/Reference/QuantizeEntries.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::StoredEntries;
using cheems::reference::Tensor;

namespace {
class AppendTest : public KernelTest {};
CHEEMS_EVERY_MODE(AppendTest);

struct Form {
  int64_t heads, size;
  Element element;
  double hideBelow;

  bool coded() const { return element == Element::I8; }
  std::string name() const {
    return "append_M" + std::to_string(heads) + "_P" + std::to_string(size) +
           "_" + spelling(element);
  }
  std::string text() const {
    std::string row = "?x" + std::to_string(size) + "xf32",
                mask = "?x" + std::to_string(heads) + "xf32",
                stored = std::to_string(heads) + "x?xf32",
                keys = "1x?x" + std::to_string(size) + "x" + spelling(element);
    std::string results = "tensor<" + keys + ">, tensor<" + keys +
                          ">, tensor<" + stored + ">, tensor<?xi32>";
    std::ostringstream bound;
    bound << std::scientific << hideBelow;
    FunctionText function(name());
    function.input("key", row)
        .input("value", row)
        .input("mask", mask)
        .number("count")
        .output("k", keys)
        .output("v", keys)
        .output("m", stored)
        .output("s", "?xi32");
    std::string scales;
    if (coded()) {
      function.output("ks", "1x?xf32").output("vs", "1x?xf32");
      scales = " scales(%ks, %vs : tensor<1x?xf32>, tensor<1x?xf32>)";
    }
    function
        .line(std::string(coded() ? "%r:6" : "%r:4") +
              " = cheems_cpu.append_visible hide_below " + bound.str() +
              " ins(%key, %value, %mask, %count : tensor<" + row +
              ">, tensor<" + row + ">, tensor<" + mask +
              ">, index) outs(%k, %v, %m, %s : " + results + ")" + scales +
              " -> " + results +
              (coded() ? ", tensor<1x?xf32>, tensor<1x?xf32>" : ""))
        .store("%r#0", "k", keys)
        .store("%r#1", "v", keys)
        .store("%r#2", "m", stored)
        .store("%r#3", "s", "?xi32");
    if (coded()) {
      function.store("%r#4", "ks", "1x?xf32").store("%r#5", "vs", "1x?xf32");
    }
    return function.text();
  }
};

constexpr Form kForms[] = {
    {1, 1, Element::F32, 1.0},    {1, 64, Element::BF16, 1.0},
    {2, 8, Element::F32, 0.5},    {2, 33, Element::BF16, 1.0},
    {3, 7, Element::BF16, 0.25},  {3, 16, Element::F32, 1.0},
    {4, 24, Element::BF16, 0.75}, {4, 2, Element::F32, 1.0},
    {1, 64, Element::I8, 1.0},    {3, 9, Element::I8, 0.5},
    {2, 9, Element::F32, 0.7}}; // which rounds to an f32 below it

/// Masks around the bound, it and NaN among them; by `way` all or none stored.
Tensor masksOf(Random &random, const Form &form, int64_t rows, int64_t way) {
  Tensor mask = random.tensor({rows, form.heads}, 0, 2 * form.hideBelow);
  float near = static_cast<float>(form.hideBelow);
  float shown = near < form.hideBelow ? std::nextafter(near, 9.0F) : near;
  double least = shown, below = std::nextafter(shown, 0.0F);
  for (double &value : mask.data) {
    int64_t special = random.between(0, 5);
    value = special == 0   ? least
            : special == 1 ? below
            : special == 2 ? std::numeric_limits<double>::quiet_NaN()
                           : value;
    if (way == 0) {
      value = std::isnan(value) ? value : std::min(value, below);
    } else if (way == 1) {
      value = std::isnan(value) ? least : std::max(value, least);
    }
  }
  return mask;
}

TEST_P(AppendTest, StoresWhatTheEvaluatorStores) {
  const std::vector<Form> forms = formsOf(GetParam(), kForms);
  auto module = CompiledModule::compile(textOfAll(forms), GetParam());
  ASSERT_NE(module, nullptr);
  Random random(18);
  for (int64_t i = 0; i < std::max<int64_t>(caseCount(), 200); ++i) {
    const Form &form = forms[i % forms.size()];
    int64_t rows = random.rows(),
            count = random.once(3) ? 0 : random.between(1, 40),
            capacity = count + rows + random.between(0, 3),
            way = random.between(0, 4);
    SCOPED_TRACE(form.name() + ", rows " + std::to_string(rows) + ", count " +
                 std::to_string(count) + ", way " + std::to_string(way));
    Tensor key = random.tensor({rows, form.size}, -2, 2),
           value = random.tensor({rows, form.size}, -2, 2),
           mask = masksOf(random, form, rows, way);
    double range = form.coded() ? 127 : 1;
    StoredEntries stored{
        random.tensor({1, capacity, form.size}, -range, range, form.element),
        random.tensor({1, capacity, form.size}, -range, range, form.element),
        random.tensor({form.heads, capacity}, 0, 1)};
    // The scales are stored as rows of one number.
    StoredEntries scales{random.tensor({1, capacity, 1}, 0, 1),
                         random.tensor({1, capacity, 1}, 0, 1), stored.mask};
    Buffer keys(form.element, stored.keys), values(form.element, stored.values),
        masks(Element::F32, stored.mask), seen(Element::I32, {rows});
    Buffer keyRows(Element::F32, key), valueRows(Element::F32, value),
        maskRows(Element::F32, mask), countBuffer = Buffer::number(count);
    Buffer keyScales(Element::F32, scales.keys.reshaped({1, capacity})),
        valueScales(Element::F32, scales.values.reshaped({1, capacity}));
    std::vector<const Buffer *> buffers{&keyRows,     &valueRows, &maskRows,
                                        &countBuffer, &keys,      &values,
                                        &masks,       &seen};
    if (form.coded()) {
      buffers.insert(buffers.end(), {&keyScales, &valueScales});
    }
    module->call(form.name(), rows, buffers);
    if (form.coded()) {
      auto quantizedKey = cheems::reference::quantizeEntries(key),
           quantizedValue = cheems::reference::quantizeEntries(value);
      key = quantizedKey.codes;
      value = quantizedValue.codes;
      cheems::reference::appendVisible(
          quantizedKey.scales.reshaped({rows, 1}),
          quantizedValue.scales.reshaped({rows, 1}), mask, form.hideBelow,
          count, scales);
    }
    std::vector<int64_t> want = cheems::reference::appendVisible(
        key, value, mask, form.hideBelow, count, stored);
    if (way < 2) {
      EXPECT_EQ(want.back(), count + way * rows);
    }
    for (Tensor *rounding : {&stored.keys, &stored.values}) {
      for (double &element : rounding->data) {
        element = rounded(element, form.element);
      }
    }
    Buffer wantKeys(form.element, stored.keys),
        wantValues(form.element, stored.values),
        wantMasks(Element::F32, stored.mask);
    EXPECT_EQ(keys.bytes(), wantKeys.bytes());
    EXPECT_EQ(values.bytes(), wantValues.bytes());
    EXPECT_EQ(masks.bytes(), wantMasks.bytes());
    EXPECT_EQ(keyScales.bytes(), Buffer(Element::F32, scales.keys).bytes());
    EXPECT_EQ(valueScales.bytes(), Buffer(Element::F32, scales.values).bytes());
    for (int64_t t = 0; t < rows; ++t) {
      EXPECT_EQ(seen.get(t), static_cast<double>(want[static_cast<size_t>(t)]))
          << "row " << t;
    }
  }
}
} // namespace
