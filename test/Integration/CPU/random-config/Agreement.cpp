// Bounds derived from f32 and from the formats that are rounded to, and the
// search for numbers that were rounded the other way.
#include "Agreement.h"
#include "RoundedModelBound.h"
#include "RowErrors.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

using namespace cheems::reference;

namespace cheems::test {

/// Terms of a layer's longest sum. In f32 a sum of n products errs by up to n
/// units, sums of sums by both: attention's over rows of scores, an SSD's over
/// rows of products of states, times a decay whose logarithm, a sum over rows,
/// has been rounded.
static int64_t longestSum(const ModelDescription &c, int64_t length) {
  int64_t longest = c.hidden;
  for (const Layer &layer : c.layers) {
    if (const auto *mlp = layer.find<MLP>()) {
      longest = std::max(longest, mlp->down.in);
    }
    if (const auto *attention = layer.find<Attention>()) {
      longest = std::max(
          {longest, attention->output.in, length + attention->headSize});
    }
    if (const auto *ssd = layer.find<SSD>()) {
      longest =
          std::max({longest, ssd->output.in, 2 * length + ssd->stateSize});
    }
  }
  return longest;
}

/// Every layer, and the head, passes on the error of what came before and adds
/// its own.
double bound(const ModelDescription &c, int64_t length) {
  auto layers = static_cast<int64_t>(c.layers.size());
  return static_cast<double>(longestSum(c, length) * (layers + 1)) * 0x1p-24;
}

/// On tiles factors of SSD and weights of attention are rounded, some for every
/// pair of rows: numbers of them are near a tie in every row.
bool Evaluator::roundsPairsOfRows() const {
  const ModelDescription &c = checkpoint.model();
  return checkpoint.precision() == DType::BF16 &&
         ((rounding.attention && c.find<Attention>()) ||
          (rounding.chunk && c.find<SSD>()));
}

double Evaluator::boundOf(const Sequence &sequence) const {
  return bound(checkpoint.model(), static_cast<int64_t>(sequence.ids.size()));
}

Sequence Evaluator::evaluate(std::vector<int64_t> ids,
                             std::vector<int64_t> turned) const {
  const ModelDescription &c = checkpoint.model();
  int64_t length = static_cast<int64_t>(ids.size()), firm = 0;
  // A change of half of a margin on either side is too little. Where numbers
  // near a tie are in every row, masks move by them: a mask is two matmuls
  // away from its layer's input, and one of the terms that they sum changes by
  // a place of bf16. A half's score does, too, and an expert's is a sum of two.
  double f32 = 2.0 * bound(c, length),
         pairs = static_cast<double>(c.layers.size()) * 0x1p-7 /
                 std::sqrt(static_cast<double>(c.hidden)),
         score = roundsPairsOfRows() ? pairs : f32;
  // No pair of rows is before the masks of the first layer.
  double keep = c.layers.size() > 1 ? score : f32;
  TieWatch watch(0.0, turned);
  ModelEvaluation evaluated =
      evaluateModelWithMargins(checkpoint, ids, rounding);
  // margins only fall, so these rows come first
  while (firm < length && evaluated.keepMargin[firm] >= keep &&
         evaluated.retrievalMargin[firm] >= 2.0 * score) {
    ++firm;
  }
  return {std::move(ids), std::move(evaluated.logits), firm, std::move(turned)};
}

Sequence Evaluator::draw(Random &random, int64_t length, int64_t tokens) const {
  constexpr int attempts = 24;
  Sequence best;
  for (int i = 0; i < attempts && best.firm * 10 < length * 9; ++i) {
    // few different tokens leave wide steps between masks, and many exact ties
    int64_t different =
        tokens ? tokens : random.integer(2, checkpoint.model().vocabulary);
    std::vector<int64_t> ids(length);
    for (int64_t &id : ids) {
      id = random.integer(0, different - 1);
    }
    Sequence drawn = evaluate(std::move(ids));
    if (drawn.firm > best.firm) {
      best = std::move(drawn);
    }
  }
  return best;
}

/// Returns the largest difference of each row, in units; infinity for what is
/// not a number.
static std::vector<double> errors(const Tensor &got, int64_t b,
                                  const Tensor &want, int64_t rows,
                                  double unit) {
  std::vector<double> largest(rows, 0.0);
  for (int64_t t = 0; t < rows; ++t) {
    for (int64_t n = 0; n < want.shape[1]; ++n) {
      double difference = std::abs(got(b, t, n) - want(t, n)) / unit;
      largest[t] = std::isnan(difference)
                       ? std::numeric_limits<double>::infinity()
                       : std::max(largest[t], difference);
    }
  }
  return largest;
}

/// The first row from `from` on with a larger error.
static size_t firstAbove(const std::vector<double> &rows, size_t from,
                         double error) {
  while (from < rows.size() && rows[from] <= error) {
    ++from;
  }
  return from;
}

static double highestBefore(const std::vector<double> &rows, size_t row) {
  return row == 0 ? 0.0 : *std::max_element(rows.begin(), rows.begin() + row);
}

/// Some rows pass errors on more than others, as where a norm divides by a
/// small number. What one unit of f32 at every part of a layer does to a row is
/// measured. The row may err by as many of these as the longest sum has terms.
/// Nothing is rounded here, so there are no ties.
std::vector<double> Evaluator::boundsOfRows(const Sequence &sequence) const {
  double one = 0x1p-24;
  Rounding disturbed;
  disturbed.disturbance = one;
  Tensor straight = evaluateModel(checkpoint, sequence.ids),
         moved = evaluateModel(checkpoint, sequence.ids, disturbed);
  llvm::SmallVector<int64_t, 4> batch{1, straight.shape[0], straight.shape[1]};
  std::vector<double> limits =
      errors(Tensor(batch, std::move(moved.data)), 0, straight, sequence.firm,
             deviationOf(straight));
  auto units = static_cast<double>(longestSum(
      checkpoint.model(), static_cast<int64_t>(sequence.ids.size())));
  for (double &limit : limits) {
    limit = std::max(boundOf(sequence), limit * units);
  }
  return limits;
}

std::pair<Tensor, std::vector<NearTie>>
Evaluator::turn(const Sequence &sequence, std::vector<int64_t> others) const {
  TieWatch watch(boundOf(sequence), std::move(others));
  Tensor logits = evaluateModel(checkpoint, sequence.ids, rounding);
  return {std::move(logits), watch.nearTies()};
}

/// The row nearest to its limit, or farthest past it.
static Evaluator::Agreement worstOf(const std::vector<double> &rows,
                                    const std::vector<double> &limits,
                                    Evaluator::Agreement worst) {
  for (size_t t = 0; t < rows.size(); ++t) {
    if (!(rows[t] / limits[t] <= worst.error / worst.allowed)) {
      worst.error = rows[t];
      worst.allowed = limits[t];
    }
  }
  return worst;
}

/// Ties of the row that has most.
static int64_t mostInARow(const std::vector<NearTie> &ties) {
  std::map<int64_t, int64_t> ofRows;
  int64_t most = 0;
  for (const NearTie &tie : ties) {
    most = std::max(most, ++ofRows[tie.row]);
  }
  return most;
}

Evaluator::Agreement Evaluator::compare(const Tensor &got, int64_t b,
                                        const Sequence &want) const {
  constexpr int64_t fewInARow = 8;
  double allowed = boundOf(want);
  std::vector<double> rows =
      errors(got, b, want.logits, want.firm, deviationOf(want.logits));
  double error = *std::max_element(rows.begin(), rows.end());
  if (error <= allowed) {
    return {error, allowed, 0, want.turned};
  }
  Agreement worst =
      worstOf(rows, boundsOfRows(want), {0.0, allowed, 0, want.turned});
  if (worst.holds()) {
    return worst;
  }
  std::vector<NearTie> ties = turn(want, want.turned).second;
  if (!roundsPairsOfRows()) {
    Agreement found = withTies(got, b, want, ties);
    if (found.holds() || mostInARow(ties) <= fewInARow) {
      return found;
    }
  }
  return amongTies(got, b, want, ties);
}

/// Evaluations of a search, of which those of wide layers take seconds.
size_t Evaluator::affordableTrials(int64_t length) const {
  const ModelDescription &c = checkpoint.model();
  int64_t products = 0;
  for (const Layer &layer : c.layers) {
    const auto *attention = layer.find<Attention>();
    int64_t inner =
        attention ? attention->output.in : layer.find<SSD>()->output.in;
    products +=
        length * c.hidden * (4 * inner + 3 * layer.find<MLP>()->down.in);
  }
  constexpr int64_t most = 120, allMatmuls = 40'000'000'000;
  return static_cast<size_t>(std::min(most, allMatmuls / products));
}

/// `turned` with the tie added, or without it where it is there: what went the
/// other way in one run may not in the next, which is cut elsewhere.
static std::vector<int64_t> toggled(std::vector<int64_t> turned, int64_t tie) {
  auto at = std::find(turned.begin(), turned.end(), tie);
  if (at == turned.end()) {
    turned.push_back(tie);
  } else {
    turned.erase(at);
  }
  return turned;
}

/// Row after row, the tie of this row is sought whose other side brings it
/// near, and those before it no farther. A tie of an early row moves later ones
/// more than itself, so rows are looked at that differ by far less than is
/// allowed; most of them do so without any tie.
Evaluator::Agreement Evaluator::withTies(const Tensor &got, int64_t b,
                                         const Sequence &want,
                                         std::vector<NearTie> ties) const {
  constexpr size_t most = 16, trialsOfRow = 24;
  size_t allTrials = affordableTrials(static_cast<int64_t>(want.ids.size()));
  double allowed = boundOf(want), conspicuous = allowed / 8.0;
  // The same unit for all trials: a tie that is turned moves later logits, and
  // errors of earlier rows must not grow by that.
  double unit = deviationOf(want.logits);
  std::vector<double> rows = errors(got, b, want.logits, want.firm, unit);
  std::vector<int64_t> turned = want.turned;
  size_t row = firstAbove(rows, 0, conspicuous), trials = 0;
  while (row < rows.size() && turned.size() < most) {
    // of this row, most likely, and close to the middle
    auto at = static_cast<int64_t>(row);
    std::sort(ties.begin(), ties.end(), [&](NearTie a, NearTie b) {
      return std::pair(a.row != at, a.distance) <
             std::pair(b.row != at, b.distance);
    });
    std::vector<double> nearest;
    int64_t best = -1;
    for (size_t i = 0;
         i < std::min(ties.size(), trialsOfRow) && trials < allTrials; ++i) {
      if (ties[i].row != at && rows[row] <= allowed) {
        break; // it may stay as it is
      }
      ++trials;
      std::vector<double> then =
          errors(got, b, turn(want, toggled(turned, ties[i].index)).first,
                 want.firm, unit);
      double limit = best < 0 ? rows[row] / 2.0 : nearest[row];
      if (!(then[row] < limit) ||
          highestBefore(then, row) >
              std::max(highestBefore(rows, row), conspicuous)) {
        continue;
      }
      nearest = std::move(then);
      best = ties[i].index;
      if (nearest[row] <= conspicuous) {
        break;
      }
    }
    if (best >= 0) {
      turned = toggled(std::move(turned), best);
      rows = std::move(nearest);
      ties = turn(want, turned).second;
    }
    // the same row again, if it had two
    row = firstAbove(rows, best >= 0 ? row : row + 1, conspicuous);
  }
  return {*std::max_element(rows.begin(), rows.end()), allowed,
          static_cast<int64_t>(ties.size()), std::move(turned)};
}

/// If ties are many and pass on to all later rows, one cannot find which of
/// them went the other way: how far they move a row and those before it when
/// half of them do is measured instead, a few times. Where equal rows become
/// unequal by that, other keys are kept, and the measure says nothing. So there
/// is a bound of the whole model, too.
Evaluator::Agreement
Evaluator::amongTies(const Tensor &got, int64_t b, const Sequence &want,
                     const std::vector<NearTie> &ties) const {
  constexpr int draws = 4;
  double allowed = boundOf(want), unit = deviationOf(want.logits);
  Random random(ties.size());
  std::vector<double> moved(want.firm, 0.0);
  llvm::SmallVector<int64_t, 4> batch{1, want.logits.shape[0],
                                      want.logits.shape[1]};
  for (int i = 0; i < draws; ++i) {
    std::vector<int64_t> others;
    for (const NearTie &tie : ties) {
      if (random.chance(0.5)) {
        others.push_back(tie.index);
      }
    }
    Tensor logits = turn(want, std::move(others)).first;
    std::vector<double> by = errors(Tensor(batch, std::move(logits.data)), 0,
                                    want.logits, want.firm, unit);
    double before = 0.0;
    for (size_t t = 0; t < by.size(); ++t) {
      before = std::max(before, by[t]);
      moved[t] = std::max(moved[t], before);
    }
  }
  double most = roundedModelBound(checkpoint.model(), rounding,
                                  static_cast<int64_t>(want.ids.size()));
  std::vector<double> gains = gainsOf(checkpoint, want.ids);
  for (size_t t = 0; t < moved.size(); ++t) {
    moved[t] =
        std::min(allowed + 2.0 * moved[t], most * std::max(1.0, gains[t]));
  }
  return worstOf(errors(got, b, want.logits, want.firm, unit), moved,
                 {0.0, allowed, static_cast<int64_t>(ties.size()), {}});
}

} // namespace cheems::test
