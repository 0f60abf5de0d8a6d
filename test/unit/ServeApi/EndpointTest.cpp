// The small endpoints, and paths that are none.
#include "ServeApiKit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace cheems;
using namespace cheems::serve;
using namespace cheems::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(Endpoint, modelsListsTheOne) {
  ApiOptions options;
  options.modelName = "demo/model";
  Served served(qwenTemplate, options);
  Json list = served.ask("GET", "/v1/models").body;
  EXPECT_EQ(list["object"], "list");
  EXPECT_EQ(list["data"][0]["id"], "demo/model");
  EXPECT_EQ(list["data"][0]["max_model_len"], 512);
  EXPECT_EQ(served.ask("GET", "/v1/models/demo/model").body, list["data"][0]);
  Reply other = served.ask("GET", "/v1/models/other");
  EXPECT_EQ(other.status, 404);
  EXPECT_EQ(other.body["error"]["code"], "model_not_found");
}

TEST(Endpoint, metricsAreTheEngines) {
  ApiOptions options;
  options.metrics = [] { return "cheems:x 1\n"; };
  Served served(qwenTemplate, options);
  served.ask("GET", "/metrics");
  EXPECT_EQ(served.responder->response.body, "cheems:x 1\n");
  EXPECT_THAT(served.responder->response.type, HasSubstr("text/plain"));
}

TEST(Endpoint, propsTellContextTemplateAndTokens) {
  Served served;
  Json props = served.ask("GET", "/props").body;
  EXPECT_EQ(props["default_generation_settings"]["n_ctx"], 512);
  EXPECT_EQ(props["total_slots"], 2);
  EXPECT_EQ(props["chat_template"], qwenTemplate);
  EXPECT_EQ(props["bos_token"], "<bos>");
  EXPECT_EQ(props["eos_token"], "<|im_end|>");
}

TEST(Endpoint, aTemplateFromAFileIsTold) {
  Served served;
  served.text->setChatTemplate(plainTemplate, "file");
  EXPECT_EQ(served.ask("GET", "/props").body["chat_template"], plainTemplate);
  EXPECT_EQ(served.ask("GET", "/tokenizer_info").body["chat_template"],
            plainTemplate);
}

TEST(Endpoint, slotsAreToldWithoutTexts) {
  Served served;
  Json slots = served.ask("GET", "/slots").body;
  ASSERT_EQ(slots.size(), 2u);
  EXPECT_EQ(slots[1]["n_tokens"], 7);
  EXPECT_FALSE(slots[1].contains("prompt"));
  EXPECT_EQ(served.ask("GET", "/slots", "", "fail_on_no_slot=1").status, 200);
  served.engine.slotBusy = true;
  EXPECT_EQ(served.ask("GET", "/slots", "", "fail_on_no_slot=1").status, 503);
}

TEST(Endpoint, slotsAreSavedRestoredAndErased) {
  ApiOptions options;
  options.slotFiles = true;
  Served served(qwenTemplate, options);
  std::string body = R"({"filename": "one.state"})";
  Json saved = served.ask("POST", "/slots/1", body, "action=save").body;
  EXPECT_EQ(saved["n_saved"], 7);
  EXPECT_EQ(saved["n_written"], 700);
  EXPECT_EQ(saved["timings"]["save_ms"], 250);
  Json back = served.ask("POST", "/slots/0", body, "action=restore").body;
  EXPECT_EQ(back["n_restored"], 7);
  EXPECT_EQ(served.ask("POST", "/slots/0", "", "action=erase").body["n_erased"],
            7);
  EXPECT_THAT(
      served.engine.slotActions,
      ElementsAre("save 1 one.state", "restore 0 one.state", "erase 0"));
  served.engine.slotError = "the slot is busy";
  EXPECT_EQ(served.ask("POST", "/slots/1", body, "action=save").status, 409);
}

TEST(Endpoint, slotActionsRefuseWhatIsNotSound) {
  ApiOptions options;
  options.slotFiles = true;
  Served served(qwenTemplate, options);
  for (const char *name :
       {"", ".", "..", ".hidden", "a/b", "/etc/passwd", "a\nb"}) {
    Json body = {{"filename", name}};
    Reply reply = served.ask("POST", "/slots/0", body.dump(), "action=save");
    EXPECT_EQ(reply.status, 400) << name;
    EXPECT_EQ(reply.body["error"]["param"], "filename");
  }
  std::string body = R"({"filename": "x"})";
  EXPECT_EQ(served.ask("POST", "/slots/2", body, "action=save").status, 404);
  EXPECT_EQ(served.ask("POST", "/slots/x", body, "action=save").status, 404);
  EXPECT_EQ(served.ask("POST", "/slots/0", body, "action=sell").status, 400);
  EXPECT_TRUE(served.engine.slotActions.empty());
  Served without;
  Reply refused = without.ask("POST", "/slots/0", body, "action=save");
  EXPECT_EQ(refused.status, 501);
  EXPECT_EQ(refused.body["error"]["type"], "not_supported_error");
}

