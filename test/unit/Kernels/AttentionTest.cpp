// dynamic_mask_attention, compiled, against its evaluator.
#include "AttentionForm.h"

using namespace cheems::test;
using cheems::reference::MaskOptions;
using cheems::reference::Tensor;

namespace {
class AttentionTest : public KernelTest {};
CHEEMS_MODES(AttentionTest, Mode::Scalar, Mode::Narrow, Mode::Wide, Mode::AMX);

std::string textOf(const AttentionForm &form) {
  FunctionText function(form.name());
  function.input("q", form.rows())
      .input("k", form.keys())
      .input("v", form.keys());
  form.declareMasks(function);
  function.number("first");
  std::string optional = form.clauses(function);
  return function.output("y", form.rows())
      .line("%r = cheems_cpu.dynamic_mask_attention " + form.attributes() +
            " ins(%q, %k, %v, " + form.maskInput() + "%first : tensor<" +
            form.rows() + ">, tensor<" + form.keys() + ">, tensor<" +
            form.keys() + ">, " + form.maskType() + "index)" + optional +
            " outs(%y : tensor<" + form.rows() + ">) -> tensor<" + form.rows() +
            ">")
      .store("%r", "y", form.rows())
      .text();
}

/// One sequence: entries, queries [T, H, P], keys and values [G, C, P], nothing
/// (NaN) past the last entry.
struct Case {
  const AttentionForm &form;
  Entries entries;
  Tensor query;
  StoredRows keys, values;

  Case(Random &random, const AttentionForm &form, int64_t first, int64_t rows,
       bool ties)
      : form(form), entries(random, form.maskHeads, first, rows, ties),
        query(random.tensor({rows, form.heads, form.size}, -3, 3)),
        keys(random, form, entries.capacity),
        values(random, form, entries.capacity) {
    for (std::vector<double> &head : entries.mask) {
      for (double &mask : head) {
        mask = std::isinf(mask) ? 2 : mask;
      }
    }
    for (int64_t g = 0; g < form.keyHeads; ++g) {
      for (int64_t j = entries.count(); j < entries.capacity; ++j) {
        keys.forget(g, j);
        values.forget(g, j);
      }
    }
  }

  /// Entries [0, count) are hidden from every head.
  void hide(int64_t count) {
    for (std::vector<double> &head : entries.mask) {
      for (int64_t j = 0; j < count; ++j) {
        double &mask = head[static_cast<size_t>(j)];
        mask = rounded(mask / 4 * 0.999, Element::F32);
      }
    }
  }

  bool shown(int64_t j) const {
    return std::any_of(entries.mask.begin(), entries.mask.end(),
                       [&](const std::vector<double> &head) {
                         return head[static_cast<size_t>(j)] >=
                                AttentionForm::kHideBelow;
                       });
  }

  /// Entries that some head sees, alone, as append_visible leaves them.
  struct Stored {
    StoredRows keys, values;
    Buffer mask, seen;
    int64_t first = 0;
  };
  Stored compacted() const {
    Stored result{keys, values,
                  Buffer(Element::F32, {form.maskHeads, entries.capacity}),
                  Buffer(Element::I32, {entries.rows})};
    for (int64_t g = 0; g < form.keyHeads; ++g) {
      for (int64_t j = 0; j < entries.capacity; ++j) {
        result.keys.forget(g, j);
        result.values.forget(g, j);
      }
    }
    int64_t place = 0;
    for (int64_t j = 0; j < entries.count(); ++j) {
      if (j == entries.first) {
        result.first = place;
      }
      if (shown(j)) {
        for (int64_t g = 0; g < form.keyHeads; ++g) {
          result.keys.set(g, place, keys, j);
          result.values.set(g, place, values, j);
        }
        for (int64_t m = 0; m < form.maskHeads; ++m) {
          result.mask.set(
              m * entries.capacity + place,
              entries.mask[static_cast<size_t>(m)][static_cast<size_t>(j)]);
        }
        ++place;
      }
      if (j >= entries.first) {
        result.seen.set(j - entries.first, static_cast<double>(place));
      }
    }
    return result;
  }

  Buffer run(CompiledModule &module, const Thresholds *thresholds) const {
    Buffer y(Element::F32, query.shape), q(Element::F32, query);
    if (form.stored) {
      Stored stored = compacted();
      Buffer k = stored.keys.buffer(), v = stored.values.buffer(),
             ks = stored.keys.scaleBuffer(), vs = stored.values.scaleBuffer(),
             first = Buffer::number(stored.first);
      std::vector<const Buffer *> buffers{&q,           &k,     &v,
                                          &stored.mask, &first, &stored.seen};
      if (form.coded()) {
        buffers.insert(buffers.end(), {&ks, &vs});
      }
      buffers.push_back(&y);
      module.call(form.name(), entries.rows, buffers);
      return y;
    }
    Buffer k = keys.buffer(), v = values.buffer(), ks = keys.scaleBuffer(),
           vs = values.scaleBuffer(), m = entries.maskBuffer();
    Buffer first = Buffer::number(entries.first), p = entries.positionBuffer();
    std::vector<const Buffer *> buffers{&q, &k, &v};
    if (form.masked()) {
      buffers.push_back(&m);
    }
    buffers.push_back(&first);
    if (thresholds) {
      buffers.insert(buffers.end(), {&p, &thresholds->mask, &thresholds->last});
    }
    if (form.coded()) {
      buffers.insert(buffers.end(), {&ks, &vs});
    }
    buffers.push_back(&y);
    module.call(form.name(), entries.rows, buffers);
    return y;
  }

