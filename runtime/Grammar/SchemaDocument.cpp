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

} // namespace

const Json &resolveReference(
    const Json &document, const std::string &reference,
    const std::function<const Json *(const Json &, const std::string &)> &find,
    const std::function<void(const std::string &)> &fail) {
  if (reference != "#" && reference.substr(0, 2) != "#/") {
    fail("the reference '" + SchemaReader::shortened(reference) +
         "' is not supported; only those within the schema are, like "
         "#/$defs/name");
  }
  const Json *at = &document;
  for (size_t begin = 1; begin < reference.size();) {
    size_t end = std::min(reference.find('/', begin + 1), reference.size());
    std::string step = unescaped(reference.substr(begin + 1, end - begin - 1));
    begin = end;
    const Json *next = nullptr;
    if (at->is_object()) {
      next = find(*at, step);
    } else if (at->is_array() && !step.empty() && step.size() < 7 &&
               step.find_first_not_of("0123456789") == step.npos &&
               std::stoul(step) < at->size()) {
      next = &(*at)[std::stoul(step)];
    }
    if (!next) {
      fail("the reference '" + SchemaReader::shortened(reference) +
           "' names nothing");
    }
    at = next;
  }
  return *at;
}

} // namespace cheems::grammar
