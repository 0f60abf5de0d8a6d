// /tokenize, /detokenize and /tokenizer_info, in vLLM's and llama.cpp's words.
#include "runtime/Json/Json.h"
#include "runtime/Tokenizer/Utf8.h"
#include "runtime/Work.h"
#include "server/Api/ApiError.h"
#include "server/Api/ChatMessages.h"
#include "server/Api/Endpoints.h"
#include "server/Api/Prompts.h"
#include "server/Api/Sampling.h"
#include "server/Api/TokenText.h"
#include "server/Api/Tools.h"

namespace cheems::serve {

namespace {

/// The form is that of llama.cpp's `with_pieces`: bytes that are not UTF-8 are
/// written as numbers.
std::string pieceText(int32_t token, const Tokenizer &tokenizer) {
  std::string bytes = tokenizer.tokenBytes(token);
  bool isText = utf8::firstInvalid(bytes) == std::string::npos;
  return R"({"id":)" + std::to_string(token) + R"(,"piece":)" +
         dumped(isText ? Json(bytes) : tokenBytes(tokenizer, token)) + "}";
}

/// A JSON array in `out`, written at once: a tree of values would take many
/// times the memory of its text.
template <typename Text>
void appendArray(std::string &out, const std::vector<int32_t> &tokens,
                 Text text) {
  out += "[";
  size_t counted = out.size();
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (i % 1024 == 0) { // where it grows, its room is doubled
      Work::take(2 * (out.size() - counted));
      counted = out.size();
    }
    out += i == 0 ? "" : ",";
    out += text(tokens[i]);
  }
  out += "]";
}

} // namespace

void tokenize(Call &call) {
  Json body = parseBody(call.request.body);
  Context &context = *call.context;
  const Tokenizer &tokenizer = context.text.tokenizer();
  Fields fields(body);
  auto prompt = fields.text("prompt");
  auto content = fields.text("content");
  bool isChat = fields.find("messages") != nullptr;
  if (int(prompt.has_value()) + int(content.has_value()) + int(isChat) != 1) {
    refuse("prompt", "give one of prompt, content and messages");
  }
  // vLLM adds special tokens unless it is told otherwise, llama.cpp does not
  bool addSpecial =
      prompt ? fields.boolean("add_special_tokens").value_or(true)
             : fields.boolean(isChat ? "add_special_tokens" : "add_special")
                   .value_or(false);
  bool parseSpecial = fields.boolean("parse_special").value_or(true);
  bool strings = fields.flag("return_token_strs");
  bool pieces = fields.flag("with_pieces");
  ChatInput input;
  if (isChat) {
    if (addSpecial) {
      refuse("add_special_tokens",
             "add_special_tokens: the chat template adds them");
    }
    input = readChat(fields);
    input.tools = readRenderedTools(fields, context.style, tokenizer);
  }
  ignoreHarmless(fields);
  fields.finish();

  std::vector<int32_t> tokens;
  if (isChat) {
    tokens = context.chats.render(input).tokens;
  } else {
    try {
      tokens = tokenizer.encode((prompt ? prompt : content).value(), addSpecial,
                                parseSpecial);
    } catch (const Error &error) {
      refuse(prompt ? "prompt" : "content", error.what());
    }
  }
  Work::take(tokens.size() * sizeof(int32_t));
  HttpResponse response;
  std::string &out = response.body;
  out = R"({"count":)" + std::to_string(tokens.size()) +
        R"(,"max_model_len":)" + std::to_string(context.engine.context()) +
        R"(,"tokens":)";
  appendArray(out, tokens, [&](int32_t token) {
    return pieces ? pieceText(token, tokenizer) : std::to_string(token);
  });
  if (strings) {
    out += R"(,"token_strs":)";
    appendArray(out, tokens, [&](int32_t token) {
      return dumped(Json(tokenizer.idToToken(token)));
    });
  }
  out += "}";
  call.responder->respond(std::move(response));
}

void detokenize(Call &call) {
  Json body = parseBody(call.request.body);
  Fields fields(body);
  const Json *tokens = fields.find("tokens");
  ignoreHarmless(fields);
  fields.finish();
  if (!tokens || !tokens->is_array()) {
    refuse("tokens", "tokens must be a list of token ids");
  }
  std::string text;
  if (!tokens->empty()) {
    std::vector<int32_t> ids = readTokenIds(*tokens, "tokens", *call.context);
    try {
      text = call.context->text.tokenizer().decode(ids, /*skipSpecial=*/false);
    } catch (const Error &error) {
      refuse("tokens", error.what());
    }
  }
  respondJson(call, {{"prompt", text}, {"content", text}});
}

void tokenizerInfo(Call &call) {
  TextModel &text = call.context->text;
  const Tokenizer &tokenizer = text.tokenizer();
  Json info = Json::object();
  std::string_view config = text.model().tokenizerConfig();
  if (!config.empty()) {
    info = parseJson<Json>(config);
  }
  if (!info.is_object()) {
    info = Json::object();
  }
  // what the model has beside that file; clients expect plain strings
  auto name = [&](const char *field, std::optional<int32_t> token) {
    if (token) {
      info[field] = tokenizer.idToToken(*token);
    }
  };
  std::vector<int32_t> ends = text.eosTokens();
  name("bos_token", text.bosToken());
  name("eos_token", tokenizer.eosId() ? tokenizer.eosId()
                    : ends.empty()    ? std::nullopt
                                      : std::optional(ends[0]));
  name("pad_token", text.padToken());
  if (auto source = text.chatTemplateText()) {
    info["chat_template"] = *source;
  }
  respondJson(call, info);
}

} // namespace cheems::serve
