#include "Outcome.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

using cheems::reference::Tensor;

namespace cheems::test {

constexpr double infinite = std::numeric_limits<double>::infinity();

static double deviationOf(const Tensor &numbers) {
  double sum = 0.0, squares = 0.0;
  for (double number : numbers.data) {
    sum += number;
    squares += number * number;
  }
  auto count = static_cast<double>(numbers.data.size());
  return std::sqrt(squares / count - sum / count * (sum / count));
}

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
                 const std::filesystem::path &chosen)
    : error(infinite), ofRow(0.0), loss(lossOf(chosen)) {
  if (got.data.size() != want.data.size()) {
    throw std::runtime_error("other logits than are wanted");
  }
  double deviation = deviationOf(want), all = 0.0;
  auto columns = static_cast<size_t>(want.shape.back());
  for (size_t first = 0; first < want.data.size(); first += columns) {
    double squares = 0.0;
    for (size_t i = first; i < first + columns; ++i) {
      double apart = (got.data[i] - want.data[i]) / deviation;
      squares += apart * apart;
    }
    squares = std::isnan(squares) ? infinite : squares;
    all += squares;
    ofRow = std::max(ofRow, std::sqrt(squares / static_cast<double>(columns)));
  }
  error = std::sqrt(all / static_cast<double>(want.data.size()));
}

} // namespace cheems::test
