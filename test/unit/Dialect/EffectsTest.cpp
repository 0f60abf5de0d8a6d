// What ops read and write: on buffers, of each operand; on tensors nothing.
#include "cheems/Dialect/CheemsCPU/IR/CheemsCPUDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;

namespace {

class Effects : public testing::Test {
protected:
  /// What the module's only op with destinations does to its operands, a word
  /// each: r, w, rw or -.
  std::string of(const std::string &source) {
    module = parseSourceString<ModuleOp>(source, &context);
    std::string words;
    module->walk([&](DestinationStyleOpInterface op) {
      auto effects = cast<MemoryEffectOpInterface>(op.getOperation());
      for (Value operand : op->getOperands()) {
        SmallVector<MemoryEffects::EffectInstance> own;
        effects.getEffectsOnValue(operand, own);
        std::string word;
        for (const MemoryEffects::EffectInstance &effect : own) {
          word += isa<MemoryEffects::Read>(effect.getEffect()) ? "r" : "w";
        }
        words += (words.empty() ? "" : " ") + (word.empty() ? "-" : word);
      }
    });
    return words;
  }

  Effects() {
    context.loadDialect<cheems::cpu::CheemsCPUDialect, func::FuncDialect,
                        memref::MemRefDialect>();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Effects, ADestinationThatIsOnlyWrittenIsNotRead) {
  EXPECT_EQ(of(R"(func.func @f(%x: memref<4x8xf32>, %w: memref<8xf32>,
                               %y: memref<4x8xf32>) {
      cheems.rms_norm epsilon 1.0
        ins(%x, %w : memref<4x8xf32>, memref<8xf32>) outs(%y : memref<4x8xf32>)
      return
    })"),
            "r r w");
  EXPECT_EQ(of(R"(func.func @f(%x: memref<4x8xf32>, %w: memref<2x8x16x1xf32>,
                               %y: memref<4x20xf32>) {
      cheems_cpu.linear ins(%x : memref<4x8xf32>)
        weights(%w : memref<2x8x16x1xf32>) outs(%y : memref<4x20xf32>)
      return
    })"),
            "r r w");
}

TEST_F(Effects, AStateIsReadAndWritten) {
  EXPECT_EQ(of(R"(func.func @f(%x: memref<4x2x8xf32>, %s: memref<4x2xf32>,
                               %a: memref<2xf32>, %b: memref<4x1x16xf32>,
                               %y: memref<4x2x8xf32>,
                               %h: memref<2x16x8xf32>) {
      cheems_cpu.ssd_chunk ins(%x, %s, %a, %b, %b : memref<4x2x8xf32>,
          memref<4x2xf32>, memref<2xf32>, memref<4x1x16xf32>,
          memref<4x1x16xf32>)
        outs(%y, %h : memref<4x2x8xf32>, memref<2x16x8xf32>)
      return
    })"),
            "r r r rr rr w rw");
}

TEST_F(Effects, OnTensorsThereAreNone) {
  EXPECT_EQ(of(R"(func.func @f(%x: tensor<4x8xf32>, %w: tensor<8xf32>,
                               %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = cheems.rms_norm epsilon 1.0
        ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>)
        outs(%y : tensor<4x8xf32>) -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    })"),
            "- - -");
}

} // namespace
