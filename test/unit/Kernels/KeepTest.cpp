// keep_threshold and keep_update, compiled: comparisons and moves only, so bit
// for bit.
#include "Entries.h"
#include "ModuleText.h"
#include <set>

using namespace cheems::test;
using cheems::reference::Tensor;

namespace {
class KeepTest : public KernelTest {};
CHEEMS_EVERY_MODE(KeepTest);

struct Form {
  int64_t heads, keep;
  int64_t size = 0; ///< of a key
  Element element = Element::F32;
  bool oneRow = false; ///< known when compiling, as in decoding

  std::string name(const std::string &op) const {
    return op + "_" + std::to_string(heads) + "_" + std::to_string(keep) + "_" +
           std::to_string(size) + (oneRow ? "_one" : "");
  }
  std::string entries() const { return std::to_string(heads) + "x?x"; }

  std::string threshold() const {
    std::string mask = entries() + "f32", position = entries() + "i32";
    std::string rows = oneRow ? "1x" : "?x";
    std::string bound = rows + std::to_string(heads) + "xf32",
                last = rows + std::to_string(heads) + "xi32";
    std::string results = "tensor<" + bound + ">, tensor<" + last + ">",
                place = oneRow ? "tensor<" + last + ">" : "";
    FunctionText function(name("threshold"));
    function.input("m", mask)
        .input("p", position)
        .number("first")
        .output("t", bound)
        .output("l", last);
    if (oneRow) {
      function.output("w", last);
    }
    function
        .line("%r:" + std::string(oneRow ? "3" : "2") +
              " = cheems_cpu.keep_threshold keep " + std::to_string(keep) +
              " ins(%m, %p, %first : tensor<" + mask + ">, tensor<" + position +
              ">, index) outs(%t, %l : " + results + ")" +
              (oneRow ? " moves_to(%w : " + place + ")" : "") + " -> " +
              results + (oneRow ? ", " + place : ""))
        .store("%r#0", "t", bound)
        .store("%r#1", "l", last);
    if (oneRow) {
      function.store("%r#2", "w", last);
    }
    return function.text();
  }

