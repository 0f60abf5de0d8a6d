#include "server/Engine/Scheduler.h"
#include <algorithm>

namespace cheems::serve {

std::vector<int64_t> planStep(const std::vector<Wish> &wishes,
                              const StepLimits &limits, size_t turn) {
  size_t count = wishes.size();
  std::vector<int64_t> rows(count);
  int64_t left = limits.rows;
  bool decodes = false;
  for (size_t i = 0; i < count && left > 0; ++i) {
    if (wishes[i].decoding && !wishes[i].waiting) {
      rows[i] = 1;
      --left;
      decodes = true;
    }
  }
  left = std::min(left, limits.promptRows);
  int64_t wanted = limits.wantedRows;
  bool some = decodes;
  for (bool gave = true; gave;) {
    gave = false;
    for (size_t n = 0; n < count; ++n) {
      size_t i = (turn + n) % count;
      const Wish &wish = wishes[i];
      int64_t at = wish.position + rows[i];
      if (wish.decoding || wish.waiting || at >= wish.end) {
        continue;
      }
      int64_t piece = std::min(limits.unit - at % limits.unit, wish.end - at);
      // The first piece of a step without any other row is not refused: a
      // budget below the unit would stop everything.
      bool fits = piece <= left && rows[i] + piece <= limits.chunk &&
                  (!wish.allRows || piece <= wanted);
      if (!fits && some) {
        continue;
      }
      if (!fits) { // no step has room for a piece: it is cut where it must be
        piece = std::max<int64_t>(1, std::min({piece, left, limits.chunk,
                                               wish.allRows ? wanted : piece}));
      }
      rows[i] += piece;
      left -= piece;
      wanted -= wish.allRows ? piece : 0;
      some = gave = true;
    }
  }
  return rows;
}

void StepPace::took(int64_t decoded, int64_t prompts, double seconds) {
  if (prompts == 0) {
    return;
  }
  // rows of a text beside a prompt cost about what one of a prompt does
  double now = seconds / double(prompts + decoded);
  constexpr double newest = 0.3;
  perPromptRow += (perPromptRow == 0 ? 1 : newest) * (now - perPromptRow);
}

int64_t StepPace::promptRows(int64_t decoding, int64_t unit,
                             int64_t most) const {
  if (decoding == 0) {
    return most;
  }
  double rows = perPromptRow > 0
                    ? std::max(0.0, target / perPromptRow - double(decoding))
                    : double(unit);
  int64_t mostUnits = most / unit;
  int64_t units =
      static_cast<int64_t>(std::min(rows / double(unit), double(mostUnits)));
  return std::max<int64_t>(1, units) * unit;
}

} // namespace cheems::serve
