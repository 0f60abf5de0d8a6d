#include "runtime/Serve/Api/Tools.h"

#include "runtime/Serve/Api/ApiError.h"
#include "runtime/Serve/Api/Sampling.h"

#include <set>

namespace cheems::serve {

namespace {

Json checkedTools(const Json &tools) {
  if (!tools.is_array() || tools.size() > 128) {
    refuse("tools", "tools must be a list of at most 128 tools");
  }
  std::set<std::string> names;
  for (size_t i = 0; i < tools.size(); ++i) {
    std::string at = "tools[" + std::to_string(i) + "]";
    if (!tools[i].is_object()) {
      refuse(at, at + " must be an object");
    }
    Fields tool(tools[i], at + ".");
    std::string type = tool.text("type").value_or("");
    if (type != "function") {
      refuse(at + ".type", at + ".type must be function");
    }
    const Json *function = tool.find("function");
    tool.finish();
    if (!function || !function->is_object()) {
      refuse(at + ".function", at + ".function must be an object");
    }
    Fields fields(*function, at + ".function.");
    std::string name = fields.text("name").value_or("");
    fields.text("description");
    fields.boolean("strict");
    const Json *parameters = fields.find("parameters");
    fields.ignore({"return", "response"});
    fields.finish();
    if (name.empty() || name.size() > 256 || !names.insert(name).second) {
      refuse(at + ".function.name",
             at + ".function.name must be a name that no other tool has");
    }
    if (parameters && !parameters->is_object()) {
      refuse(at + ".function.parameters",
             at + ".function.parameters must be a JSON schema");
    }
  }
  return tools;
}

/// The function that an object tool_choice names.
std::string namedFunction(const Json &choice) {
  Fields fields(choice, "tool_choice.");
  std::string type = fields.text("type").value_or("");
  const Json *function = fields.find("function");
  fields.finish();
  if (type != "function" || !function || !function->is_object()) {
    refuse("tool_choice", "tool_choice must be none, auto, required or "
                          "{type: function, function: {name}}");
  }
  Fields inner(*function, "tool_choice.function.");
  std::string name = inner.text("name").value_or("");
  inner.finish();
  return name;
}

Json withName(const Json &tools, const std::string &name) {
  Json out = Json::array();
  for (const Json &tool : tools) {
    if (tool["function"]["name"] == name) {
      out.push_back(tool);
    }
  }
  if (out.empty()) {
    refuse("tool_choice", "tool_choice names a tool that is not in tools");
  }
  return out;
}

} // namespace

/// As toolCallGrammar takes them.
static std::string callable(const Json &tools) {
  Json functions = Json::array();
  for (const Json &tool : tools) {
    const Json &function = tool["function"];
    Json one = {{"name", function["name"]}};
    auto parameters = function.find("parameters");
    if (parameters != function.end() && !parameters->is_null()) {
      one["parameters"] = *parameters;
    }
    functions.push_back(std::move(one));
  }
  return dumped(functions);
}

ToolUse readTools(Fields &fields) {
  ToolUse use;
  const Json *tools = fields.find("tools");
  const Json *choice = fields.find("tool_choice");
  use.parallel = fields.boolean("parallel_tool_calls").value_or(true);
  fields.onlyAs("functions", {Json::array()});
  fields.onlyAs("function_call", {"none", "auto"});
  fields.onlyAs("parse_tool_calls", {true});
  bool hasTools = tools && !(tools->is_array() && tools->empty());
  if (hasTools) {
    use.tools = checkedTools(*tools);
  }
  if (!choice) {
    use.parses = hasTools;
    return use;
  }
  if (*choice == "none") {
    return use; // as in vLLM the template still has them
  }
  if (*choice == "auto") {
    use.parses = hasTools;
    return use;
  }
  if (!hasTools) {
    refuse("tool_choice", "tool_choice needs tools");
  }
  if (*choice != "required" && !choice->is_object()) {
    refuse("tool_choice", "tool_choice must be none, auto, required or an "
                          "object that names a function");
  }
  Json chosen = choice->is_object()
                    ? withName(use.tools, namedFunction(*choice))
                    : use.tools;
  use.parses = true;
  use.grammar =
      grammarOf("tools", [&] { return toolCallGrammar(callable(chosen)); });
  return use;
}

} // namespace cheems::serve
