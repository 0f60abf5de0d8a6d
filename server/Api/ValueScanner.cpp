#include "server/Api/ValueScanner.h"

#include <cstring>

namespace cheems::serve {

bool isWhite(char byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

/// Whether the byte may stand in a number, in true, false or null, or in the
/// words that other languages use for these.
static bool isWordByte(char byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
         (byte >= 'A' && byte <= 'Z') ||
         (byte != '\0' && std::strchr("+-._", byte));
}

void ValueScanner::push(char byte) {
  switch (place) {
  case Place::string:
    place = byte == '"'    ? Place::after
            : byte == '\\' ? Place::escape
                           : Place::string;
    return;
  case Place::escape:
    place = Place::string;
    return;
  case Place::word:
    if (isWordByte(byte)) {
      return;
    }
    place = Place::after;
    break;
  case Place::broken:
    return;
  default:
    break;
  }
  if (!isWhite(byte)) {
    outside(byte);
  }
}

void ValueScanner::outside(char byte) {
  bool mayBegin = place == Place::front;
  char bracket = open.empty() ? '\0' : open.back();
  if (mayBegin && byte == '"') {
    place = Place::string;
  } else if (mayBegin && (byte == '{' || byte == '[')) {
    open += byte;
  } else if (mayBegin && isWordByte(byte)) {
    place = Place::word;
  } else if ((byte == '}' && bracket == '{') ||
             (byte == ']' && bracket == '[')) {
    open.pop_back();
    place = Place::after;
  } else if (!mayBegin && ((byte == ',' && bracket != '\0') ||
                           (byte == ':' && bracket == '{'))) {
    place = Place::front;
  } else {
    place = Place::broken;
  }
}

} // namespace cheems::serve
