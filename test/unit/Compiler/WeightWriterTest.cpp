// The weight section: transposed parameters of every rank and type, each at its
// offset.
#include "lib/Compiler/WeightWriter.h"
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "lib/Compiler/CPU/PanelWriter.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <map>
#include <numeric>

using namespace cheems;

namespace {

/// A tensor whose element i is i, which every type holds up to 255.
struct Counting {
  std::vector<uint8_t> bytes;
  TensorView view;

  Counting(std::string name, DType type, llvm::ArrayRef<int64_t> shape)
      : view{std::move(name), type, llvm::SmallVector<int64_t, 4>(shape), {}} {
    for (int64_t i = 0; i < view.elements(); ++i) {
      uint32_t bits = llvm::bit_cast<uint32_t>(static_cast<float>(i));
      if (type == DType::F32) {
        append(bits, 4);
      } else if (type == DType::BF16) {
        append(bits >> 16, 2);
      } else {
        append(i ? ((bits >> 13) & 0x3ff) | ((bits >> 23) - 112) << 10 : 0, 2);
      }
    }
    view.bytes = bytes;
  }

private:
  void append(uint32_t bits, int count) {
    for (int i = 0; i < count; ++i) {
      bytes.push_back(static_cast<uint8_t>(bits >> 8 * i));
    }
  }
};

class WeightWriter : public testing::Test {
protected:
  mlir::MLIRContext context;
  mlir::Builder builder{&context};
  std::map<std::string, const TensorView *> stored;
  std::vector<StoredParameterAttr> table;

  WeightWriter() { context.loadDialect<cheems::cpu::CheemsCPUDialect>(); }

  StoredParameterAttr parameter(llvm::ArrayRef<llvm::StringRef> names,
                                llvm::ArrayRef<int64_t> shape,
                                mlir::Type element, int64_t offset,
                                cheems::LayoutAttrInterface layout = {},
                                mlir::DenseI64ArrayAttr permute = {},
                                bool byColumns = false) {
    return StoredParameterAttr::get(&context, builder.getStrArrayAttr(names),
                                    mlir::RankedTensorType::get(shape, element),
                                    offset, layout, permute, byColumns,
                                    /*quantized=*/{});
  }

  void add(const Counting &tensor, llvm::ArrayRef<int64_t> shape, bool brain,
           int64_t offset, std::optional<llvm::ArrayRef<int64_t>> permute) {
    stored[tensor.view.name] = &tensor.view;
    mlir::Type element = brain ? mlir::Type(builder.getBF16Type())
                               : mlir::Type(builder.getF32Type());
    table.push_back(parameter({tensor.view.name}, shape, element, offset, {},
                              permute ? builder.getDenseI64ArrayAttr(*permute)
                                      : mlir::DenseI64ArrayAttr()));
  }

  std::string write() {
    std::string section;
    llvm::raw_string_ostream os(section);
    PanelWriter panels(os);
    llvm::cantFail(writeWeights(
        os, {{table, &panels}},
        [&](llvm::StringRef name) -> const TensorView & {
          return *stored.at(name.str());
        },
        [](llvm::StringRef, double) {}));
    return section;
  }

  static float read(const std::string &section, int64_t offset, int64_t index,
                    bool brain) {
    uint32_t bits = 0;
    if (brain) {
      uint16_t half;
      std::memcpy(&half, section.data() + offset + 2 * index, 2);
      bits = static_cast<uint32_t>(half) << 16;
    } else {
      std::memcpy(&bits, section.data() + offset + 4 * index, 4);
    }
    return llvm::bit_cast<float>(bits);
  }
};

/// Which stored element comes at index `flat` of the permuted tensor.
int64_t storedPlace(int64_t flat, llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> permute) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    int64_t extent = shape[permute[d]];
    index[permute[d]] = flat % extent;
    flat /= extent;
  }
  int64_t place = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    place = place * shape[d] + index[d];
  }
  return place;
}

TEST_F(WeightWriter, TransposesEveryRankAndOrderAndType) {
  const std::vector<std::vector<int64_t>> shapes = {
      {7}, {5, 3}, {1, 9}, {2, 5, 3}, {3, 4, 2, 5}, {2, 3, 1, 2, 3}};
  for (const std::vector<int64_t> &shape : shapes) {
    std::vector<int64_t> permute(shape.size());
    std::iota(permute.begin(), permute.end(), 0);
    do {
      for (DType type : {DType::F32, DType::BF16, DType::F16}) {
        for (bool brain : {false, true}) {
          Counting tensor("w", type, shape);
          std::vector<int64_t> result;
          for (int64_t d : permute) {
            result.push_back(shape[d]);
          }
          table.clear();
          add(tensor, result, brain, 0, permute);
          std::string section = write();
          int64_t count = tensor.view.elements();
          ASSERT_EQ(static_cast<int64_t>(section.size()),
                    count * (brain ? 2 : 4));
          for (int64_t i = 0; i < count; ++i) {
            ASSERT_EQ(read(section, 0, i, brain),
                      static_cast<float>(storedPlace(i, shape, permute)))
                << testing::PrintToString(shape) << " permuted by "
                << testing::PrintToString(permute) << " at " << i;
          }
        }
      }
    } while (std::next_permutation(permute.begin(), permute.end()));
  }
}

