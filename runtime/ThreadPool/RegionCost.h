// What the iterations of a parallel region took before, and so on how many
// threads they go best. The time of a region depends on the machine, on who
// else uses it and on which cache holds its rows: it is tried, not predicted.
#ifndef CHEEMS_RUNTIME_THREADPOOL_REGIONCOST_H
#define CHEEMS_RUNTIME_THREADPOOL_REGIONCOST_H

#include "cheems/abi.h"
#include <algorithm>
#include <cstdint>
#include <limits>

namespace cheems {

/// Measures regions of one body and one number of iterations, in ticks of the
/// time-stamp counter.
class RegionCost {
public:
  RegionCost() = default;
  RegionCost(cheems_parallel_body body, int64_t count)
      : body(body), count(count) {}

  bool isOf(cheems_parallel_body other, int64_t iterations) const {
    return body == other && count == iterations;
  }

  /// Ranges to cut the region into, at most `most` >= 1: as many as last for
  /// `worthwhile` ticks each, or one, if that took no longer.
  int ranges(int most, double worthwhile) const {
    if (iteration == unknown) {
      return most;
    }
    double work = iteration * static_cast<double>(count) / worthwhile;
    if (work < 2) {
      return 1;
    }
    int apart = work < most ? static_cast<int>(work) : most;
    if (calls < trials) {
      return calls % 2 && work < longest ? 1 : apart;
    }
    return whole <= divided ? 1 : apart;
  }

  /// Whether to time this call and add() it; reading the counter of a virtual
  /// machine takes as long as some regions do.
  bool isDue() {
    ++calls;
    return calls <= trials || calls % interval == 0;
  }

  /// The region was cut into `ranges` and took `ticks`, of which `iterations`
  /// on the calling thread took `own`.
  void add(int ranges, int64_t iterations, double own, double ticks) {
    double &fastest = ranges == 1 ? whole : divided;
    bool changed =
        fastest != unknown && (ticks > 2 * fastest || 2 * ticks < fastest);
    if (calls > trials && (calls >= period || changed)) {
      calls = 0;
      whole = divided = unknown;
    }
    iteration = own / static_cast<double>(iterations);
    fastest = std::min(fastest, ticks);
  }

private:
  static constexpr double unknown = std::numeric_limits<double>::infinity();
  static constexpr int trials = 6;    ///< both ways in turn; the fastest counts
  static constexpr int interval = 16; ///< calls from time to time after these
  static constexpr int period = 4096; ///< calls from trials to trials
  static constexpr double longest = 16; ///< ranges' worth that is tried whole

  cheems_parallel_body body = nullptr;
  int64_t count = 0;
  double iteration = unknown; ///< of the last call that was timed
  double whole = unknown, divided = unknown;
  int calls = 0;
};

} // namespace cheems

#endif
