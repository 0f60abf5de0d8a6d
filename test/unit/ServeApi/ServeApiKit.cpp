#include "ServeApiKit.h"

#include "../Generation/TalkingArtifact.h"

#include "runtime/Text/StopStrings.h"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>

namespace cheems::test {

using namespace serve;

const char *const qwenTemplate =
    "{%- if tools %}<|im_start|>system\n{% if messages[0].role == 'system' %}"
    "{{ messages[0].content + '\\n\\n' }}{% endif %}# Tools\n<tools>"
    "{% for tool in tools %}\n{{ tool | tojson }}{% endfor %}\n</tools>"
    "<|im_end|>\n{% elif messages[0].role == 'system' %}<|im_start|>system\n"
    "{{ messages[0].content }}<|im_end|>\n{% endif %}"
    "{%- for message in messages %}"
    "{%- if message.role == 'user' %}<|im_start|>user\n{{ message.content }}"
    "<|im_end|>\n{% elif message.role == 'assistant' %}<|im_start|>assistant\n"
    "{{ message.content }}{% for call in message.tool_calls or [] %}"
    "<tool_call>\n{\"name\": \"{{ call.function.name }}\", \"arguments\": "
    "{{ call.function.arguments | tojson }}}\n</tool_call>{% endfor %}"
    "<|im_end|>\n{% elif message.role == 'tool' %}<|im_start|>user\n"
    "<tool_response>\n{{ message.content }}\n</tool_response><|im_end|>\n"
    "{% endif %}{% endfor %}"
    "{%- if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n"
    "</think>\n\n{% endif %}{% endif %}";

const char *const plainTemplate =
    "{% for message in messages %}{% if message.role == 'system' %}"
    "{{ raise_exception('no system prompt, please') }}{% endif %}"
    "<|im_start|>{{ message.content | trim }}<|im_end|>{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>{% endif %}";

/// The letters that byte-level tokenizers have for bytes.
static std::string letterOf(int byte) {
  int code = byte, next = 256;
  auto isPlain = [](int b) {
    return (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
  };
  if (!isPlain(byte)) {
    for (int other = 0; other < byte; ++other) {
      next += isPlain(other) ? 0 : 1;
    }
    code = next;
  }
  std::string out;
  if (code < 0x80) {
    out += char(code);
  } else {
    out += char(0xC0 | (code >> 6));
    out += char(0x80 | (code & 63));
  }
  return out;
}

static std::string bytesTokenizer(const std::vector<std::string> &special) {
  auto tokenizer = nlohmann::json::parse(talkingTokenizer());
  auto vocabulary = nlohmann::json::object();
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary[letterOf(byte)] = byte;
  }
  auto added = nlohmann::json::array();
  int32_t id = bosId;
  auto add = [&](int32_t token, const char *name) {
    vocabulary[name] = token;
    added.push_back({{"id", token},
                     {"content", name},
                     {"single_word", false},
                     {"lstrip", false},
                     {"rstrip", false},
                     {"normalized", false},
                     {"special", true}});
  };
  for (const char *name : {"<bos>", "<|im_start|>", "<|im_end|>"}) {
    add(id++, name);
  }
  vocabulary["ab"] = id++;
  for (const std::string &name : special) {
    add(id++, name.c_str());
  }
  add(vocabularySize, lostText);
  tokenizer["model"]["vocab"] = vocabulary;
  tokenizer["added_tokens"] = added;
  tokenizer["post_processor"]["special_tokens"]["<bos>"]["ids"] = {bosId};
  return tokenizer.dump();
}

std::shared_ptr<TextModel> bytesModel(const std::string &format,
                                      const std::string &generation,
                                      const std::vector<std::string> &special) {
  FakeArtifact artifact = talkingArtifact();
  artifact.metadata["vocab_size"] = vocabularySize;
  artifact.metadata["bos_token_id"] = bosId;
  artifact.metadata["eos_token_ids"] = {endId};
  setText(artifact, CHEEMS_SECTION_TOKENIZER, bytesTokenizer(special));
  nlohmann::json config = {{"bos_token", "<bos>"}, {"eos_token", "<|im_end|>"}};
  bool isList = !format.empty() && format[0] == '[';
  if (isList) {
    config["chat_template"] = nlohmann::json::parse(format);
  }
  setText(artifact, CHEEMS_SECTION_TOKENIZER_CONFIG, config.dump());
  setText(artifact, CHEEMS_SECTION_CHAT_TEMPLATE, isList ? "" : format);
  setText(artifact, CHEEMS_SECTION_GENERATION_CONFIG, generation);
  return std::make_shared<TextModel>(load(artifact));
}

std::vector<int32_t> bytesOf(const std::string &text) {
  std::vector<int32_t> ids;
  for (unsigned char byte : text) {
    ids.push_back(byte);
  }
  return ids;
}

/// Log-probabilities that a test can tell: of a token, and of those beside it.
static TokenLogprob logprobOf(int32_t token, int64_t count) {
  TokenLogprob out;
  out.token = token;
  out.logprob = -0.1 * (token % 7 + 1);
  for (int64_t i = 0; i < count; ++i) {
    int32_t other = i == 0 ? token : int32_t((token + i) % 256);
    out.best.push_back({other, *out.logprob - double(i)});
  }
  return out;
}

std::shared_ptr<GenerationTicket>
StandInEngine::submit(GenerationRequest request,
                      std::shared_ptr<GenerationSink> sink) {
  keep(requests, request);
  if (refusal) {
    sink->failed(*refusal);
    return nullptr;
  }
  auto ticket = std::make_shared<GenerationTicket>();
  keep(tickets, ticket);
  sink->started(1, 3);
  if (waits) {
    keep(sinks, sink);
    return ticket;
  }
  if (request.promptLogprobs) {
    std::vector<TokenLogprob> all;
    for (int32_t token : request.prompt) {
      all.push_back(logprobOf(token, *request.topLogprobs));
    }
    all[0].logprob.reset();
    all[0].best.clear();
    size_t half = all.size() / 2; // they come some at a time
    sink->promptLogprobs({all.begin(), all.begin() + ptrdiff_t(half)});
    sink->promptLogprobs({all.begin() + ptrdiff_t(half), all.end()});
  }
  GenerationUsage usage;
  usage.promptTokens = int64_t(request.prompt.size());
  usage.cachedTokens = 3;
  usage.promptSeconds = 0.5;
  usage.generationSeconds = 2;
  if (request.embedding) {
    sink->embedding(*request.embedding == Pooling::mean
                        ? std::vector<float>{3, 4}
                        : std::vector<float>{0, -2});
    sink->done(usage);
    return ticket;
  }
  for (int64_t choice = 0; choice < request.choices; ++choice) {
    const std::string &text = texts[size_t(choice) % texts.size()];
    size_t most = std::min(
        text.size(), size_t(request.maxTokens.value_or(int64_t(1) << 30)));
    StopStrings stops(request.stopStrings);
    for (size_t i = 0; i < most && !stops.found(); ++i) {
      TextPiece piece;
      piece.choice = choice;
      piece.text = stops.push(text.substr(i, 1));
      piece.held = stops.heldBytes();
      piece.token = static_cast<unsigned char>(text[i]);
      if (request.topLogprobs) {
        piece.logprob = logprobOf(*piece.token, *request.topLogprobs);
      }
      sink->piece(piece);
      if (fault) {
        sink->failed(*fault);
        return ticket;
      }
    }
    TextPiece rest;
    rest.choice = choice;
    rest.text = stops.finish();
    if (!rest.text.empty()) {
      sink->piece(rest);
    }
    usage.generatedTokens += int64_t(most);
    ChoiceEnd end;
    end.choice = choice;
    end.stopString = stops.found().value_or("");
    end.reason = most < text.size() && !stops.found() ? FinishReason::length
                                                      : FinishReason::stop;
    end.generatedTokens = int64_t(most);
    sink->ended(end);
  }
  sink->done(usage);
  return ticket;
}

std::vector<SlotView> StandInEngine::slots() const {
  std::vector<SlotView> all(2);
  all[0].busy = slotBusy;
  all[1].busy = slotBusy;
  all[1].id = 1;
  all[1].context = 512;
  all[1].tokens = 7;
  return all;
}

static void finish(const std::string &error,
                   const GenerationEngine::SlotDone &done) {
  SlotActionResult result;
  result.error = error;
  result.httpStatus = error.empty() ? 200 : 409;
  result.tokens = 7;
  result.bytes = 700;
  result.seconds = 0.25;
  done(result);
}

void StandInEngine::saveSlot(int64_t slot, std::string name, SlotDone done) {
  slotActions.push_back("save " + std::to_string(slot) + " " + name);
  finish(slotError, done);
}

void StandInEngine::restoreSlot(int64_t slot, std::string name, SlotDone done) {
  slotActions.push_back("restore " + std::to_string(slot) + " " + name);
  finish(slotError, done);
}

void StandInEngine::eraseSlot(int64_t slot, SlotDone done) {
  slotActions.push_back("erase " + std::to_string(slot));
  finish(slotError, done);
}

void StandInResponder::respond(HttpResponse given) {
  std::lock_guard<std::mutex> lock(mutex);
  response = std::move(given);
  ++answers;
  changed.notify_all();
}

void StandInResponder::beginStream(HttpResponse head) {
  std::lock_guard<std::mutex> lock(mutex);
  response = std::move(head);
  ++begun;
  changed.notify_all();
}

void StandInResponder::send(std::string bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 0);
  stream += bytes;
}

