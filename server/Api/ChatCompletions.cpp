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

/// llama.cpp's `reasoning_format`: whether thinking is told apart.
static bool readReasoningFormat(Fields &fields) {
  std::string format = fields.text("reasoning_format").value_or("auto");
  if (format != "auto" && format != "deepseek" && format != "none") {
    refuse("reasoning_format",
           "reasoning_format must be auto, deepseek or none");
  }
  return format != "none";
}

/// The special tokens that say what a part of an answer is.
static std::vector<int32_t> shownTokens(const Context &context,
                                        const CallForm *calls) {
  const Tokenizer &tokenizer = context.text.tokenizer();
  std::vector<int32_t> shown;
  if (calls) {
    shown = specialMarks(*calls, tokenizer);
  }
  for (const char *mark : {thinkingBegins, thinkingEnds}) {
    auto token = tokenizer.tokenToId(mark);
    if (context.style.thinks && token && tokenizer.isSpecial(*token)) {
      shown.push_back(*token);
    }
  }
  return shown;
}

void chatCompletions(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  Fields fields(body);
  GenerationRequest request = textRequest(call, fields, "chatcmpl-");
  ChatInput input = readChat(fields);
  ToolUse tools = readTools(fields, context.style, context.text.tokenizer());
  bool splits = readReasoningFormat(fields) && context.style.thinks;
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
  AnswerReading &reading = wishes.reading;
  reading.calls = tools.calls;
  reading.parallel = tools.parallel;
  reading.names = std::move(tools.names);
  if (splits) {
    reading.thinking = chat.endsThinking ? Thinking::inside : Thinking::may;
  }
  request.thinksFirst = chat.endsThinking;
  request.shownTokens = shownTokens(context, tools.calls);
  auto form = std::make_unique<ChatForm>(context, std::move(wishes));
  generate(call, request, {std::move(chat.tokens)}, std::move(form),
           stream.streams);
}

void applyTemplate(Call &call) {
  Json body = parseBody(call.request.body);
  Fields fields(body);
  ChatInput input = readChat(fields);
  const Context &context = *call.context;
  input.tools =
      readRenderedTools(fields, context.style, context.text.tokenizer());
  ignoreHarmless(fields);
  fields.finish();
  respondJson(call, {{"prompt", call.context->chats.render(input).text}});
}

} // namespace cheems::serve
