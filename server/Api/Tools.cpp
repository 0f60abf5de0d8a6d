#include "server/Api/Tools.h"

#include "server/Api/ApiError.h"
#include "server/Api/Sampling.h"

#include <algorithm>
#include <set>

namespace cheems::serve {

namespace {

/// What clients of other services send with tools. Templates print tools as
/// they are, so it must not reach them.
constexpr const char *notOfTools[] = {"annotations",
                                      "cache_control",
                                      "defer_loading",
                                      "input_examples",
                                      "provider_specific_fields",
                                      "returns",
                                      "title"};

Json withoutExtras(Json object) {
  for (const char *name : notOfTools) {
    object.erase(name);
  }
  return object;
}

/// Whether its type says so, or nothing else.
bool mayBeObject(const Json &schema) {
  Json type = schema.value("type", Json());
  bool isList = type.is_array() && !type.empty();
  return type.is_null() || type == "object" ||
         (isList &&
          std::find(type.begin(), type.end(), "object") != type.end());
}

Json checkedTool(const Json &given, const std::string &at,
                 std::set<std::string> &names) {
  if (!given.is_object()) {
    refuse(at, at + " must be an object");
  }
  Json made = withoutExtras(given);
  Fields tool(made, at + ".");
  std::string type = tool.text("type").value_or("");
  if (type != "function") {
    refuse(at + ".type", at + ".type must be function");
  }
  tool.boolean("strict");
  const Json *function = tool.find("function");
  // checked first: what belongs into it may stand beside the type
  if (!function || !function->is_object()) {
    refuse(at + ".function",
           at + ".function must be {name, description, parameters}");
  }
  tool.finish();
  made["function"] = withoutExtras(*function);
  Fields fields(made["function"], at + ".function.");
  std::string name = fields.text("name").value_or("");
  fields.text("description");
  fields.boolean("strict");
  const Json *parameters = fields.find("parameters");
  fields.ignore({"return", "response"});
  fields.finish();
  if (name.empty() || name.size() > 256) {
    refuse(at + ".function.name",
           at + ".function.name must have 1 to 256 bytes");
  }
  if (!names.insert(name).second) {
    refuse(at + ".function.name",
           at + ".function.name must be a name that no other tool has");
  }
  if (parameters && !parameters->is_object()) {
    refuse(at + ".function.parameters",
           at + ".function.parameters must be a JSON schema");
  }
  if (parameters && !mayBeObject(*parameters)) {
    refuse(at + ".function.parameters",
           at + ".function.parameters.type must be object: arguments have "
                "names");
  }
  return made;
}

Json checkedTools(const Json &tools) {
  if (!tools.is_array() || tools.size() > 128) {
    refuse("tools", "tools must be a list of at most 128 tools");
  }
  std::set<std::string> names;
  Json made = Json::array();
  for (const Json &each : tools) {
    std::string at = "tools[" + std::to_string(made.size()) + "]";
    made.push_back(checkedTool(each, at, names));
  }
  return made;
}

/// The function that `choice` names, at `where` of the request.
std::string namedFunction(const Json &choice, const std::string &where) {
  auto wrong = [&] {
    refuse(where, where == "tool_choice"
                      ? "tool_choice must be none, auto, required, {type: "
                        "function, function: {name}} or {type: allowed_tools, "
                        "allowed_tools: {mode, tools}}"
                      : where + " must be {type: function, function: {name}}");
  };
  if (!choice.is_object()) {
    wrong();
  }
  Fields fields(choice, where + ".");
  const Json *type = fields.find("type");
  const Json *function = fields.find("function");
  if (!type || *type != "function" || !function || !function->is_object()) {
    wrong();
  }
  fields.finish();
  Fields inner(*function, where + ".function.");
  std::string name = inner.text("name").value_or("");
  inner.ignore({"description", "parameters", "strict"}); // the whole tool again
  inner.finish();
  return name;
}

Json withNames(const Json &tools, const std::set<std::string> &names) {
  Json out = Json::array();
  for (const Json &tool : tools) {
    if (names.count(tool["function"]["name"])) {
      out.push_back(tool);
    }
  }
  if (out.size() != names.size()) {
    refuse("tool_choice", "tool_choice names a tool that is not in tools");
  }
  return out;
}

/// OpenAI's allowed_tools: the others are as if they were not there. Returns
/// its mode.
std::string readAllowed(const Json &choice, Json &tools) {
  const std::string where = "tool_choice.allowed_tools";
  Fields fields(choice, "tool_choice.");
  fields.find("type");
  const Json *allowed = fields.find("allowed_tools");
  if (!allowed || !allowed->is_object()) {
    refuse(where, where + " must be {mode, tools}");
  }
  fields.finish();
  Fields inner(*allowed, where + ".");
  std::string mode = inner.text("mode").value_or("");
  const Json *list = inner.find("tools");
  inner.finish();
  if (mode != "auto" && mode != "required") {
    refuse(where + ".mode", where + ".mode must be auto or required");
  }
  if (!list || !list->is_array() || list->empty()) {
    refuse(where + ".tools", where + ".tools must be a list of tools");
  }
  std::set<std::string> names;
  for (size_t i = 0; i < list->size(); ++i) {
    names.insert(
        namedFunction((*list)[i], where + ".tools[" + std::to_string(i) + "]"));
  }
  tools = withNames(tools, names);
  return mode;
}

/// What `reference` names within `document`; null: nothing there.
const Json *resolved(const Json &document, const Json &reference) {
  const auto *path = reference.get_ptr<const std::string *>();
  if (!path || path->compare(0, 1, "#") != 0) {
    return nullptr;
  }
  const Json *at = &document;
  for (size_t begin = 1; at && begin < path->size();) {
    size_t end = std::min(path->find('/', begin + 1), path->size());
    std::string member = path->substr(begin + 1, end - begin - 1);
    bool isThere =
        (*path)[begin] == '/' && at->is_object() && at->contains(member);
    at = isThere ? &(*at)[member] : nullptr;
    begin = end;
  }
  return at;
}

bool takesSomething(const Json &schema, const Json &document, int depth = 16);

/// Whether a keyword of a schema of arguments says of any that it may be there.
bool namesSomething(const std::string &keyword, const Json &value,
                    const Json &document, int depth) {
  static const std::set<std::string> lists = {
      "properties",        "patternProperties", "required",     "enum",
      "dependentRequired", "dependentSchemas",  "propertyNames"};
  static const std::set<std::string> others = {"additionalProperties",
                                               "unevaluatedProperties"};
  bool isSome = value.is_structured() && !value.empty();
  if (lists.count(keyword) != 0) {
    return isSome;
  }
  if (others.count(keyword) != 0) {
    return isSome || value == true;
  }
  if (keyword == "minProperties") {
    return value != 0;
  }
  if (keyword == "$ref") {
    const Json *named = resolved(document, value);
    return !named || takesSomething(*named, document, depth - 1);
  }
  if (keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf") {
    return std::any_of(value.begin(), value.end(), [&](const Json &each) {
      return takesSomething(each, document, depth - 1);
    });
  }
  return keyword == "const" || keyword == "not" || keyword == "if";
}

/// What it says besides, such as a comment, makes no argument. `depth` ends
/// circles.
bool takesSomething(const Json &schema, const Json &document, int depth) {
  if (!schema.is_object() || depth == 0) {
    return schema != false;
  }
  for (const auto &[keyword, value] : schema.items()) {
    if (namesSomething(keyword, value, document, depth)) {
      return true;
    }
  }
  return false;
}

/// Writes the tools in the form that toolCallGrammar takes. A tool that names
/// no parameters has none.
std::string callable(const Json &tools) {
  static const Json nothing = {{"type", "object"},
                               {"properties", Json::object()},
                               {"additionalProperties", false}};
  Json functions = Json::array();
  for (const Json &tool : tools) {
    const Json &function = tool["function"];
    Json parameters = function.value("parameters", Json());
    bool isBare =
        parameters.is_null() || !takesSomething(parameters, parameters);
    if (parameters.is_object() && parameters.contains("type")) {
      parameters["type"] = "object"; // and not null, which is no arguments
      parameters.erase("nullable");
    }
    functions.push_back({{"name", function["name"]},
                         {"parameters", isBare ? nothing : parameters}});
  }
  return dumped(functions);
}

} // namespace

/// A form that writes names as they are cannot write all.
static void requireWritable(const ToolUse &use) {
  if (use.calls->layout != CallLayout::named) {
    return;
  }
  for (const std::string &name : use.names) {
    if (name.find_first_of(" \t\r\n[]{}<>\"") != name.npos) {
      refuse("tools", "tools: the name '" + name.substr(0, 60) +
                          "' has a character that the model's form of calls (" +
                          use.calls->name +
                          ") cannot write; use letters, digits, _ and -");
    }
  }
}

ToolUse readTools(Fields &fields, const ChatStyle &style,
                  const Tokenizer &tokenizer) {
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
  Json mode = choice ? *choice : Json("auto");
  if (mode == "none") {
    return use; // as in vLLM the template still has them
  }
  if (!hasTools && mode != "auto") {
    refuse("tool_choice", "tool_choice needs tools");
  }
  if (!hasTools) {
    return use;
  }
  if (!style.calls && !style.whyNoCalls.empty()) {
    refuse("tools", style.whyNoCalls);
  }
  use.calls = style.calls;
  if (mode.is_object() && mode.value("type", Json()) == "allowed_tools") {
    mode = readAllowed(mode, use.tools);
  }
  for (const Json &tool : use.tools) {
    use.names.insert(tool["function"]["name"].get<std::string>());
  }
  if (!use.calls) {
    return use; // there is no chat template, which the renderer refuses
  }
  requireWritable(use);
  if (mode == "auto") {
    return use;
  }
  Json chosen =
      mode == "required"
          ? use.tools
          : withNames(use.tools, {namedFunction(mode, "tool_choice")});
  use.grammar = grammarOf("tools", [&] {
    return toolCallGrammar(callable(chosen), syntaxOf(*use.calls, tokenizer));
  });
  return use;
}

Json readRenderedTools(Fields &fields, const ChatStyle &style,
                       const Tokenizer &tokenizer) {
  ChatStyle any = style;
  any.whyNoCalls.clear();
  return readTools(fields, any, tokenizer).tools;
}

} // namespace cheems::serve
