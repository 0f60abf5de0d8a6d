// A small byte-level tokenizer.json to vary, and what tests ask of errors.
#ifndef CHEEMS_TEST_UNIT_TOKENIZER_TESTSUPPORT_H
#define CHEEMS_TEST_UNIT_TOKENIZER_TESTSUPPORT_H

#include "runtime/Error.h"
#include "runtime/Tokenizer/ByteAlphabet.h"
#include "runtime/Tokenizer/Tokenizer.h"
#include "test/unit/Support/TestPaths.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace cheems::test {

using Json = nlohmann::json;
using Ids = std::vector<int32_t>;

inline std::string readData(const std::string &name) {
  std::string path = std::string(cheems::test_paths::sourceFolder) +
                     "/test/unit/Tokenizer/data/" + name;
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::vector<Json> readLines(const std::string &name) {
  std::istringstream file(readData(name));
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(Json::parse(line));
  }
  return lines;
}

/// Ids 0..255 are the bytes; "ab" 256, "bc" 257, "abc" 258; merges (a, b), (b,
/// c), (ab, c) in that order. Byte-level without a regex, nothing else.
inline Json byteTokenizer() {
  Json vocabulary = Json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary[std::string(
        byte_alphabet::characterOf(static_cast<unsigned char>(byte)))] = byte;
  }
  vocabulary["ab"] = 256;
  vocabulary["bc"] = 257;
  vocabulary["abc"] = 258;
  return {
      {"version", "1.0"},
      {"added_tokens", Json::array()},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "ByteLevel"},
        {"add_prefix_space", false},
        {"use_regex", false}}},
      {"post_processor", nullptr},
      {"decoder", {{"type", "ByteLevel"}}},
      {"model",
       {{"type", "BPE"},
        {"vocab", vocabulary},
        {"merges", Json::parse(R"([["a", "b"], ["b", "c"], ["ab", "c"]])")}}}};
}

inline Json addedToken(const std::string &content, int id) {
  return {{"content", content}, {"id", id},        {"single_word", false},
          {"lstrip", false},    {"rstrip", false}, {"normalized", false},
          {"special", false}};
}

inline Ids encode(const Json &json, const std::string &text) {
  return Tokenizer(json.dump()).encode(text, false);
}

/// The error loading gives; fails where it gives none.
inline Error loadError(const std::string &text,
                       const std::string &config = "") {
  try {
    Tokenizer tokenizer(text, config);
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos)
        << error.what();
    return error;
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return Error("");
}

inline void expectMalformed(const Json &json, const std::string &message) {
  Error error = loadError(json.dump());
  EXPECT_EQ(error.status, Status::failed) << error.what();
  EXPECT_THAT(error.what(), testing::HasSubstr(message));
}

inline void expectUnsupported(const Json &json, const std::string &message) {
  Error error = loadError(json.dump());
  EXPECT_EQ(error.status, Status::unsupported) << error.what();
  EXPECT_THAT(error.what(), testing::HasSubstr(message));
}

} // namespace cheems::test

#endif
