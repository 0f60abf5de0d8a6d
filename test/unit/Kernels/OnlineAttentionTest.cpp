// online_attention, compiled, against its evaluator; and rows against
// themselves in steps with other rows.
#include "cheems/Reference/OnlineAttention.h"
#include "AttentionForm.h"

using namespace cheems::test;
using cheems::reference::RunningSoftmax;
using cheems::reference::Tensor;

namespace {
class OnlineAttentionTest : public KernelTest {};
CHEEMS_MODES(OnlineAttentionTest, Mode::Scalar, Mode::Narrow, Mode::Wide,
             Mode::AMX);

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kLowest = -std::numeric_limits<double>::infinity();

std::string textOf(const AttentionForm &form) {
  std::string state = form.count() + std::to_string(form.heads) + "xf32";
  FunctionText function(form.name());
  function.input("q", form.rows())
      .input("k", form.keys())
      .input("v", form.keys());
  form.declareMasks(function);
  function.number("first").number("from");
  std::string optional = form.clauses(function);
  std::string results = "tensor<" + state + ">, tensor<" + state +
                        ">, tensor<" + form.rows() + ">";
  return function.output("maximum", state)
      .output("sum", state)
      .output("y", form.rows())
      .line("%r:3 = cheems_cpu.online_attention " + form.attributes() +
            " ins(%q, %k, %v, " + form.maskInput() + "%first, %from : tensor<" +
            form.rows() + ">, tensor<" + form.keys() + ">, tensor<" +
            form.keys() + ">, " + form.maskType() + "index, index)" + optional +
            " outs(%maximum, %sum, %y : " + results + ") -> " + results)
      .store("%r#0", "maximum", state)
      .store("%r#1", "sum", state)
      .store("%r#2", "y", form.rows())
      .text();
}

/// State of the rows as the op takes and leaves it.
struct State {
  Buffer maximum, sum, y;

  explicit State(const RunningSoftmax &of)
      : maximum(Element::F32, of.maximum), sum(Element::F32, of.sum),
        y(Element::F32, of.y) {}
};

/// `count` elements of a buffer of `all` rows, from `row` on.
llvm::ArrayRef<unsigned char> rowsOf(const Buffer &buffer, int64_t all,
                                     int64_t row, int64_t count) {
  size_t bytes = buffer.bytes().size() / static_cast<size_t>(all);
  return buffer.bytes().slice(static_cast<size_t>(row) * bytes,
                              static_cast<size_t>(count) * bytes);
}

/// Rows and a block of entries that they may see all, in part or not at all.
struct Case {
  const AttentionForm &form;
  int64_t rows, entries, first, from;
  Tensor query, mask;               // [T, H, P], [M, J]
  StoredRows keys, values;          // [G, J, P]
  Tensor position, threshold, last; // [M, J], [T, M]
  std::vector<int64_t> seen;
  RunningSoftmax before;

