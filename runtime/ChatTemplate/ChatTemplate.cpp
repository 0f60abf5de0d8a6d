// From messages to variables, and errors to lines.
#include "runtime/ChatTemplate/ChatTemplate.h"

#include "runtime/ChatTemplate/Evaluator.h"
#include "runtime/ChatTemplate/Parser.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/Variables.h"
#include "runtime/Error.h"

namespace cheems {

using namespace jinja;

struct ChatTemplate::Tree {
  Body body;
};

namespace {

void requireUtf8(std::string_view text, const std::string &what) {
  size_t offset = firstInvalid(text);
  if (offset != std::string_view::npos) {
    throw Error(what + " is not valid UTF-8 at byte " + std::to_string(offset));
  }
}

/// What a template may use up grows with what it is given.
Limits limitsFor(const ChatTemplateLimits &limits, size_t inputBytes) {
  auto scaled = [&](int64_t base, int64_t aByte) {
    int64_t most;
    return __builtin_mul_overflow(aByte, int64_t(inputBytes), &most) ||
                   __builtin_add_overflow(most, base, &most)
               ? INT64_MAX
               : most;
  };
  return {scaled(limits.steps, limits.stepsAnInputByte),
          scaled(limits.bytes, limits.bytesAnInputByte), limits.depth};
}

std::string renderWith(const Body &body, const std::shared_ptr<Scope> &globals,
                       const Limits &limits) {
  Context context(limits);
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

/// What every rendering has beside its messages.
static std::shared_ptr<Scope>
globalsFor(bool addGenerationPrompt,
           const std::map<std::string, std::string> &variables) {
  auto globals = std::make_shared<Scope>(nullptr);
  globals->names["tools"] = Value();
  globals->names["documents"] = Value();
  for (const auto &[name, value] : variables) {
    requireUtf8(value, "the chat template's variable " + name);
    globals->names[name] = Value(value);
  }
  globals->names["add_generation_prompt"] = Value(addGenerationPrompt);
  return globals;
}

std::string ChatTemplate::render(
    const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
    const std::map<std::string, std::string> &variables) const {
  auto globals = globalsFor(addGenerationPrompt, variables);
  std::vector<Value> list;
  size_t inputBytes = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    auto dict = std::make_shared<Dict>();
    requireUtf8(messages[i].role,
                "the role of message " + std::to_string(i + 1));
    requireUtf8(messages[i].content, "message " + std::to_string(i + 1));
    // with what a message costs in JSON
    inputBytes += messages[i].role.size() + messages[i].content.size() + 32;
    dict->set(Value("role"), Value(messages[i].role));
    dict->set(Value("content"), Value(messages[i].content));
    list.emplace_back(std::shared_ptr<const Dict>(std::move(dict)));
  }
  globals->names["messages"] = Value::list(std::move(list));
  return renderWith(tree->body, globals, limitsFor({}, inputBytes));
}

std::string ChatTemplate::renderMessages(
    std::string_view json, bool addGenerationPrompt,
    const std::map<std::string, std::string> &variables) const {
  auto globals = globalsFor(addGenerationPrompt, variables);
  auto given = readMessages(json);
  for (const auto &[name, value] : given->items) {
    globals->names[name.string()] = value;
  }
  return renderWith(tree->body, globals, limitsFor({}, json.size()));
}

std::string ChatTemplate::renderJson(std::string_view variables,
                                     const ChatTemplateLimits &limits) const {
  auto globals = std::make_shared<Scope>(nullptr);
  auto given = readVariables(variables);
  for (const auto &[name, value] : given->items) {
    globals->names[name.string()] = value;
  }
  return renderWith(tree->body, globals, limitsFor(limits, variables.size()));
}

} // namespace cheems
