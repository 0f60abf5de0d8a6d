// dynamic_mask_attention, compiled, against its evaluator.
#include "Entries.h"
#include "ModuleText.h"
#include "cheems/Reference/DynamicMaskAttention.h"

using namespace cheems::test;
using cheems::reference::MaskKind;
using cheems::reference::MaskOptions;
using cheems::reference::Tensor;

namespace {
class AttentionTest : public KernelTest {};
CHEEMS_EVERY_MODE(AttentionTest);

constexpr double kHideBelow = 1.0;

struct Form {
  MaskKind kind;
  int64_t keep; ///< 0: no thresholds
  int64_t heads, keyHeads, maskHeads, size;
  Element element;

  std::string name() const {
    std::ostringstream text;
    text << (kind == MaskKind::Bias        ? "bias"
             : kind == MaskKind::Threshold ? "threshold"
                                           : "scale")
         << "_keep" << keep << "_H" << heads << "_G" << keyHeads << "_M"
         << maskHeads << "_P" << size << "_" << spelling(element);
    return text.str();
  }

  std::string text() const {
    std::ostringstream op;
    std::string query =
        "?x" + std::to_string(heads) + "x" + std::to_string(size) + "xf32";
    std::string keys = std::to_string(keyHeads) + "x?x" + std::to_string(size) +
                       "x" + spelling(element);
    std::string entries = std::to_string(maskHeads) + "x?x",
                rows = "?x" + std::to_string(maskHeads) + "x";
    FunctionText function(name());
    function.input("q", query)
        .input("k", keys)
        .input("v", keys)
        .input("m", entries + "f32")
        .number("first");
    op << "%r = cheems.dynamic_mask_attention ";
    op << (kind == MaskKind::Bias        ? "bias"
           : kind == MaskKind::Threshold ? "threshold"
                                         : "scale")
       << std::scientific;
    op.precision(17);
    op << " scale " << 1 / std::sqrt(static_cast<double>(size));
    if (kind == MaskKind::Threshold) {
      op << " hide_below " << kHideBelow;
    }
    op << " ins(%q, %k, %v, %m, %first : tensor<" << query << ">, tensor<"
       << keys << ">, tensor<" << keys << ">, tensor<" << entries
       << "f32>, index)";
    if (keep) {
      function.input("p", entries + "i32")
          .input("t", rows + "f32")
          .input("l", rows + "i32");
      op << " kept(%p, %t, %l : tensor<" << entries << "i32>, tensor<" << rows
         << "f32>, tensor<" << rows << "i32>)";
    }
    op << " outs(%y : tensor<" << query << ">) -> tensor<" << query << ">";
    return function.output("y", query)
        .line(op.str())
        .store("%r", "y", query)
        .text();
  }
};

// Heads in groups of one, some and all; a mask a key head, a query head, and
// one for all; sizes around vector registers.
constexpr Form kForms[] = {
    {MaskKind::Bias, 0, 1, 1, 1, 1, Element::F32},
    {MaskKind::Bias, 0, 4, 2, 2, 16, Element::BF16},
    {MaskKind::Bias, 5, 2, 1, 1, 64, Element::BF16},
    {MaskKind::Bias, 1, 3, 3, 3, 7, Element::F32},
    {MaskKind::Bias, 17, 4, 2, 4, 8, Element::F32},
    {MaskKind::Bias, 8, 6, 3, 1, 33, Element::BF16},
    {MaskKind::Threshold, 0, 2, 1, 2, 24, Element::F32},
    {MaskKind::Threshold, 0, 4, 4, 2, 2, Element::BF16},
    {MaskKind::Threshold, 0, 3, 1, 1, 5, Element::BF16},
    {MaskKind::Scale, 0, 4, 2, 2, 32, Element::F32},
    {MaskKind::Scale, 0, 2, 1, 2, 3, Element::BF16},
    {MaskKind::Scale, 0, 1, 1, 1, 17, Element::BF16},
};

/// One sequence: entries, queries [T, H, P], keys and values [G, C, P], nothing
/// (NaN) past the last entry.
struct Case {
  const Form &form;
  Entries entries;
  Tensor query, keys, values;

