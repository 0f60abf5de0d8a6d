// Reads golden files for the evaluators' tests and bounds what rounding alone
// may change.
#ifndef CHEEMS_TEST_UNIT_REFERENCE_GOLDEN_H
#define CHEEMS_TEST_UNIT_REFERENCE_GOLDEN_H

#include "cheems/Import/SafeTensors.h"
#include "cheems/Reference/Tensor.h"
#include "test/unit/Support/TestPaths.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cmath>
#include <string>

namespace cheems::test {

inline std::string goldenPath(const std::string &name) {
  return std::string(cheems::test_paths::sourceFolder) + "/test/golden/" + name;
}

/// One golden file; ends the program with the reason when it cannot be read.
class GoldenFile {
public:
  explicit GoldenFile(const std::string &path)
      : file(llvm::cantFail(SafeTensorsFile::open(path))), path(path) {}

  bool has(const std::string &name) const { return file.find(name) != nullptr; }
  reference::Tensor tensor(const std::string &name) const {
    return reference::Tensor::from(view(name));
  }
  std::vector<int64_t> integers(const std::string &name) const {
    reference::Tensor values = tensor(name);
    return {values.data.begin(), values.data.end()};
  }
  std::string attribute(const std::string &name,
                        const std::string &otherwise) const {
    for (const auto &[key, value] : file.metadata()) {
      if (key == name) {
        return value;
      }
    }
    return otherwise;
  }

private:
  const TensorView &view(const std::string &name) const {
    const TensorView *found = file.find(name);
    if (!found) {
      llvm::report_fatal_error(llvm::Twine(path) + " has no tensor " + name);
    }
    return *found;
  }

  SafeTensorsFile file;
  std::string path;
};

/// Entry `index` of the first dimension.
inline reference::Tensor slice(const reference::Tensor &x, int64_t index) {
  llvm::ArrayRef<int64_t> shape = llvm::ArrayRef<int64_t>(x.shape).drop_front();
  int64_t size = static_cast<int64_t>(x.data.size()) / x.shape[0];
  auto first = x.data.begin() + index * size;
  return {shape, std::vector<double>(first, first + size)};
}

inline double maxMagnitude(const reference::Tensor &x) {
  double largest = 0.0;
  for (double value : x.data) {
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Infinity where the shapes differ or a value is not a number, so that every
/// bound fails.
inline double maxError(const reference::Tensor &got,
                       const reference::Tensor &want) {
  double largest = got.shape == want.shape ? 0.0 : INFINITY;
  for (size_t i = 0; std::isfinite(largest) && i < want.data.size(); ++i) {
    double error = std::abs(got.data[i] - want.data[i]);
    largest = std::isnan(error) ? INFINITY : std::max(largest, error);
  }
  return largest;
}

/// What two evaluations in double may differ by after one of them was rounded
/// to f32: half a unit of f32 in the largest value, plus a few units of double
/// for each of `length` summed terms.
inline double toleranceF32(const reference::Tensor &want, int64_t length) {
  return maxMagnitude(want) * (0x1p-24 + static_cast<double>(length) * 0x1p-50);
}

} // namespace cheems::test

#endif
