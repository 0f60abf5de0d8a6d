// The harness of the kernel tests sees a store outside of a buffer or of the
// workspace, in every build.
#include "../Kernels/Harness.h"
#include <gtest/gtest-spi.h>

namespace cheems::test {
namespace {

constexpr int64_t kElements = 16; // 64 bytes: as long as the workspace's unit

/// Stores 1.0 at index %i of the argument, or of a buffer in the workspace
/// that is also read.
std::string planted(bool workspace) {
  std::string store = workspace
                          ? "  %s = memref.alloc() : memref<16xf32>\n"
                            "  memref.store %one, %s[%i] : memref<16xf32>\n"
                            "  %v = memref.load %s[%c0] : memref<16xf32>\n"
                            "  memref.store %v, %x[%c0] : memref<?xf32>\n"
                          : "  memref.store %one, %x[%i] : memref<?xf32>\n";
  return "func.func @planted(%x: memref<?xf32>, %at: memref<1xindex>) "
         "attributes {llvm.emit_c_interface} {\n"
         "  %c0 = arith.constant 0 : index\n"
         "  %one = arith.constant 1.0 : f32\n"
         "  %i = memref.load %at[%c0] : memref<1xindex>\n" +
         store + "  return\n}\n";
}

class GuardPage : public KernelTest {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  void storeAt(int64_t index, bool workspace) {
    auto module = CompiledModule::compile(planted(workspace), GetParam());
    ASSERT_TRUE(module);
    Buffer x(Element::F32, {kElements}), at = Buffer::number(index);
    module->call("planted", 1, {&x, &at});
  }
};
CHEEMS_EVERY_MODE(GuardPage);

TEST_P(GuardPage, insideIsFine) {
  for (bool workspace : {false, true}) {
    storeAt(0, workspace);
    storeAt(kElements - 1, workspace);
  }
}

TEST_P(GuardPage, onePastTheEndFaults) {
  for (bool workspace : {false, true}) {
    EXPECT_DEATH(storeAt(kElements, workspace), "");
  }
}

TEST_P(GuardPage, oneBeforeTheStartIsSeenAfterwards) {
  EXPECT_NONFATAL_FAILURE(storeAt(-1, false), "wrote outside of argument 0");
  EXPECT_NONFATAL_FAILURE(storeAt(-1, true), "wrote outside of its workspace");
}

} // namespace
} // namespace cheems::test
