// The C interface: what a text is made of, text as it comes, chats to text.
#include "../Generation/TalkingArtifact.h"
#include "ApiFixture.h"
#include <cstring>

using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

class Text : public testing::Test {
protected:
  ~Text() override { cheems_model_close(model); }
  void open(const FakeArtifact &artifact) {
    TemporaryFile file(artifact.bytes());
    cheems_model_close(model);
    model = nullptr;
    ASSERT_EQ(cheems_model_open(file.path().c_str(), &model), CHEEMS_OK)
        << cheems_last_error();
  }
  std::string bytesOf(int32_t token) {
    char bytes[16] = {};
    size_t length = 99;
    EXPECT_EQ(cheems_token_bytes(model, token, bytes, sizeof(bytes), &length),
              CHEEMS_OK)
        << cheems_last_error();
    return std::string(bytes, length);
  }
  /// The text, or "" and what cheems_last_error says.
  std::string render(const std::string &json, int flags,
                     cheems_status *status = nullptr) {
    std::string text(512, '\0');
    size_t length = 0;
    cheems_status result =
        cheems_apply_chat_template(model, json.data(), json.size(), flags,
                                   text.data(), text.size(), &length);
    if (status) {
      *status = result;
    } else {
      EXPECT_EQ(result, CHEEMS_OK) << cheems_last_error();
    }
    return text.substr(0, length);
  }
  std::vector<int32_t> endTokens() {
    std::vector<int32_t> tokens(8);
    int64_t count = 0;
    EXPECT_EQ(cheems_model_end_tokens(model, tokens.data(), 8, &count),
              CHEEMS_OK);
    tokens.resize(static_cast<size_t>(count));
    return tokens;
  }
  std::vector<int32_t> textTokens() {
    std::vector<int32_t> tokens(2, 99);
    EXPECT_EQ(cheems_model_text_tokens(model, &tokens[0], &tokens[1]),
              CHEEMS_OK)
        << cheems_last_error();
    return tokens;
  }
  cheems_model *model = nullptr;
};

TEST_F(Text, tokensHaveTheirBytes) {
  open(talkingArtifact());
  EXPECT_EQ(bytesOf(abToken), "ab");
  EXPECT_EQ(bytesOf(10), " ");
  EXPECT_EQ(bytesOf(byteEF), "\xEF"); // a part of a character
  EXPECT_EQ(bytesOf(userToken), "<user>");
  char byte = '?';
  size_t length = 0;
  EXPECT_EQ(cheems_token_bytes(model, abToken, &byte, 1, &length), CHEEMS_OK);
  EXPECT_EQ(byte, 'a');
  EXPECT_EQ(length, 2u);
  EXPECT_EQ(cheems_token_bytes(model, 16, nullptr, 0, &length), CHEEMS_FAILED);
  EXPECT_EQ(cheems_token_bytes(model, 1, nullptr, 0, nullptr), CHEEMS_USAGE);
}

TEST_F(Text, tokensThatAreBytesHaveThem) {
  FakeArtifact artifact = talkingArtifact();
  auto tokenizer = nlohmann::json::parse(talkingTokenizer());
  auto &vocabulary = tokenizer["model"]["vocab"];
  for (auto [id, token] : {std::pair(byteEF, "<0xEF>"), {byteBD, "\u2581a"}}) {
    for (auto each = vocabulary.begin(); each != vocabulary.end(); ++each) {
      if (each.value() == int(id)) {
        vocabulary.erase(each);
        break;
      }
    }
    vocabulary[token] = int(id);
  }
  tokenizer["decoder"] = nlohmann::json::parse(
      R"({"type": "Sequence", "decoders": [
           {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
           {"type": "ByteFallback"}, {"type": "Fuse"},
           {"type": "Strip", "content": " ", "start": 1, "stop": 0}]})");
  setText(artifact, CHEEMS_SECTION_TOKENIZER, tokenizer.dump());
  open(artifact);
  EXPECT_EQ(bytesOf(byteEF), "\xEF");
  EXPECT_EQ(bytesOf(byteBD), " a"); // in the middle of a text
}

TEST_F(Text, comesInWholeCharacters) {
  open(talkingArtifact());
  cheems_decoder *decoder = nullptr;
  ASSERT_EQ(cheems_decoder_create(model, 0, &decoder), CHEEMS_OK);
  cheems_model_close(model); // the decoder outlives it
  model = nullptr;
  const char *text = nullptr;
  size_t length = 0;
  auto push = [&](int32_t token) {
    EXPECT_EQ(cheems_decoder_push(decoder, token, &text, &length), CHEEMS_OK);
    EXPECT_EQ(std::strlen(text), length);
    return std::string(text);
  };
  auto finish = [&] {
    EXPECT_EQ(cheems_decoder_finish(decoder, &text, &length), CHEEMS_OK);
    return std::string(text);
  };
  EXPECT_EQ(push(aToken), "a");
  EXPECT_EQ(push(userToken), "");
  EXPECT_EQ(push(byteEF), "");
  EXPECT_EQ(push(byteBD), "");
  EXPECT_EQ(cheems_decoder_push(decoder, 16, &text, &length), CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("16"));
  EXPECT_EQ(push(byteBD), "\uFF7D");
  EXPECT_EQ(push(byteEF), "");
  EXPECT_EQ(finish(), "\uFFFD");
  EXPECT_EQ(finish(), "");
  EXPECT_EQ(push(abToken), "ab");
  EXPECT_EQ(cheems_decoder_push(decoder, 1, nullptr, &length), CHEEMS_USAGE);
  EXPECT_EQ(cheems_decoder_push(nullptr, 1, &text, &length), CHEEMS_USAGE);
  EXPECT_EQ(cheems_decoder_finish(nullptr, &text, &length), CHEEMS_USAGE);
  cheems_decoder_destroy(decoder);
  cheems_decoder_destroy(nullptr);
}

