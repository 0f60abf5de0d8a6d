// Stored keys and values against those evaluated, number by number.
#include "Agreement.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <sstream>

using namespace cheems::reference;

namespace cheems::test {
namespace {

/// The greatest of what stands together last in a tensor, of all its rows.
std::vector<double> greatestOf(const Tensor &x) {
  auto size = static_cast<size_t>(x.shape.back());
  std::vector<double> greatest(x.data.size() / size, 0.0);
  for (size_t i = 0; i < x.data.size(); ++i) {
    greatest[i / size] = std::max(greatest[i / size], std::abs(x.data[i]));
  }
  return greatest;
}

/// Whether some number of which `evaluated` is the nearest bf16 becomes
/// `stored` when it changes by `error`.
bool isBeside(double stored, double evaluated, double error) {
  double place =
      0x1p-7 * std::max(std::abs(stored), std::abs(evaluated)); // at most
  return std::abs(stored - evaluated) <= place + error;         // not of a NaN
}

/// What was stored in place of number `i` of an entry.
std::string describe(size_t entry, const Tensor &got, const Tensor &want,
                     size_t i) {
  size_t size = want.shape[2], heads = want.shape[1];
  std::ostringstream text;
  text << (entry % 2 ? "values" : "keys") << " of attention " << entry / 2
       << ", row " << i / (size * heads) << ", head " << i / size % heads
       << ", number " << i % size << ": stored is " << got.data[i]
       << ", evaluated " << want.data[i];
  return text.str();
}

/// The tie with this index of `ties`, which are in order; or null.
const NearTie *find(const std::vector<NearTie> &ties, int64_t index) {
  auto tie = std::lower_bound(
      ties.begin(), ties.end(), index,
      [](const NearTie &tie, int64_t index) { return tie.index < index; });
  return tie != ties.end() && tie->index == index ? &*tie : nullptr;
}

} // namespace

bool Evaluator::roundsEntriesOnly() const {
  return checkpoint.precision() == DType::BF16 && rounding.state &&
         !rounding.products && !rounding.attention && !rounding.chunk &&
         !rounding.int8 && !rounding.weightBits;
}

/// Layer after layer: entries of a later one depend on those of an earlier.
Evaluator::Turned
Evaluator::turnedEntries(const std::vector<int64_t> &ids,
                         const std::vector<Tensor> &stored) const {
  assert(roundsEntriesOnly());
  double reach = bound(checkpoint.model(), static_cast<int64_t>(ids.size()));
  Turned turned;
  std::vector<Tensor> wanted;
  std::vector<NearTie> ties;
  int64_t first = 0; // rounding of an entry
  for (size_t entry = 0; entry < stored.size(); ++entry) {
    if (entry % 2 == 0) { // keys and values of a layer depend on neither
      TieWatch watch(reach, turned.roundings);
      wanted = evaluateModelWithMargins(checkpoint, ids, rounding).entries;
      ties = watch.nearTies();
    }
    const Tensor &got = stored[entry], &want = wanted.at(entry);
    if (got.shape != want.shape) {
      turned.unexplained = "stored are entries of another shape";
      return turned;
    }
    std::vector<double> greatest = greatestOf(want);
    for (size_t i = 0; i < want.data.size(); ++i) {
      if (got.data[i] == want.data[i]) {
        continue;
      }
      const NearTie *tie = find(ties, first + static_cast<int64_t>(i));
      if (!tie || !isBeside(got.data[i], want.data[i],
                            reach * greatest[i / want.shape.back()])) {
        turned.unexplained = describe(entry, got, want, i);
        return turned;
      }
      turned.roundings.push_back(tie->index);
      turned.farthest = std::max(turned.farthest, tie->distance);
    }
    first += static_cast<int64_t>(want.data.size());
  }
  return turned;
}

} // namespace cheems::test
