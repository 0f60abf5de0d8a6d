#include "server/Api/Fields.h"

#include "server/Api/ApiError.h"

#include <algorithm>
#include <cmath>

namespace cheems::serve {

std::optional<int64_t> wholeNumber(const Json &value) {
  if (value.is_number_float()) {
    constexpr double most = 0x1p63;
    auto number = value.get<double>();
    bool fits = number >= -most && number < most;
    return fits && number == std::trunc(number)
               ? std::optional(static_cast<int64_t>(number))
               : std::nullopt;
  }
  bool fits = value.is_number_integer() &&
              !(value.is_number_unsigned() &&
                value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  return fits ? std::optional(value.get<int64_t>()) : std::nullopt;
}

Fields::Fields(const Json &object, std::string where)
    : object(object), where(std::move(where)) {}

const Json *Fields::find(const std::string &name) {
  known.insert(name);
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<int64_t> Fields::integer(const std::string &name, int64_t least,
                                       int64_t most) {
  const Json *value = find(name);
  if (!value) {
    return std::nullopt;
  }
  double about = value->is_number() ? value->get<double>() : 0.5;
  if (about != std::trunc(about)) {
    refuse(nameOf(name), nameOf(name) + " must be an integer");
  }
  std::optional<int64_t> number = wholeNumber(*value);
  if (!number && about > 0) {
    refuse(nameOf(name),
           nameOf(name) + " must be at most " + std::to_string(most));
  }
  if (!number || *number < least || *number > most) {
    std::string range = " must be at least " + std::to_string(least);
    if (most != INT64_MAX) {
      range = " must be between " + std::to_string(least) + " and " +
              std::to_string(most);
    }
    refuse(nameOf(name), nameOf(name) + range);
  }
  return number;
}

std::optional<double> Fields::number(const std::string &name) {
  const Json *value = find(name);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_number()) {
    refuse(nameOf(name), nameOf(name) + " must be a number");
  }
  return value->get<double>();
}

std::optional<bool> Fields::boolean(const std::string &name) {
  const Json *value = find(name);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_boolean()) {
    refuse(nameOf(name), nameOf(name) + " must be true or false");
  }
  return value->get<bool>();
}

std::optional<std::string> Fields::text(const std::string &name) {
  const Json *value = find(name);
  if (!value) {
    return std::nullopt;
  }
  if (!value->is_string()) {
    refuse(nameOf(name), nameOf(name) + " must be a string");
  }
  return value->get<std::string>();
}

void Fields::ignore(std::initializer_list<const char *> names) {
  known.insert(names.begin(), names.end());
}

void Fields::onlyAs(const std::string &name,
                    std::initializer_list<Json> values) {
  const Json *value = find(name);
  if (value && std::none_of(values.begin(), values.end(),
                            [&](const Json &each) { return each == *value; })) {
    refuse(nameOf(name), nameOf(name) + " is not implemented; leave it out");
  }
}

void Fields::finish() const {
  for (const auto &[name, value] : object.items()) {
    if (!value.is_null() && !known.count(name)) {
      std::string shown = nameOf(name).substr(0, 100);
      refuse(shown, "unknown field " + shown + "; leave it out");
    }
  }
}

} // namespace cheems::serve
