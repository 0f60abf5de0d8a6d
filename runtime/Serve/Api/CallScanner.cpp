#include "runtime/Serve/Api/CallScanner.h"

#include "runtime/Json/Json.h"
#include "runtime/Serve/Api/Json.h"

namespace cheems::serve {

static bool isWhite(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool isArguments(const std::string &key) {
  return key == "arguments" || key == "parameters";
}

/// What a literal of JSON says, where it is a string.
static std::optional<std::string> decoded(const std::string &literal) {
  Json value = parseJson<Json>(literal);
  return value.is_string() ? std::optional(value.get<std::string>())
                           : std::nullopt;
}

void CallScanner::endMember() {
  while (!text.empty() && isWhite(text.back())) {
    text.pop_back();
  }
  // of a member that is there twice the first counts: it has been handed on
  if (key == "name" && !called) {
    called = decoded(text);
  } else if (isArguments(key) && !areWhole) {
    // a string holds the JSON of the arguments
    if (auto inner = decoded(text)) {
      arguments = *inner;
    } else if (text != "null" && text.compare(0, 1, "{") != 0) {
      arguments = text;
    }
    areWhole = true;
  }
  text.clear();
  begun = false;
}

/// Inside a value: `text` grows until a comma or the object's end.
void CallScanner::member(char byte) {
  if (!begun) {
    if (isWhite(byte)) {
      return;
    }
    begun = true;
  }
  if (inString) {
    inString = escaped || byte != '"';
    escaped = !escaped && byte == '\\';
  } else if (byte == '"') {
    inString = true;
  } else if (byte == '{' || byte == '[') {
    ++depth;
  } else if (depth > 0 && (byte == '}' || byte == ']')) {
    --depth;
  } else if (depth == 0 && (byte == ',' || byte == '}')) {
    endMember();
    place = byte == ',' ? Place::key : Place::behind;
    key.clear();
    return;
  }
  text += byte;
  // an object is handed on while it comes
  if (isArguments(key) && !areWhole && text[0] == '{') {
    bool isBehind = depth == 0 && byte != '}';
    if (!isBehind) {
      arguments += byte;
    }
  }
}

void CallScanner::push(char byte) {
  switch (place) {
  case Place::before:
    if (!isWhite(byte)) {
      place = byte == '{' ? Place::key : Place::broken;
    }
    break;
  case Place::key:
    if (inString) {
      inString = escaped || byte != '"';
      escaped = !escaped && byte == '\\';
      text += byte;
      if (!inString) {
        key = decoded(text).value_or("");
        text.clear();
        place = Place::colon;
      }
    } else if (byte == '"') {
      inString = true;
      text = byte;
    } else if (!isWhite(byte)) {
      place = byte == '}' ? Place::behind : Place::broken;
    }
    break;
  case Place::colon:
    if (!isWhite(byte)) {
      place = byte == ':' ? Place::value : Place::broken;
    }
    break;
  case Place::value:
    member(byte);
    break;
  case Place::behind:
    if (!isWhite(byte)) {
      place = Place::broken;
    }
    break;
  case Place::broken:
    break;
  }
}

std::string CallScanner::takeArguments() {
  std::string more = arguments.substr(taken);
  taken = arguments.size();
  return more;
}

} // namespace cheems::serve
