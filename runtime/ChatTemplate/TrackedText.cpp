#include "runtime/ChatTemplate/TrackedText.h"

namespace cheems::jinja {

void TrackedText::append(std::string_view bytes, Origin origin) {
  if (bytes.empty()) {
    return;
  }
  bool last = bool(first) != ((changes.size() & 1) != 0);
  if (all.empty()) {
    first = origin;
  } else if (last != bool(origin)) {
    changes.push_back(all.size());
  }
  all += bytes;
}

void TrackedText::append(const TrackedText &whole, std::string_view part) {
  whole.visitRuns(
      part, [&](std::string_view run, Origin origin) { append(run, origin); });
}

TrackedText TrackedText::part(std::string_view part) const {
  TrackedText text;
  text.append(*this, part);
  return text;
}

} // namespace cheems::jinja
