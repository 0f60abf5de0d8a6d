#include "runtime/Serve/Api/ToolCallParser.h"

namespace cheems::serve {

ToolCallParser::ToolCallParser(bool parallel)
    : parallel(parallel), tag({callBegins}) {}

/// White space at the front, in the end and between calls is held back.
void ToolCallParser::say(const std::string &text) {
  size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) {
    white += text;
    return;
  }
  std::string said = white + text.substr(0, last + 1);
  white = text.substr(last + 1);
  if (!events.empty() && events.back().kind == ToolEvent::Kind::text) {
    events.back().text += said;
  } else {
    events.push_back({ToolEvent::Kind::text, said});
  }
}

void ToolCallParser::outside(char byte) {
  std::string text = tag.push(std::string(1, byte));
  if (!text.empty()) {
    say(text);
  }
  if (tag.found()) {
    inCall = true;
    tag = StopStrings({callEnds});
    body.clear();
    scanner = CallScanner();
    isAnnounced = false;
  }
}

void ToolCallParser::takeScanned() {
  bool isLeftOut = !parallel && count > int64_t(isAnnounced);
  if (!isAnnounced && scanner.name() && scanner.hasArguments() && !isLeftOut) {
    isAnnounced = true;
    ++count;
    white.clear();
    events.push_back({ToolEvent::Kind::call, *scanner.name()});
  }
  if (isAnnounced) {
    std::string more = scanner.takeArguments();
    if (!more.empty()) {
      events.push_back({ToolEvent::Kind::arguments, more});
    }
  }
}

void ToolCallParser::inside(char byte) {
  std::string text = tag.push(std::string(1, byte));
  body += text;
  for (char each : text) {
    scanner.push(each);
  }
  if (tag.found()) {
    takeScanned();
    closeCall(true);
    inCall = false;
    tag = StopStrings({callBegins});
  }
}

void ToolCallParser::closeCall(bool isTagged) {
  bool isCall = isAnnounced;
  if (!isAnnounced && scanner.isComplete() && scanner.name() &&
      (parallel || count == 0)) { // a call without arguments
    ++count;
    white.clear();
    events.push_back({ToolEvent::Kind::call, *scanner.name()});
    events.push_back({ToolEvent::Kind::arguments, "{}"});
    isCall = true;
  }
  bool isLeftOut = !parallel && count > 0 && scanner.name();
  if (!isCall && !isLeftOut) {
    say(callBegins + body + (isTagged ? callEnds : ""));
  }
}

std::vector<ToolEvent> ToolCallParser::push(const std::string &text) {
  for (char byte : text) {
    inCall ? inside(byte) : outside(byte);
  }
  if (inCall) {
    takeScanned();
  }
  return std::move(events);
}

std::vector<ToolEvent> ToolCallParser::finish() {
  events.clear();
  std::string rest = tag.finish();
  if (inCall) {
    body += rest;
    for (char each : rest) {
      scanner.push(each);
    }
    takeScanned();
    closeCall(false);
  } else if (!rest.empty()) {
    say(rest);
  }
  if (count == 0 && !white.empty()) {
    events.push_back({ToolEvent::Kind::text, white});
  }
  white.clear();
  return std::move(events);
}

} // namespace cheems::serve
