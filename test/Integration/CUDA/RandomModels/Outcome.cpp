#include "Outcome.h"
#include "cheems/Import/SafeTensors.h"
#include "cheems/Reference/Model.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

using namespace cheems::reference;

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

/// Mean square of the difference of each row, in deviations of `want`.
static std::vector<double> squaresOfRows(const Tensor &got,
                                         const Tensor &want) {
  if (got.data.size() != want.data.size()) {
    throw std::runtime_error("other logits than are wanted");
  }
  double deviation = deviationOf(want);
  auto columns = static_cast<size_t>(want.shape.back());
  std::vector<double> rows;
  for (size_t first = 0; first < want.data.size(); first += columns) {
    double squares = 0.0;
    for (size_t i = first; i < first + columns; ++i) {
      double apart = (got.data[i] - want.data[i]) / deviation;
      squares += apart * apart;
    }
    rows.push_back(std::isnan(squares)
                       ? infinite
                       : squares / static_cast<double>(columns));
  }
  return rows;
}

static double mean(const std::vector<double> &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

std::vector<double> gainsOfRows(const std::filesystem::path &folder,
                                const std::vector<int64_t> &ids) {
  constexpr uint64_t patterns = 4;
  auto checkpoint =
      Checkpoint::open(folder.string(), [](llvm::StringRef) { /* no notes */ });
  if (!checkpoint) {
    throw std::runtime_error(llvm::toString(checkpoint.takeError()));
  }
  Tensor straight = evaluateModel(*checkpoint, ids);
  std::vector<double> gains(ids.size(), 0.0);
  // So little that no choice turns, and far more than a unit of double.
  Rounding disturbed;
  disturbed.disturbance = 0x1p-36;
  for (; disturbed.pattern < patterns; ++disturbed.pattern) {
    std::vector<double> squares =
        squaresOfRows(evaluateModel(*checkpoint, ids, disturbed), straight);
    std::transform(gains.begin(), gains.end(), squares.begin(), gains.begin(),
                   std::plus<>());
  }
  double all = mean(gains);
  for (double &gain : gains) {
    gain = std::sqrt(gain / all);
  }
  return gains;
}

Outcome::Outcome(const Tensor &got, const Tensor &want,
                 const std::vector<double> &gains)
    : ofRow(0.0), loss(0.0) {
  std::vector<double> rows = squaresOfRows(got, want);
  error = std::sqrt(mean(rows));
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