TEST(Endpoint, tokenizeKnowsBothServersWords) {
  Served served;
  Json answer = served.post("/tokenize", {{"prompt", "hi"}}).body;
  EXPECT_EQ(answer["tokens"], Json({bosId, 'h', 'i'}));
  EXPECT_EQ(answer["count"], 3);
  EXPECT_EQ(answer["max_model_len"], 512);
  answer = served
               .post("/tokenize", {{"prompt", "hi"},
                                   {"add_special_tokens", false},
                                   {"return_token_strs", true}})
               .body;
  EXPECT_EQ(answer["tokens"], Json({'h', 'i'}));
  EXPECT_EQ(answer["token_strs"], Json({"h", "i"}));
  answer = served.post("/tokenize", {{"content", "<|im_end|>"}}).body;
  EXPECT_EQ(answer["tokens"], Json::array({endId}));
  answer = served
               .post("/tokenize", {{"content", "<|im_end|>"},
                                   {"parse_special", false},
                                   {"add_special", true}})
               .body;
  EXPECT_EQ(answer["tokens"].size(), 11u);
  answer =
      served
          .post("/tokenize", {{"content", "h\xC3\xA9"}, {"with_pieces", true}})
          .body;
  EXPECT_EQ(answer["tokens"][0], Json({{"id", 'h'}, {"piece", "h"}}));
  EXPECT_EQ(answer["tokens"][1]["piece"], Json::array({0xC3}));
  answer = served
               .post("/tokenize",
                     {{"messages", {{{"role", "user"}, {"content", "hi"}}}}})
               .body;
  EXPECT_EQ(answer["tokens"][0], startId);
  Json tools = {{"messages", {{{"role", "user"}, {"content", "hi"}}}},
                {"tools", Json::array()}};
  EXPECT_EQ(served.post("/tokenize", tools).body["tokens"], answer["tokens"]);
  tools["tools"] = "none";
  EXPECT_EQ(served.post("/tokenize", tools).body["error"]["param"], "tools");
  for (const Json &bad : std::vector<Json>{Json::object(),
                                           {{"prompt", "a"}, {"content", "b"}},
                                           {{"prompt", 5}},
                                           {{"prompt", "a"}, {"odd", 1}}}) {
    EXPECT_EQ(served.post("/tokenize", bad).status, 400) << bad;
  }
}

TEST(Endpoint, detokenizeAnswersBothNames) {
  Served served;
  Json answer =
      served.post("/detokenize", {{"tokens", {bosId, 'h', 'i'}}}).body;
  EXPECT_EQ(answer["prompt"], "<bos>hi");
  EXPECT_EQ(answer["content"], "<bos>hi");
  EXPECT_EQ(
      served.post("/detokenize", {{"tokens", Json::array()}}).body["prompt"],
      "");
  for (const Json &bad : std::vector<Json>{
           Json::object(), {{"tokens", "x"}}, {{"tokens", {999}}}}) {
    EXPECT_EQ(served.post("/detokenize", bad).status, 400) << bad;
  }
}

TEST(Endpoint, tokenizerInfoHasWhatRemoteTokenizersAsk) {
  Served served;
  Json info = served.ask("GET", "/tokenizer_info").body;
  EXPECT_EQ(info["bos_token"], "<bos>");
  EXPECT_EQ(info["eos_token"], "<|im_end|>");
  EXPECT_EQ(info["chat_template"], qwenTemplate);
}

TEST(Endpoint, applyTemplateShowsThePrompt) {
  Served served;
  Json messages = {{{"role", "user"}, {"content", "say <|im_end|>"}}};
  EXPECT_EQ(
      served.post("/apply-template", {{"messages", messages}}).body["prompt"],
      "<|im_start|>user\nsay <|im_end|><|im_end|>\n"
      "<|im_start|>assistant\n");
}

TEST(Endpoint, embeddingsHaveLengthOneInBothFormats) {
  Served served;
  Json answer = served
                    .post("/v1/embeddings",
                          {{"input", {"hi", "you"}}, {"pooling", "mean"}})
                    .body;
  ASSERT_EQ(answer["data"].size(), 2u);
  EXPECT_EQ(answer["data"][1]["index"], 1);
  EXPECT_FLOAT_EQ(answer["data"][0]["embedding"][0].get<float>(), 0.6f);
  EXPECT_FLOAT_EQ(answer["data"][0]["embedding"][1].get<float>(), 0.8f);
  EXPECT_EQ(answer["usage"]["prompt_tokens"], 7);
  EXPECT_EQ(served.engine.requests[0].maxTokens, 0);
  answer = served
               .post("/v1/embeddings", {{"input", {1, 2, 3}},
                                        {"encoding_format", "base64"},
                                        {"pooling", "last"}})
               .body;
  // 0 and -1 as float32, little end first: 00 00 00 00 00 00 80 BF
  EXPECT_EQ(answer["data"][0]["embedding"], "AAAAAAAAgL8=");
  EXPECT_EQ(served.engine.requests.back().embedding, Pooling::last);
  served.post("/v1/embeddings", {{"input", "x"}});
  EXPECT_EQ(served.engine.requests.back().embedding, Pooling::mean);
  for (const Json &bad :
       std::vector<Json>{Json::object(),
                         {{"input", "x"}, {"encoding_format", "hex"}},
                         {{"input", "x"}, {"dimensions", 3}},
                         {{"input", "x"}, {"pooling", "max"}}}) {
    EXPECT_EQ(served.post("/v1/embeddings", bad).status, 400) << bad;
  }
}

