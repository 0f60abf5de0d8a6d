// The bounds of roundings are those of the table that Python is tested with,
// too (test/Integration/rounding_bound_test.py).
#include "test/unit/Support/RoundingBound.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cmath>
#include <gtest/gtest.h>
#include <string>

using namespace cheems::test;

namespace {

class RoundingBound : public testing::Test {
protected:
  void SetUp() override {
    auto file = llvm::MemoryBuffer::getFile(
        std::string(cheems::test_paths::sourceFolder) +
        "/test/Integration/rounding_bounds.json");
    ASSERT_TRUE(file);
    auto parsed = llvm::json::parse((*file)->getBuffer());
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    table = std::move(*parsed);
  }

  const llvm::json::Array &cases(llvm::StringRef name) const {
    return *table.getAsObject()->getArray(name);
  }

private:
  llvm::json::Value table = nullptr;
};

std::vector<double> units(const llvm::json::Object &part,
                          llvm::StringRef name) {
  std::vector<double> result;
  for (const llvm::json::Value &unit : *part.getArray(name)) {
    result.push_back(*unit.getAsNumber());
  }
  return result;
}

RoundedPart partOf(const llvm::json::Object &part) {
  return {units(part, "before"), units(part, "after"), units(part, "compiled"),
          *part.getInteger("factors"), *part.getInteger("length")};
}

void expectSame(double got, const llvm::json::Object &each,
                llvm::StringRef name) {
  double want = *each.getNumber(name);
  EXPECT_NEAR(got, want, 1e-12 * want) << name.str();
}

TEST_F(RoundingBound, OfModelsIsThatOfTheTable) {
  for (const llvm::json::Value &value : cases("models")) {
    const llvm::json::Object &each = *value.getAsObject();
    SCOPED_TRACE(each.getString("name")->str());
    std::vector<RoundedPart> parts;
    for (const llvm::json::Value &part : *each.getArray("parts")) {
      parts.push_back(partOf(*part.getAsObject()));
    }
    RoundingBounds bounds =
        roundingBounds(parts, partOf(*each.getObject("head")));
    expectSame(bounds.rounded, each, "rounded");
    expectSame(bounds.compiled, each, "compiled");
  }
}

TEST_F(RoundingBound, OfCodesSumsAndRowsIsThatOfTheTable) {
  for (const llvm::json::Value &value : cases("codes")) {
    const llvm::json::Object &each = *value.getAsObject();
    expectSame(
        unitOfQuantized(*each.getInteger("most"), *each.getInteger("length")),
        each, "unit");
  }
  for (const llvm::json::Value &value : cases("sums")) {
    const llvm::json::Object &each = *value.getAsObject();
    expectSame(sumBound(*each.getNumber("unit"), *each.getInteger("length")),
               each, "bound");
  }
  for (const llvm::json::Value &value : cases("rows")) {
    const llvm::json::Object &each = *value.getAsObject();
    double bound = *each.getNumber("bound");
    expectSame(rowBound(bound), each, "row");
    expectSame(choiceBound(bound), each, "choice");
  }
}

TEST_F(RoundingBound, OfOneRoundingIsAUnitOverTheRootOfThree) {
  RoundedPart head;
  head.before = {kUnitBF16};
  EXPECT_DOUBLE_EQ(roundingBounds({}, head).rounded,
                   kUnitBF16 / std::sqrt(3.0));
}

} // namespace
