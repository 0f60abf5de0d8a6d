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
      parsers(size_t(wishes.choices), ToolCallParser(wishes.parallel)),
      announced(size_t(wishes.choices)) {}

std::string ChatForm::callId(int64_t choice, int64_t call) const {
  return "call_" + wishes.id.substr(wishes.id.find('-') + 1) + "_" +
         std::to_string(choice) + "_" + std::to_string(call);
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
  if (!wishes.tools) {
    return message;
  }
  ToolCallParser parser(wishes.parallel);
  std::vector<ToolEvent> news = parser.push(text);
  for (ToolEvent &each : parser.finish()) {
    news.push_back(std::move(each));
  }
  std::string said;
  Json calls = Json::array();
  for (const ToolEvent &each : news) {
    if (each.kind == ToolEvent::Kind::text) {
      said += each.text;
    } else if (each.kind == ToolEvent::Kind::call) {
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

std::vector<Json> ChatForm::toolDeltas(int64_t choice,
                                       const std::vector<ToolEvent> &news) {
  std::vector<Json> deltas;
  for (const ToolEvent &each : news) {
    if (each.kind == ToolEvent::Kind::text) {
      deltas.push_back({{"content", each.text}});
      continue;
    }
    int64_t &calls = announced[size_t(choice)];
    Json call;
    if (each.kind == ToolEvent::Kind::call) {
      call = {{"index", calls},
              {"id", callId(choice, calls)},
              {"type", "function"},
              {"function", {{"name", each.text}, {"arguments", ""}}}};
      ++calls;
    } else {
      call = {{"index", calls - 1}, {"function", {{"arguments", each.text}}}};
    }
    deltas.push_back({{"tool_calls", Json::array({std::move(call)})}});
  }
  return deltas;
}

void ChatForm::piece(const PromptResult &, size_t, const TextPiece &piece,
                     Events &events) {
  Json logprobs;
  if (wishes.logprobs && piece.logprob) {
    logprobs = {{"content", Json::array({chatLogprob(context.text.tokenizer(),
                                                     *piece.logprob)})},
                {"refusal", nullptr}};
  }
  if (!wishes.tools && logprobs.is_null()) {
    if (!piece.text.empty()) {
      events.push_back(
          texts.with({std::to_string(piece.choice), dumped(piece.text)}));
    }
    return;
  }
  std::vector<Json> deltas;
  if (wishes.tools) {
    deltas = toolDeltas(piece.choice,
                        parsers[size_t(piece.choice)].push(piece.text));
  } else if (!piece.text.empty()) {
    deltas.push_back({{"content", piece.text}});
  }
  if (deltas.empty() && !logprobs.is_null()) { // its text comes later
    deltas.push_back({{"content", ""}});
  }
  for (Json &delta : deltas) { // the first one has the log-probabilities
    events.push_back(dumped(chunk(piece.choice, std::move(delta),
                                  std::exchange(logprobs, Json()))));
  }
}

void ChatForm::ended(const PromptResult &, size_t, const ChoiceEnd &end,
                     Events &events) {
  if (wishes.tools) {
    for (Json &delta :
         toolDeltas(end.choice, parsers[size_t(end.choice)].finish())) {
      events.push_back(dumped(chunk(end.choice, std::move(delta))));
    }
  }
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
