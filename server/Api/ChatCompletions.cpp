// /v1/chat/completions and /apply-template.
#include "server/Api/ApiError.h"
#include "server/Api/ChatForm.h"
#include "server/Api/ChatMessages.h"
#include "server/Api/Generating.h"
#include "server/Api/Sampling.h"
#include "server/Api/Streaming.h"
#include "server/Api/Tools.h"

namespace cheems::serve {

/// `logprobs: true` and `top_logprobs`.
static std::optional<int64_t> readChatLogprobs(Fields &fields) {
  bool wanted = fields.flag("logprobs");
  auto top = fields.integer("top_logprobs", 0, maximumTopLogprobs);
  if (top && *top > 0 && !wanted) {
    refuse("top_logprobs", "top_logprobs needs logprobs: true");
  }
  return wanted ? std::optional(top.value_or(0)) : std::nullopt;
}

void chatCompletions(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  Fields fields(body);
  GenerationRequest request = textRequest(call, fields, "chatcmpl-");
  ChatInput input = readChat(fields);
  ToolUse tools = readTools(fields);
  const auto &stops = context.text.generation().chatStopStrings;
  request.stopStrings.insert(request.stopStrings.end(), stops.begin(),
                             stops.end());
  if (tools.grammar) {
    // response_format is of what is said, and a call is all that comes
    if (request.grammar && !body.contains("response_format")) {
      refuse("tool_choice", "tool_choice that forces a call cannot be together "
                            "with a grammar");
    }
    request.grammar = tools.grammar;
  }
  request.choices = fields.integer("n", 1, maximumChoices).value_or(1);
  request.maxTokens =
      readMaxTokens(fields, {"max_tokens", "max_completion_tokens"}, 1);
  request.topLogprobs = readChatLogprobs(fields);
  StreamWishes stream = readStreaming(fields);
  fields.onlyAs("echo", {false});
  fields.onlyAs("best_of", {1});
  fields.onlyAs("modalities", {Json::array({"text"})});
  fields.onlyAs("audio", {});
  fields.onlyAs("prediction", {});
  fields.onlyAs("web_search_options", {});
  ignoreHarmless(fields);
  fields.finish();

  input.tools = tools.tools;
  RenderedChat chat =
      context.chats.renderPrompt(input, context.engine.context());
  request.boundaries = std::move(chat.boundaries);
  ChatForm::Wishes wishes;
  wishes.id = request.id;
  wishes.choices = request.choices;
  wishes.logprobs = request.topLogprobs.has_value();
  wishes.usage = stream.usage;
  wishes.tools = tools.parses;
  wishes.parallel = tools.parallel;
  auto form = std::make_unique<ChatForm>(context, std::move(wishes));
  generate(call, request, {std::move(chat.tokens)}, std::move(form),
           stream.streams);
}

void applyTemplate(Call &call) {
  Json body = parseBody(call.request.body);
  Fields fields(body);
  ChatInput input = readChat(fields);
  input.tools = readTools(fields).tools;
  ignoreHarmless(fields);
  fields.finish();
  respondJson(call, {{"prompt", call.context->chats.render(input).text}});
}

} // namespace cheems::serve
