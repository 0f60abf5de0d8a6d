// Field access for tokenizer.json: every wrong type or missing field is one
// line that says where.
#include "runtime/Tokenizer/Json.h"

#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Tokenizer/Utf8.h"

#include <cstdio>

namespace cheems::tokenizer_json {

void malformed(const std::string &where, const std::string &what) {
  throw Error(where + ": " + what);
}

void unsupported(const std::string &where, const std::string &component,
                 const std::string &known) {
  throw Error(Status::unsupported,
              where + ": " + component +
                  " is not supported; supported: " + known);
}

Json parse(std::string_view text, const char *file) {
  Json document;
  try {
    document = parseJsonOrThrow<Json>(text);
  } catch (const Json::exception &exception) {
    // nlohmann's text ends with the offending input, which may hold anything
    const auto *parse = dynamic_cast<const Json::parse_error *>(&exception);
    std::string at =
        parse ? " at byte " + std::to_string(parse->byte) : std::string();
    throw Error(std::string(file) + ": not valid JSON" + at +
                "; is the file complete?");
  }
  if (!document.is_object()) {
    throw Error(std::string(file) + ": not a JSON object");
  }
  return document;
}

const Json *find(const Json &object, const char *field,
                 const std::string &where) {
  if (!object.is_object()) {
    malformed(where,
              std::string("expected an object, found ") + object.type_name());
  }
  auto found = object.find(field);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json &require(const Json &object, const char *field,
                    const std::string &where) {
  const Json *value = find(object, field, where);
  if (!value) {
    malformed(where, std::string("field '") + field + "' is missing");
  }
  return *value;
}

const std::string &requireString(const Json &object, const char *field,
                                 const std::string &where) {
  const Json &value = require(object, field, where);
  if (!value.is_string()) {
    malformed(where, std::string("field '") + field +
                         "' must be a string, not " + value.type_name());
  }
  return value.get_ref<const std::string &>();
}

const Json &requireArray(const Json &object, const char *field,
                         const std::string &where) {
  const Json &value = require(object, field, where);
  if (!value.is_array()) {
    malformed(where, std::string("field '") + field +
                         "' must be an array, not " + value.type_name());
  }
  return value;
}

bool requireBool(const Json &object, const char *field,
                 const std::string &where) {
  const Json &value = require(object, field, where);
  if (!value.is_boolean()) {
    malformed(where, std::string("field '") + field +
                         "' must be true or false, not " + value.type_name());
  }
  return value.get<bool>();
}

bool optionalBool(const Json &object, const char *field, bool fallback,
                  const std::string &where) {
  return find(object, field, where) ? requireBool(object, field, where)
                                    : fallback;
}

int32_t tokenId(const Json &value, const std::string &where) {
  if (!value.is_number_integer()) {
    malformed(where, std::string("a token id must be an integer, not ") +
                         value.type_name());
  }
  bool huge = value.is_number_unsigned() &&
              value.get<uint64_t>() > static_cast<uint64_t>(maximumId);
  if (huge || (!value.is_number_unsigned() && value.get<int64_t>() < 0)) {
    malformed(where, "token id " + printJson(value) + " is outside 0.." +
                         std::to_string(maximumId));
  }
  return value.get<int32_t>();
}

const std::string &typeOf(const Json &component, const std::string &where) {
  return requireString(component, "type", where);
}

std::string shown(std::string_view text) {
  std::string out = "\"";
  size_t count = 0;
  while (!text.empty() && count++ < 60) {
    utf8::Scan next = utf8::scan(text);
    unsigned char first = static_cast<unsigned char>(text[0]);
    if (next.kind != utf8::Scan::character || first < 0x20 || first == 0x7F) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", first);
      out += escape;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, next.length);
      text.remove_prefix(next.length);
    }
  }
  return out + (text.empty() ? "\"" : "…\"");
}

} // namespace cheems::tokenizer_json
