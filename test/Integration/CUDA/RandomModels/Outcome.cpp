#include "Outcome.h"
#include "cheems/Import/SafeTensors.h"
#include "test/Integration/CPU/random-config/RowErrors.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

using cheems::reference::Tensor;

namespace cheems::test {

constexpr double infinite = std::numeric_limits<double>::infinity();

static double lossOf(const std::filesystem::path &chosen) {
  auto file = SafeTensorsFile::open(chosen.string());
  if (!file) {
    throw std::runtime_error(llvm::toString(file.takeError()));
  }
  double most = 0.0;
  for (const TensorView &view : file->tensors()) {
    if (llvm::StringRef(view.name).ends_with(".loss")) {
      for (double loss : Tensor::from(view).data) {
        most = std::isnan(loss) ? infinite : std::max(most, loss);
      }
    }
  }
  return most;
}

Outcome::Outcome(const Tensor &got, const Tensor &want,
                 const std::vector<double> &gains)
    : ofRow(0.0), loss(0.0) {
  std::vector<double> rows = squaresOfRows(got, want);
  error = std::sqrt(meanOf(rows));
  for (size_t t = 0; t < rows.size(); ++t) {
    ofRow = std::max(ofRow, std::sqrt(rows[t]) / std::max(1.0, gains.at(t)));
  }
}

Outcome::Outcome(const Tensor &got, const Tensor &want,
                 const std::vector<double> &gains,
                 const std::filesystem::path &chosen)
    : Outcome(got, want, gains) {
  loss = lossOf(chosen);
}

} // namespace cheems::test
