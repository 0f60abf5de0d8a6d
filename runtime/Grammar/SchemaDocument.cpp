#include "runtime/Grammar/SchemaDocument.h"

#include "runtime/Error.h"
#include "runtime/Grammar/SchemaReader.h"
#include "runtime/Json/Json.h"

namespace cheems::grammar {

Json parseDocument(const std::string &text, const std::string &name) {
  if (text.size() > maximumText) {
    throw Error(Status::usage, name + " has " + std::to_string(text.size()) +
                                   " bytes; at most " +
                                   std::to_string(maximumText) +
                                   " are possible");
  }
  auto checkDepth = [&](size_t depth, JsonEvent) {
    if (depth > size_t(2) * maximumNesting) {
      throw Error(Status::usage, name + " is more than " +
                                     std::to_string(2 * maximumNesting) +
                                     " levels deep");
    }
  };
  try {
    return parseJsonOrThrow<Json>(text, checkDepth);
  } catch (const Json::exception &error) {
    // "[json.exception.parse_error.101] parse error at line 1, …"
    std::string message = error.what();
    size_t begin = message.find("] ");
    throw Error(
        Status::usage,
        name + " is not valid JSON: " +
            (begin == message.npos ? message : message.substr(begin + 2)));
  }
}

namespace {

/// A step of a reference without the escapes of URIs and of JSON pointers.
std::string unescaped(const std::string &step) {
  std::string bytes, text;
  for (size_t at = 0; at < step.size(); ++at) {
    if (step[at] == '%' && at + 2 < step.size() &&
        isxdigit(static_cast<unsigned char>(step[at + 1])) &&
        isxdigit(static_cast<unsigned char>(step[at + 2]))) {
      bytes.push_back(
          static_cast<char>(std::stoi(step.substr(at + 1, 2), nullptr, 16)));
      at += 2;
    } else {
      bytes.push_back(step[at]);
    }
  }
  for (size_t at = 0; at < bytes.size(); ++at) {
    bool escape = bytes[at] == '~' && at + 1 < bytes.size() &&
                  (bytes[at + 1] == '0' || bytes[at + 1] == '1');
    text.push_back(!escape ? bytes[at] : bytes[at + 1] == '0' ? '~' : '/');
    at += escape;
  }
  return text;
}

/// The members of these keywords are schemas, whatever their names.
bool hasNames(const std::string &keyword) {
  return keyword == "properties" || keyword == "patternProperties" ||
         keyword == "$defs" || keyword == "definitions" ||
         keyword == "dependentSchemas";
}

/// What these keywords have is no schema, whatever it looks like.
bool hasValues(const std::string &keyword) {
  return keyword == "const" || keyword == "enum" || keyword == "default" ||
         keyword == "example" || keyword == "examples";
}

const std::string *textAt(const Json &schema, const char *keyword) {
  auto found = schema.find(keyword);
  return found != schema.end() && found->is_string()
             ? found->get_ptr<const std::string *>()
             : nullptr;
}

} // namespace

void References::readNames() {
  struct Place {
    const Json *at, *resource;
    bool isSchema; // or it has schemas
  };
  std::vector<Place> todo = {{&document, &document, true}};
  while (!todo.empty()) {
    auto [at, resource, isSchema] = todo.back();
    todo.pop_back();
    spend();
    if (at->is_array()) {
      for (const Json &one : *at) {
        todo.push_back({&one, resource, true});
      }
    }
    if (!at->is_object()) {
      continue;
    }
    if (isSchema) {
      if (const std::string *id = textAt(*at, "$id")) {
        if (id->substr(0, 1) == "#") { // as it was before 2019
          anchors.try_emplace({resource, id->substr(1)}, at);
        } else {
          resource = at;
          ids.try_emplace(id->substr(0, id->find('#')), at);
        }
      }
      if (const std::string *anchor = textAt(*at, "$anchor")) {
        anchors.try_emplace({resource, *anchor}, at);
      }
      if (resource != &document && at->contains("$ref")) {
        resources.emplace(at, resource);
      }
    }
    for (const auto &[keyword, value] : at->items()) {
      if (!isSchema || !hasValues(keyword)) {
        todo.push_back({&value, resource, !isSchema || !hasNames(keyword)});
      }
    }
  }
}

const Json &References::resourceOf(const Json &schema) {
  if (!read) {
    read = true;
    readNames();
  }
  auto found = resources.find(&schema);
  return found == resources.end() ? document : *found->second;
}

const Json *References::inside(const Json &resource,
                               const std::string &fragment,
                               const Find &find) const {
  if (!fragment.empty() && fragment[0] != '/') {
    auto found = anchors.find({&resource, unescaped(fragment)});
    return found == anchors.end() ? nullptr : found->second;
  }
  const Json *at = &resource;
  for (size_t begin = 0; at && begin < fragment.size();) {
    size_t end = std::min(fragment.find('/', begin + 1), fragment.size());
    std::string step = unescaped(fragment.substr(begin + 1, end - begin - 1));
    begin = end;
    const Json *next = nullptr;
    if (at->is_object()) {
      next = find(*at, step);
    } else if (at->is_array() && !step.empty() && step.size() < 7 &&
               step.find_first_not_of("0123456789") == step.npos &&
               std::stoul(step) < at->size()) {
      next = &(*at)[std::stoul(step)];
    }
    at = next;
  }
  return at;
}

const Json &
References::resolve(const Json &resource, const std::string &reference,
                    const Find &find,
                    const std::function<void(const std::string &)> &fail) {
  size_t hash = reference.find('#');
  std::string id = reference.substr(0, hash);
  std::string fragment =
      hash == reference.npos ? "" : reference.substr(hash + 1);
  const Json *from = &resource;
  if (!id.empty()) {
    auto found = ids.find(id);
    if (found == ids.end()) {
      fail("the reference '" + SchemaReader::shortened(reference) +
           "' is not supported; only those within the schema are, like "
           "#/$defs/name, or a $id or $anchor in it");
    }
    from = found->second;
  }
  const Json *found = inside(*from, fragment, find);
  if (!found && id.empty()) { // programs count from the document all the same
    found = inside(document, fragment, find);
  }
  if (!found) {
    fail("the reference '" + SchemaReader::shortened(reference) +
         "' names nothing");
  }
  return *found;
}

} // namespace cheems::grammar
