// Positions, rotary tables, rotation, and mask values.
#include "Cases.h"
#include "cheems/Reference/DynamicMask.h"
#include "cheems/Reference/Rotary.h"
#include "cheems/Reference/Segments.h"

using namespace cheems::test;
using cheems::RotaryConfig;
using cheems::reference::Tensor;

namespace {

Array integers(const std::vector<int64_t> &values) {
  Array array(Number::I32, {static_cast<int64_t>(values.size())});
  for (size_t i = 0; i < values.size(); ++i) {
    array.set(static_cast<int64_t>(i), static_cast<double>(values[i]));
  }
  return array;
}

constexpr const char *positions = R"(
func.func @positions_of(%s: tensor<?x8xi32>, %p: tensor<?xi32>, %l: tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
  %r:2 = cheems.positions ONE_ROW ins(%s : tensor<?x8xi32>) outs(%p, %l : tensor<?xi32>, tensor<?xi32>) -> tensor<?xi32>, tensor<?xi32>
  return %r#0, %r#1 : tensor<?xi32>, tensor<?xi32>
}
)";

TEST(PositionsKernelTest, EachRowHasItsPlaceInItsSequence) {
  auto module = compiledStep(replaced(positions, "ONE_ROW", ""));
  auto oneRow = compiledStep(replaced(positions, "ONE_ROW", "one_row"));
  ASSERT_TRUE(module && oneRow);
  forEachCase([&](uint64_t number) {
    Random random(number);
    bool single = random.once(3);
    int64_t count = random.between(1, 6), rows = 0;
    std::vector<cheems::reference::Segment> segments;
    Array table(Number::I32, {count, 8});
    for (int64_t s = 0; s < count; ++s) {
      int64_t length = single ? 1 : random.between(1, 300);
      cheems::reference::Segment segment{
          s, rows, length, random.between(0, 1000000), random.between(1, 2000)};
      segments.push_back(segment);
      // What the table says of the length of one row means nothing.
      int64_t column = s * 8;
      for (int64_t value : {segment.slot, rows, single ? 77 : length,
                            segment.position, segment.ropeLength}) {
        table.set(column++, static_cast<double>(value));
      }
      rows += length;
    }
    Array p(Number::I32, {rows}), l(Number::I32, {rows});
    if ((single ? oneRow : module)->call("positions_of", {&table, &p, &l})) {
      auto want = cheems::reference::rowPositions(segments, rows);
      EXPECT_EQ(p.bytes(), integers(want.position).bytes());
      EXPECT_EQ(l.bytes(), integers(want.length).bytes());
    }
  });
}

constexpr const char *tables = R"(
func.func @table(%p: tensor<?xi32>, %l: tensor<?xi32>, %c: tensor<?xHALFxf32>, %s: tensor<?xHALFxf32>) -> (tensor<?xHALFxf32>, tensor<?xHALFxf32>) {
  %r:2 = cheems.rotary_table ANGLES ins(%p, %l : tensor<?xi32>, tensor<?xi32>)
      outs(%c, %s : tensor<?xHALFxf32>, tensor<?xHALFxf32>) -> tensor<?xHALFxf32>, tensor<?xHALFxf32>
  return %r#0, %r#1 : tensor<?xHALFxf32>, tensor<?xHALFxf32>
}
)";

struct TableForm {
  int64_t half;
  RotaryConfig config;
  cheems::RotaryList list; ///< empty: as config says
  TileModule *module = nullptr;

  std::string angles() const {
    if (list.frequencies.empty()) {
      return "theta " + std::to_string(config.theta) +
             (config.dynamic ? " dynamic {factor = 4.0, trained = 2048}" : "");
    }
    std::string text;
    for (double frequency : list.frequencies) {
      text += (text.empty() ? "" : ", ") + std::to_string(frequency);
    }
    return "frequencies [" + text +
           "] {magnitude = " + std::to_string(list.factor) + "}";
  }
  void compile() {
    std::string text = replaced(tables, "HALF", std::to_string(half));
    module = compiledStep(replaced(text, "ANGLES", angles()));
  }
  cheems::reference::RotaryTable at(int64_t position, int64_t length) const {
    return list.frequencies.empty()
               ? cheems::reference::rotaryTable({position}, 2 * half, config,
                                                length)
               : cheems::reference::rotaryTable({position}, list);
  }
};

