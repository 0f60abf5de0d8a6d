// merge_attention, compiled, against its evaluator; and sides that saw nothing.
#include "Cases.h"
#include "ModuleText.h"
#include "cheems/Reference/OnlineAttention.h"
#include <limits>

using namespace cheems::test;
using cheems::reference::RunningSoftmax;

namespace {
class MergeAttentionTest : public KernelTest {};
CHEEMS_EVERY_MODE(MergeAttentionTest);

constexpr double kLowest = -std::numeric_limits<double>::infinity();
/// The sizes of values lie around those of vector registers.
constexpr int64_t kSizes[] = {1, 7, 8, 16, 24, 35, 64};
constexpr int64_t kHeads[] = {1, 3};

std::string nameOf(int64_t heads, int64_t size) {
  return "merge_H" + std::to_string(heads) + "_P" + std::to_string(size);
}

std::string textOf(int64_t heads, int64_t size) {
  std::string numbers = "?x" + std::to_string(heads) + "xf32",
              values = "?x" + std::to_string(heads) + "x" +
                       std::to_string(size) + "xf32",
              types = "tensor<" + numbers + ">, tensor<" + numbers +
                      ">, tensor<" + values + ">";
  return FunctionText(nameOf(heads, size))
      .input("m1", numbers)
      .input("s1", numbers)
      .input("y1", values)
      .output("m", numbers)
      .output("s", numbers)
      .output("y", values)
      .line("%r:3 = cheems_cpu.merge_attention ins(%m1, %s1, %y1 : " + types +
            ") outs(%m, %s, %y : " + types + ") -> " + types)
      .store("%r#0", "m", numbers)
      .store("%r#1", "s", numbers)
      .store("%r#2", "y", values)
      .text();
}

CompiledModule *compiled(Mode mode) {
  static CompiledModules modules([](Mode) {
    std::string text;
    for (int64_t heads : kHeads) {
      for (int64_t size : kSizes) {
        text += textOf(heads, size);
      }
    }
    return text;
  });
  return modules.of(mode);
}

/// A piece's softmax; of some rows and heads it saw nothing, and their sums are
/// not to be read.
RunningSoftmax drawPiece(Random &random, int64_t rows, int64_t heads,
                         int64_t size) {
  RunningSoftmax piece{random.tensor({rows, heads}, -4, 4),
                       random.tensor({rows, heads}, 0.5, 20),
                       random.tensor({rows, heads, size}, -9, 9)};
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t h = 0; h < heads; ++h) {
      if (random.once(4)) {
        piece.maximum(t, h) = kLowest;
        piece.sum(t, h) = std::numeric_limits<double>::quiet_NaN();
        for (int64_t p = 0; p < size; ++p) {
          piece.y(t, h, p) = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  }
  return piece;
}

struct Buffers {
  Buffer maximum, sum, y;

  explicit Buffers(const RunningSoftmax &of)
      : maximum(Element::F32, of.maximum), sum(Element::F32, of.sum),
        y(Element::F32, of.y) {}
};

Buffers merged(CompiledModule &module, const RunningSoftmax &later,
               const RunningSoftmax &before) {
  Buffers in(later), out(before);
  llvm::ArrayRef<int64_t> shape = before.y.shape;
  module.call(nameOf(shape[1], shape[2]), shape[0],
              {&in.maximum, &in.sum, &in.y, &out.maximum, &out.sum, &out.y});
  return out;
}

TEST_P(MergeAttentionTest, AgreesWithTheEvaluatorInEitherOrder) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(41);
  for (int64_t i = 0; i < caseCount(); ++i) {
    int64_t rows = random.rows(), heads = kHeads[i % std::size(kHeads)],
            size = kSizes[i / 2 % std::size(kSizes)];
    SCOPED_TRACE(nameOf(heads, size) + ", rows " + std::to_string(rows));
    RunningSoftmax one = drawPiece(random, rows, heads, size),
                   other = drawPiece(random, rows, heads, size), want = one;
    Buffers got = merged(*module, other, one),
            turned = merged(*module, one, other);
    cheems::reference::mergeAttention(other, want);
    // A difference of maxima is at most 8 and rounded once, its exponential
    // errs by 5 units, then come a product and the sum.
    constexpr double relative = (8 + 5 + 2) * kUnit;
    RunningSoftmax bound = one, added = other;
    for (RunningSoftmax *side : {&bound, &added}) {
      for (double &value : side->y.data) {
        value = std::abs(value);
      }
    }
    cheems::reference::mergeAttention(added, bound);
    for (int64_t t = 0; t < rows; ++t) {
      for (int64_t h = 0; h < heads; ++h) {
        int64_t at = t * heads + h;
        EXPECT_EQ(got.maximum.get(at), want.maximum(t, h));
        EXPECT_EQ(turned.maximum.get(at), want.maximum(t, h));
        bool none = want.maximum(t, h) == kLowest;
        auto near = [&](double value, double back, double wanted, double most) {
          if (!none) {
            EXPECT_EQ(value, back);
            EXPECT_LE(std::abs(value - wanted), most * relative);
          }
        };
        near(got.sum.get(at), turned.sum.get(at), want.sum(t, h),
             bound.sum(t, h));
        for (int64_t p = 0; p < size; ++p) {
          int64_t place = at * size + p;
          near(got.y.get(place), turned.y.get(place), want.y(t, h, p),
               bound.y(t, h, p));
        }
      }
    }
  }
}

TEST_P(MergeAttentionTest, ASideThatSawNothingLeavesTheOtherToTheBit) {
  CompiledModule *module = compiled(GetParam());
  ASSERT_NE(module, nullptr);
  Random random(42);
  for (int64_t i = 0; i < caseCount(); ++i) {
    int64_t rows = random.rows(), heads = kHeads[i % std::size(kHeads)],
            size = kSizes[i / 2 % std::size(kSizes)];
    SCOPED_TRACE(nameOf(heads, size) + ", rows " + std::to_string(rows));
    RunningSoftmax one{random.tensor({rows, heads}, -4, 4),
                       random.tensor({rows, heads}, 0.5, 20),
                       random.tensor({rows, heads, size}, -9, 9)},
        none = one;
    // A zero's sign is part of its bits.
    one.y.data.front() = -0.0;
    for (double &maximum : none.maximum.data) {
      maximum = kLowest;
    }
    Buffers want(one);
    Buffers kept = merged(*module, none, one),
            taken = merged(*module, one, none);
    for (const Buffers *got : {&kept, &taken}) {
      EXPECT_EQ(got->maximum.bytes(), want.maximum.bytes());
      EXPECT_EQ(got->sum.bytes(), want.sum.bytes());
      EXPECT_EQ(got->y.bytes(), want.y.bytes());
    }
  }
}
} // namespace
