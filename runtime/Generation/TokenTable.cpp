#include "runtime/Generation/TokenTable.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include <cstring>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace cheems {

namespace {

constexpr const char *tensorName = "input_ids";

uint64_t readU64(std::string_view bytes) {
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof(value)); // x86: little-endian
  return value;
}

class Header {
public:
  Header(const Header &) = delete; // would point into the other's document
  Header(std::string_view file, const std::string &name) : name(name) {
    if (file.size() < 8) {
      throw bad("it is shorter than a safetensors header");
    }
    uint64_t size = readU64(file);
    if (size > file.size() - 8) {
      throw bad("its header should have " + std::to_string(size) +
                " bytes, but the file has " + std::to_string(file.size()));
    }
    document = parseJson<json>(file.substr(8, size));
    if (!document.is_object()) {
      throw bad("its header is not a JSON object");
    }
    data = file.substr(8 + size);
    auto found = document.find(tensorName);
    if (found == document.end()) {
      throw bad(std::string("it has no tensor '") + tensorName + "'");
    }
    entry = &*found; // copies of what is nested deeply overflow the stack
    if (!entry->is_object()) {
      throw badTensor("is not described by a JSON object");
    }
  }

  Error bad(const std::string &why) const {
    return Error(name + ": not a safetensors file of token ids: " + why);
  }
  Error badTensor(const std::string &why) const {
    return Error(name + ": tensor '" + tensorName + "' " + why);
  }

  std::vector<int64_t> numbers(const char *field) const {
    auto list = entry->find(field);
    if (list == entry->end() || !list->is_array()) {
      throw badTensor(std::string("has no list '") + field + "'");
    }
    std::vector<int64_t> result;
    for (const json &item : *list) {
      if (!item.is_number_unsigned() ||
          item.get<uint64_t>() > uint64_t(INT64_MAX)) {
        throw badTensor(std::string("has something other than sizes in '") +
                        field + "'");
      }
      result.push_back(item.get<int64_t>());
    }
    return result;
  }

  std::string type() const {
    auto type = entry->find("dtype");
    return type != entry->end() && type->is_string() ? type->get<std::string>()
                                                     : "no type";
  }

  std::string_view data;

private:
  const std::string &name;
  json document;
  const json *entry = nullptr; ///< of the tensor, in the document
};

} // namespace

TokenTable TokenTable::parse(std::string_view file, const std::string &name) {
  Header header(file, name);
  std::string type = header.type();
  int64_t width = type == "I64" ? 8 : type == "I32" ? 4 : 0;
  if (width == 0) {
    throw header.badTensor("has the type " + type + "; it must be I64");
  }
  std::vector<int64_t> shape = header.numbers("shape");
  if (shape.size() == 1) {
    shape.insert(shape.begin(), 1);
  }
  int64_t count = 0, bytes = 0;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 ||
      __builtin_mul_overflow(shape[0], shape[1], &count) ||
      __builtin_mul_overflow(count, width, &bytes)) {
    throw header.badTensor(
        "must have the shape [B,T], both at least 1, and fit in memory");
  }
  std::vector<int64_t> range = header.numbers("data_offsets");
  if (range.size() != 2 || range[0] > range[1] ||
      uint64_t(range[1]) > header.data.size()) {
    throw header.badTensor("reaches outside the file");
  }
  if (range[1] - range[0] != bytes) {
    throw header.badTensor("has " + std::to_string(range[1] - range[0]) +
                           " bytes, its shape needs " + std::to_string(bytes));
  }
  TokenTable table;
  table.rows = shape[0];
  table.columns = shape[1];
  table.ids.reserve(static_cast<size_t>(count));
  const char *at = header.data.data() + range[0];
  for (int64_t i = 0; i < count; ++i, at += width) {
    int64_t wide = 0;
    int32_t narrow = 0;
    std::memcpy(width == 8 ? static_cast<void *>(&wide) : &narrow, at,
                static_cast<size_t>(width));
    table.ids.push_back(width == 8 ? wide : narrow);
  }
  return table;
}

} // namespace cheems
