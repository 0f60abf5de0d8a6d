#include "RoundedModelBound.h"
#include "test/unit/Support/RoundingBound.h"
#include <algorithm>
#include <cmath>

using namespace cheems::reference;

namespace cheems::test {
namespace {

using Units = std::vector<double>;

/// What is rounded of the rows that a matmul reads.
Units inputs(const Rounding &rounding, int64_t length) {
  if (rounding.weightBits != 0) {
    return {unitOfQuantized(127, length)};
  }
  return Units(rounding.products ? 1 : 0, kUnitBF16);
}

Units together(Units first, const Units &second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

RoundedPart attentionPart(const Attention &attention, const Rounding &rounding,
                          int64_t length) {
  RoundedPart part;
  // Keys and values, then queries and the weights of values.
  Units entries(2, rounding.int8 ? unitOfQuantized(127, attention.headSize)
                                 : kUnitBF16);
  part.after = together(together(inputs(rounding, attention.headSize), entries),
                        Units(rounding.attention ? 2 : 0, kUnitBF16));
  part.length = 2 * length + attention.headSize;
  return part;
}

RoundedPart ssdPart(const SSD &ssd, const Rounding &rounding, int64_t length) {
  RoundedPart part;
  // x, b, c, sums of a chunk's rows, the weights of rows, and states.
  part.after = Units(rounding.chunk != 0 ? 6 : 0, kUnitBF16);
  part.length = 2 * length + ssd.stateSize;
  return part;
}

} // namespace

double roundedModelBound(const ModelDescription &c, const Rounding &rounding,
                         int64_t length) {
  std::vector<RoundedPart> parts;
  for (const Layer &layer : c.layers) {
    const auto *ssd = layer.find<SSD>();
    const auto *attention = layer.find<Attention>();
    RoundedPart sequence = ssd ? ssdPart(*ssd, rounding, length)
                               : attentionPart(*attention, rounding, length);
    sequence.before = inputs(rounding, c.hidden);
    sequence.factors = 4;
    sequence.after =
        together(sequence.after,
                 inputs(rounding, ssd ? ssd->output.in : attention->output.in));
    parts.push_back(sequence);
    RoundedPart state;
    bool experts = layer.find<RetrievedExperts>();
    int64_t inner = layer.find<MLP>()->down.in;
    state.before = inputs(rounding, c.hidden);
    state.factors = experts ? 4 : 2;
    state.after = together(experts ? inputs(rounding, c.hidden) : Units(),
                           inputs(rounding, inner));
    state.length = c.hidden + inner;
    parts.push_back(state);
  }
  RoundedPart head;
  head.before = inputs(rounding, c.hidden);
  head.length = c.hidden;
  // The farthest of so many normal numbers.
  double farthest = std::sqrt(
      2.0 * std::log(static_cast<double>(std::max<int64_t>(c.vocabulary, 2))));
  return rowBound(roundingBounds(parts, head).compiled) * farthest;
}

} // namespace cheems::test