  /// Entries [0, count) of key head g as the evaluator takes them: [N, 1, P].
  Tensor entriesOf(const Tensor &all, int64_t g) const {
    Tensor result({entries.count(), 1, form.size});
    auto begin = all.data.begin() + g * entries.capacity * form.size;
    std::copy(begin, begin + static_cast<int64_t>(result.data.size()),
              result.data.begin());
    return result;
  }

  /// The result and how much it may err, a query head at a time: each mask head
  /// has positions of its own.
  std::pair<Tensor, Tensor> evaluate(Mode mode) const {
    Tensor want(query.shape), bound(query.shape),
        queries = form.rounded(mode, query);
    MaskOptions options{form.kind, std::nullopt, AttentionForm::kHideBelow};
    if (form.keep) {
      options.window = form.keep;
    }
    std::vector<int64_t> inOrder(static_cast<size_t>(entries.count()));
    std::iota(inOrder.begin(), inOrder.end(), 0);
    std::vector<int64_t> queryPositions = entries.queryPositions();
    if (form.window) { // entry j is row j
      options.age = form.window;
      queryPositions.assign(inOrder.begin() + entries.first, inOrder.end());
    }
    for (int64_t h = 0; h < form.heads; ++h) {
      int64_t g = h / (form.heads / form.keyHeads),
              m = h / (form.heads / form.maskHeads);
      Tensor q({entries.rows, 1, form.size}),
          k = entriesOf(keys.read, g), v = entriesOf(values.read, g), size = v;
      for (int64_t t = 0; t < entries.rows; ++t) {
        for (int64_t p = 0; p < form.size; ++p) {
          q(t, 0, p) = queries(t, h, p);
        }
      }
      for (double &value : size.data) {
        value = std::abs(value);
      }
      const std::vector<int64_t> &positions =
          form.window ? inOrder : entries.position[static_cast<size_t>(m)];
      auto attend = [&](const Tensor &of) {
        return cheems::reference::dynamicMaskAttention(
            q, k, of, entries.maskOf(m), queryPositions, positions, options);
      };
      Tensor y = attend(v), magnitude = attend(size);
      for (int64_t t = 0; t < entries.rows; ++t) {
        for (int64_t p = 0; p < form.size; ++p) {
          want(t, h, p) = y(t, 0, p);
          bound(t, h, p) =
              magnitude(t, 0, p) * form.valueError(mode, entries.count());
        }
      }
    }
    return {want, bound};
  }
};

/// Compiled once a mode.
CompiledModule *compiled(Mode mode) {
  static CompiledModules modules([](Mode mode) {
    std::string text;
    for (const AttentionForm &form : formsOf(mode, kAttentionForms)) {
      text += textOf(form);
    }
    return text;
  });
  return modules.of(mode);
}

TEST_P(AttentionTest, AgreesWithTheEvaluator) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(13);
  const std::vector<AttentionForm> forms = formsOf(GetParam(), kAttentionForms);
  auto count = static_cast<int64_t>(forms.size());
  for (int64_t i = 0; i < caseCount() * 3 / 2; ++i) {
    const AttentionForm &form = forms[i % count];
    // Past one block of keys, and of rows, now and then; rarely past a split,
    // or two.
    int64_t first =
        i / count % 2 ? random.between(1, random.once(8) ? 900 : 90) : 0;
    Case one(random, form, first, random.rows(), random.once(3));
    if (form.stored && random.once(3)) {
      one.hide(first + random.between(0, one.entries.rows));
    }
    SCOPED_TRACE(form.name() + ", first " + std::to_string(first) + ", rows " +
                 std::to_string(one.entries.rows));
    Thresholds thresholds(one.entries, std::max<int64_t>(form.keep, 1));
    Buffer got = one.run(*module, form.keep ? &thresholds : nullptr);
    auto [want, bound] = one.evaluate(GetParam());
    EXPECT_TRUE(within(got, want, bound));
  }
}

TEST_P(AttentionTest, ARowThatSeesNothingIsZero) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(14);
  for (const AttentionForm &form : formsOf(GetParam(), kAttentionForms)) {
    if (form.kind == MaskKind::Scale || !form.masked() ||
        (form.kind == MaskKind::Bias && form.keep == 0)) {
      continue; // their rows always see themselves
    }
    for (int64_t first : {0, 21}) {
      SCOPED_TRACE(form.name() + ", first " + std::to_string(first));
      Case one(random, form, first, 19, false);
      one.hide(one.entries.count());
      Thresholds thresholds(one.entries, std::max<int64_t>(form.keep, 1));
      for (int64_t i = 0; i < thresholds.mask.elements(); ++i) {
        thresholds.mask.set(i, std::numeric_limits<double>::infinity());
      }
      Buffer got = one.run(*module, form.keep ? &thresholds : nullptr);
      for (int64_t i = 0; i < got.elements(); ++i) {
        ASSERT_EQ(got.get(i), 0) << "element " << i;
      }
    }
  }
}
} // namespace