TableForm tableForm(int64_t half, double theta, bool isDynamic) {
  TableForm form{half, {}, {}};
  form.config.theta = theta;
  form.config.dynamic = isDynamic;
  form.config.factor = 4;
  form.config.trainedPositions = 2048;
  form.compile();
  return form;
}

/// Frequencies that are no powers of one base, of which one is zero.
TableForm listForm(int64_t half, double factor) {
  TableForm form{half, {}, {}};
  for (int64_t i = 0; i < half; ++i) {
    // Six digits are printed.
    form.list.frequencies.push_back(
        i == 2 ? 0 : std::stod(std::to_string(1 / double((i * 7) % 31 + 1))));
  }
  form.list.factor = factor;
  form.compile();
  return form;
}

/// One model with several kinds of layers may have them.
std::vector<TableForm> allForms() {
  return {tableForm(32, 10000, false), tableForm(8, 500000, true),
          tableForm(20, 10000, true), listForm(32, 1), listForm(5, 1.25)};
}

TEST(RotaryTableKernelTest, AnglesAreExactToF32UpToAMillion) {
  std::vector<TableForm> forms = allForms();
  forEachCase([&](uint64_t number) {
    Random random(number);
    TableForm &form = forms[formOf(number, forms.size())];
    ASSERT_NE(form.module, nullptr);
    int64_t rows = random.between(1, 40);
    int64_t most = random.once(2) ? 1000000 : 5000;
    std::vector<int64_t> position, length;
    Tensor cosine({rows, form.half}), sine({rows, form.half});
    for (int64_t t = 0; t < rows; ++t) {
      position.push_back(t == 0 ? 0 : random.between(0, most));
      length.push_back(random.between(1, most));
      auto row = form.at(position.back(), length.back());
      for (int64_t i = 0; i < form.half; ++i) {
        cosine(t, i) = row.cosine(0, i);
        sine(t, i) = row.sine(0, i);
      }
    }
    Array p = integers(position), l = integers(length),
          c(Number::F32, {rows, form.half}), s(Number::F32, {rows, form.half});
    if (form.module->call("table", {&p, &l, &c, &s})) {
      // One rounding to f32; angles up to 10^6 are exact to 10^-9 in f64.
      double most = form.list.factor;
      EXPECT_TRUE(within(c, cosine, kF32, 1e-9 * most));
      EXPECT_TRUE(within(s, sine, kF32, 1e-9 * most));
    }
  });
}

/// Tables of one step's rows, which one launch makes.
std::string textOfAll(const std::vector<TableForm> &forms) {
  std::string types, names, body;
  for (size_t i = 0; i < forms.size(); ++i) {
    std::string n = std::to_string(i),
                type = "tensor<?x" + std::to_string(forms[i].half) + "xf32>",
                both = type + ", " + type;
    body += "  %e" + n + " = tensor.empty(%t) : " + type + "\n  %r" + n +
            ":2 = cheems.rotary_table " + forms[i].angles() +
            " ins(%p, %l : tensor<?xi32>, tensor<?xi32>) outs(%e" + n + ", %e" +
            n + " : " + both + ") -> " + both + "\n";
    types += (i == 0 ? "" : ", ") + both;
    names += (i == 0 ? "%r" : ", %r") + n + "#0, %r" + n + "#1";
  }
  return "func.func @tables(%p: tensor<?xi32>, %l: tensor<?xi32>) -> (" +
         types +
         ") {\n  %c0 = arith.constant 0 : index\n"
         "  %t = tensor.dim %p, %c0 : tensor<?xi32>\n" +
         body + "  return " + names + " : " + types + "\n}\n";
}

TEST(RotaryTableKernelTest, TablesOfOneLaunchHaveTheBitsOfEachAlone) {
  std::vector<TableForm> forms = allForms();
  auto together = compiledStep(textOfAll(forms));
  ASSERT_NE(together, nullptr);
  for (int64_t rows : {1, 3, 16, 77}) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    Random random(static_cast<uint64_t>(rows));
    std::vector<int64_t> position, length;
    for (int64_t t = 0; t < rows; ++t) {
      position.push_back(random.between(0, 1000000));
      length.push_back(random.between(1, 5000));
    }
    Array p = integers(position), l = integers(length);
    auto all = together->call("tables", {&p, &l});
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2 * forms.size());
    for (size_t i = 0; i < forms.size(); ++i) {
      SCOPED_TRACE("table " + std::to_string(i));
      ASSERT_NE(forms[i].module, nullptr);
      Array c(Number::F32, {rows, forms[i].half}),
          s(Number::F32, {rows, forms[i].half});
      ASSERT_TRUE(forms[i].module->call("table", {&p, &l, &c, &s}));
      EXPECT_EQ((*all)[2 * i].bytes(), c.bytes());
      EXPECT_EQ((*all)[2 * i + 1].bytes(), s.bytes());
    }
  }
}

