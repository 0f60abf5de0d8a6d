// Integers and scales in the weight section: their offsets, rows of several
// tensors, and numbers that have no code.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "cheems/Import/Quantize.h"
#include "lib/Compiler/CPU/PanelWriter.h"
#include "lib/Compiler/WeightWriter.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <deque>

using namespace cheems;

namespace {

using cheems::QuantizedPart;

struct Matrix {
  std::string name;
  std::vector<float> values;
  TensorView view;

  Matrix(std::string name, int64_t rows, int64_t columns)
      : name(name), values(rows * columns),
        view{name, DType::F32, {rows, columns}, {}} {
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(std::sin(0.37 * static_cast<double>(i) +
                                              static_cast<double>(name[0])));
    }
    view.bytes = {reinterpret_cast<const uint8_t *>(values.data()),
                  values.size() * sizeof(float)};
  }
};

/// A matrix's rows, by quantizeRow alone.
struct Codes {
  std::vector<std::vector<int8_t>> codes;
  std::vector<std::vector<float>> scales;

  void add(const Matrix &matrix, int64_t row, QuantizedFormat format) {
    int64_t columns = matrix.view.shape[1];
    codes.emplace_back(columns);
    scales.emplace_back(format.groups(columns));
    ASSERT_TRUE(
        quantizeRow(llvm::ArrayRef(matrix.values).slice(row * columns, columns),
                    format, codes.back(), scales.back()));
  }
};

class QuantizedWriter : public testing::Test {
protected:
  mlir::MLIRContext context;
  mlir::Builder builder{&context};
  std::deque<Matrix> matrices; ///< which views point into
  std::vector<StoredParameterAttr> table;
  int64_t start = 0, end = 0; ///< of the last one that was added

  QuantizedWriter() { context.loadDialect<cheems::cpu::CheemsCPUDialect>(); }

  void add(llvm::ArrayRef<llvm::StringRef> names, llvm::ArrayRef<int64_t> shape,
           mlir::Type element, QuantizedFormat format, QuantizedPart part,
           bool panels, bool beside) {
    auto type = mlir::RankedTensorType::get(shape, element);
    start = llvm::alignTo(end, StoredParameterAttr::kAlignment);
    table.push_back(StoredParameterAttr::get(
        &context, builder.getStrArrayAttr(names), type, start,
        panels ? cheems::LayoutAttrInterface(
                     cheems::cpu::PanelsAttr::get(&context, 16, 4))
               : cheems::LayoutAttrInterface(),
        /*permute=*/{}, beside,
        cheems::QuantizedAttr::get(&context, format.bits, format.group, part)));
    end = start + table.back().getBytes();
  }

  llvm::Expected<std::string> write() {
    std::string section;
    llvm::raw_string_ostream os(section);
    PanelWriter panels(os);
    if (llvm::Error failed = writeWeights(
            os, {{table, &panels}},
            [&](llvm::StringRef name) -> const TensorView & {
              return llvm::find_if(matrices,
                                   [&](const Matrix &matrix) {
                                     return matrix.name == name;
                                   })
                  ->view;
            },
            [](llvm::StringRef, double) {})) {
      return std::move(failed);
    }
    return section;
  }
};

uint8_t at(const std::string &section, int64_t place) {
  return static_cast<uint8_t>(section[place]);
}

float scaleAt(const std::string &section, int64_t place, bool brain) {
  uint32_t bits = 0;
  std::memcpy(&bits, section.data() + place, brain ? 2 : 4);
  return llvm::bit_cast<float>(brain ? bits << 16 : bits);
}

