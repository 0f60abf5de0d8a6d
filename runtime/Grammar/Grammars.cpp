// The grammars that need no GBNF: JSON, schemas, calls of tools.
#include "runtime/Error.h"
#include "runtime/Grammar/JsonSchema.h"
#include "runtime/Grammar/SchemaDocument.h"
#include "runtime/Json/Json.h"

#include <deque>

namespace cheems {

using namespace grammar;

std::shared_ptr<const Grammar> jsonObjectGrammar() {
  GrammarBuilder builder;
  JsonText text(builder);
  auto root = builder.declare("any JSON object");
  builder.define(root, text.object(endNode));
  return builder.finish(root);
}

std::shared_ptr<const Grammar> jsonSchemaGrammar(const std::string &schema) {
  Json document = parseDocument(schema, "JSON schema");
  GrammarBuilder builder;
  JsonSchema schemas(builder, document, "JSON schema");
  auto root = builder.declare("the schema");
  builder.define(root, schemas.value(endNode));
  return builder.finish(root, schemas.whyNothing());
}

/// Arguments are an object, where the schema of a tool does not say so, too.
static Json ofObjects(Json schema) {
  if (schema.is_object()) {
    for (const char *keyword :
         {"type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"}) {
      auto found = schema.find(keyword);
      if (found != schema.end() && !isAbsent(keyword, *found)) {
        return schema;
      }
    }
    schema["type"] = "object";
  }
  return schema;
}

std::string controlToken(std::string_view text) {
  constexpr char mark = '\xFF'; // no UTF-8 has it
  std::string out(1, mark);
  out += text;
  return out + mark;
}

std::shared_ptr<const Grammar> toolCallGrammar(const std::string &tools,
                                               const CallSyntax &syntax) {
  Json list = parseDocument(tools, "tools");
  if (!list.is_array() || list.empty()) {
    throw Error(Status::usage, "tools must be a list that is not empty");
  }
  GrammarBuilder builder;
  JsonText text(builder);
  std::deque<Json> documents;
  std::deque<JsonSchema> schemas; // one a tool: its references start there
  std::vector<NodeId> calls;
  std::string whyNothing;
  NodeId end = builder.literal(syntax.end, endNode);
  for (const Json &tool : list) {
    if (!tool.is_object() || !tool.contains("name") ||
        !tool["name"].is_string()) {
      throw Error(Status::usage, "tools: each must be an object with a name");
    }
    auto name = tool["name"].get<std::string>();
    NodeId arguments;
    if (tool.contains("parameters") && !tool["parameters"].is_null()) {
      const Json &parameters =
          documents.emplace_back(ofObjects(tool["parameters"]));
      JsonSchema &schema = schemas.emplace_back(
          builder, parameters,
          "parameters of tool '" + SchemaReader::shortened(name) + "'");
      arguments = schema.value(end);
      whyNothing = whyNothing.empty() ? schema.whyNothing() : whyNothing;
    } else {
      arguments = text.object(end);
    }
    std::string written = syntax.quotesName ? printJson(Json(name)) : name;
    calls.push_back(builder.literal(written + syntax.between, arguments));
  }
  auto root = builder.declare("a call of a tool");
  builder.define(root, builder.literal(syntax.begin, builder.either(calls)));
  return builder.finish(root, whyNothing);
}

} // namespace cheems
