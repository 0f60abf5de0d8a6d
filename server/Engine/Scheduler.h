// What goes into a step: which sequences, and how many rows of each.
#ifndef CHEEMS_SERVER_ENGINE_SCHEDULER_H
#define CHEEMS_SERVER_ENGINE_SCHEDULER_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cheems::serve {

/// A sequence that wants to go on.
struct Wish {
  bool decoding = false; ///< one row
  int64_t position = 0;  ///< tokens it was fed
  int64_t end = 0;       ///< that a prompt is to be fed up to, for now
  bool allRows = false;  ///< the logits of all of its rows are wanted
  bool waiting = false;  ///< it takes no row now; not all may wait
};

struct StepLimits {
  int64_t rows = 1;       ///< of a step
  int64_t promptRows = 1; ///< of them, of prompts
  int64_t chunk = 1;      ///< of them, of one prompt
  int64_t wantedRows = 1; ///< of prompts that want the logits of all rows
  int64_t unit = 1;       ///< prompts are cut at multiples of it
};

/// Rows by wish; 0: it waits for a later step. All that decode come first, then
/// prompts share what is left in pieces of `unit`, from the `turn`-th wish on.
/// A prompt is cut at multiples of `unit` of its own positions and at its end,
/// so a sequence gives the same bits whatever else runs. Some wish gets a row.
std::vector<int64_t> planStep(const std::vector<Wish> &wishes,
                              const StepLimits &limits, size_t turn);

/// How many rows of prompts a step may have, so that the texts that run beside
/// them get their tokens in time.
class StepPace {
public:
  explicit StepPace(double target) : target(target) {}
  /// A step took so long: rows that decoded, rows of prompts.
  void took(int64_t decoded, int64_t prompts, double seconds);
  /// At least `unit`, a multiple of it, at most `most`.
  int64_t promptRows(int64_t decoding, int64_t unit, int64_t most) const;

private:
  double target;
  double perPromptRow = 0; ///< seconds; 0: not known yet
};

} // namespace cheems::serve

#endif