TEST(Endpoint, embeddingsInLlamasWordsAreListsOfOneRow) {
  Served served;
  for (const char *path : {"/embedding", "/embeddings"}) {
    for (const char *field : {"content", "input"}) {
      Json answer = served.post(path, {{field, {"hi", "you"}}}).body;
      ASSERT_EQ(answer.size(), 2u) << path << field;
      EXPECT_EQ(answer[1]["index"], 1);
      ASSERT_EQ(answer[0]["embedding"].size(), 1u);
      EXPECT_FLOAT_EQ(answer[0]["embedding"][0][0].get<float>(), 0.6f);
      EXPECT_FLOAT_EQ(answer[0]["embedding"][0][1].get<float>(), 0.8f);
      EXPECT_EQ(served.engine.requests.back().embedding, Pooling::mean);
      EXPECT_EQ(served.engine.requests.back().prompt,
                served.text->encodePrompt("you"));
    }
  }
  for (auto [bad, param] : std::vector<std::pair<Json, std::string>>{
           {Json::object(), "content"},
           {{{"content", "x"}, {"input", "y"}}, "content"},
           {{{"content", "x"}, {"embd_normalize", 0}}, "embd_normalize"},
           {{{"content", "x"}, {"encoding_format", "base64"}},
            "encoding_format"},
           {{{"content", "x"}, {"image_data", {1}}}, "image_data"}}) {
    Reply reply = served.post("/embedding", bad);
    EXPECT_EQ(reply.status, 400) << bad;
    EXPECT_EQ(reply.body["error"]["param"], param) << bad;
  }
}

TEST(Endpoint, whereTooManyWaitForAWorkerOneIsSentAway) {
  ApiOptions options;
  options.maximumTasks = 0;
  Served served(qwenTemplate, options);
  Reply reply = served.post("/v1/completions", {{"prompt", "hi"}});
  EXPECT_EQ(reply.status, 429);
  ASSERT_EQ(reply.fields.size(), 1u);
  EXPECT_EQ(reply.fields[0].first, "Retry-After");
  EXPECT_EQ(served.ask("GET", "/v1/models").status, 200);
}

TEST(Endpoint, otherPathsAndMethodsAreNone) {
  Served served;
  EXPECT_EQ(served.ask("GET", "/nothing").status, 404);
  EXPECT_EQ(served.ask("GET", "/v1/models/").status, 404);
  for (const char *path : {"/v1", "/responses", "/v1/v1/chat/completions"}) {
    Reply reply = served.ask("POST", path, "{}");
    EXPECT_EQ(reply.status, 404);
    std::string message = reply.body["error"]["message"];
    EXPECT_THAT(message, HasSubstr("there is nothing at " + std::string(path)));
    EXPECT_THAT(message, HasSubstr("the base URL of OpenAI's clients ends in "
                                   "/v1 here"));
  }
  Reply wrong = served.ask("GET", "/v1/completions");
  EXPECT_EQ(wrong.status, 405);
  ASSERT_EQ(wrong.fields.size(), 1u);
  EXPECT_EQ(wrong.fields[0].second, "POST, OPTIONS");
  wrong = served.ask("POST", "/props");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.fields.at(0).second, "GET, HEAD, OPTIONS");
}

TEST(Endpoint, promptsBeyondTheContextAreRefusedBeforeTheyAreReadToTheirEnd) {
  Served served; // its context is 512
  std::string text(600, 'x');
  Json ids = std::vector<int32_t>(600, 'x');
  for (const Json &prompt : {Json(text), ids, Json::array({"short", text}),
                             Json::array({Json::array({1}), ids})}) {
    Reply reply = served.post("/v1/completions", {{"prompt", prompt}});
    EXPECT_EQ(reply.status, 400);
    EXPECT_EQ(reply.body["error"]["code"], "context_length_exceeded");
    EXPECT_EQ(reply.body["error"]["param"], "prompt");
  }
  Json mixed = Json::array({std::string(300, 'x'), 7, std::string(300, 'x')});
  Reply reply = served.post("/completion", {{"prompt", mixed}});
  EXPECT_EQ(reply.body["error"]["code"], "context_length_exceeded");
  EXPECT_EQ(served.engine.requests.size(), 0u);
  // texts that go nowhere may be longer
  EXPECT_EQ(served.post("/tokenize", {{"content", text}}).body["count"], 600);
}

} // namespace
