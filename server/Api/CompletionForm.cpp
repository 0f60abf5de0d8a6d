#include "server/Api/CompletionForm.h"

#include "server/Api/TokenText.h"

namespace cheems::serve {

CompletionForm::CompletionForm(const Context &context, Wishes given)
    : context(context), wishes(std::move(given)),
      texts(3, [this](const std::vector<Json> &values) {
        return chunk(values[0], values[1], values[2], Json());
      }) {}

Json CompletionForm::head() const {
  return {{"id", wishes.id},
          {"object", "text_completion"},
          {"created", created},
          {"model", context.options.modelName}};
}

std::string CompletionForm::echoed(const PromptResult &result,
                                   CompletionLogprobs *logprobs) const {
  std::vector<std::string> pieces =
      tokenPieces(context.text.tokenizer(), result.prompt, !wishes.showSpecial);
  std::string text;
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (logprobs && i < result.promptLogprobs.size()) {
      logprobs->add(result.promptLogprobs[i], pieces[i]);
    }
    text += pieces[i];
  }
  return text;
}

Json CompletionForm::whole(const std::vector<PromptResult> &results) {
  const Tokenizer &tokenizer = context.text.tokenizer();
  Json choices = Json::array();
  for (const PromptResult &result : results) {
    for (const ChoiceResult &choice : result.choices) {
      CompletionLogprobs logprobs(tokenizer, 0);
      std::string text;
      if (wishes.echo) {
        text = echoed(result, wishes.logprobs ? &logprobs : nullptr);
      }
      for (const TextPiece &piece : choice.pieces) {
        if (wishes.logprobs && piece.logprob) {
          logprobs.add(*piece.logprob, piece.text);
        }
      }
      choices.push_back(
          {{"index", choices.size()},
           {"text", text + choice.text},
           {"logprobs", wishes.logprobs ? logprobs.take() : Json()},
           {"finish_reason", finishName(choice.end.reason)}});
    }
  }
  GenerationUsage usage = totalUsage(results);
  Json answer = head();
  answer["choices"] = std::move(choices);
  answer["usage"] = usageJson(usage);
  answer["timings"] = timingsJson(usage);
  return answer;
}

Json CompletionForm::chunk(Json index, Json text, Json logprobs,
                           Json finish) const {
  Json out = head();
  out["choices"] = Json::array({{{"index", std::move(index)},
                                 {"text", std::move(text)},
                                 {"logprobs", std::move(logprobs)},
                                 {"finish_reason", std::move(finish)}}});
  if (wishes.usage) {
    out["usage"] = nullptr;
  }
  return out;
}

/// Before a choice's first text.
void CompletionForm::echoOnce(const PromptResult &result, size_t prompt,
                              int64_t choice, Events &events) {
  int64_t index = indexOf(prompt, choice);
  if (!offsets.emplace(index, 0).second || !wishes.echo) {
    return;
  }
  CompletionLogprobs logprobs(context.text.tokenizer(), 0);
  std::string text = echoed(result, wishes.logprobs ? &logprobs : nullptr);
  offsets[index] = characterCount(text);
  events.push_back(dumped(
      chunk(index, text, wishes.logprobs ? logprobs.take() : Json(), Json())));
}

void CompletionForm::piece(const PromptResult &result, size_t prompt,
                           const TextPiece &piece, Events &events) {
  echoOnce(result, prompt, piece.choice, events);
  int64_t index = indexOf(prompt, piece.choice);
  int64_t &offset = offsets[index];
  Json logprobs;
  if (wishes.logprobs && piece.logprob) {
    CompletionLogprobs one(context.text.tokenizer(), offset);
    one.add(*piece.logprob, piece.text);
    logprobs = one.take();
  }
  offset += characterCount(piece.text);
  if (!piece.text.empty() || !logprobs.is_null()) {
    events.push_back(texts.with(
        {std::to_string(index), dumped(piece.text), dumped(logprobs)}));
  }
}

void CompletionForm::ended(const PromptResult &result, size_t prompt,
                           const ChoiceEnd &end, Events &events) {
  echoOnce(result, prompt, end.choice, events);
  events.push_back(dumped(
      chunk(indexOf(prompt, end.choice), "", Json(), finishName(end.reason))));
}

void CompletionForm::done(const std::vector<PromptResult> &results,
                          Events &events) {
  if (wishes.usage) {
    GenerationUsage usage = totalUsage(results);
    Json last = head();
    last["choices"] = Json::array();
    last["usage"] = usageJson(usage);
    last["timings"] = timingsJson(usage);
    events.push_back(dumped(last));
  }
}

} // namespace cheems::serve