  struct Extents {
    int64_t rows, entries;
  };
  Case(Random &random, const AttentionForm &form)
      : Case(random, form,
             {random.rows(), random.once(4) ? random.between(1, 3)
                                            : random.between(1, 150)}) {}
  Case(Random &random, const AttentionForm &form, Extents extents)
      : form(form), rows(extents.rows), entries(extents.entries),
        from(random.once(2) ? 0 : random.between(1, 200)),
        query(random.tensor({rows, form.heads, form.size}, -3, 3)),
        mask(random.tensor({form.maskHeads, entries}, 0, 4)),
        keys(random, form, entries), values(random, form, entries),
        position({form.maskHeads, entries}),
        threshold(random.tensor({rows, form.maskHeads}, 0, 4)),
        last({rows, form.maskHeads}),
        before{random.tensor({rows, form.heads}, -4, 4),
               random.tensor({rows, form.heads}, 0.5, 20),
               random.tensor(query.shape, -9, 9)} {
    // The first row may see none of the block, the last may see all of it.
    first = random.between(std::max<int64_t>(0, from - rows), from + entries);
    int64_t count = random.between(0, from + entries);
    for (int64_t t = 0; t < rows; ++t) {
      seen.push_back(count);
      count = std::min(count + random.between(0, 3), from + entries);
    }
    bool fresh = from == 0 || random.once(3);
    for (double &value : before.maximum.data) {
      value = fresh ? kLowest : value;
    }
    for (double &value : before.sum.data) {
      value = fresh ? 0 : value;
    }
    for (double &value : before.y.data) {
      value = fresh ? 0 : value;
    }
    // Ties in mask and position, rows that keep all and rows that keep nothing.
    for (double &value : position.data) {
      value = static_cast<double>(random.between(0, 9));
    }
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t m = 0; m < form.maskHeads; ++m) {
        int64_t way = random.between(0, 5);
        last(t, m) = static_cast<double>(random.between(0, 9));
        if (way == 0) {
          threshold(t, m) = kLowest;
        } else if (way == 1) {
          threshold(t, m) = 5;
        } else if (way < 4) {
          threshold(t, m) = mask(m, random.between(0, entries - 1));
        }
      }
    }
    int64_t reach = std::clamp<int64_t>(end(rows - 1), 0, entries);
    for (int64_t j = reach; j < entries; ++j) {
      for (int64_t g = 0; g < form.keyHeads; ++g) {
        keys.forget(g, j);
        values.forget(g, j);
      }
      for (int64_t m = 0; m < form.maskHeads; ++m) {
        mask(m, j) = kNothing;
      }
    }
  }

  /// Every row sees every entry, and saw nothing before.
  void seeAll(Random &random) {
    from = 0;
    first = entries - 1;
    seen.assign(static_cast<size_t>(rows), entries);
    mask = random.tensor({form.maskHeads, entries}, 2, 4);
    keys = StoredRows(random, form, entries);
    values = StoredRows(random, form, entries);
    std::fill(threshold.data.begin(), threshold.data.end(), kLowest);
    before = RunningSoftmax::none(rows, form.heads, form.size);
  }

  /// One past the last of the block's entries in row t's range, or below.
  int64_t end(int64_t t) const {
    int64_t all = form.stored ? seen[static_cast<size_t>(t)] : first + t + 1;
    return all - from;
  }

  bool sees(int64_t t, int64_t m, int64_t j) const {
    if (j >= end(t) || (form.window && j < end(t) - form.window)) {
      return false;
    }
    if (form.kind == MaskKind::Threshold) {
      return mask(m, j) >= AttentionForm::kHideBelow;
    }
    return form.keep == 0 || mask(m, j) > threshold(t, m) ||
           (mask(m, j) == threshold(t, m) && position(m, j) <= last(t, m));
  }

  RunningSoftmax evaluate(Mode mode, const Tensor &of,
                          RunningSoftmax state) const {
    cheems::reference::onlineAttention(
        form.rounded(mode, query), keys.read, of,
        form.masked() ? &mask : nullptr, form.kind, form.scale(),
        [&](int64_t t, int64_t m, int64_t j) { return sees(t, m, j); }, state);
    return state;
  }

  std::string title() const {
    return form.name() + ", rows " + std::to_string(rows) + ", entries " +
           std::to_string(entries) + ", first " + std::to_string(first) +
           ", from " + std::to_string(from);
  }

  static Tensor part(const Tensor &of, int64_t row, int64_t count) {
    llvm::SmallVector<int64_t, 4> shape(of.shape);
    int64_t size = static_cast<int64_t>(of.data.size()) / shape[0];
    shape[0] = count;
    auto begin = of.data.begin() + row * size;
    return Tensor(shape, std::vector<double>(begin, begin + count * size));
  }

  /// Rows [row, row + count) alone; one row by either of its functions.
  State run(CompiledModule &module, int64_t row, int64_t count) const {
    bool single = count == 1 && entries % 4 != 0;
    State state(RunningSoftmax{part(before.maximum, row, count),
                               part(before.sum, row, count),
                               part(before.y, row, count)});
    Buffer q(Element::F32, part(query, row, count)),
        k = keys.buffer(), v = values.buffer(), ks = keys.scaleBuffer(),
        vs = values.scaleBuffer(), m(Element::F32, mask),
        firstBuffer = Buffer::number(first + row),
        fromBuffer = Buffer::number(from), s(Element::I32, {count}),
        p(Element::I32, position), t(Element::F32, part(threshold, row, count)),
        l(Element::I32, part(last, row, count));
    for (int64_t i = 0; i < count; ++i) {
      s.set(i, static_cast<double>(seen[static_cast<size_t>(row + i)]));
    }
    std::vector<const Buffer *> buffers{&q, &k, &v};
    if (form.masked()) {
      buffers.push_back(&m);
    }
    buffers.insert(buffers.end(), {&firstBuffer, &fromBuffer});
    if (form.stored) {
      buffers.push_back(&s);
    } else if (form.keep) {
      buffers.insert(buffers.end(), {&p, &t, &l});
    }
    if (form.coded()) {
      buffers.insert(buffers.end(), {&ks, &vs});
    }
    buffers.insert(buffers.end(), {&state.maximum, &state.sum, &state.y});
    module.call(single ? form.ofOneRow().name() : form.name(), count, buffers);
    return state;
  }
};

/// Compiled once a mode.
CompiledModule *compiled(Mode mode) {
  static CompiledModules modules([](Mode mode) {
    std::string text;
    for (const AttentionForm &form : formsOf(mode, kAttentionForms)) {
      text += textOf(form) + textOf(form.ofOneRow());
    }
    return text;
  });
  return modules.of(mode);
}