constexpr const char *rotation = R"(
func.func @rotate(%x: tensor<?xHxPxf32>, %c: tensor<?xHALFxf32>, %s: tensor<?xHALFxf32>, %y: tensor<?xHxPxf32>) -> tensor<?xHxPxf32> {
  %r = cheems.rotary ins(%x, %c, %s : tensor<?xHxPxf32>, tensor<?xHALFxf32>, tensor<?xHALFxf32>) outs(%y : tensor<?xHxPxf32>) -> tensor<?xHxPxf32>
  return %r : tensor<?xHxPxf32>
}
)";

TEST(RotaryKernelTest, HalvesOfHeadsAreRotated) {
  struct Form {
    int64_t heads, half, size;
    TileModule *module = nullptr;
  };
  // Whole heads, then parts of them.
  std::vector<Form> forms = {{4, 8, 16},  {3, 32, 64}, {1, 128, 256},
                             {5, 9, 18},  {2, 16, 64}, {3, 10, 80},
                             {4, 15, 32}, {2, 1, 6}};
  for (Form &form : forms) {
    std::string text = replaced(rotation, "HALF", std::to_string(form.half));
    text = replaced(text, "xHx", "x" + std::to_string(form.heads) + "x");
    text = replaced(text, "xPx", "x" + std::to_string(form.size) + "x");
    form.module = compiledStep(text);
  }
  forEachCase([&](uint64_t number) {
    Random random(number);
    Form &form = forms[formOf(number, forms.size())];
    ASSERT_NE(form.module, nullptr);
    int64_t rows = random.once(4) ? 1 : random.between(1, 70);
    Tensor x = random.tensor({rows, form.heads, form.size}, -4, 4);
    cheems::reference::RotaryTable table{
        random.tensor({rows, form.half}, -1, 1),
        random.tensor({rows, form.half}, -1, 1)};
    Array input(Number::F32, x), c(Number::F32, table.cosine),
        s(Number::F32, table.sine),
        y(Number::F32, {rows, form.heads, form.size});
    if (form.module->call("rotate", {&input, &c, &s, &y})) {
      EXPECT_TRUE(
          within(y, cheems::reference::rotary(x, table), kF32, 12 * kF32));
    }
  });
}

constexpr const char *mask = R"(
func.func @mask(%x: tensor<?xMxf32>, %a: tensor<Mxf32>, %y: tensor<?xMxf32>) -> tensor<?xMxf32> {
  %r = cheems.dynamic_mask ins(%x, %a : tensor<?xMxf32>, tensor<Mxf32>) outs(%y : tensor<?xMxf32>) -> tensor<?xMxf32>
  return %r : tensor<?xMxf32>
}
)";

TEST(MaskKernelTest, ValuesAgreeWithTheEvaluator) {
  constexpr int64_t heads = 3;
  std::string text = replaced(mask, "tensor<Mx", "tensor<3x");
  auto module = compiledStep(replaced(text, "xMx", "x3x"));
  ASSERT_NE(module, nullptr);
  forEachCase([&](uint64_t number) {
    Random random(number);
    int64_t rows = random.between(1, 200);
    double most = random.once(2) ? 1 : 30;
    Tensor x = random.tensor({rows, heads}, -most, most),
           a = random.tensor({heads}, -1, 1);
    Array step(Number::F32, x), factor(Number::F32, a),
        y(Number::F32, {rows, heads});
    Tensor byHead = cheems::reference::dynamicMask(x, a), want({rows, heads});
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t m = 0; m < heads; ++m) {
        want(t, m) = byHead(m, t);
      }
    }
    if (module->call("mask", {&step, &factor, &y})) {
      // The power of e is up to 30 in magnitude, with four roundings in base 2.
      EXPECT_TRUE(
          within(y, want, (4 * most + 8) * kF32 * 1.5 + 4 * kApproximate));
    }
  });
}

} // namespace
