#include "runtime/Serve/Api/ChatMessages.h"

#include "runtime/Serve/Api/ApiError.h"

#include <algorithm>

namespace cheems::serve {

namespace {

/// A string, or parts of type text, which are put together line by line.
Json contentOf(const Json &content, const std::string &where) {
  if (content.is_string()) {
    return content;
  }
  if (!content.is_array()) {
    refuse(where, where + " must be a string or a list of parts");
  }
  std::string text;
  for (size_t i = 0; i < content.size(); ++i) {
    std::string at = where + "[" + std::to_string(i) + "]";
    const Json &part = content[i];
    if (!part.is_object()) {
      refuse(at, at + " must be an object");
    }
    Fields fields(part, at + ".");
    std::string type = fields.text("type").value_or("");
    if (type != "text") {
      refuse(at, at + ": parts of type '" + type.substr(0, 40) +
                     "' are not implemented; only text is");
    }
    auto piece = fields.text("text");
    fields.ignore({"cache_control"});
    fields.finish();
    if (!piece) {
      refuse(at + ".text", at + ".text is missing");
    }
    text += (i > 0 ? "\n" : "") + *piece;
  }
  return text;
}

/// With arguments as objects: templates print them as JSON.
Json callsOf(const Json &calls, const std::string &where) {
  if (!calls.is_array()) {
    refuse(where, where + " must be a list");
  }
  Json out = Json::array();
  for (size_t i = 0; i < calls.size(); ++i) {
    std::string at = where + "[" + std::to_string(i) + "]";
    if (!calls[i].is_object()) {
      refuse(at, at + " must be an object");
    }
    Fields call(calls[i], at + ".");
    call.onlyAs("type", {"function"});
    auto id = call.text("id");
    call.ignore({"index"});
    const Json *function = call.find("function");
    call.finish();
    if (!function || !function->is_object()) {
      refuse(at + ".function", at + ".function must be an object");
    }
    Fields fields(*function, at + ".function.");
    auto name = fields.text("name");
    const Json *given = fields.find("arguments");
    fields.finish();
    if (!name) {
      refuse(at + ".function.name", at + ".function.name is missing");
    }
    Json arguments = given ? *given : Json::object();
    if (arguments.is_string()) {
      std::string text = arguments.get<std::string>();
      try {
        arguments = text.empty() ? Json::object() : parseBody(text);
      } catch (const ApiError &) {
        refuse(at + ".function.arguments",
               at + ".function.arguments must be the text of a JSON object");
      }
    }
    Json made = {{"type", "function"},
                 {"function", {{"name", *name}, {"arguments", arguments}}}};
    if (id) {
      made["id"] = *id;
    }
    out.push_back(std::move(made));
  }
  return out;
}

Json messageOf(const Json &given, const std::string &where) {
  if (!given.is_object()) {
    refuse(where, where + " must be an object");
  }
  Fields fields(given, where + ".");
  std::string role = fields.text("role").value_or("");
  static const char *roles[] = {"system", "developer", "user", "assistant",
                                "tool"};
  if (std::none_of(std::begin(roles), std::end(roles),
                   [&](const char *each) { return role == each; })) {
    refuse(where + ".role", where + ".role must be system, developer, user, "
                                    "assistant or tool");
  }
  Json message = {{"role", role == "developer" ? "system" : role}};
  const Json *content = fields.find("content");
  const Json *calls = role == "assistant" ? fields.find("tool_calls") : nullptr;
  if (!content && !(calls && calls->is_array() && !calls->empty())) {
    refuse(where + ".content", where + ".content is missing");
  }
  message["content"] =
      content ? contentOf(*content, where + ".content") : Json("");
  if (calls && !(calls->is_array() && calls->empty())) {
    message["tool_calls"] = callsOf(*calls, where + ".tool_calls");
  }
  for (const char *name : {"name", "tool_call_id", "reasoning_content"}) {
    if (auto text = fields.text(name)) {
      message[name] = *text;
    }
  }
  fields.onlyAs("audio", {});
  fields.onlyAs("function_call", {});
  fields.onlyAs("prefix", {false});
  // what this and other servers' answers have, sent back by clients
  fields.ignore({"refusal", "annotations", "id", "timestamp"});
  fields.finish();
  return message;
}

} // namespace

Json readMessages(const Json *messages) {
  if (!messages || !messages->is_array() || messages->empty()) {
    refuse("messages", "messages must be a list of at least one message");
  }
  Json out = Json::array();
  for (size_t i = 0; i < messages->size(); ++i) {
    out.push_back(
        messageOf((*messages)[i], "messages[" + std::to_string(i) + "]"));
  }
  return out;
}

ChatInput readChat(Fields &fields) {
  ChatInput input;
  input.messages = readMessages(fields.find("messages"));
  if (const Json *variables = fields.find("chat_template_kwargs")) {
    if (!variables->is_object()) {
      refuse("chat_template_kwargs", "chat_template_kwargs must be an object");
    }
    input.variables = *variables;
  }
  input.addGenerationPrompt =
      fields.boolean("add_generation_prompt").value_or(true);
  fields.onlyAs("continue_final_message", {false});
  fields.onlyAs("chat_template", {});
  fields.onlyAs("documents", {});
  fields.onlyAs("add_special_tokens", {false});
  return input;
}

} // namespace cheems::serve
