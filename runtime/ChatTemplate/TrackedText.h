// Texts that know which of their characters strangers wrote, so that nobody but
// the template can spell a control token.
#ifndef CHEEMS_RUNTIME_CHATTEMPLATE_TRACKEDTEXT_H
#define CHEEMS_RUNTIME_CHATTEMPLATE_TRACKEDTEXT_H

#include "runtime/ChatTemplate/Meter.h"

#include <algorithm>
#include <string_view>

namespace cheems::jinja {

/// Who wrote a character: the model's author (the template, the model's special
/// tokens), or whoever sent messages, tools and other variables.
enum class Origin : bool { model, stranger };

/// This is the origin of what is made of two: a stranger's if one of them is.
inline Origin operator|(Origin a, Origin b) {
  return a == Origin::stranger ? a : b;
}

/// UTF-8 as runs of one origin, which begin and end between characters.
class TrackedText {
public:
  TrackedText() = default;
  explicit TrackedText(std::string_view bytes, Origin origin = Origin::model)
      : all(bytes), first(origin) {}

  std::string_view bytes() const { return all; }
  bool empty() const { return all.empty(); }
  size_t size() const { return all.size(); }
  /// A stranger's if one character is.
  Origin origin() const {
    return all.empty() || (first == Origin::model && changes.empty())
               ? Origin::model
               : Origin::stranger;
  }

  void reserve(size_t bytes) { all.reserve(bytes); }
  void append(std::string_view bytes, Origin origin = Origin::model);
  /// `part` is a part of the bytes of `whole`, which is another text.
  void append(const TrackedText &whole, std::string_view part);
  void append(const TrackedText &other) { append(other, other.bytes()); }
  TrackedText part(std::string_view part) const;

  /// Calls visit(bytes, origin) for each run of bytes of one origin in `part`,
  /// which is a part of these bytes.
  template <typename Visit>
  void visitRuns(std::string_view part, Visit visit) const {
    if (part.empty()) {
      return;
    }
    size_t begin = size_t(part.data() - all.data()), end = begin + part.size();
    auto change = std::upper_bound(changes.begin(), changes.end(), begin);
    bool isFlipped = ((change - changes.begin()) & 1) != 0;
    while (begin < end) {
      size_t stop = change == changes.end() ? end : std::min(*change++, end);
      visit(bytes().substr(begin, stop - begin),
            Origin(bool(first) != isFlipped));
      begin = stop;
      isFlipped = !isFlipped;
    }
  }
  template <typename Visit> void visitRuns(Visit visit) const {
    visitRuns(bytes(), visit);
  }

private:
  MeteredString all;
  Origin first =
      Origin::model; ///< of the first run; each next one has the other
  MeteredVector<size_t> changes; ///< where the others begin
};

} // namespace cheems::jinja

#endif