TEST_F(WeightWriter, PutsEachMatrixOfAPermutationInPanels) {
  // Stored [head, key, half, n], written [half, head, panels of keys over n].
  constexpr int64_t heads = 3, keys = 21, n = 6, pair = 2, panels = 2;
  Counting tensor("w", DType::F32, {heads, keys, 2, n});
  add(tensor, {2, heads, panels, n / pair, 16, pair}, false, 0,
      llvm::ArrayRef<int64_t>{2, 0, 1, 3});
  StoredParameterAttr plain = table.back();
  table.back() = parameter(
      {"w"}, plain.getType().getShape(), builder.getF32Type(), 0,
      cheems::cpu::PanelsAttr::get(&context, 16, pair), plain.getPermute());
  std::string section = write();
  ASSERT_EQ(static_cast<int64_t>(section.size()),
            4 * 2 * heads * panels * 16 * n);
  int64_t at = 0;
  for (int64_t half = 0; half < 2; ++half) {
    for (int64_t h = 0; h < heads; ++h) {
      for (int64_t p = 0; p < panels; ++p) {
        for (int64_t k = 0; k < n; k += pair) {
          for (int64_t r = 0; r < 16; ++r) {
            for (int64_t v = 0; v < pair; ++v, ++at) {
              int64_t key = p * 16 + r;
              float want = key < keys
                               ? static_cast<float>(
                                     ((h * keys + key) * 2 + half) * n + k + v)
                               : 0.0F;
              ASSERT_EQ(read(section, 0, at, false), want) << at;
            }
          }
        }
      }
    }
  }
}

TEST_F(WeightWriter, TransposesRowsLongerThanAChunk) {
  constexpr int64_t length = (1 << 16) + 3;
  Counting tensor("w", DType::F32, {length, 2});
  add(tensor, {2, length}, false, 0, {{1, 0}});
  std::string section = write();
  for (int64_t i = 0; i < 2 * length; ++i) {
    int64_t row = i / length;
    ASSERT_EQ(read(section, 0, i, false),
              static_cast<float>(i % length * 2 + row));
  }
}

TEST_F(WeightWriter, PutsRowsSideBySide) {
  // Rows longer than a chunk, many rows per chunk, and a chunk cut short.
  for (auto [rows, columns] :
       {std::pair<int64_t, int64_t>{3, 40000}, {20000, 5}, {7, 1}, {1, 9}}) {
    for (bool brain : {false, true}) {
      Counting left("left", DType::F32, {rows, columns}),
          right("right", DType::BF16, {rows, columns});
      table.clear();
      stored = {{"left", &left.view}, {"right", &right.view}};
      mlir::Type element = brain ? mlir::Type(builder.getBF16Type())
                                 : mlir::Type(builder.getF32Type());
      table.push_back(parameter({"left", "right"}, {rows, 2 * columns}, element,
                                0, {}, {}, /*byColumns=*/true));
      std::string section = write();
      ASSERT_EQ(static_cast<int64_t>(section.size()),
                2 * rows * columns * (brain ? 2 : 4));
      auto shortened = [](float value) {
        return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(value) &
                                     0xffff0000);
      };
      for (int64_t i = 0; i < rows * columns; ++i) {
        int64_t at = i / columns * 2 * columns + i % columns;
        float one = read(section, 0, at, brain),
              other = read(section, 0, at + columns, brain);
        // bf16 has eight bits of a number: at most half a unit off.
        ASSERT_NEAR(one, static_cast<float>(i), brain ? i / 256.0 : 0) << i;
        ASSERT_EQ(other, shortened(static_cast<float>(i))) << i;
      }
    }
  }
}

