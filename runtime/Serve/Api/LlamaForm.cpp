#include "runtime/Serve/Api/LlamaForm.h"

#include "runtime/Serve/Api/TokenText.h"

namespace cheems::serve {

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
  Json event = {
      {"index", piece.choice},
      {"content", piece.text},
      {"tokens", piece.token ? Json::array({*piece.token}) : Json::array()},
      {"stop", false},
      {"id_slot", result.slot},
      {"tokens_predicted",
       choice.pieces.size() + (piece.token.has_value() ? 1 : 0)},
      {"tokens_evaluated", result.prompt.size()}};
  if (wishes.logprobs && piece.logprob) {
    event["completion_probabilities"] =
        Json::array({chatLogprob(context.text.tokenizer(), *piece.logprob)});
  }
  events.push_back(std::move(event));
}

void LlamaForm::done(const std::vector<PromptResult> &results, Events &events) {
  for (size_t i = 0; i < results[0].choices.size(); ++i) {
    events.push_back(summary(results[0], i));
  }
}

} // namespace cheems::serve
