// Reads a JSON object strictly: what is missing or no such value is refused
// by the words that lead to it.
#ifndef CHEEMS_RUNTIME_ARTIFACT_FIELDREADER_H
#define CHEEMS_RUNTIME_ARTIFACT_FIELDREADER_H

#include "runtime/Error.h"
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace cheems {

constexpr int64_t maxTokens =
    INT32_MAX; // ids and positions are 32-bit in cheems_step

/// a * b + c for values that are not negative; throws when it does not fit.
inline int64_t multiplyAdd(int64_t a, int64_t b, int64_t c, const char *what) {
  int64_t product, sum;
  if (__builtin_mul_overflow(a, b, &product) ||
      __builtin_add_overflow(product, c, &sum)) {
    throw Error(std::string(what) + " is too large for any machine");
  }
  return sum;
}

/// A JSON object and the words that lead to it, for messages.
class FieldReader {
public:
  FieldReader(const nlohmann::json &value, std::string path,
              const std::string &file)
      : value(value), path(std::move(path)), file(file) {
    if (!value.is_object()) {
      throw bad("", "is not an object");
    }
  }

  DamagedFile bad(const std::string &field, const std::string &what) const {
    std::string full =
        path + (path.empty() || field.empty() ? "" : ".") + field;
    return DamagedFile(file + ": corrupted: metadata" +
                       (full.empty() ? "" : " field '" + full + "'") + " " +
                       what + "; compile the model again");
  }

  /// The words that lead here.
  const std::string &where() const { return path; }

  bool has(const std::string &field) const {
    return value.contains(field) && !value[field].is_null();
  }

  const nlohmann::json &at(const std::string &field) const {
    auto found = value.find(field);
    if (found == value.end()) {
      throw bad(field, "is missing");
    }
    return *found;
  }

  std::string text(const std::string &field) const {
    const nlohmann::json &item = at(field);
    if (!item.is_string()) {
      throw bad(field, "is not a text");
    }
    return item.get<std::string>();
  }

  bool flag(const std::string &field) const {
    const nlohmann::json &item = at(field);
    if (!item.is_boolean()) {
      throw bad(field, "is neither true nor false");
    }
    return item.get<bool>();
  }

  int64_t integer(const nlohmann::json &item, const std::string &field,
                  int64_t least, int64_t most) const {
    bool fits = item.is_number_integer() &&
                (!item.is_number_unsigned() ||
                 item.get<uint64_t>() <= uint64_t(INT64_MAX));
    int64_t number = fits ? item.get<int64_t>() : 0;
    if (!fits || number < least || number > most) {
      throw bad(field, "is not a whole number between " +
                           std::to_string(least) + " and " +
                           std::to_string(most));
    }
    return number;
  }
  int64_t integer(const std::string &field, int64_t least, int64_t most) const {
    return integer(at(field), field, least, most);
  }

  const nlohmann::json &list(const std::string &field) const {
    const nlohmann::json &item = at(field);
    if (!item.is_array()) {
      throw bad(field, "is not a list");
    }
    return item;
  }

  std::vector<std::string> texts(const std::string &field) const {
    std::vector<std::string> result;
    for (const nlohmann::json &item : list(field)) {
      if (!item.is_string()) {
        throw bad(field, "holds something that is not a text");
      }
      result.push_back(item.get<std::string>());
    }
    return result;
  }

  std::string oneOf(const std::string &field,
                    std::initializer_list<const char *> allowed) const {
    std::string word = text(field);
    if (std::find(allowed.begin(), allowed.end(), word) == allowed.end()) {
      throw bad(field, "has the unknown value '" + word + "'");
    }
    return word;
  }

  FieldReader object(const std::string &field) const {
    return FieldReader(at(field), path + (path.empty() ? "" : ".") + field,
                       file);
  }
  FieldReader element(const nlohmann::json &item, const std::string &field,
                      size_t index) const {
    return FieldReader(item,
                       path + (path.empty() ? "" : ".") + field + "[" +
                           std::to_string(index) + "]",
                       file);
  }

private:
  const nlohmann::json &value;
  std::string path;
  const std::string &file;
};

} // namespace cheems

#endif
