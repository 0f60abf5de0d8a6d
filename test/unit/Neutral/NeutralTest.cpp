// The libraries that know no target link without one; that this program is
// there tells most of it.
#include "cheems/Dialect/Cheems/IR/CheemsDialect.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <iterator>
#include <sstream>

namespace {

TEST(NeutralLibraries, LinkNoTarget) {
  std::istringstream names(CHEEMS_LINKED);
  std::vector<std::string> linked{std::istream_iterator<std::string>(names),
                                  {}};
  // Another one belongs here if it knows no target either.
  EXPECT_THAT(linked,
              testing::UnorderedElementsAre("CheemsCheckpoint", "CheemsImport",
                                            "CheemsIR", "CheemsReference",
                                            "CheemsTransforms", "CheemsUtils"));
}

TEST(NeutralLibraries, LoadTheDialect) {
  mlir::MLIRContext context;
  EXPECT_NE(context.getOrLoadDialect<cheems::CheemsDialect>(), nullptr);
}

} // namespace