void StandInResponder::endStream() {
  std::lock_guard<std::mutex> lock(mutex);
  ++ended;
  changed.notify_all();
}

void StandInResponder::onDropped(std::function<void()> handler) {
  std::lock_guard<std::mutex> lock(mutex);
  dropped = std::move(handler);
  changed.notify_all();
}

void StandInResponder::note(const std::string &name, const std::string &json) {
  std::lock_guard<std::mutex> lock(mutex);
  notes.push_back(name + "=" + json);
}

void StandInResponder::drop() {
  std::function<void()> handler;
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return dropped != nullptr && begun > 0; });
    handler = dropped;
  }
  handler();
}

void StandInResponder::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  bool came = changed.wait_for(lock, std::chrono::seconds(60),
                               [&] { return answers + ended > 0; });
  ASSERT_TRUE(came) << "no answer";
  EXPECT_EQ(answers + begun, 1);
}

std::vector<std::string> StandInResponder::events() const {
  static const std::string errorName = "event: error\n";
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<std::string> all;
  for (size_t at = 0; at < stream.size();) {
    size_t end = stream.find("\n\n", at);
    EXPECT_NE(end, std::string::npos);
    std::string event = stream.substr(at, end - at);
    if (event.compare(0, errorName.size(), errorName) == 0) {
      event = event.substr(errorName.size());
    }
    EXPECT_EQ(event.substr(0, 6), "data: ");
    EXPECT_EQ(event.find('\n'), std::string::npos);
    all.push_back(event.substr(6));
    at = end + 2;
  }
  return all;
}

Served::Served(const std::string &format, ApiOptions options,
               const std::string &generation,
               const std::vector<std::string> &special)
    : text(bytesModel(format, generation, special)),
      api(*text, engine, std::move(options)) {}

Reply Served::ask(const std::string &method, const std::string &path,
                  const std::string &body, const std::string &query,
                  HttpFields fields) {
  HttpRequest request;
  request.method = method;
  request.path = path;
  request.query = query;
  request.body = body;
  request.fields = std::move(fields);
  request.id = "r1";
  responder = std::make_shared<StandInResponder>();
  api.handle(std::move(request), responder);
  responder->wait();
  Reply reply;
  reply.status = responder->response.status;
  reply.fields = responder->response.fields;
  reply.events = responder->events();
  if (responder->response.type == "application/json") {
    reply.body = Json::parse(responder->response.body);
  }
  return reply;
}

const GenerationRequest &Served::request() const {
  EXPECT_EQ(engine.requests.size(), 1u);
  return engine.requests.at(0);
}

} // namespace cheems::test
