#include "runtime/Grammar/SchemaReader.h"

#include "runtime/Error.h"

#include <algorithm>

namespace cheems::grammar {

namespace {

/// Ways in which some parts may hold, all together.
constexpr size_t maximumAlternatives = 4096;

const Json &nullSchema() {
  static const Json schema = {{"type", "null"}};
  return schema;
}

/// Whether it says by itself which values are valid.
bool constrains(const Json &schema) {
  return std::any_of(schema.items().begin(), schema.items().end(),
                     [](const auto &member) {
                       return narrowedType(member.key(), member.value());
                     });
}

/// These narrow what is valid, and cannot be kept, or not with each value.
const std::set<std::string> &refusedKeywords() {
  static const std::set<std::string> names = {
      "if",           "then",
      "else",         "contains",
      "minContains",  "maxContains",
      "dependencies", "dependentRequired",
      "$dynamicRef",  "dependentSchemas",
      "extends",      "unevaluatedProperties",
      "disallow",     "unevaluatedItems",
      "divisibleBy",  "$recursiveRef",
      "uniqueItems"};
  return names;
}

bool isKept(const std::string &keyword, const Json &value) {
  return keyword == "uniqueItems"
             ? value.is_boolean()
             : value == Json(true) &&
                   keyword.compare(0, 11, "unevaluated") == 0;
}

} // namespace

bool isAbsent(std::string_view keyword, const Json &value) {
  return value.is_null() && keyword != "const";
}

const std::string *narrowedType(const std::string &keyword, const Json &value) {
  static const std::unordered_map<std::string, std::string> types = {
      {"type", ""},
      {"enum", ""},
      {"const", ""},
      {"not", ""},
      {"properties", "object"},
      {"required", "object"},
      {"additionalProperties", "object"},
      {"patternProperties", "object"},
      {"propertyNames", "object"},
      {"minProperties", "object"},
      {"maxProperties", "object"},
      {"items", "array"},
      {"prefixItems", "array"},
      {"additionalItems", "array"},
      {"minItems", "array"},
      {"maxItems", "array"},
      {"uniqueItems", "array"},
      {"minLength", "string"},
      {"maxLength", "string"},
      {"pattern", "string"},
      {"format", "string"},
      {"minimum", "number"},
      {"maximum", "number"},
      {"exclusiveMinimum", "number"},
      {"exclusiveMaximum", "number"},
      {"multipleOf", "number"}};
  auto found = types.find(keyword);
  bool narrows = found != types.end() && !isAbsent(keyword, value) &&
                 (keyword != "uniqueItems" || value == Json(true));
  return narrows ? &found->second : nullptr;
}

SchemaReader::SchemaReader(GrammarBuilder &builder, const Json &document,
                           std::string name)
    : builder(builder), name(std::move(name)),
      references(document, [this] { spend(); }) {}

void SchemaReader::fail(const std::string &where,
                        const std::string &message) const {
  throw Error(Status::usage, place(where) + ": " + message);
}

std::string SchemaReader::shortened(const std::string &name) {
  size_t end = std::min<size_t>(name.size(), 60);
  while (end < name.size() && end > 0 && (name[end] & 0xC0) == 0x80) {
    --end; // not within a character
  }
  return name.substr(0, end);
}

SchemaAt SchemaReader::step(const SchemaAt &part, const Json &schema,
                            const std::string &keyword,
                            const std::string &name) {
  std::string where = part.where + "/" + keyword;
  where += name.empty() ? "" : "/" + shortened(name);
  if (where.size() > 400) { // it is kept for each schema
    where = "..." + where.substr(where.find('/', where.size() - 200));
  }
  return {&schema, where, part.chosen};
}

const Json *SchemaReader::find(const Json &object, const std::string &key) {
  constexpr size_t small = 16;
  if (object.size() <= small) {
    auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }
  auto [index, isNew] = indices.try_emplace(&object);
  if (isNew) {
    spend(object.size());
    for (const auto &[name, value] : object.items()) {
      index->second.emplace(name, &value);
    }
  }
  auto found = index->second.find(key);
  return found == index->second.end() ? nullptr : found->second;
}

const Json *SchemaReader::keyword(const SchemaAt &part,
                                  const char *name) const {
  if (!part.schema->is_object()) {
    return nullptr;
  }
  auto found = part.schema->find(name);
  return found == part.schema->end() || isAbsent(name, *found) ? nullptr
                                                               : &*found;
}

bool SchemaReader::branches(const Json &schema) const {
  return schema.is_object() &&
         (schema.contains("$ref") || schema.contains("allOf") ||
          schema.contains("anyOf") || schema.contains("oneOf") ||
          schema.contains("nullable"));
}

void SchemaReader::checkKeywords(const SchemaAt &part) {
  if (!checked.insert(part.schema).second) {
    return;
  }
  for (const auto &[keyword, value] : part.schema->items()) {
    if (refusedKeywords().count(keyword) != 0 && !isAbsent(keyword, value) &&
        !isKept(keyword, value)) {
      fail(part.where,
           "keyword '" + keyword +
               "' narrows what is valid, and is not supported; leave it out, "
               "and check the answer for it");
    }
  }
}

const Json &SchemaReader::target(const SchemaAt &part, const Json &reference) {
  if (!reference.is_string()) {
    fail(part.where + "/$ref", "a reference must be a string");
  }
  const Json &resource = references.resourceOf(*part.schema);
  auto [found, isNew] =
      targets.try_emplace({&resource, reference.get<std::string>()}, nullptr);
  if (isNew) {
    found->second = &references.resolve(
        resource, found->first.second,
        [&](const Json &object, const std::string &key) {
          return find(object, key);
        },
        [&](const std::string &message) {
          fail(part.where + "/$ref", message);
        });
  }
  return *found->second;
}

const Json &SchemaReader::list(const SchemaAt &part,
                               const char *keyword) const {
  const Json &list = (*part.schema)[keyword];
  if (!list.is_array() || list.empty()) {
    fail(part.where + "/" + keyword,
         std::string(keyword) + " must be a list that is not empty");
  }
  return list;
}

namespace {

/// The schemas that lead to one without a value between.
struct Chain {
  const Json *schema;
  std::shared_ptr<const Chain> before;
};

struct Todo {
  SchemaAt part;
  std::shared_ptr<const Chain> before;
};

} // namespace

/// An alternative that is being found.
struct SchemaReader::Open {
  Alternative found;
  std::vector<Todo> todo;
  /// Lists of alternatives, of which one each is to be chosen.
  std::vector<std::pair<Todo, const char *>> choices;
  std::set<const Json *> seen;

