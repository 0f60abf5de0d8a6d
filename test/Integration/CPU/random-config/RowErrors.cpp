#include "RowErrors.h"
#include "cheems/Reference/Model.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>

using namespace cheems::reference;

namespace cheems::test {

/// So little that no choice turns, and far more than a unit of double.
constexpr double kLittle = 0x1p-36;

double deviationOf(const Tensor &numbers) {
  double sum = 0.0, squares = 0.0;
  for (double number : numbers.data) {
    sum += number;
    squares += number * number;
  }
  auto count = static_cast<double>(numbers.data.size());
  return std::sqrt(squares / count - sum / count * (sum / count));
}

double meanOf(const std::vector<double> &numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) /
         static_cast<double>(numbers.size());
}

std::vector<double> squaresOfRows(const Tensor &got, const Tensor &want) {
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
                       ? std::numeric_limits<double>::infinity()
                       : squares / static_cast<double>(columns));
  }
  return rows;
}

/// Mean squares of what rows move by, over some patterns of what is wrong.
static std::vector<double> movedRows(const Checkpoint &checkpoint,
                                     llvm::ArrayRef<int64_t> ids,
                                     Rounding wrong) {
  constexpr uint64_t patterns = 4;
  Tensor right = evaluateModel(checkpoint, ids);
  std::vector<double> rows(ids.size(), 0.0);
  for (wrong.pattern = 0; wrong.pattern < patterns; ++wrong.pattern) {
    std::vector<double> squares =
        squaresOfRows(evaluateModel(checkpoint, ids, wrong), right);
    std::transform(rows.begin(), rows.end(), squares.begin(), rows.begin(),
                   [](double sum, double square) {
                     return sum + square / double(patterns);
                   });
  }
  return rows;
}

std::vector<double> gainsOf(const Checkpoint &checkpoint,
                            llvm::ArrayRef<int64_t> ids) {
  Rounding wrong;
  wrong.disturbance = kLittle;
  std::vector<double> gains = movedRows(checkpoint, ids, wrong);
  double all = meanOf(gains);
  for (double &gain : gains) {
    gain = std::sqrt(gain / all);
  }
  return gains;
}

double straightErrorOf(const Checkpoint &checkpoint,
                       llvm::ArrayRef<int64_t> ids, int64_t digits) {
  Rounding wrong;
  wrong.share = kLittle * std::ldexp(1.0, static_cast<int>(digits));
  wrong.digits = digits;
  return std::sqrt(meanOf(movedRows(checkpoint, ids, wrong))) / wrong.share;
}

} // namespace cheems::test
