#include "runtime/Json/OrderedReader.h"

namespace cheems {

namespace {

/// Few members are looked through faster than a table is made.
constexpr size_t manyMembers = 16;

} // namespace

OrderedReader::Json *OrderedReader::place(Json value) {
  if (open.empty()) {
    root = std::move(value);
    return &root;
  }
  Open &last = open.back();
  if (last.value->is_array()) {
    auto &items = last.value->get_ref<Json::array_t &>();
    items.push_back(std::move(value));
    return &items.back();
  }
  Members &members = last.value->get_ref<Json::object_t &>();
  Json &member = members[last.member].second;
  member = std::move(value);
  return &member;
}

bool OrderedReader::begin(JsonEvent event, Json value) {
  if (check) {
    check(open.size(), event);
  }
  Json *placed = place(std::move(value));
  open.push_back({placed, 0, {}});
  return true;
}

bool OrderedReader::key(std::string &name) {
  if (check) {
    check(open.size(), JsonEvent::name);
  }
  Open &last = open.back();
  Members &members = last.value->get_ref<Json::object_t &>();
  last.member = members.size();
  if (members.size() < manyMembers) {
    for (size_t at = 0; at < members.size(); ++at) {
      if (members[at].first == name) {
        last.member = at;
      }
    }
  } else {
    if (last.places.empty()) {
      for (size_t at = 0; at < members.size(); ++at) {
        last.places.emplace(members[at].first, at);
      }
    }
    last.member = last.places.emplace(name, members.size()).first->second;
  }
  if (last.member == members.size()) {
    members.emplace_back(name, nullptr);
  }
  return true;
}

} // namespace cheems
