#include "server/Engine/Checkpoints.h"
#include <map>

namespace cheems::serve {

/// A prompt's state is kept at least so often.
constexpr int64_t stride = 2048;
/// So many of the boundaries at either end are used, because a step is cut at
/// each.
constexpr size_t firstBoundaries = 2, lastBoundaries = 4;

std::vector<Checkpoint> chooseCheckpoints(const GenerationRequest &request,
                                          int64_t cached, int64_t common,
                                          int64_t unit) {
  auto size = static_cast<int64_t>(request.prompt.size());
  std::map<int64_t, bool> places;
  auto add = [&](int64_t place, bool shared) {
    place -= place % unit;
    if (place > cached && place < size) {
      places[place] |= shared;
    }
  };
  const std::vector<int64_t> &boundaries = request.boundaries;
  for (size_t i = 0; i < boundaries.size(); ++i) {
    if (i < firstBoundaries || i + lastBoundaries >= boundaries.size()) {
      add(boundaries[i], i == 0);
    }
  }
  for (int64_t place = stride; place < size; place += stride) {
    add(place, false);
  }
  add(size - 1, false);
  if (common < size) { // else nothing has parted
    add(common, true);
  }
  std::vector<Checkpoint> result;
  result.reserve(places.size());
  for (auto [place, shared] : places) {
    result.push_back({place, shared});
  }
  return result;
}

} // namespace cheems::serve
