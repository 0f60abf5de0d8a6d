#include "server/Api/ToolCallParser.h"

#include <utility>

namespace cheems::serve {

ToolCallParser::ToolCallParser(const CallForm &form, bool parallel,
                               const std::set<std::string> &names)
    : form(form), parallel(parallel), names(names), tag(form.openers),
      scanner(form.layout) {
  place = form.bare ? Place::front : Place::text;
}

void ToolCallParser::add(AnswerEvent::Kind kind, const std::string &text) {
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
  add(AnswerEvent::Kind::text, white + text.substr(0, last + 1));
  white = text.substr(last + 1);
}

void ToolCallParser::handOn(const std::string &arguments) {
  if (!isLeftOut && !arguments.empty()) {
    add(AnswerEvent::Kind::arguments, arguments);
  }
}

void ToolCallParser::beginText() {
  place = Place::text;
  tag = StopStrings(form.openers);
}

/// Reads what follows the mark again, as text.
void ToolCallParser::goBack() {
  at = mark;
  beginText();
}

void ToolCallParser::front(char byte) {
  if (isWhite(byte)) {
    say(std::string(1, byte));
    return;
  }
  beginText();
  if (byte != '{') {
    outside(byte);
    return;
  }
  mark = at - 1;
  open("");
  isBare = true;
  inside(byte);
}

void ToolCallParser::outside(char byte) {
  std::string text = tag.push(std::string(1, byte));
  if (!text.empty()) {
    say(text);
  }
  if (tag.found()) {
    mark = at;
    open(*tag.found());
  }
}

/// What may be a call begins.
void ToolCallParser::open(const std::string &opener) {
  opening = opener;
  isBare = inList = false;
  openNext();
  mayOpenList = form.layout == CallLayout::list;
}

/// The same after another one, with nothing that opens it.
void ToolCallParser::openNext() {
  place = Place::call;
  scanner = CallScanner(form.layout);
  hasBegun = isLeftOut = mayOpenList = false;
}

void ToolCallParser::begin(const std::string &name) {
  hasBegun = true;
  isLeftOut = !parallel && count > 0;
  white.clear();
  if (!isLeftOut) {
    ++count;
    events.push_back({AnswerEvent::Kind::call, name});
  }
}

/// Its name is known, and no other one can come.
bool ToolCallParser::mayBegin() const {
  if (!scanner.name() || scanner.name()->empty() || isStranger()) {
    return false;
  }
  return scanner.hasArguments() || (scanner.isComplete() && !isBare);
}

/// JSON that may be an answer: it has no tool's name, or what calls do not
/// have.
bool ToolCallParser::isStranger() const {
  return isBare && (scanner.hasOtherMembers() ||
                    (scanner.name() && names.count(*scanner.name()) == 0));
}

void ToolCallParser::inside(char byte) {
  if (mayOpenList) {
    if (isWhite(byte)) {
      return;
    }
    mayOpenList = false;
    inList = byte == '[';
    if (inList) {
      return;
    }
  }
  scanner.push(byte);
  if (!hasBegun && mayBegin()) {
    begin(*scanner.name());
  }
  if (hasBegun) {
    handOn(scanner.takeArguments());
  }
  if (!hasBegun &&
      (scanner.isBroken() || scanner.isComplete() || isStranger())) {
    say(std::exchange(opening, std::string()));
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
    tag = form.closer.empty() ? StopStrings(form.openers)
                              : StopStrings({form.closer});
    tail.clear();
    inBroken(byte);
  }
}

/// It ends before byte `end`.
void ToolCallParser::endCall(size_t end) {
  place = Place::after;
  mark = end;
  opening.clear();
  isSeparated = false;
  closing = 0;
}

/// The brackets of the call itself, and of the list, and the white space around
/// them are not theirs.
void ToolCallParser::handOnBroken(const std::string &text) {
  for (char byte : text) {
    bool hasBrace = tail.find('}') != std::string::npos;
    bool hasBracket = tail.find(']') != std::string::npos;
    bool closesCall = byte == '}' && form.layout != CallLayout::named;
    bool closesList = byte == ']' && inList && hasBrace && !hasBracket;
    if ((!closesCall || hasBrace) && !closesList && !isWhite(byte)) {
      handOn(std::exchange(tail, std::string()));
      if (!closesCall) {
        handOn(std::string(1, byte));
        continue;
      }
    }
    tail += byte;
  }
}

void ToolCallParser::inBroken(char byte) {
  handOnBroken(tag.push(std::string(1, byte)));
  if (!tag.found()) {
    return;
  }
  if (*tag.found() == form.closer) {
    beginText();
  } else { // nothing closes this form, and the next call ends this one
    mark = at;
    open(std::string(*tag.found()));
  }
}

/// A bracket too many is nobody's, and some models write several calls between
/// two tags.
void ToolCallParser::behindCall(char byte) {
  if (closing == 0) {
    bool isBrace = byte == '}' && form.layout != CallLayout::named;
    if (isWhite(byte) || (isBrace && !isSeparated)) {
      return;
    }
    if (byte == ']' && inList && !isSeparated) {
      inList = false;
      mark = at;
      return;
    }
    bool mayFollow = form.layout != CallLayout::list || inList;
    if (form.separator != '\0' && byte == form.separator && mayFollow &&
        !isSeparated) {
      isSeparated = true;
      return;
    }
    bool isDue = form.layout == CallLayout::objects || isSeparated;
    if (byte == '{' && mayFollow && isDue) {
      openNext();
      inside(byte);
      return;
    }
  }
  if (closing == form.closer.size() || byte != form.closer[closing]) {
    goBack();
  } else if (++closing == form.closer.size()) {
    beginText();
  }
}

void ToolCallParser::run() {
  while (at < unread.size()) {
    char byte = unread[at++];
    switch (place) {
    case Place::front:
      front(byte);
      break;
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

std::vector<AnswerEvent> ToolCallParser::push(const std::string &text) {
  unread += text;
  run();
  bool mayGoBack = place == Place::after || (place == Place::call && !hasBegun);
  size_t read = mayGoBack ? mark : at;
  unread.erase(0, read);
  at -= read;
  mark = 0;
  return std::exchange(events, {});
}

std::vector<AnswerEvent> ToolCallParser::finish() {
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
    if (form.closer.empty()) { // the end does
      tail.clear();
    }
    handOn(tail);
  }
  if (count == 0 && !white.empty()) {
    add(AnswerEvent::Kind::text, white);
  }
  white.clear();
  return std::exchange(events, {});
}

} // namespace cheems::serve
