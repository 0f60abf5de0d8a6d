#include "server/Api/ToolCallParser.h"

#include <utility>

namespace cheems::serve {

ToolCallParser::ToolCallParser(bool parallel)
    : parallel(parallel), tag({callBegins}) {}

void ToolCallParser::add(ToolEvent::Kind kind, const std::string &text) {
  if (!events.empty() && events.back().kind == kind) {
    events.back().text += text;
  } else {
    events.push_back({kind, text});
  }
}

/// White space at the front, in the end and between calls is held back.
void ToolCallParser::say(const std::string &text) {
  size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) {
    white += text;
    return;
  }
  add(ToolEvent::Kind::text, white + text.substr(0, last + 1));
  white = text.substr(last + 1);
}

void ToolCallParser::handOn(const std::string &arguments) {
  if (!isLeftOut && !arguments.empty()) {
    add(ToolEvent::Kind::arguments, arguments);
  }
}

void ToolCallParser::beginText() {
  place = Place::text;
  tag = StopStrings({callBegins});
}

/// Reads what follows the mark again, as text.
void ToolCallParser::goBack() {
  at = mark;
  beginText();
}

void ToolCallParser::outside(char byte) {
  std::string text = tag.push(std::string(1, byte));
  if (!text.empty()) {
    say(text);
  }
  if (tag.found()) {
    mark = at;
    open(callBegins);
  }
}

/// What may be a call begins.
void ToolCallParser::open(const std::string &tag) {
  place = Place::call;
  opening = tag;
  scanner = CallScanner();
  hasBegun = isLeftOut = false;
}

void ToolCallParser::begin(const std::string &name) {
  hasBegun = true;
  isLeftOut = !parallel && count > 0;
  white.clear();
  if (!isLeftOut) {
    ++count;
    events.push_back({ToolEvent::Kind::call, name});
  }
}

void ToolCallParser::inside(char byte) {
  scanner.push(byte);
  if (!hasBegun && scanner.name() && !scanner.name()->empty() &&
      (scanner.hasArguments() || scanner.isComplete())) {
    begin(*scanner.name());
  }
  if (hasBegun) {
    handOn(scanner.takeArguments());
  }
  if (!hasBegun && (scanner.isBroken() || scanner.isComplete())) {
    say(opening);
    goBack();
  } else if (scanner.isComplete()) {
    if (!scanner.hasArguments()) {
      handOn("{}");
    }
    endCall(at);
  } else if (scanner.isBroken() && scanner.hasAllArguments()) {
    endCall(at - 1);
    behindCall(byte);
  } else if (scanner.isBroken()) {
    place = Place::broken;
    tag = StopStrings({callEnds});
    tail.clear();
    inBroken(byte);
  }
}

/// It ends before byte `end`.
void ToolCallParser::endCall(size_t end) {
  place = Place::after;
  mark = end;
  closing = 0;
}

/// The call's own bracket and the white space around it are not theirs.
void ToolCallParser::handOnBroken(const std::string &text) {
  for (char byte : text) {
    bool isBracket = byte == '}' && tail.find('}') == std::string::npos;
    if (!isBracket && !isWhite(byte)) {
      handOn(std::exchange(tail, std::string()));
      if (byte != '}') {
        handOn(std::string(1, byte));
        continue;
      }
    }
    tail += byte;
  }
}

void ToolCallParser::inBroken(char byte) {
  handOnBroken(tag.push(std::string(1, byte)));
  if (tag.found()) {
    beginText();
  }
}

/// A bracket too many is nobody's, and some models write several calls between
/// two tags.
void ToolCallParser::behindCall(char byte) {
  if (closing == 0 && (isWhite(byte) || byte == '}')) {
    return;
  }
  if (closing == 0 && byte == '{') {
    open("");
    inside(byte);
    return;
  }
  if (byte != callEnds[closing]) {
    goBack();
  } else if (callEnds[++closing] == '\0') {
    beginText();
  }
}

void ToolCallParser::run() {
  while (at < unread.size()) {
    char byte = unread[at++];
    switch (place) {
    case Place::text:
      outside(byte);
      break;
    case Place::call:
      inside(byte);
      break;
    case Place::broken:
      inBroken(byte);
      break;
    case Place::after:
      behindCall(byte);
      break;
    }
  }
}

std::vector<ToolEvent> ToolCallParser::push(const std::string &text) {
  unread += text;
  run();
  bool mayGoBack = place == Place::after || (place == Place::call && !hasBegun);
  size_t read = mayGoBack ? mark : at;
  unread.erase(0, read);
  at -= read;
  mark = 0;
  return std::exchange(events, {});
}

std::vector<ToolEvent> ToolCallParser::finish() {
  while (place == Place::call && !hasBegun) {
    say(opening);
    goBack();
    run();
  }
  std::string rest = tag.finish();
  if (place == Place::text && !rest.empty()) {
    say(rest);
  } else if (place == Place::broken) { // cut: nothing says what closes what
    handOnBroken(rest);
    handOn(tail);
  }
  if (count == 0 && !white.empty()) {
    add(ToolEvent::Kind::text, white);
  }
  white.clear();
  return std::exchange(events, {});
}

} // namespace cheems::serve
