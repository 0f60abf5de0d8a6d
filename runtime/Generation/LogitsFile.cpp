#include "runtime/Generation/LogitsFile.h"
#include <algorithm>

namespace cheems {

/// The length of the JSON, then the JSON, padded so that the data is aligned.
std::string LogitsFile::header(int64_t batch, int64_t tokens,
                               int64_t vocabulary) {
  int64_t rows, bytes;
  if (__builtin_mul_overflow(batch, tokens, &rows) ||
      __builtin_mul_overflow(rows, vocabulary * int64_t(sizeof(float)),
                             &bytes)) {
    throw Error("logits for " + std::to_string(batch) + " rows of " +
                std::to_string(tokens) + " tokens do not fit in a file");
  }
  std::string json = "{\"logits\":{\"dtype\":\"F32\",\"shape\":[" +
                     std::to_string(batch) + "," + std::to_string(tokens) +
                     "," + std::to_string(vocabulary) +
                     "],\"data_offsets\":[0," + std::to_string(bytes) + "]}}";
  json.resize((json.size() + 7) / 8 * 8, ' ');
  uint64_t size = json.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof(size)) +
         json;
}

LogitsFile::LogitsFile(const std::string &path, int64_t batch, int64_t tokens,
                       int64_t vocabulary)
    : path(path), tokens(tokens),
      rowBytes(vocabulary * static_cast<int64_t>(sizeof(float))),
      data(static_cast<int64_t>(header(batch, tokens, vocabulary).size())),
      file(path), written(static_cast<size_t>(batch)) {
  std::string bytes = header(batch, tokens, vocabulary);
  file.write(bytes.data(), bytes.size(), 0);
}

void LogitsFile::append(int64_t sequence, const float *logits, int64_t rows) {
  int64_t &done = written.at(static_cast<size_t>(sequence));
  if (rows > tokens - done) {
    throw Error(path + ": more logits than the file was made for");
  }
  file.write(logits, static_cast<size_t>(rows * rowBytes),
             data + (sequence * tokens + done) * rowBytes);
  done += rows;
}

void LogitsFile::finish() {
  int64_t missing = 0;
  for (int64_t done : written) {
    missing += tokens - done;
  }
  if (missing != 0) {
    throw Error(path + ": " + std::to_string(missing) +
                " rows of logits are missing");
  }
  file.finish();
}

} // namespace cheems
