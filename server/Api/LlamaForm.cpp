#include "server/Api/LlamaForm.h"

#include "server/Api/TokenText.h"

namespace cheems::serve {

/// The event of a piece; a seventh value is its log-probabilities.
static Json eventOf(const std::vector<Json> &values) {
  Json event = {{"index", values[0]},           {"content", values[1]},
                {"tokens", values[2]},          {"stop", false},
                {"id_slot", values[3]},         {"tokens_predicted", values[4]},
                {"tokens_evaluated", values[5]}};
  if (values.size() > 6) {
    event["completion_probabilities"] = values[6];
  }
  return event;
}

LlamaForm::LlamaForm(const Context &context, Wishes given)
    : context(context), wishes(std::move(given)), texts(6, eventOf),
      textsWithLogprobs(7, eventOf) {}

static const char *stopType(const ChoiceEnd &end) {
  if (end.reason == FinishReason::length) {
    return "limit";
  }
  return end.reason == FinishReason::cancelled ? "none"
         : end.stopString.empty()              ? "eos"
                                               : "word";
}

/// What is told when a text has ended, less the text.
Json LlamaForm::summary(const PromptResult &result, size_t index) const {
  const ChoiceResult &choice = result.choices[index];
  return {
      {"index", index},
      {"content", ""},
      {"tokens", Json::array()},
      {"id_slot", result.slot},
      {"stop", true},
      {"model", context.options.modelName},
      {"tokens_predicted", choice.end.generatedTokens},
      {"tokens_evaluated", result.usage.promptTokens},
      {"generation_settings", wishes.settings},
      {"prompt", wishes.prompt},
      {"has_new_line", choice.text.find('\n') != std::string::npos},
      {"truncated", false},
      {"stop_type", stopType(choice.end)},
      {"stopping_word", choice.end.stopString},
      {"tokens_cached", result.usage.promptTokens + choice.end.generatedTokens},
      {"timings", timingsJson(result.usage)}};
}

Json LlamaForm::whole(const std::vector<PromptResult> &results) {
  const PromptResult &result = results[0];
  const Tokenizer &tokenizer = context.text.tokenizer();
  Json all = Json::array();
  for (size_t i = 0; i < result.choices.size(); ++i) {
    Json answer = summary(result, i);
    answer["content"] = result.choices[i].text;
    Json probabilities = Json::array();
    for (const TextPiece &piece : result.choices[i].pieces) {
      if (wishes.returnTokens) {
        answer["tokens"].push_back(piece.token.value());
      }
      if (piece.logprob) {
        probabilities.push_back(chatLogprob(tokenizer, *piece.logprob));
      }
    }
    if (wishes.logprobs) {
      answer["completion_probabilities"] = std::move(probabilities);
    }
    all.push_back(std::move(answer));
  }
  return all.size() == 1 ? all[0] : all;
}

void LlamaForm::piece(const PromptResult &result, size_t,
                      const TextPiece &piece, Events &events) {
  const ChoiceResult &choice = result.choices[size_t(piece.choice)];
  size_t count = choice.pieces.size() + (piece.token.has_value() ? 1 : 0);
  std::string tokens =
      piece.token ? "[" + std::to_string(*piece.token) + "]" : "[]";
  std::vector<std::string> values = {std::to_string(piece.choice),
                                     dumped(piece.text),
                                     tokens,
                                     std::to_string(result.slot),
                                     std::to_string(count),
                                     std::to_string(result.prompt.size())};
  bool hasLogprob = wishes.logprobs && piece.logprob;
  if (hasLogprob) {
    values.push_back(dumped(
        Json::array({chatLogprob(context.text.tokenizer(), *piece.logprob)})));
  }
  events.push_back((hasLogprob ? textsWithLogprobs : texts).with(values));
}

void LlamaForm::done(const std::vector<PromptResult> &results, Events &events) {
  for (size_t i = 0; i < results[0].choices.size(); ++i) {
    events.push_back(dumped(summary(results[0], i)));
  }
}

} // namespace cheems::serve