TEST_P(OnlineAttentionTest, AgreesWithTheEvaluator) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(15);
  const std::vector<AttentionForm> forms = formsOf(GetParam(), kAttentionForms);
  for (int64_t i = 0; i < caseCount() * 3 / 2; ++i) {
    const AttentionForm &form = forms[i % forms.size()];
    Case one(random, form);
    SCOPED_TRACE(one.title());
    State got = one.run(*module, 0, one.rows);
    RunningSoftmax want = one.evaluate(GetParam(), one.values.read, one.before);
    Tensor absolute = one.values.read;
    RunningSoftmax bound = one.before;
    for (double &value : absolute.data) {
      value = std::abs(value);
    }
    for (double &value : bound.y.data) {
      value = std::abs(value);
    }
    bound = one.evaluate(GetParam(), absolute, bound);
    for (double &value : bound.sum.data) {
      value *= form.relativeError(one.entries);
    }
    for (double &value : bound.y.data) {
      value *= form.valueError(GetParam(), one.entries);
    }
    for (double &value : bound.maximum.data) {
      value = form.scoreError();
    }
    EXPECT_TRUE(within(got.maximum, want.maximum, bound.maximum));
    EXPECT_TRUE(within(got.sum, want.sum, bound.sum));
    EXPECT_TRUE(within(got.y, want.y, bound.y));
  }
}

TEST_P(OnlineAttentionTest, ARowThatSeesNothingKeepsItsState) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(16);
  const std::vector<AttentionForm> forms = formsOf(GetParam(), kAttentionForms);
  int64_t blind = 0;
  for (int64_t i = 0; i < caseCount() * 3 / 2; ++i) {
    const AttentionForm &form = forms[i % forms.size()];
    Case one(random, form);
    // A zero's sign is part of its bits.
    for (double &value : one.before.y.data) {
      value = random.once(4) ? -0.0 : value;
    }
    SCOPED_TRACE(one.title());
    State before(one.before), got = one.run(*module, 0, one.rows);
    size_t row = static_cast<size_t>(form.size) * sizeof(float);
    for (int64_t t = 0; t < one.rows; ++t) {
      for (int64_t h = 0; h < form.heads; ++h) {
        bool any = false;
        for (int64_t j = 0; j < one.entries; ++j) {
          any |= one.sees(t, h / (form.heads / form.maskHeads), j);
        }
        if (any) {
          continue;
        }
        ++blind;
        size_t at = static_cast<size_t>(t * form.heads + h);
        for (auto [now, then, size] :
             {std::tuple(&got.maximum, &before.maximum, sizeof(float)),
              std::tuple(&got.sum, &before.sum, sizeof(float)),
              std::tuple(&got.y, &before.y, row)}) {
          ASSERT_EQ(now->bytes().slice(at * size, size),
                    then->bytes().slice(at * size, size))
              << "row " << t << ", head " << h;
        }
      }
    }
  }
  EXPECT_GT(blind, caseCount());
}

TEST_P(OnlineAttentionTest, ARowDoesNotDependOnItsCompany) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(17);
  const std::vector<AttentionForm> forms = formsOf(GetParam(), kAttentionForms);
  for (int64_t i = 0; i < caseCount() * 3 / 2; ++i) {
    const AttentionForm &form = forms[i % forms.size()];
    Case one(random, form);
    SCOPED_TRACE(one.title());
    State together = one.run(*module, 0, one.rows);
    int64_t row = random.between(0, one.rows - 1),
            count = random.once(2) ? 1 : random.between(1, one.rows - row);
    State apart = one.run(*module, row, count);
    EXPECT_EQ(apart.maximum.bytes(),
              rowsOf(together.maximum, one.rows, row, count));
    EXPECT_EQ(apart.sum.bytes(), rowsOf(together.sum, one.rows, row, count));
    EXPECT_EQ(apart.y.bytes(), rowsOf(together.y, one.rows, row, count))
        << "rows " << row << " to " << row + count;
  }
}

TEST_P(OnlineAttentionTest, ARowThatSeesOnlyNaNIsNaN) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(19);
  for (const AttentionForm &form : formsOf(GetParam(), kAttentionForms)) {
    for (int64_t entries : {1, 4, 5}) {
      Case one(random, form, {1, entries});
      one.seeAll(random);
      std::fill(one.query.data.begin(), one.query.data.end(), kNothing);
      SCOPED_TRACE(one.title());
      State got = one.run(*module, 0, 1);
      for (const Buffer *numbers : {&got.maximum, &got.sum, &got.y}) {
        for (int64_t i = 0; i < numbers->elements(); ++i) {
          ASSERT_TRUE(std::isnan(numbers->get(i))) << i;
        }
      }
    }
  }
}

TEST_P(OnlineAttentionTest, ABoundBetweenTwoF32HidesTheLowerOne) {
  const AttentionForm form{MaskKind::Threshold, 0, 2, 1, 2, 24, Element::F32};
  std::string text = textOf(form), bound = "hide_below ";
  size_t at = text.find(bound) + bound.size();
  text.replace(at, text.find(' ', at) - at, "7.0e-01");
  auto module = CompiledModule::compile(text, GetParam());
  ASSERT_NE(module, nullptr);
  Random random(18);
  Case one(random, form, {1, 4});
  one.seeAll(random);
  // The bits 0x3F333333, to which 0.7 rounds although it is more; and the next.
  for (double mask : {0x1.666666p-1, 0x1.666668p-1}) {
    std::fill(one.mask.data.begin(), one.mask.data.end(), mask);
    State got = one.run(*module, 0, 1);
    for (int64_t h = 0; h < form.heads; ++h) {
      EXPECT_EQ(got.maximum.get(h) == kLowest, mask < 0.7);
    }
  }
}
} // namespace
