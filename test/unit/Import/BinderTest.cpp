// Rows of stored tensors as references, without copies.
#include "lib/Import/Binder.h"
#include "test/unit/Import/ModelFolder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace cheems;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

WeightFiles filesOf(const TensorMap &tensors) {
  WeightFiles files;
  files.name = "w";
  files.paths = {"w"};
  files.files.push_back(llvm::cantFail(SafeTensorsFile::parse(
      llvm::MemoryBuffer::getMemBufferCopy(safeTensorsBytes(tensors)), "w")));
  for (const TensorView &view : files.files.front().tensors()) {
    files.tensors[view.name] = {&view, 0};
  }
  return files;
}

TEST(Binder, RowsAreViewsOfTheStoredTensor) {
  WeightFiles files = filesOf({{"fused", patterned({5, 3})}});
  Binder binder(files, [](llvm::StringRef) {});
  std::string first, rest;
  ASSERT_FALSE(bool(binder.takeRows(first, "fused", {5, 3}, 0, 2)));
  ASSERT_FALSE(bool(binder.takeRows(rest, "fused", {5, 3}, 2, 3)));
  EXPECT_EQ(first, "fused[0:2]");
  EXPECT_EQ(rest, "fused[2:5]");
  ASSERT_EQ(binder.used().size(), 2u);
  const TensorView &whole = *binder.find("fused"), &view = binder.used()[1];
  EXPECT_EQ(view.name, rest);
  EXPECT_THAT(view.shape, ElementsAre(3, 3));
  EXPECT_EQ(view.bytes.data(), whole.bytes.data() + 2 * 3 * 4);
  for (int64_t i = 0; i < view.elements(); ++i) {
    EXPECT_EQ(view.at(i), whole.at(6 + i));
  }
  EXPECT_FALSE(bool(binder.checkLeftOver()));
}

TEST(Binder, RowsOfExpertsInOneTensor) {
  WeightFiles files = filesOf({{"experts", patterned({3, 4, 2}, "BF16")}});
  Binder binder(files, [](llvm::StringRef) {});
  std::string gate; // the first half of the second expert
  ASSERT_FALSE(bool(binder.takeRows(gate, "experts", {3, 4, 2}, 4, 2)));
  EXPECT_EQ(gate, "experts[4:6]");
  EXPECT_THAT(binder.used()[0].shape, ElementsAre(2, 2));
  EXPECT_EQ(binder.used()[0].at(0), binder.find("experts")->at(8));
  EXPECT_EQ(binder.precision(), DType::BF16);
}

TEST(Binder, RowsOfATensorOfAnotherShapeAreAnError) {
  WeightFiles files = filesOf({{"fused", patterned({5, 3})}});
  Binder binder(files, [](llvm::StringRef) {});
  std::string rows;
  EXPECT_THAT(
      llvm::toString(binder.takeRows(rows, "fused", {6, 3}, 0, 2)),
      HasSubstr("w: tensor 'fused' has shape [5, 3], but config.json asks for "
                "[6, 3]"));
  EXPECT_THAT(llvm::toString(binder.takeRows(rows, "none", {6, 3}, 0, 2)),
              HasSubstr("'none' of shape [6, 3] is missing"));
}

} // namespace
