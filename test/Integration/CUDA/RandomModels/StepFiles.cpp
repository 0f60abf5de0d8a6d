#include "StepFiles.h"
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>

namespace cheems::test {

void writeStep(const std::filesystem::path &path,
               const std::vector<int64_t> &ids) {
  auto length = static_cast<int32_t>(ids.size());
  std::vector<int32_t> tokens(ids.begin(), ids.end()), rows(ids.size()),
      // slot, start, length, position, and the length for the rotary base
      segment{0, 0, length, 0, length, 0, 0, 0};
  std::iota(rows.begin(), rows.end(), 0);
  std::string header = "{", data;
  auto add = [&](const std::string &name, const std::string &shape,
                 const std::vector<int32_t> &values) {
    size_t begin = data.size();
    data.append(reinterpret_cast<const char *>(values.data()),
                values.size() * sizeof(int32_t));
    header += (begin ? ",\"" : "\"") + name +
              "\":{\"dtype\":\"I32\",\"shape\":" + shape +
              ",\"data_offsets\":[" + std::to_string(begin) + "," +
              std::to_string(data.size()) + "]}";
  };
  std::string count = "[" + std::to_string(length) + "]";
  add("tokens", count, tokens);
  add("segments", "[1,8]", segment);
  add("rows", count, rows);
  header += "}";
  uint64_t size = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(&size), sizeof(size));
  file << header << data;
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

} // namespace cheems::test
