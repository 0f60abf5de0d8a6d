// What the server tells of itself: /metrics, /v1/models, /props.
#include "server/Api/ApiError.h"
#include "server/Api/Endpoints.h"
#include "server/Api/Sampling.h"
#include "server/Api/Settings.h"

namespace cheems::serve {

void metricsPage(Call &call) {
  const Context &context = *call.context;
  if (!context.options.metrics) {
    throw ApiError(501, "the server counts nothing");
  }
  HttpResponse response;
  response.type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = context.options.metrics();
  call.responder->respond(std::move(response));
}

static Json modelJson(const Context &context) {
  const Metadata &metadata = context.text.model().metadata();
  return {{"id", context.options.modelName},
          {"object", "model"},
          {"created", context.options.created},
          {"owned_by", "cheems"},
          {"max_model_len", context.engine.context()},
          {"meta",
           {{"n_vocab", metadata.vocabulary},
            {"n_ctx", context.engine.context()},
            {"n_ctx_train", metadata.maxPositions},
            {"n_embd", metadata.hidden}}}};
}

void models(Call &call) {
  respondJson(call, {{"object", "list"},
                     {"data", Json::array({modelJson(*call.context)})}});
}

void oneModel(Call &call) {
  const Context &context = *call.context;
  if (call.tail != context.options.modelName) {
    throw ApiError(404,
                   "there is no model '" + call.tail.substr(0, 100) +
                       "'; the one here is '" + context.options.modelName + "'",
                   "model", "model_not_found");
  }
  respondJson(call, modelJson(context));
}

void props(Call &call) {
  const Context &context = *call.context;
  TextModel &text = context.text;
  const Tokenizer &tokenizer = text.tokenizer();
  auto name = [&](std::optional<int32_t> token) {
    return token ? Json(tokenizer.idToToken(*token)) : Json("");
  };
  std::vector<int32_t> ends = text.eosTokens();
  auto source = text.chatTemplateText();
  const ChatStyle &style = context.style;
  Json props = {
      {"default_generation_settings",
       {{"n_ctx", context.engine.context()},
        {"params", settingsJson(defaultSampling(context))}}},
      {"total_slots", context.engine.slots().size()},
      {"model_alias", context.options.modelName},
      {"chat_template", source ? Json(*source) : Json("")},
      {"tool_calls", style.calls ? Json(style.calls->name) : Json()},
      {"reasoning", style.thinks ? Json("think") : Json()},
      {"bos_token", name(text.bosToken())},
      {"eos_token", name(ends.empty() ? std::nullopt : std::optional(ends[0]))},
      {"modalities", {{"vision", false}, {"audio", false}}},
      {"build_info", "cheems " + context.options.version}};
  if (auto toolUse = text.toolUseTemplateText()) {
    props["chat_template_tool_use"] = *toolUse;
  }
  respondJson(call, props);
}

} // namespace cheems::serve
