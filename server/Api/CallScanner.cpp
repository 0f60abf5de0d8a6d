#include "server/Api/CallScanner.h"

#include "runtime/Json/Json.h"
#include "server/Api/Json.h"

#include <utility>

namespace cheems::serve {

static bool isArguments(const std::string &key) {
  return key == "arguments" || key == "parameters";
}

/// What a literal of JSON says, where it is a string.
static std::optional<std::string> decoded(const std::string &literal) {
  Json value = parseJson<Json>(literal);
  return value.is_string() ? std::optional(value.get<std::string>())
                           : std::nullopt;
}

void CallScanner::argue(const std::string &more) {
  arguments += more;
  haveArguments |= !more.empty();
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
      argue(*inner);
    } else if (text != "null" && text[0] != '{') {
      argue(text);
    }
    areWhole = true;
  }
  text.clear();
}

/// Inside a value: `text` grows until a comma or the object's end.
void CallScanner::member(char byte) {
  if (scanner.mayEnd() && (byte == ',' || byte == '}')) {
    endMember();
    place = byte == ',' ? Place::key : Place::after;
    return;
  }
  if (isWhite(byte) && (text.empty() || scanner.isComplete())) {
    return;
  }
  scanner.push(byte);
  if (scanner.isBroken()) {
    place = Place::broken;
    return;
  }
  text += byte;
  // an object is handed on while it comes
  if (isArguments(key) && !areWhole && text[0] == '{') {
    argue(std::string(1, byte));
  }
}

/// A name has no brackets and no white space, and is not long: so prose and
/// other forms are soon told from it.
void CallScanner::head(char byte) {
  constexpr size_t longest = 400; // of a name and an id
  if (text.empty() && isWhite(byte)) {
    return;
  }
  text += byte;
  size_t mark = text.find('[');
  bool isOdd =
      mark == text.npos &&
      (isWhite(byte) || std::string("{}\"<>]").find(byte) != text.npos);
  if (isOdd || mark == 0 || text.size() > longest) {
    place = Place::broken;
    return;
  }
  if (mark == text.npos || byte != ']') {
    return;
  }
  std::string rest = text.substr(mark);
  if (rest == callIdMark) {
    return;
  }
  const std::string end = argumentsMark;
  bool hasId = rest.compare(0, std::string(callIdMark).size(), callIdMark) == 0;
  bool ends = rest.size() >= end.size() &&
              rest.compare(rest.size() - end.size(), end.size(), end) == 0;
  if (!ends || (!hasId && rest != end)) {
    place = Place::broken;
    return;
  }
  called = text.substr(0, mark);
  text.clear();
  place = Place::whole;
}

/// Arguments without an object around them.
void CallScanner::whole(char byte) {
  if (text.empty() && isWhite(byte)) {
    return;
  }
  scanner.push(byte);
  if (scanner.isBroken() || (text.empty() && byte != '{')) {
    place = Place::broken;
    return;
  }
  text = byte;
  argue(text);
  if (scanner.isComplete()) {
    areWhole = true;
    place = Place::after;
  }
}

void CallScanner::push(char byte) {
  switch (place) {
  case Place::head:
    head(byte);
    break;
  case Place::whole:
    whole(byte);
    break;
  case Place::before:
    if (!isWhite(byte)) {
      place = byte == '{' ? Place::key : Place::broken;
    }
    break;
  case Place::key:
    if (inKey) {
      scanner.push(byte);
      text += byte;
      if (scanner.isComplete()) {
        inKey = false;
        key = decoded(text).value_or("");
        haveOthers |=
            !isArguments(key) && key != "name" && key != "type" && key != "id";
        text.clear();
        place = Place::colon;
      }
    } else if (byte == '"') {
      inKey = true;
      text = byte;
      scanner = ValueScanner();
      scanner.push(byte);
    } else if (!isWhite(byte)) {
      place = byte == '}' ? Place::after : Place::broken;
    }
    break;
  case Place::colon:
    if (!isWhite(byte)) {
      place = byte == ':' ? Place::value : Place::broken;
      scanner = ValueScanner();
    }
    break;
  case Place::value:
    member(byte);
    break;
  case Place::after:
    if (!isWhite(byte)) {
      place = Place::broken;
    }
    break;
  case Place::broken:
    break;
  }
}

std::string CallScanner::takeArguments() {
  return std::exchange(arguments, std::string());
}

} // namespace cheems::serve
