// rotary_table and rotary, compiled, against their evaluators.
#include "cheems/Reference/Rotary.h"
#include "Cases.h"
#include "ModuleText.h"
#include <iomanip>

using namespace cheems::test;
using cheems::RotaryConfig;
using cheems::RotaryList;
using cheems::reference::RotaryTable;
using cheems::reference::Tensor;

namespace {
class RotaryTest : public KernelTest {};
CHEEMS_EVERY_MODE(RotaryTest);

struct TableForm {
  std::string name;
  int64_t size; ///< of a head
  RotaryConfig config;
  RotaryList list = {}; ///< empty: as config says

  RotaryTable at(int64_t position, int64_t length) const {
    return list.frequencies.empty()
               ? cheems::reference::rotaryTable({position}, size, config,
                                                length)
               : cheems::reference::rotaryTable({position}, list);
  }

  std::string text() const {
    std::string table = "?x" + std::to_string(size / 2) + "xf32",
                tensor = "tensor<" + table + ">";
    std::ostringstream op;
    op << "%c, %s = cheems.rotary_table " << std::scientific
       << std::setprecision(17);
    if (list.frequencies.empty()) {
      op << "theta " << config.theta;
    } else {
      op << "frequencies [";
      for (size_t i = 0; i < list.frequencies.size(); ++i) {
        op << (i == 0 ? "" : ", ") << list.frequencies[i];
      }
      op << "] {magnitude = " << list.factor << " : f64}";
    }
    if (config.dynamic) {
      op << " dynamic {factor = " << config.factor
         << " : f64, trained = " << config.trainedPositions << " : i64}";
    }
    op << " ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%c0, %s0 : "
       << tensor << ", " << tensor << ") -> " << tensor << ", " << tensor;
    return FunctionText(name)
        .input("p", "?xi32")
        .input("l", "?xi32")
        .output("c0", table)
        .output("s0", table)
        .line(op.str())
        .store("%c", "c0", table)
        .store("%s", "s0", table)
        .text();
  }
};

std::vector<TableForm> tableForms() {
  std::vector<TableForm> result;
  for (int64_t size : {2, 4, 6, 32, 34, 64, 128}) {
    for (bool dynamic : {false, true}) {
      if (dynamic && size == 2) {
        continue; // the exponent P / (P - 2) needs more
      }
      RotaryConfig config;
      config.theta = size % 3 ? 10000 : 500000;
      config.dynamic = dynamic;
      config.factor = dynamic ? (size % 4 ? 4 : 2.5) : 1;
      config.trainedPositions = dynamic ? (size == 64 ? 2048 : 77) : 0;
      result.push_back(
          {(dynamic ? "dynamic_" : "table_") + std::to_string(size), size,
           config});
    }
    // No powers of one base, and one that does not turn at all.
    RotaryList list;
    for (int64_t i = 0; i < size / 2; ++i) {
      list.frequencies.push_back(i == 3 ? 0 : std::pow(0.7, i) / (1 + i % 3));
    }
    list.factor = size % 3 ? 1 : 1.2773;
    result.push_back({"list_" + std::to_string(size), size, {}, list});
  }
  return result;
}

TEST_P(RotaryTest, TablesAgreeWithTheEvaluator) {
  auto module = CompiledModule::compile(textOfAll(tableForms()), GetParam());
  ASSERT_NE(module, nullptr);
  Random random(5);
  std::vector<TableForm> forms = tableForms();
  for (int64_t i = 0; i < caseCount(); ++i) {
    const TableForm &form = forms[static_cast<size_t>(i) % forms.size()];
    int64_t rows = random.rows(), half = form.size / 2;
    SCOPED_TRACE(form.name + ", " + std::to_string(rows) + " rows");
    Tensor position({rows}), length({rows}), cosine({rows, half}),
        sine({rows, half}), bound({rows, half});
    for (int64_t t = 0; t < rows; ++t) {
      // The ends, then any magnitude up to 10^6.
      int64_t at =
          t == 0   ? 1000000
          : t == 1 ? 0
                   : static_cast<int64_t>(std::pow(10.0, random.uniform(0, 6)));
      position(t) = static_cast<double>(at);
      length(t) = static_cast<double>(at + random.between(1, 100));
      RotaryTable row = form.at(at, static_cast<int64_t>(length(t)));
      for (int64_t p = 0; p < half; ++p) {
        cosine(t, p) = row.cosine(0, p);
        sine(t, p) = row.sine(0, p);
        // Rounded once to f32; the angle, at most the position, by a few f64
        // functions on either side.
        bound(t, p) =
            form.list.factor * (kUnit + 32 * static_cast<double>(at) * 0x1p-53);
      }
    }
    Buffer bp(Element::I32, position), bl(Element::I32, length),
        bc(Element::F32, {rows, half}), bs(Element::F32, {rows, half});
    module->call(form.name, rows, {&bp, &bl, &bc, &bs});
    EXPECT_TRUE(within(bc, cosine, bound)) << "cosine";
    EXPECT_TRUE(within(bs, sine, bound)) << "sine";
  }
}

TEST_P(RotaryTest, PositionZeroIsExact) {
  // These are of 4 numbers: one base, dynamic, a list.
  for (const TableForm &form :
       {tableForms()[2], tableForms()[3], tableForms()[4]}) {
    auto module = CompiledModule::compile(form.text(), GetParam());
    ASSERT_NE(module, nullptr);
    int64_t half = form.size / 2;
    Buffer bp(Element::I32, Tensor({1})), bl(Element::I32, Tensor({1}, {1e6})),
        bc(Element::F32, {1, half}), bs(Element::F32, {1, half});
    module->call(form.name, 1, {&bp, &bl, &bc, &bs});
    for (int64_t p = 0; p < half; ++p) {
      EXPECT_EQ(bc.get(p), 1);
      EXPECT_EQ(bs.get(p), 0);
    }
  }
}

struct Heads {
  int64_t count, size;
  int64_t turned = size;
  std::string name() const {
    return "rotary_" + std::to_string(count) + "_" + std::to_string(size) +
           "_" + std::to_string(turned);
  }
  std::string text() const {
    std::string rows =
        "?x" + std::to_string(count) + "x" + std::to_string(size) + "xf32";
    std::string table = "?x" + std::to_string(turned / 2) + "xf32";
    return FunctionText(name())
        .input("x", rows)
        .input("c", table)
        .input("s", table)
        .output("y", rows)
        .line("%r = cheems.rotary ins(%x, %c, %s : tensor<" + rows +
              ">, tensor<" + table + ">, tensor<" + table +
              ">) outs(%y : tensor<" + rows + ">) -> tensor<" + rows + ">")
        .store("%r", "y", rows)
        .text();
  }
};
constexpr Heads kHeads[] = {{1, 2},     {1, 64},     {2, 4},      {3, 6},
                            {2, 16},    {5, 18},     {4, 32},     {7, 34},
                            {1, 64, 2}, {3, 80, 20}, {2, 34, 32}, {5, 6, 4}};

TEST_P(RotaryTest, TurnsHeadsAsTheEvaluator) {
  std::string text;
  for (const Heads &heads : kHeads) {
    text += heads.text();
  }
  auto module = CompiledModule::compile(text, GetParam());
  ASSERT_NE(module, nullptr);
  Random random(6);
  for (int64_t i = 0; i < caseCount(); ++i) {
    const Heads &heads = kHeads[i % std::size(kHeads)];
    int64_t rows = random.rows(), half = heads.turned / 2;
    SCOPED_TRACE(heads.name() + ", " + std::to_string(rows) + " rows");
    Tensor x = random.tensor({rows, heads.count, heads.size}, -3, 3);
    RotaryTable table{random.tensor({rows, half}, -1, 1),
                      random.tensor({rows, half}, -1, 1)};
    Buffer bx(Element::F32, x), bc(Element::F32, table.cosine),
        bs(Element::F32, table.sine), by(Element::F32, x.shape);
    module->call(heads.name(), rows, {&bx, &bc, &bs, &by});
    Tensor bound(x.shape); // two products and a sum
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t h = 0; h < heads.count; ++h) {
        for (int64_t p = 0; p < heads.turned; ++p) { // others are copied
          int64_t partner = (p + half) % heads.turned;
          bound(t, h, p) =
              2 * kUnit *
              (std::abs(x(t, h, p) * table.cosine(t, p % half)) +
               std::abs(x(t, h, partner) * table.sine(t, p % half)));
        }
      }
    }
    EXPECT_TRUE(within(by, cheems::reference::rotary(x, table), bound));
  }
}
} // namespace