  std::string update() const {
    std::string mask = entries() + "f32", position = entries() + "i32";
    std::string keys =
        entries() + std::to_string(size) + "x" + spelling(element);
    std::string bound = std::to_string(heads) + "xf32",
                last = std::to_string(heads) + "xi32";
    std::string results = "tensor<" + keys + ">, tensor<" + keys +
                          ">, tensor<" + mask + ">, tensor<" + position + ">";
    bool coded = element == Element::I8;
    FunctionText function(name("update"));
    function.input("t", bound).input("l", last).number("first").number("rows");
    if (oneRow) {
      function.input("w", last);
    }
    function.output("k", keys).output("v", keys).output("m", mask).output(
        "p", position);
    std::string scales;
    if (coded) {
      function.output("ks", mask).output("vs", mask);
      scales = " scales(%ks, %vs : tensor<" + mask + ">, tensor<" + mask + ">)";
    }
    function
        .line(std::string(coded ? "%r:6" : "%r:4") +
              " = cheems_cpu.keep_update keep " + std::to_string(keep) +
              " ins(%t, %l, %first, %rows : tensor<" + bound + ">, tensor<" +
              last + ">, index, index)" +
              (oneRow ? " moves_to(%w : tensor<" + last + ">)" : "") +
              " outs(%k, %v, %m, %p : " + results + ")" + scales + " -> " +
              results +
              (coded ? ", tensor<" + mask + ">, tensor<" + mask + ">" : ""))
        .store("%r#0", "k", keys)
        .store("%r#1", "v", keys)
        .store("%r#2", "m", mask)
        .store("%r#3", "p", position);
    if (coded) {
      function.store("%r#4", "ks", mask).store("%r#5", "vs", mask);
    }
    return function.text();
  }
};

constexpr Form kForms[] = {{1, 1, 1, Element::F32},
                           {1, 2, 7, Element::BF16},
                           {2, 3, 8, Element::F32},
                           {3, 5, 16, Element::BF16},
                           {4, 8, 2, Element::F32},
                           {1, 16, 17, Element::BF16},
                           {5, 17, 3, Element::BF16},
                           {2, 33, 33, Element::F32},
                           {2, 70, 100, Element::F32},
                           {1, 130, 64, Element::BF16},
                           {3, 9, 72, Element::I8},
                           {1, 24, 64, Element::I8, /*oneRow=*/true},
                           {1, 1, 5, Element::F32, /*oneRow=*/true},
                           {2, 20, 9, Element::BF16, /*oneRow=*/true},
                           {3, 75, 4, Element::F32, /*oneRow=*/true}};

/// Entries below, at and past W before the block and after it.
Entries makeEntries(Random &random, const Form &form, int64_t turn) {
  // A row alone comes after W entries at most.
  int64_t first =
      form.oneRow && random.once(2)
          ? form.keep
          : random.between(
                0,
                form.keep + (!form.oneRow && random.once(4) ? form.keep : 0));
  // Past 64 rows a threshold's candidates are collected again.
  int64_t rows = form.oneRow ? 1 : random.rows(random.once(6) ? 150 : 40);
  int64_t way = turn % 3;
  Entries entries(random, form.heads, first, rows, way == 0);
  constexpr double special[] = {-0.0, -std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  if (way == 1) {
    int64_t in = random.between(1, 6);
    for (std::vector<double> &head : entries.mask) {
      for (double &mask : head) {
        mask = random.once(in) ? special[random.between(0, 3)] : mask;
      }
    }
  }
  return entries;
}

std::string title(const Form &form, const Entries &entries) {
  return std::to_string(form.heads) + " heads, keep " +
         std::to_string(form.keep) + ", first " +
         std::to_string(entries.first) + ", rows " +
         std::to_string(entries.rows);
}

/// The equation of keep_update for one head: for each of the first indices, the
/// old index of the entry that stands there.
std::vector<int64_t> placesAfter(const Entries &entries, int64_t m,
                                 int64_t keep) {
  std::vector<int64_t> indices(
      static_cast<size_t>(std::min(entries.count(), keep)));
  std::iota(indices.begin(), indices.end(), 0);
  if (entries.count() <= keep) {
    return indices;
  }
  cheems::reference::KeepThreshold worst = entries.thresholdOf(m, keep);
  auto kept = [&](int64_t j) {
    size_t head = static_cast<size_t>(m), place = static_cast<size_t>(j);
    return worst.keeps(0, entries.rows - 1, entries.mask[head][place],
                       entries.position[head][place]);
  };
  int64_t from = keep;
  for (int64_t to = 0; to < keep; ++to) {
    if (!kept(to)) {
      while (from < entries.count() && !kept(from)) {
        ++from;
      }
      if (from == entries.count()) { // NaN is not kept, and nothing comes
        break;
      }
      indices[static_cast<size_t>(to)] = from++;
    }
  }
  return indices;
}

/// Returns where one row's entry goes in each head, [heads] or [1, heads]; W:
/// nowhere.
Buffer indicesOfOneRow(const Entries &entries, int64_t keep,
                       const std::vector<int64_t> &shape) {
  Buffer result(Element::I32, shape);
  for (int64_t m = 0; m < entries.heads; ++m) {
    std::vector<int64_t> indices = placesAfter(entries, m, keep);
    auto moved = std::find(indices.begin(), indices.end(), keep);
    result.set(m, moved == indices.end()
                      ? static_cast<double>(keep)
                      : static_cast<double>(moved - indices.begin()));
  }
  return result;
}

TEST_P(KeepTest, ThresholdsAreThoseOfTheEvaluator) {
  const std::vector<Form> forms = formsOf(GetParam(), kForms);
  auto count = static_cast<int64_t>(forms.size());
  std::string text;
  for (const Form &form : forms) {
    text += form.threshold();
  }
  auto module = CompiledModule::compile(text, GetParam());
  ASSERT_NE(module, nullptr);
  Random random(11);
  for (int64_t i = 0; i < caseCount() * 2; ++i) {
    const Form &form = forms[i % count];
    Entries entries = makeEntries(random, form, i / count);
    SCOPED_TRACE(title(form, entries));
    Buffer mask = entries.maskBuffer(), position = entries.positionBuffer(),
           first = Buffer::number(entries.first);
    Buffer bound(Element::F32, {entries.rows, form.heads}),
        last(Element::I32, {entries.rows, form.heads});
    Buffer place(Element::I32, {1, form.heads});
    std::vector<const Buffer *> operands{&mask, &position, &first, &bound,
                                         &last};
    if (form.oneRow) {
      operands.push_back(&place);
    }
    module->call(form.name("threshold"), entries.rows, operands);
    Thresholds want(entries, form.keep);
    if (form.oneRow) {
      EXPECT_EQ(place.bytes(),
                indicesOfOneRow(entries, form.keep, {1, form.heads}).bytes());
    }
    EXPECT_EQ(bound.bytes(), want.mask.bytes());
    EXPECT_EQ(last.bytes(), want.last.bytes());
  }
}

/// Rows of `size` elements of one head, `capacity` indices.
void expectMoved(const Buffer &before, const Buffer &after, size_t rowBytes,
                 int64_t capacity, int64_t m,
                 const std::vector<int64_t> &indices, const char *what) {
  for (size_t to = 0; to < indices.size(); ++to) {
    size_t head = static_cast<size_t>(m * capacity);
    EXPECT_EQ(after.bytes().slice((head + to) * rowBytes, rowBytes),
              before.bytes().slice((head + static_cast<size_t>(indices[to])) *
                                       rowBytes,
                                   rowBytes))
        << what << " of head " << m << " in place " << to
        << " came not from place " << indices[to];
  }
}

TEST_P(KeepTest, UpdatesMoveKeptEntriesToEvictedIndices) {
  const std::vector<Form> forms = formsOf(GetParam(), kForms);
  auto count = static_cast<int64_t>(forms.size());
  std::string text;
  for (const Form &form : forms) {
    text += form.update();
  }
  auto module = CompiledModule::compile(text, GetParam());
  ASSERT_NE(module, nullptr);
  Random random(12);
  for (int64_t i = 0; i < caseCount() * 2; ++i) {
    const Form &form = forms[i % count];
    Entries entries = makeEntries(random, form, i / count);
    SCOPED_TRACE(title(form, entries));
    Thresholds thresholds(entries, form.keep);
    Buffer bound(Element::F32, {form.heads}), last(Element::I32, {form.heads});
    for (int64_t m = 0; m < form.heads; ++m) {
      bound.set(m, thresholds.mask.get((entries.rows - 1) * form.heads + m));
      last.set(m, thresholds.last.get((entries.rows - 1) * form.heads + m));
    }
    bool coded = form.element == Element::I8;
    double range = coded ? 127 : 1;
    Tensor random1 = random.tensor({form.heads, entries.capacity, form.size},
                                   -range, range, form.element);
    Tensor random2 = random.tensor(random1.shape, -range, range, form.element);
    Tensor scales1 = random.tensor({form.heads, entries.capacity}, 0, 1),
           scales2 = random.tensor({form.heads, entries.capacity}, 0, 1);
    auto fresh = [&] {
      std::vector<Buffer> buffers;
      buffers.emplace_back(form.element, random1);
      buffers.emplace_back(form.element, random2);
      buffers.push_back(entries.maskBuffer());
      buffers.push_back(entries.positionBuffer());
      if (coded) {
        buffers.emplace_back(Element::F32, scales1);
        buffers.emplace_back(Element::F32, scales2);
      }
      return buffers;
    };
    std::vector<Buffer> before = fresh(), after = fresh();
    Buffer first = Buffer::number(entries.first),
           rows = Buffer::number(entries.rows);
    std::vector<const Buffer *> operands{&bound, &last, &first, &rows};
    Buffer place = indicesOfOneRow(entries, form.keep, {form.heads});
    if (form.oneRow) {
      operands.push_back(&place);
    }
    for (const Buffer &destination : after) {
      operands.push_back(&destination);
    }
    module->call(form.name("update"), entries.rows, operands);
    if (entries.count() <= form.keep) {
      for (size_t b = 0; b < after.size(); ++b) {
        EXPECT_EQ(after[b].bytes(), before[b].bytes())
            << "nothing happens while there is room";
      }
    }
    size_t row = static_cast<size_t>(form.size) * sizeOf(form.element);
    constexpr const char *names[] = {"key",      "value",     "mask",
                                     "position", "key scale", "value scale"};
    const size_t sizes[] = {
        row, row, sizeof(float), sizeof(int32_t), sizeof(float), sizeof(float)};
    for (int64_t m = 0; m < form.heads; ++m) {
      std::vector<int64_t> indices = placesAfter(entries, m, form.keep);
      ASSERT_EQ(std::set<int64_t>(indices.begin(), indices.end()).size(),
                indices.size());
      for (size_t b = 0; b < after.size(); ++b) {
        expectMoved(before[b], after[b], sizes[b], entries.capacity, m, indices,
                    names[b]);
      }
    }
  }
}
} // namespace
