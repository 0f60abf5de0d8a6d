#include "server/Api/ChatForm.h"

#include "server/Api/TokenText.h"

#include <utility>

namespace cheems::serve {

ChatForm::ChatForm(const Context &context, Wishes given)
    : context(context), wishes(std::move(given)),
      texts(2,
            [this](const std::vector<Json> &values) {
              return chunk(values[0], {{"content", values[1]}});
            }),
      readers(size_t(wishes.choices), AnswerReader(wishes.reading)),
      announced(size_t(wishes.choices)) {}

/// Nine letters and digits that tell `id` from others.
static std::string shortened(const std::string &id) {
  static const char *const letters = "0123456789abcdefghijklmnopqrstuvwxyz"
                                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  uint64_t hash = 0xCBF29CE484222325; // FNV-1a
  for (unsigned char byte : id) {
    hash = (hash ^ byte) * 0x100000001B3;
  }
  std::string out;
  for (int i = 0; i < 9; ++i, hash /= 62) {
    out += letters[hash % 62];
  }
  return out;
}

std::string ChatForm::callId(int64_t choice, int64_t call) const {
  std::string id = wishes.id.substr(wishes.id.find('-') + 1) + "_" +
                   std::to_string(choice) + "_" + std::to_string(call);
  return wishes.reading.calls->shortIds ? shortened(id) : "call_" + id;
}

Json ChatForm::head(const char *object) const {
  return {{"id", wishes.id},
          {"object", object},
          {"created", created},
          {"model", context.options.modelName}};
}

/// The message of a whole answer.
Json ChatForm::message(int64_t choice, const std::string &text,
                       bool &hasCalls) const {
  Json message = {
      {"role", "assistant"}, {"content", text}, {"refusal", nullptr}};
  if (!wishes.reading.isAny()) {
    return message;
  }
  AnswerReader reader(wishes.reading);
  std::vector<AnswerEvent> news = reader.push(text);
  for (AnswerEvent &each : reader.finish()) {
    news.push_back(std::move(each));
  }
  std::string said, reasoning;
  Json calls = Json::array();
  for (const AnswerEvent &each : news) {
    if (each.kind == AnswerEvent::Kind::text) {
      said += each.text;
    } else if (each.kind == AnswerEvent::Kind::reasoning) {
      reasoning += each.text;
    } else if (each.kind == AnswerEvent::Kind::call) {
      calls.push_back({{"id", callId(choice, int64_t(calls.size()))},
                       {"type", "function"},
                       {"function", {{"name", each.text}, {"arguments", ""}}}});
    } else {
      Json &arguments = calls.back()["function"]["arguments"];
      arguments = arguments.get<std::string>() + each.text;
    }
  }
  hasCalls = !calls.empty();
  message["content"] = said.empty() && hasCalls ? Json() : Json(said);
  if (!reasoning.empty()) {
    message["reasoning_content"] = std::move(reasoning);
  }
  if (hasCalls) {
    message["tool_calls"] = std::move(calls);
  }
  return message;
}

Json ChatForm::whole(const std::vector<PromptResult> &results) {
  const PromptResult &result = results[0];
  const Tokenizer &tokenizer = context.text.tokenizer();
  Json choices = Json::array();
  for (size_t i = 0; i < result.choices.size(); ++i) {
    const ChoiceResult &choice = result.choices[i];
    bool hasCalls = false;
    Json said = message(int64_t(i), choice.text, hasCalls);
    Json logprobs;
    if (wishes.logprobs) {
      Json content = Json::array();
      for (const TextPiece &piece : choice.pieces) {
        if (piece.logprob) {
          content.push_back(chatLogprob(tokenizer, *piece.logprob));
        }
      }
      logprobs = {{"content", std::move(content)}, {"refusal", nullptr}};
    }
    bool isCall = hasCalls && choice.end.reason == FinishReason::stop;
    choices.push_back(
        {{"index", i},
         {"message", std::move(said)},
         {"logprobs", std::move(logprobs)},
         {"finish_reason",
          isCall ? "tool_calls" : finishName(choice.end.reason)}});
  }
  Json answer = head("chat.completion");
  answer["choices"] = std::move(choices);
  answer["usage"] = usageJson(result.usage);
  answer["timings"] = timingsJson(result.usage);
  return answer;
}

Json ChatForm::chunk(Json choice, Json delta, Json logprobs,
                     Json finish) const {
  Json out = head("chat.completion.chunk");
  out["choices"] = Json::array({{{"index", std::move(choice)},
                                 {"delta", std::move(delta)},
                                 {"logprobs", std::move(logprobs)},
                                 {"finish_reason", std::move(finish)}}});
  if (wishes.usage) {
    out["usage"] = nullptr;
  }
  return out;
}

void ChatForm::begin(Events &events) {
  for (int64_t choice = 0; choice < wishes.choices; ++choice) {
    events.push_back(
        dumped(chunk(choice, {{"role", "assistant"}, {"content", ""}})));
  }
}

Json ChatForm::toolDelta(int64_t choice, const AnswerEvent &news) {
  int64_t &calls = announced[size_t(choice)];
  Json call;
  if (news.kind == AnswerEvent::Kind::call) {
    call = {{"index", calls},
            {"id", callId(choice, calls)},
            {"type", "function"},
            {"function", {{"name", news.text}, {"arguments", ""}}}};
    ++calls;
  } else {
    call = {{"index", calls - 1}, {"function", {{"arguments", news.text}}}};
  }
  return {{"tool_calls", Json::array({std::move(call)})}};
}

/// The first event has the log-probabilities.
void ChatForm::tell(int64_t choice, const std::vector<AnswerEvent> &news,
                    Json logprobs, Events &events) {
  for (const AnswerEvent &each : news) {
    bool isSaid = each.kind == AnswerEvent::Kind::text;
    if (isSaid && logprobs.is_null()) {
      events.push_back(texts.with({std::to_string(choice), dumped(each.text)}));
      continue;
    }
    bool isReasoning = each.kind == AnswerEvent::Kind::reasoning;
    Json delta = isSaid        ? Json{{"content", each.text}}
                 : isReasoning ? Json{{"reasoning_content", each.text}}
                               : toolDelta(choice, each);
    events.push_back(dumped(
        chunk(choice, std::move(delta), std::exchange(logprobs, Json()))));
  }
  if (!logprobs.is_null()) { // the text of its token comes later
    events.push_back(
        dumped(chunk(choice, {{"content", ""}}, std::move(logprobs))));
  }
}

void ChatForm::piece(const PromptResult &, size_t, const TextPiece &piece,
                     Events &events) {
  Json logprobs;
  if (wishes.logprobs && piece.logprob) {
    logprobs = {{"content", Json::array({chatLogprob(context.text.tokenizer(),
                                                     *piece.logprob)})},
                {"refusal", nullptr}};
  }
  tell(piece.choice, readers[size_t(piece.choice)].push(piece.text),
       std::move(logprobs), events);
}

void ChatForm::ended(const PromptResult &, size_t, const ChoiceEnd &end,
                     Events &events) {
  tell(end.choice, readers[size_t(end.choice)].finish(), Json(), events);
  bool isCall =
      announced[size_t(end.choice)] > 0 && end.reason == FinishReason::stop;
  events.push_back(
      dumped(chunk(end.choice, Json::object(), Json(),
                   isCall ? "tool_calls" : finishName(end.reason))));
}

void ChatForm::done(const std::vector<PromptResult> &results, Events &events) {
  if (wishes.usage) {
    Json last = head("chat.completion.chunk");
    last["choices"] = Json::array();
    last["usage"] = usageJson(results[0].usage);
    last["timings"] = timingsJson(results[0].usage);
    events.push_back(dumped(last));
  }
}

} // namespace cheems::serve
