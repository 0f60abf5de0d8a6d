#include "runtime/Text/StopStrings.h"
#include <algorithm>
#include <string_view>

namespace cheems {

StopStrings::StopStrings(std::vector<std::string> given)
    : texts(std::move(given)) {
  texts.erase(
      std::remove_if(texts.begin(), texts.end(),
                     [](const std::string &one) { return one.empty(); }),
      texts.end());
}

/// Returns where the longest end of `text` begins that begins `stop`, without
/// being all of it; the text's size if none does.
static size_t begun(std::string_view text, std::string_view stop) {
  size_t most = std::min(text.size(), stop.size() - 1);
  for (size_t length = most; length != 0; --length) {
    if (text.substr(text.size() - length) == stop.substr(0, length)) {
      return text.size() - length;
    }
  }
  return text.size();
}

std::string StopStrings::push(const std::string &text) {
  if (stop) {
    return "";
  }
  held += text;
  size_t begin = 0, end = std::string::npos, open = held.size();
  for (const std::string &one : texts) {
    size_t at = held.find(one);
    if (at != std::string::npos) {
      size_t last = at + one.size();
      if (last < end || (last == end && at < begin)) {
        begin = at;
        end = last;
        stop = one;
      }
    }
    open = std::min(open, begun(held, one));
  }
  std::string out = held.substr(0, stop ? begin : open);
  held.erase(0, stop ? held.size() : open);
  return out;
}

std::string StopStrings::finish() {
  std::string rest;
  rest.swap(held);
  return rest;
}

} // namespace cheems
