#include "server/Api/EventTemplate.h"

#include <algorithm>
#include <utility>

namespace cheems::serve {

EventTemplate::EventTemplate(
    size_t count, const std::function<Json(const std::vector<Json> &)> &make) {
  std::string plain = dumped(make(std::vector<Json>(count, Json(0))));
  // where a 1 in the place of a 0 changes the text
  std::vector<std::pair<size_t, size_t>> places;
  for (size_t value = 0; value < count; ++value) {
    std::vector<Json> values(count, Json(0));
    values[value] = 1;
    std::string other = dumped(make(values));
    auto differ = std::mismatch(plain.begin(), plain.end(), other.begin());
    places.emplace_back(size_t(differ.first - plain.begin()), value);
  }
  std::sort(places.begin(), places.end());
  size_t begin = 0;
  for (auto [place, value] : places) {
    parts.push_back({plain.substr(begin, place - begin), value});
    begin = place + 1;
  }
  rest = plain.substr(begin);
}

std::string EventTemplate::with(const std::vector<std::string> &values) const {
  size_t size = rest.size();
  for (const Part &part : parts) {
    size += part.before.size() + values[part.value].size();
  }
  std::string text;
  text.reserve(size);
  for (const Part &part : parts) {
    text += part.before;
    text += values[part.value];
  }
  return text += rest;
}

} // namespace cheems::serve
