#include "TalkingArtifact.h"
#include "test/unit/Support/TestPaths.h"
#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

using nlohmann::json;

namespace cheems::test {

std::string talkingTokenizer() {
  const char *tokens[] = {"<bos>",  "<eos>",  "<user>", "<bot>", "a",
                          "b",      "c",      "d",      "e",     "-",
                          "\u0120", // a space
                          "\u010a", // a newline
                          "\u00ef", // the bytes EF, BD and BF
                          "\u00bd", "\u00bf", "ab"};
  json vocabulary = json::object(), added = json::array();
  int id = 0;
  for (const char *token : tokens) {
    vocabulary[token] = id;
    if (id < 4) {
      added.push_back({{"id", id},
                       {"content", token},
                       {"single_word", false},
                       {"lstrip", false},
                       {"rstrip", false},
                       {"normalized", false},
                       {"special", true}});
    }
    ++id;
  }
  json byteLevel = {{"type", "ByteLevel"},
                    {"add_prefix_space", false},
                    {"trim_offsets", true},
                    {"use_regex", true}};
  json bos = {{"SpecialToken", {{"id", "<bos>"}, {"type_id", 0}}}};
  json text = {{"Sequence", {{"id", "A"}, {"type_id", 0}}}};
  json post = {
      {"type", "TemplateProcessing"},
      {"single", {bos, text}},
      {"pair", {bos, text}},
      {"special_tokens",
       {{"<bos>", {{"id", "<bos>"}, {"ids", {0}}, {"tokens", {"<bos>"}}}}}}};
  return json{{"version", "1.0"},
              {"truncation", nullptr},
              {"padding", nullptr},
              {"added_tokens", added},
              {"normalizer", nullptr},
              {"pre_tokenizer", byteLevel},
              {"post_processor", post},
              {"decoder", byteLevel},
              {"model",
               {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", false},
                {"byte_fallback", false},
                {"vocab", vocabulary},
                {"merges", {"a b"}}}}}
      .dump();
}

std::string talkingTokenizerConfig() {
  return json{{"bos_token", "<bos>"}, {"eos_token", "<eos>"}}.dump();
}

std::string talkingTemplate() {
  return "{{ bos_token }}{% for message in messages %}"
         "{% if message.role == 'assistant' %}<bot>{{ message.content }}<eos>"
         "{% else %}<user>{{ message.content }}{% endif %}{% endfor %}"
         "{% if add_generation_prompt %}<bot>{% endif %}";
}

void setText(FakeArtifact &artifact, const std::string &section,
             const std::string &text) {
  auto &texts = artifact.texts;
  texts.erase(
      std::remove_if(texts.begin(), texts.end(),
                     [&](const auto &entry) { return entry.first == section; }),
      texts.end());
  if (!text.empty()) {
    texts.emplace_back(section, text);
  }
}

FakeArtifact talkingArtifact(int64_t window) {
  FakeArtifact artifact;
  std::ifstream file(cheems::test_paths::talkingModel, std::ios::binary);
  artifact.code.assign(std::istreambuf_iterator<char>(file), {});
  if (artifact.code.empty()) {
    throw std::runtime_error(std::string("cannot read ") +
                             cheems::test_paths::talkingModel);
  }
  artifact.metadata["context"]["default"] = 256;
  artifact.metadata["context"]["trained"] = 256;
  artifact.metadata["bos_token_id"] = bosToken;
  artifact.metadata["eos_token_ids"] = {eosToken};
  artifact.metadata["keep_window"] = window;
  artifact.weights[1] = static_cast<float>(window);
  setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG, "");
  setText(artifact, CHEEMS_SECTION_TOKENIZER, talkingTokenizer());
  setText(artifact, CHEEMS_SECTION_TOKENIZER_CONFIG, talkingTokenizerConfig());
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE, talkingTemplate());
  return artifact;
}

std::shared_ptr<const Model> load(const FakeArtifact &artifact) {
  TemporaryFile file(artifact.bytes());
  return Model::open(file.path());
}

} // namespace cheems::test
