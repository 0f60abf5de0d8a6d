// From messages to variables, and errors to lines.
#include "runtime/ChatTemplate/ChatTemplate.h"

#include "runtime/ChatTemplate/Evaluator.h"
#include "runtime/ChatTemplate/Parser.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/Error.h"

#include <limits>

#include <nlohmann/json.hpp>

namespace cheems {

using namespace jinja;

struct ChatTemplate::Tree {
  Body body;
};

namespace {

using Json = nlohmann::ordered_json;

void requireUtf8(std::string_view text, const std::string &what) {
  size_t offset = firstInvalid(text);
  if (offset != std::string_view::npos) {
    throw Error(what + " is not valid UTF-8 at byte " + std::to_string(offset));
  }
}

Value fromJson(const Json &json, int depth) {
  if (depth > maximumNesting) {
    throw Error("the variables nest more than " +
                std::to_string(maximumNesting) + " deep");
  }
  switch (json.type()) {
  case Json::value_t::boolean:
    return Value(json.get<bool>());
  case Json::value_t::number_integer:
    return Value(json.get<int64_t>());
  case Json::value_t::number_unsigned:
    if (json.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max())) {
      throw Error(Status::unsupported,
                  "the variables hold an integer beyond 64 bits");
    }
    return Value(json.get<int64_t>());
  case Json::value_t::number_float:
    return Value(json.get<double>());
  case Json::value_t::string:
    return Value(json.get<std::string>());
  case Json::value_t::array: {
    std::vector<Value> items;
    for (const Json &each : json) {
      items.push_back(fromJson(each, depth + 1));
    }
    return Value::list(std::move(items));
  }
  case Json::value_t::object: {
    auto dict = std::make_shared<Dict>();
    for (const auto &each : json.items()) {
      dict->set(Value(each.key()), fromJson(each.value(), depth + 1));
    }
    return Value(std::shared_ptr<const Dict>(std::move(dict)));
  }
  default:
    return Value();
  }
}

std::string renderWith(const Body &body, const std::shared_ptr<Scope> &globals,
                       const ChatTemplateLimits &limits) {
  Context context({limits.steps, limits.bytes, limits.depth});
  context.keepUntilEnd(globals);
  try {
    return Evaluator(context).render(body, globals);
  } catch (const Error &error) {
    throw Error(error.status, "chat template, line " +
                                  std::to_string(context.line) + ": " +
                                  error.what());
  }
}

} // namespace

ChatTemplate::ChatTemplate(std::string_view source) {
  requireUtf8(source, "the chat template");
  tree = std::make_unique<Tree>(Tree{parse(source)});
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate &&) noexcept = default;
ChatTemplate &ChatTemplate::operator=(ChatTemplate &&) noexcept = default;

std::string ChatTemplate::render(
    const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
    const std::map<std::string, std::string> &variables) const {
  auto globals = std::make_shared<Scope>(nullptr);
  globals->names["tools"] = Value();
  globals->names["documents"] = Value();
  for (const auto &[name, value] : variables) {
    requireUtf8(value, "the chat template's variable " + name);
    globals->names[name] = Value(value);
  }
  std::vector<Value> list;
  for (size_t i = 0; i < messages.size(); ++i) {
    auto dict = std::make_shared<Dict>();
    requireUtf8(messages[i].role,
                "the role of message " + std::to_string(i + 1));
    requireUtf8(messages[i].content, "message " + std::to_string(i + 1));
    dict->set(Value("role"), Value(messages[i].role));
    dict->set(Value("content"), Value(messages[i].content));
    list.emplace_back(std::shared_ptr<const Dict>(std::move(dict)));
  }
  globals->names["messages"] = Value::list(std::move(list));
  globals->names["add_generation_prompt"] = Value(addGenerationPrompt);
  return renderWith(tree->body, globals, {});
}

std::string ChatTemplate::renderJson(std::string_view variables,
                                     const ChatTemplateLimits &limits) const {
  Json json = Json::parse(variables.begin(), variables.end(), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object()) {
    throw Error("the chat template's variables must be a JSON object");
  }
  auto globals = std::make_shared<Scope>(nullptr);
  for (const auto &each : json.items()) {
    globals->names[each.key()] = fromJson(each.value(), 1);
  }
  return renderWith(tree->body, globals, limits);
}

} // namespace cheems
