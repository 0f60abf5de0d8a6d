// /completion.
#include "server/Api/ApiError.h"
#include "server/Api/Generating.h"
#include "server/Api/LlamaForm.h"
#include "server/Api/Prompts.h"
#include "server/Api/Sampling.h"
#include "server/Api/Settings.h"
#include "server/Api/Streaming.h"
#include "server/Api/TokenText.h"

namespace cheems::serve {

void llamaCompletion(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  Fields fields(body);
  GenerationRequest request = textRequest(call, fields, "cmpl-");
  request.maxTokens = readMaxTokens(fields, {"n_predict", "max_tokens"}, 0);
  request.choices =
      fields.integer("n_cmpl", 1, maximumChoices)
          .value_or(fields.integer("n", 1, maximumChoices).value_or(1));
  auto best = fields.integer("n_probs", 0, maximumTopLogprobs);
  if (best && *best > 0) {
    request.topLogprobs = best;
  }
  StreamWishes stream = readStreaming(fields);
  const Json *prompt = fields.find("prompt");
  if (!prompt) {
    refuse("prompt", "prompt is missing");
  }
  LlamaForm::Wishes wishes;
  wishes.returnTokens = fields.flag("return_tokens");
  fields.onlyAs("response_fields", {Json::array()});
  fields.onlyAs("image_data", {Json::array()});
  fields.onlyAs("multimodal_data", {Json::array()});
  ignoreHarmless(fields);
  fields.finish();

  std::vector<int32_t> tokens = readMixed(*prompt, "prompt", context);
  wishes.logprobs = request.topLogprobs.has_value();
  wishes.settings = settingsJson(request.sampling);
  wishes.settings["n_predict"] = request.maxTokens.value_or(-1);
  wishes.settings["stop"] = request.stopStrings;
  wishes.settings["ignore_eos"] = request.ignoreEos;
  wishes.settings["stream"] = stream.streams;
  for (const std::string &piece :
       tokenPieces(context.text.tokenizer(), tokens, /*skipSpecial=*/false)) {
    wishes.prompt += piece;
  }
  auto form = std::make_unique<LlamaForm>(context, std::move(wishes));
  generate(call, request, {std::move(tokens)}, std::move(form), stream.streams);
}

} // namespace cheems::serve
