// /v1/completions.
#include "server/Api/ApiError.h"
#include "server/Api/CompletionForm.h"
#include "server/Api/Generating.h"
#include "server/Api/Prompts.h"
#include "server/Api/Sampling.h"
#include "server/Api/Streaming.h"

namespace cheems::serve {

/// All prompts of a request together may have so many choices.
static constexpr int64_t maximumAllChoices = 2048;

/// OpenAI's number of the best tokens.
static std::optional<int64_t> readTopLogprobs(Fields &fields) {
  const Json *value = fields.find("logprobs");
  if (value && value->is_boolean()) { // as clients of the chat's form send it
    return value->get<bool>() ? std::optional<int64_t>(0) : std::nullopt;
  }
  return fields.integer("logprobs", 0, maximumTopLogprobs);
}

void completions(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  Fields fields(body);
  GenerationRequest request = textRequest(call, fields, "cmpl-");
  request.choices = fields.integer("n", 1, maximumChoices).value_or(1);
  request.maxTokens =
      readMaxTokens(fields, {"max_tokens", "max_completion_tokens"}, 0,
                    16); // as OpenAI's and vLLM's
  request.topLogprobs = readTopLogprobs(fields);
  CompletionForm::Wishes wishes;
  wishes.echo = fields.flag("echo");
  request.promptLogprobs = wishes.echo && request.topLogprobs.has_value();
  if (request.maxTokens == 0 && !wishes.echo) {
    refuse("max_tokens", "max_tokens 0 needs echo: true");
  }
  StreamWishes stream = readStreaming(fields);
  bool addSpecial = fields.boolean("add_special_tokens").value_or(true);
  const Json *prompt = fields.find("prompt");
  fields.onlyAs("suffix", {""});
  fields.onlyAs("best_of", {1, request.choices});
  fields.onlyAs("prompt_embeds", {});
  fields.onlyAs("n_probs", {0});
  ignoreHarmless(fields);
  fields.finish();

  auto prompts = readPrompts(prompt, "prompt", addSpecial, context);
  if (int64_t(prompts.size()) * request.choices > maximumAllChoices) {
    refuse("n", "the prompts and n make more than " +
                    std::to_string(maximumAllChoices) + " choices");
  }
  wishes.id = request.id;
  wishes.choices = request.choices;
  wishes.logprobs = request.topLogprobs.has_value();
  wishes.usage = stream.usage;
  wishes.showSpecial = request.showSpecial;
  auto form = std::make_unique<CompletionForm>(context, std::move(wishes));
  generate(call, request, std::move(prompts), std::move(form), stream.streams);
}

} // namespace cheems::serve