  Case(Random &random, const Form &form, int64_t first, int64_t rows, bool ties)
      : form(form), entries(random, form.maskHeads, first, rows, ties),
        query(random.tensor({rows, form.heads, form.size}, -3, 3)),
        keys(random.tensor({form.keyHeads, entries.capacity, form.size}, -2, 2,
                           form.element)),
        values(random.tensor(keys.shape, -2, 2, form.element)) {
    for (std::vector<double> &head : entries.mask) {
      for (double &mask : head) {
        mask = std::isinf(mask) ? 2 : mask;
      }
    }
    for (int64_t g = 0; g < form.keyHeads; ++g) {
      for (int64_t j = entries.count(); j < entries.capacity; ++j) {
        for (int64_t p = 0; p < form.size; ++p) {
          keys(g, j, p) = values(g, j, p) =
              std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }

  Buffer run(CompiledModule &module, const Thresholds *thresholds) const {
    Buffer q(Element::F32, query), k(form.element, keys),
        v(form.element, values), m = entries.maskBuffer();
    Buffer first = Buffer::number(entries.first), p = entries.positionBuffer(),
           y(Element::F32, query.shape);
    std::vector<const Buffer *> buffers{&q, &k, &v, &m, &first};
    if (thresholds) {
      buffers.insert(buffers.end(), {&p, &thresholds->mask, &thresholds->last});
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
  std::pair<Tensor, Tensor> evaluate() const {
    Tensor want(query.shape), bound(query.shape);
    MaskOptions options{form.kind, std::nullopt, kHideBelow};
    if (form.keep) {
      options.window = form.keep;
    }
    for (int64_t h = 0; h < form.heads; ++h) {
      int64_t g = h / (form.heads / form.keyHeads),
              m = h / (form.heads / form.maskHeads);
      Tensor q({entries.rows, 1, form.size}),
          k = entriesOf(keys, g), v = entriesOf(values, g), size = v;
      for (int64_t t = 0; t < entries.rows; ++t) {
        for (int64_t p = 0; p < form.size; ++p) {
          q(t, 0, p) = query(t, h, p);
        }
      }
      for (double &value : size.data) {
        value = std::abs(value);
      }
      const std::vector<int64_t> &positions =
          entries.position[static_cast<size_t>(m)];
      auto attend = [&](const Tensor &of) {
        return cheems::reference::dynamicMaskAttention(
            q, k, of, entries.maskOf(m), entries.queryPositions(), positions,
            options);
      };
      Tensor y = attend(v), magnitude = attend(size);
      for (int64_t t = 0; t < entries.rows; ++t) {
        for (int64_t p = 0; p < form.size; ++p) {
          want(t, h, p) = y(t, 0, p);
          bound(t, h, p) = magnitude(t, 0, p) * relativeError();
        }
      }
    }
    return {want, bound};
  }

  /// Of the weighted sum of |v|. A score of P products, scaled and biased, errs
  /// by `score`; weights are quotients of exponentials of score differences (4
  /// scores), each exponential by 5 units in the last place, rescaled once a
  /// block; the two sums and the rescalings add a rounding an entry.
  double relativeError() const {
    double size = static_cast<double>(form.size),
           largest = 3 * 2 * size / std::sqrt(size) + 4;
    double score = (size + 3) * kUnit * largest;
    return 4 * score + (40 + 12 * static_cast<double>(entries.count())) * kUnit;
  }
};

std::unique_ptr<CompiledModule> compileAll(Mode mode) {
  std::string text;
  for (const Form &form : kForms) {
    text += form.text();
  }
  return CompiledModule::compile(text, mode);
}

TEST_P(AttentionTest, AgreesWithTheEvaluator) {
  auto module = compileAll(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(13);
  int64_t count = static_cast<int64_t>(std::size(kForms));
  for (int64_t i = 0; i < caseCount(); ++i) {
    const Form &form = kForms[i % count];
    int64_t first = i / count % 2 ? random.between(1, 50) : 0;
    Case one(random, form, first, random.rows(40), random.once(3));
    SCOPED_TRACE(form.name() + ", first " + std::to_string(first) + ", rows " +
                 std::to_string(one.entries.rows));
    Thresholds thresholds(one.entries, std::max<int64_t>(form.keep, 1));
    Buffer got = one.run(*module, form.keep ? &thresholds : nullptr);
    auto [want, bound] = one.evaluate();
    EXPECT_TRUE(within(got, want, bound));
  }
}

TEST_P(AttentionTest, ARowThatSeesNothingIsZero) {
  auto module = compileAll(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(14);
  for (const Form &form : kForms) {
    if (form.kind == MaskKind::Scale ||
        (form.kind == MaskKind::Bias && form.keep == 0)) {
      continue; // their rows always see themselves
    }
    for (int64_t first : {0, 21}) {
      SCOPED_TRACE(form.name() + ", first " + std::to_string(first));
      Case one(random, form, first, 19, false);
      for (std::vector<double> &head : one.entries.mask) {
        for (double &mask : head) {
          mask =
              rounded(mask / 4 * 0.999, Element::F32); // all below kHideBelow
        }
      }
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
