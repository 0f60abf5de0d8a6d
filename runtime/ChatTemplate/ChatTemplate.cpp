// From messages to variables, and errors to lines.
#include "runtime/ChatTemplate/ChatTemplate.h"

#include "runtime/ChatTemplate/Evaluator.h"
#include "runtime/ChatTemplate/Parser.h"
#include "runtime/ChatTemplate/PythonText.h"
#include "runtime/ChatTemplate/Variables.h"
#include "runtime/Error.h"

#include <algorithm>

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
int64_t scaled(int64_t base, int64_t aByte, size_t inputBytes) {
  int64_t most;
  return __builtin_mul_overflow(aByte, int64_t(inputBytes), &most) ||
                 __builtin_add_overflow(most, base, &most)
             ? INT64_MAX
             : most;
}

Limits stepsFor(const ChatTemplateLimits &limits, size_t inputBytes) {
  return {std::min(limits.mostSteps,
                   scaled(limits.steps, limits.stepsAnInputByte, inputBytes)),
          limits.depth};
}

/// Once its meter counts: the globals are in its count, too.
RenderedText renderWith(const Body &body, const std::string &name,
                        const std::shared_ptr<Scope> &globals,
                        const Limits &limits) {
  Context context(limits);
  context.keepUntilEnd(globals);
  try {
    TrackedText out = Evaluator(context).render(body, globals);
    RenderedText rendered{std::string(out.bytes()), {}};
    size_t done = 0;
    out.visitRuns([&](std::string_view run, Origin origin) {
      if (origin == Origin::stranger) {
        rendered.strangers.emplace_back(done, done + run.size());
      }
      done += run.size();
    });
    return rendered;
  } catch (const Error &error) {
    throw Error(error.status, name + ", line " + std::to_string(context.line) +
                                  ": " + error.what());
  }
}

constexpr const char *generalName = "chat template";
constexpr const char *toolUseName = "chat template tool_use";

/// What every rendering has beside its messages.
std::shared_ptr<Scope>
globalsFor(bool addGenerationPrompt,
           const std::map<std::string, std::string> &variables) {
  auto globals = makeShared<Scope>(nullptr);
  globals->set("tools", Value());
  globals->set("documents", Value());
  for (const auto &[name, value] : variables) {
    requireUtf8(value, "the chat template's variable " + name);
    globals->set(name, Value::literal(value));
  }
  globals->set("add_generation_prompt", Value(addGenerationPrompt));
  return globals;
}

void addAll(Scope &globals, const Dict &given) {
  for (const auto &[name, value] : given.items) {
    globals.set(name.string(), value);
  }
}

} // namespace

ChatTemplate::ChatTemplate(std::string_view source,
                           const std::optional<std::string> &toolUseSource) {
  requireUtf8(source, std::string("the ") + generalName);
  tree = std::make_unique<Tree>(Tree{parse(source)});
  if (toolUseSource) {
    requireUtf8(*toolUseSource, std::string("the ") + toolUseName);
    try {
      toolUse = std::make_unique<Tree>(Tree{parse(*toolUseSource)});
    } catch (const Error &error) {
      throw Error(error.status, "tool_use: " + std::string(error.what()));
    }
  }
}

ChatTemplate::~ChatTemplate() = default;
ChatTemplate::ChatTemplate(ChatTemplate &&) noexcept = default;
ChatTemplate &ChatTemplate::operator=(ChatTemplate &&) noexcept = default;

RenderedText ChatTemplate::render(
    const std::vector<ChatMessage> &messages, bool addGenerationPrompt,
    const std::map<std::string, std::string> &variables) const {
  size_t inputBytes = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    requireUtf8(messages[i].role,
                "the role of message " + std::to_string(i + 1));
    requireUtf8(messages[i].content, "message " + std::to_string(i + 1));
    // with what a message costs in JSON
    inputBytes += messages[i].role.size() + messages[i].content.size() + 32;
  }
  ChatTemplateLimits limits;
  Meter meter(scaled(limits.bytes, limits.bytesAnInputByte, inputBytes));
  auto globals = globalsFor(addGenerationPrompt, variables);
  Values list;
  for (const auto &[role, content] : messages) {
    auto dict = makeShared<Dict>();
    dict->set(Value::literal("role"),
              Value(TrackedText(role, originOfRole(role))));
    dict->set(Value::literal("content"),
              Value(TrackedText(content, Origin::stranger)));
    list.emplace_back(std::shared_ptr<const Dict>(std::move(dict)));
  }
  globals->set("messages", Value::list(std::move(list)));
  return renderWith(tree->body, generalName, globals,
                    stepsFor(limits, inputBytes));
}

RenderedText ChatTemplate::renderMessages(
    std::string_view json, bool addGenerationPrompt,
    const std::map<std::string, std::string> &variables) const {
  ChatTemplateLimits limits;
  Meter meter(scaled(limits.bytes, limits.bytesAnInputByte, json.size()));
  auto globals = globalsFor(addGenerationPrompt, variables);
  auto given = readMessages(json);
  addAll(*globals, *given);
  const Value *tools = given->findText("tools");
  bool hasTools = toolUse && tools && !tools->isNone();
  return renderWith(hasTools ? toolUse->body : tree->body,
                    hasTools ? toolUseName : generalName, globals,
                    stepsFor(limits, json.size()));
}

RenderedText ChatTemplate::renderJson(std::string_view variables,
                                      const ChatTemplateLimits &limits) const {
  Meter meter(scaled(limits.bytes, limits.bytesAnInputByte, variables.size()));
  auto globals = makeShared<Scope>(nullptr);
  addAll(*globals, *readVariables(variables));
  return renderWith(tree->body, generalName, globals,
                    stepsFor(limits, variables.size()));
}

} // namespace cheems
