// Which matrices tensor maps are made of.
#include "runtime/Executor/CUDA/TensorMaps.h"
#include "runtime/Error.h"
#include <gmock/gmock.h>

using namespace cheems;
using namespace cheems::cuda;
using testing::HasSubstr;

namespace {

LaunchPlan::TensorMap mapOf(size_t rows, size_t columns) {
  LaunchPlan::TensorMap map;
  map.rows = rows;
  map.columns = columns;
  map.element = LaunchPlan::TensorMap::Element::f32;
  map.boxRows = 1;
  map.boxColumns = 64;
  return map;
}

TEST(TensorMaps, CoordinatesHave32Bits) {
  const std::vector<int64_t> values = {1, INT32_MAX, int64_t(INT32_MAX) + 1};
  LaunchPlan::TensorMap largest = mapOf(0, 1), wide = mapOf(0, 2),
                        tall = mapOf(2, 0);
  EXPECT_NO_THROW(EncodedMap(largest).verify(values));
  for (const LaunchPlan::TensorMap *map : {&wide, &tall}) {
    try {
      EncodedMap(*map).verify(values);
      ADD_FAILURE() << "was taken";
    } catch (const Error &error) {
      EXPECT_THAT(error.what(), HasSubstr("2147483648"));
      EXPECT_THAT(error.what(), HasSubstr("take fewer sequences"));
    }
  }
}

} // namespace
