// A model, a session and a tokenizer behind the C interface.
#ifndef CHEEMS_TEST_UNIT_API_APIFIXTURE_H
#define CHEEMS_TEST_UNIT_API_APIFIXTURE_H

#include "../Artifact/FakeArtifact.h"
#include "cheems/cheems.h"
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace cheems::test {

constexpr int32_t controlToken = fakeVocabulary;

/// A byte-level tokenizer of the 16 letters a…p, each its own token, and of a
/// control token spelled "end", which begins a text, too.
inline FakeArtifact withTokenizer() {
  FakeArtifact artifact;
  nlohmann::json control = {{"id", controlToken},   {"content", "end"},
                            {"single_word", false}, {"lstrip", false},
                            {"rstrip", false},      {"normalized", false},
                            {"special", true}};
  nlohmann::json frame = {
      {"type", "TemplateProcessing"},
      {"single",
       {{{"SpecialToken", {{"id", "end"}, {"type_id", 0}}}},
        {{"Sequence", {{"id", "A"}, {"type_id", 0}}}}}},
      {"pair", nlohmann::json::array()},
      {"special_tokens",
       {{"end",
         {{"id", "end"}, {"ids", {controlToken}}, {"tokens", {"end"}}}}}}};
  nlohmann::json vocabulary;
  for (int i = 0; i < fakeVocabulary; ++i) {
    vocabulary[std::string(1, static_cast<char>('a' + i))] = i;
  }
  nlohmann::json tokenizer = {
      {"version", "1.0"},
      {"added_tokens", nlohmann::json::array({control})},
      {"normalizer", nullptr},
      {"pre_tokenizer",
       {{"type", "ByteLevel"},
        {"add_prefix_space", false},
        {"trim_offsets", true},
        {"use_regex", true}}},
      {"post_processor", frame},
      {"decoder",
       {{"type", "ByteLevel"},
        {"add_prefix_space", true},
        {"trim_offsets", true},
        {"use_regex", true}}},
      {"model",
       {{"type", "BPE"},
        {"vocab", vocabulary},
        {"merges", nlohmann::json::array()}}}};
  for (auto &[name, text] : artifact.texts) {
    if (name == CHEEMS_SECTION_TOKENIZER) {
      text = tokenizer.dump();
    } else if (name == CHEEMS_SECTION_TOKENIZER_CONFIG) {
      text = "{}";
    }
  }
  return artifact;
}

class Api : public testing::Test {
protected:
  void SetUp() override {
    TemporaryFile file(withTokenizer().bytes());
    ASSERT_EQ(cheems_model_open(file.path().c_str(), &model), CHEEMS_OK)
        << cheems_last_error();
  }
  void TearDown() override {
    cheems_session_destroy(session);
    cheems_model_close(model);
  }
  void start(int64_t threads = 2) {
    cheems_session_options options = {};
    options.size = sizeof(options);
    options.threads = threads;
    options.slots = 2;
    ASSERT_EQ(cheems_session_create(model, &options, &session), CHEEMS_OK)
        << cheems_last_error();
  }
  cheems_model *model = nullptr;
  cheems_session *session = nullptr;
  std::array<float, fakeVocabulary> logits = {};
};

/// FakeModel.c's hash.
inline float hashOf(const std::vector<int32_t> &tokens) {
  int64_t value = 0;
  for (int32_t token : tokens) {
    value = (value * 31 + token + 1) % 65521;
  }
  return static_cast<float>(value);
}

} // namespace cheems::test

#endif
