// Rounding to integers, watched.
#include "cheems/Reference/TieWatch.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace cheems::reference {

/// The one that lives on this thread.
static thread_local TieWatch *watching = nullptr;

TieWatch::TieWatch(double reach, std::vector<int64_t> others)
    : reach(reach), others(std::move(others)) {
  assert(!watching && "one watch at a time");
  std::sort(this->others.begin(), this->others.end());
  watching = this;
}

TieWatch::~TieWatch() { watching = nullptr; }

double nearest(double x, double scale, int64_t row) {
  double rounded = std::nearbyint(x);
  if (!watching) {
    return rounded;
  }
  int64_t index = watching->made++;
  double distance = (0.5 - std::abs(x - rounded)) / scale;
  TieWatch::Number number(row, x);
  bool ofOneRow = row >= 0;
  if (distance <= watching->reach &&
      (!ofOneRow || watching->listed.insert(number).second)) {
    watching->ties.push_back({index, row, distance});
  }
  bool turns = std::binary_search(watching->others.begin(),
                                  watching->others.end(), index);
  if (turns && ofOneRow) {
    watching->flipped.insert(number);
  }
  if (turns || (ofOneRow && watching->flipped.count(number) != 0)) {
    return x > rounded ? rounded + 1.0 : rounded - 1.0;
  }
  return rounded;
}

} // namespace cheems::reference