TEST_F(QuantizedWriter, PanelsOfRowsOfSeveralTensors) {
  // 20 rows make two panels, the second with rows of zeros; 9000 rows several
  // portions.
  for (auto [rows, columns] : {std::pair(20, 192), std::pair(9000, 192)}) {
    for (QuantizedFormat format : {QuantizedFormat{8, 0}, {4, 64}, {4, 32}}) {
      matrices.clear();
      matrices.emplace_back("a", 5, columns);
      matrices.emplace_back("b", rows - 5, columns);
      Codes want;
      for (int64_t n = 0; n < rows; ++n) {
        want.add(matrices[n >= 5], n < 5 ? n : n - 5, format);
      }
      int64_t panels = (rows + 15) / 16, groups = format.groups(columns),
              step = 4 * 8 / format.bits;
      bool brain = format.bits == 4;
      mlir::Type scale = brain ? mlir::Type(builder.getBF16Type())
                               : mlir::Type(builder.getF32Type());
      // Scales after their quantized values, and by themselves.
      for (bool codes : {true, false}) {
        table.clear();
        end = 0;
        if (codes) {
          add({"a", "b"}, {panels, columns / step, 16, 4}, builder.getI8Type(),
              format, QuantizedPart::Codes, true, false);
        }
        add({"a", "b"}, {panels, groups, 16}, scale, format,
            QuantizedPart::Scales, true, false);
        auto section = write();
        ASSERT_TRUE(bool(section)) << llvm::toString(section.takeError());
        ASSERT_EQ(static_cast<int64_t>(section->size()), end);
        for (int64_t n = 0; n < panels * 16; ++n) {
          for (int64_t k = 0; codes && k < columns; ++k) {
            uint8_t byte =
                at(*section,
                   ((n / 16 * (columns / step) + k / step) * 16 + n % 16) * 4 +
                       k % 4);
            int code = brain ? (byte >> (k % 8 / 4 * 4) & 15) - 8 : byte - 128;
            ASSERT_EQ(code, n < rows ? want.codes[n][k] : 0)
                << "row " << n << ", column " << k;
          }
          for (int64_t g = 0; g < groups; ++g) {
            int64_t place = (n / 16 * groups + g) * 16 + n % 16;
            ASSERT_EQ(scaleAt(*section, start + place * (brain ? 2 : 4), brain),
                      n < rows ? want.scales[n][g] : 0);
          }
        }
      }
    }
  }
}

TEST_F(QuantizedWriter, TablesAloneAndBesideEachOther) {
  constexpr int64_t rows = 37, columns = 10;
  QuantizedFormat format{8, 0};
  matrices.emplace_back("down", rows, columns);
  matrices.emplace_back("up", rows, columns);
  mlir::Type i8 = builder.getI8Type(), f32 = builder.getF32Type();
  for (bool beside : {false, true}) {
    table.clear();
    end = 0;
    llvm::SmallVector<llvm::StringRef> names{"down"};
    if (beside) {
      names.push_back("up");
    }
    auto parts = static_cast<int64_t>(names.size());
    Codes want;
    for (int64_t i = 0; i < rows * parts; ++i) {
      want.add(matrices[i % parts], i / parts, format);
    }
    add(names, {rows, columns * parts}, i8, format, QuantizedPart::Codes, false,
        beside);
    add(names, {rows, parts}, f32, format, QuantizedPart::Scales, false,
        beside);
    auto section = write();
    ASSERT_TRUE(bool(section)) << llvm::toString(section.takeError());
    for (int64_t i = 0; i < rows * parts; ++i) {
      for (int64_t k = 0; k < columns; ++k) {
        ASSERT_EQ(static_cast<int8_t>((*section)[i * columns + k]),
                  want.codes[i][k]);
      }
      ASSERT_EQ(scaleAt(*section, start + 4 * i, false), want.scales[i][0]);
    }
  }
}

TEST_F(QuantizedWriter, WhatIsNotFiniteIsRefusedByName) {
  matrices.emplace_back("good", 20, 64);
  matrices.emplace_back("bad", 20, 64);
  matrices.back().values[3 * 64 + 7] = NAN;
  add({"good", "bad"}, {3, 16, 16, 4}, builder.getI8Type(), {8, 0},
      QuantizedPart::Codes, true, false);
  auto section = write();
  ASSERT_FALSE(bool(section));
  EXPECT_EQ(llvm::toString(section.takeError()),
            "tensor 'bad' holds a number that is not finite and has no code; "
            "--weights f32 or bf16 keeps it");
}

} // namespace