TEST_F(WeightWriter, WritesHalvesInEveryOrder) {
  // Each ends where the next may begin.
  constexpr int64_t rows = 8, columns = 4;
  Counting left("left", DType::F32, {rows, columns}),
      right("right", DType::F16, {rows, columns});
  stored = {{"left", &left.view}, {"right", &right.view}};
  int64_t offset = 0;
  auto place = [&](std::vector<llvm::StringRef> names,
                   llvm::ArrayRef<int64_t> shape,
                   mlir::DenseI64ArrayAttr permute, bool byColumns) {
    table.push_back(parameter(names, shape, builder.getF16Type(), offset, {},
                              permute, byColumns));
    offset += 2 * mlir::ShapedType::getNumElements(shape);
  };
  place({"left", "right"}, {2 * rows, columns}, {}, false);
  place({"left"}, {columns, rows}, builder.getDenseI64ArrayAttr({1, 0}), false);
  place({"left", "right"}, {rows, 2 * columns}, {}, true);
  std::string section = write();
  ASSERT_EQ(static_cast<int64_t>(section.size()), offset);
  std::vector<float> got, want;
  for (int64_t i = 0; i < offset / 2; ++i) {
    uint16_t bits;
    std::memcpy(&bits, section.data() + 2 * i, 2);
    got.push_back(static_cast<float>(
        llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits))
            .convertToDouble()));
  }
  for (int64_t i = 0; i < 2 * rows * columns; ++i) {
    want.push_back(static_cast<float>(i % (rows * columns)));
  }
  for (int64_t i = 0; i < rows * columns; ++i) {
    int64_t from = i % rows * columns + i / rows;
    want.push_back(static_cast<float>(from));
  }
  for (int64_t i = 0; i < 2 * rows * columns; ++i) {
    int64_t from = i / (2 * columns) * columns + i % columns;
    want.push_back(static_cast<float>(from));
  }
  EXPECT_EQ(got, want);
}

TEST_F(WeightWriter, RefusesWhatIsBeyondHalves) {
  // The last numbers are in another chunk than the first.
  Counting tensor("layers.0.up.weight", DType::F32, {70000});
  add(tensor, {70000}, false, 0, std::nullopt);
  table.back() =
      parameter({"layers.0.up.weight"}, {70000}, builder.getF16Type(), 0);
  std::string section;
  llvm::raw_string_ostream os(section);
  llvm::Error failed = writeWeights(
      os, {{table, nullptr}},
      [&](llvm::StringRef name) -> const TensorView & {
        return *stored.at(name.str());
      },
      [](llvm::StringRef, double) {});
  EXPECT_EQ(llvm::toString(std::move(failed)),
            "tensor 'layers.0.up.weight' holds 65520, which is beyond f16, "
            "whose largest number is 65504: use --weights bf16");
}

TEST_F(WeightWriter, ParametersStandAtTheirOffsets) {
  Counting first("first", DType::F32, {3, 2}),
      second("second", DType::F32, {5});
  add(first, {2, 3}, true, 0, {{1, 0}});
  add(second, {5}, false, 64, std::nullopt);
  std::string section = write();
  ASSERT_EQ(section.size(), 64u + 5 * 4);
  EXPECT_EQ(read(section, 0, 1, true), 2.0f);
  EXPECT_EQ(section.substr(12, 52), std::string(52, '\0'));
  EXPECT_EQ(read(section, 64, 4, false), 4.0f);
}

TEST_F(WeightWriter, WritesWhatTwoImagesReadOnce) {
  Counting first("a", DType::F32, {3}), second("b", DType::F32, {2}),
      third("c", DType::F32, {1});
  add(first, {3}, false, 0, std::nullopt);
  add(second, {2}, false, 64, std::nullopt);
  std::vector<StoredParameterAttr> ofTheFirst = table;
  table = {table[1]};
  add(third, {1}, false, 128, std::nullopt);
  std::string section;
  llvm::raw_string_ostream os(section);
  llvm::cantFail(writeWeights(
      os, {{table, nullptr}, {ofTheFirst, nullptr}},
      [&](llvm::StringRef name) -> const TensorView & {
        return *stored.at(name.str());
      },
      [](llvm::StringRef, double) {}));
  EXPECT_EQ(section.size(), 128U + 4);
  EXPECT_EQ(read(section, 0, 2, false), 2);
  EXPECT_EQ(read(section, 64, 1, false), 1);
}

TEST_F(WeightWriter, RefusesParametersOnTopOfEachOther) {
  Counting first("a", DType::F32, {20}), second("b", DType::F32, {2});
  add(first, {20}, false, 0, std::nullopt);
  add(second, {2}, false, 64, std::nullopt);
  std::string section;
  llvm::raw_string_ostream os(section);
  llvm::Error failed = writeWeights(
      os, {{table, nullptr}},
      [&](llvm::StringRef name) -> const TensorView & {
        return *stored.at(name.str());
      },
      [](llvm::StringRef, double) {});
  EXPECT_EQ(llvm::toString(std::move(failed)),
            "internal error: parameter 'b' lies on top of another");
}

} // namespace
