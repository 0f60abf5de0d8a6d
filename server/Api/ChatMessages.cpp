#include "server/Api/ChatMessages.h"

#include "server/Api/ApiError.h"

#include <algorithm>
#include <optional>

namespace cheems::serve {

namespace {

/// What a message says, and how its author came to it.
struct Said {
  std::string text, reasoning;
};

/// The member of a part of this type that holds its text; null where the type
/// is none of text. Other services have types of their own for what they said.
const char *textMember(const std::string &type, bool isAnswer) {
  if (type == "text" || type == "input_text" || type == "output_text") {
    return "text";
  }
  return isAnswer && type == "refusal" ? "refusal" : nullptr;
}

/// Reasoning that a model's answer came with; other services may hide it.
bool isReasoning(const std::string &type) {
  return type == "thinking" || type == "reasoning" ||
         type == "redacted_thinking";
}

/// The text of a part; nothing where it is reasoning.
std::optional<std::string> partOf(const Json &part, const std::string &at,
                                  bool isAnswer, std::string &reasoning) {
  if (!part.is_object()) {
    refuse(at, at + " must be an object");
  }
  Fields fields(part, at + ".");
  std::string type = fields.text("type").value_or("");
  if (isAnswer && isReasoning(type)) {
    const Json *text = fields.find(type);
    reasoning += text && text->is_string() ? text->get<std::string>() : "";
    return std::nullopt;
  }
  if (type.empty()) {
    refuse(at + ".type", at + ".type is missing; text has the type 'text'");
  }
  const char *member = textMember(type, isAnswer);
  if (!member) {
    refuse(at, at + ": parts of type '" + type.substr(0, 40) +
                   "' are not implemented; only text is");
  }
  auto text = fields.text(member);
  fields.ignore({"annotations", "cache_control", "citations", "extra_content",
                 "id", "index", "logprobs", "metadata",
                 "provider_specific_fields", "signature"});
  fields.finish();
  if (!text) {
    refuse(at + "." + member,
           at + "." + member +
               (part.contains(member) ? " must be a string" : " is missing"));
  }
  return text;
}

/// The content is a string, or parts, which are joined line by line. Null has
/// no text.
Said contentOf(const Json *content, const std::string &where, bool isAnswer) {
  Said said;
  if (!content) {
    return said;
  }
  if (content->is_string()) {
    said.text = content->get<std::string>();
    return said;
  }
  if (!content->is_array()) {
    refuse(where, where + " must be a string or a list of parts");
  }
  bool isFirst = true;
  for (size_t i = 0; i < content->size(); ++i) {
    std::string at = where + "[" + std::to_string(i) + "]";
    if (auto text = partOf((*content)[i], at, isAnswer, said.reasoning)) {
      said.text += (isFirst ? "" : "\n") + *text;
      isFirst = false;
    }
  }
  return said;
}

/// Templates print objects as JSON. What is none, such as the arguments of a
/// call that was cut, they get as the text that the model wrote.
Json argumentsOf(const Json *given) {
  if (!given) {
    return Json::object();
  }
  if (!given->is_string()) {
    return *given;
  }
  const auto &text = given->get_ref<const std::string &>();
  if (text.find_first_not_of(" \t\r\n") == text.npos || text == "null") {
    return Json::object();
  }
  try {
    return parseBody(text);
  } catch (const ApiError &) {
    return *given;
  }
}

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
    call.ignore({"cache_control", "call_id", "extra_content", "index",
                 "provider_specific_fields", "status", "thought_signature"});
    const Json *function = call.find("function");
    call.finish();
    if (!function || !function->is_object()) {
      refuse(at + ".function", at + ".function must be an object");
    }
    Fields fields(*function, at + ".function.");
    auto name = fields.text("name");
    const Json *given = fields.find("arguments");
    fields.ignore(
        {"index", "parsed_arguments", "provider_specific_fields", "strict"});
    fields.finish();
    if (!name) {
      refuse(at + ".function.name", at + ".function.name is missing");
    }
    Json made = {
        {"type", "function"},
        {"function", {{"name", *name}, {"arguments", argumentsOf(given)}}}};
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
  bool isAnswer = role == "assistant";
  Json message = {{"role", role == "developer" ? "system" : role}};
  const Json *content = fields.find("content");
  // clients leave out what is null of an answer; others must say it
  if (!isAnswer && !given.contains("content")) {
    refuse(where + ".content", where + ".content is missing");
  }
  Said said = contentOf(content, where + ".content", isAnswer);
  const Json *refusal = isAnswer ? fields.find("refusal") : nullptr;
  message["content"] =
      !content && refusal && refusal->is_string() ? *refusal : Json(said.text);
  const Json *calls = isAnswer ? fields.find("tool_calls") : nullptr;
  if (calls && !(calls->is_array() && calls->empty())) {
    message["tool_calls"] = callsOf(*calls, where + ".tool_calls");
  }
  for (const char *name : {"name", "tool_call_id", "reasoning_content"}) {
    if (auto text = fields.text(name)) {
      message[name] = *text;
    }
  }
  // templates know reasoning by one name, and services have several for it
  for (const char *name : {"thinking", "reasoning"}) {
    const Json *text = fields.find(name);
    if (text && text->is_string()) {
      said.reasoning = text->get<std::string>();
    }
  }
  if (isAnswer && !said.reasoning.empty() &&
      !message.contains("reasoning_content")) {
    message["reasoning_content"] = said.reasoning;
  }
  for (const char *name : {"audio", "images", "videos"}) {
    fields.onlyAs(name, {Json::array()});
  }
  if (!isAnswer) {
    fields.onlyAs("tool_calls", {Json::array()});
  }
  fields.onlyAs("function_call", {});
  fields.onlyAs("prefix", {false});
  // what answers of this and of other services have, sent back by clients
  fields.ignore({"annotations",
                 "cache_control",
                 "citations",
                 "created_at",
                 "createdAt",
                 "encrypted_content",
                 "executed_tools",
                 "extra_content",
                 "finish_reason",
                 "id",
                 "index",
                 "is_error",
                 "metadata",
                 "model",
                 "parsed",
                 "phase",
                 "provider_specific_fields",
                 "reasoning_details",
                 "reasoning_text",
                 "refusal",
                 "status",
                 "structured_content",
                 "thinking_blocks",
                 "timestamp",
                 "tool_name"});
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
    const std::string where = "chat_template_kwargs.";
    Fields known(input.variables, where);
    if (!known.boolean("enable_thinking")) {    // any text would be true
      input.variables.erase("enable_thinking"); // null is as if it were absent
    }
    for (const char *name : {"messages", "tools"}) {
      if (input.variables.contains(name)) {
        refuse(where + name, where + name + " cannot be given; " + name +
                                 " has a place of its own in a request");
      }
    }
  }
  // what a template does with them is the model's; most do not know them
  for (const char *name : {"reasoning_effort", "verbosity"}) {
    auto text = fields.text(name);
    if (text && !input.variables.contains(name)) {
      input.variables[name] = *text;
    }
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