TEST_F(Text, specialTokensAreShownWhereTheyAreWanted) {
  open(talkingArtifact());
  cheems_decoder *decoder = nullptr;
  ASSERT_EQ(cheems_decoder_create(model, 1, &decoder), CHEEMS_OK);
  const char *text = nullptr;
  size_t length = 0;
  EXPECT_EQ(cheems_decoder_push(decoder, userToken, &text, &length), CHEEMS_OK);
  EXPECT_STREQ(text, "<user>");
  cheems_decoder_destroy(decoder);
  EXPECT_EQ(cheems_decoder_create(nullptr, 1, &decoder), CHEEMS_USAGE);
  EXPECT_EQ(cheems_decoder_create(model, 1, nullptr), CHEEMS_USAGE);
}

TEST_F(Text, tokensThatFrameATextAreTold) {
  FakeArtifact artifact = talkingArtifact();
  artifact.metadata["pad_token_id"] = nullptr;
  open(artifact);
  EXPECT_THAT(textTokens(), ElementsAre(bosToken, -1));
  EXPECT_THAT(endTokens(), ElementsAre(eosToken));
  int64_t count = 0;
  EXPECT_EQ(cheems_model_end_tokens(model, nullptr, 0, &count), CHEEMS_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(cheems_model_text_tokens(model, nullptr, nullptr), CHEEMS_OK);
  EXPECT_EQ(cheems_model_text_tokens(nullptr, nullptr, nullptr), CHEEMS_USAGE);
  EXPECT_EQ(cheems_model_end_tokens(nullptr, nullptr, 0, &count), CHEEMS_USAGE);

  // The three files, the first that names one.
  artifact.metadata["bos_token_id"] = 5;
  artifact.metadata["pad_token_id"] = 6;
  open(artifact);
  EXPECT_THAT(textTokens(), ElementsAre(bosToken, 6));
  setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG,
          R"({"bos_token_id": 7, "pad_token_id": 8, "eos_token_id": [9, 4]})");
  open(artifact);
  EXPECT_THAT(textTokens(), ElementsAre(bosToken, 8));
  EXPECT_THAT(endTokens(), ElementsAre(9, 4));
  setText(artifact, CHEEMS_SECTION_TOKENIZER_CONFIG, "");
  open(artifact);
  EXPECT_THAT(textTokens(), ElementsAre(7, 8));
  setText(artifact, CHEEMS_SECTION_TOKENIZER, "");
  setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG, "");
  open(artifact);
  EXPECT_THAT(textTokens(), ElementsAre(5, 6));
}

TEST_F(Text, chatsAreRendered) {
  open(talkingArtifact());
  const char *messages =
      R"([{"role": "user", "content": "ab"},
          {"role": "assistant", "content": "c"},
          {"role": "user", "content": "d"}])";
  EXPECT_EQ(render(messages, 0), "<bos><user>ab<bot>c<eos><user>d");
  EXPECT_EQ(render(messages, CHEEMS_ADD_GENERATION_PROMPT),
            "<bos><user>ab<bot>c<eos><user>d<bot>");
  EXPECT_EQ(render("{\"messages\": " + std::string(messages) +
                       ", \"bos_token\": \"<b>\"}",
                   0),
            "<b><user>ab<bot>c<eos><user>d");
  EXPECT_EQ(render("[]", 0), "<bos>");
}

TEST_F(Text, whatIsNoChatIsRefused) {
  open(talkingArtifact());
  cheems_status status = CHEEMS_OK;
  for (const char *json : {"", "[", "3", "{}", "[1]", "{\"messages\": 1}",
                           "[{}], \"x\": 1", "[{\"a\": \"\xff\"}]"}) {
    EXPECT_THAT(render(json, 0, &status), IsEmpty()) << json;
    EXPECT_EQ(status, CHEEMS_FAILED) << json;
    EXPECT_THAT(cheems_last_error(), HasSubstr("messages")) << json;
  }
  render("[]", 2, &status);
  EXPECT_EQ(status, CHEEMS_USAGE);
  EXPECT_STREQ(cheems_last_error(),
               "flags has bits that are not cheems_chat_flags: 2");
  FakeArtifact artifact = talkingArtifact();
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE,
          "{{ raise_exception('not today') }}");
  open(artifact);
  render("[]", 0, &status);
  EXPECT_EQ(status, CHEEMS_FAILED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("not today"));
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE, "");
  open(artifact);
  render("[]", 0, &status);
  EXPECT_EQ(status, CHEEMS_UNSUPPORTED);
  EXPECT_THAT(cheems_last_error(), HasSubstr("has no chat template"));
}

TEST_F(Text, templatesSeeTools) {
  FakeArtifact artifact = talkingArtifact();
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE,
          "{% if tools %}{{ tools | tojson }}{% else %}none{% endif %}");
  open(artifact);
  EXPECT_EQ(render("[]", 0), "none");
  EXPECT_EQ(render(R"({"messages": [], "tools": [{"name": "f", "n": 2}]})", 0),
            R"([{"name": "f", "n": 2}])");
}

} // namespace