  size_t size() const {
    return 1 + found.parts.size() + found.choices.size() + todo.size() +
           choices.size() + seen.size();
  }
};

/// Adds those that an alternative becomes; none: it accepts nothing.
void SchemaReader::open(Open &open, std::vector<Open> &more) {
  while (!open.todo.empty()) {
    auto [part, before] = std::move(open.todo.back());
    open.todo.pop_back();
    spend();
    const Json &schema = *part.schema;
    if (schema.is_boolean()) {
      if (!schema.get<bool>()) {
        return;
      }
      continue;
    }
    if (!schema.is_object()) {
      fail(part.where, "a schema must be an object or a boolean");
    }
    for (const Chain *at = before.get(); at; at = at->before.get()) {
      spend();
      if (at->schema == &schema) {
        fail(part.where, "left recursion: the schema refers to itself without "
                         "a value between");
      }
    }
    if (!open.seen.insert(&schema).second) {
      continue;
    }
    checkKeywords(part);
    // null is valid whatever else the schema says (OpenAPI 3.0)
    if (keyword(part, "type") &&
        schema.value("nullable", Json()) == Json(true)) {
      Open null = open;
      null.found.parts.push_back({&nullSchema(), part.where});
      spend(null.size());
      more.push_back(std::move(null));
    }
    auto chain = std::make_shared<const Chain>(Chain{&schema, before});
    std::vector<Todo> next;
    if (const Json *reference = keyword(part, "$ref")) {
      next.push_back({{&target(part, *reference),
                       shortened(reference->get<std::string>()), part.chosen},
                      chain});
    }
    if (keyword(part, "allOf")) {
      const Json &all = list(part, "allOf");
      for (size_t index = 0; index < all.size(); ++index) {
        next.push_back(
            {step(part, all[index], "allOf", std::to_string(index)), chain});
      }
    }
    open.todo.insert(open.todo.end(), next.rbegin(), next.rend());
    for (const char *several : {"anyOf", "oneOf"}) {
      if (keyword(part, several)) {
        open.choices.push_back({{part, chain}, several});
      }
    }
    if (constrains(schema)) {
      open.found.parts.push_back(std::move(part));
    }
  }
  if (open.choices.empty()) {
    more.push_back(std::move(open));
    return;
  }
  auto [from, name] = std::move(open.choices.back());
  open.choices.pop_back();
  const Json &choices = list(from.part, name);
  if (choices.size() > maximumAlternatives) {
    fail(from.part.where + "/" + name, "it has more than " +
                                           std::to_string(maximumAlternatives) +
                                           " schemas");
  }
  for (const char *listing :
       {"properties", "patternProperties", "additionalProperties"}) {
    from.part.chosen = from.part.chosen || keyword(from.part, listing);
  }
  for (size_t index = choices.size(); index-- > 0;) {
    Open one = open;
    one.todo.push_back(
        {step(from.part, choices[index], name, std::to_string(index)),
         from.before});
    if (name == std::string_view("oneOf") ||
        keyword(from.part, "discriminator")) {
      one.found.choices.push_back({from.part, name, index});
    }
    spend(one.size());
    more.push_back(std::move(one));
  }
}

std::vector<Alternative> SchemaReader::expand(const Parts &parts) {
  std::vector<Alternative> all;
  std::vector<Open> work(1);
  for (size_t index = parts.size(); index-- > 0;) {
    work[0].todo.push_back({parts[index], nullptr});
  }
  while (!work.empty()) {
    Open next = std::move(work.back());
    work.pop_back();
    bool whole = next.todo.empty() && next.choices.empty();
    if (!whole) {
      open(next, work);
      if (work.size() + all.size() > maximumAlternatives) {
        fail(parts.front().where,
             "more than " + std::to_string(maximumAlternatives) +
                 " alternatives, those of each anyOf and oneOf times those of "
                 "the others");
      }
      continue;
    }
    all.push_back(std::move(next.found));
  }
  return all;
}

} // namespace cheems::grammar
