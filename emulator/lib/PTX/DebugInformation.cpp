//===- DebugInformation.cpp -----------------------------------------------===//
#include "DebugInformation.h"

#include "ConstantExpression.h"

namespace cheems::emulator::ptx {
namespace {

/// `.file 1 "a.cu"`, or with a time and a size after it
void skipFile(Cursor &cursor) {
  parseNumber(cursor, "the number of a file");
  cursor.expect(Token::Kind::string, "the name of a file");
  if (cursor.accept(",")) {
    parseNumber(cursor, "the time of a file");
    cursor.expect(",", "after the time of a file");
    parseNumber(cursor, "the size of a file");
  }
}

void skipPosition(Cursor &cursor) {
  parseNumber(cursor, "the number of a file");
  parseNumber(cursor, "a line");
  parseNumber(cursor, "a column");
}

/// `.loc 1 2 3`, or with `, function_name LABEL + 4, inlined_at 1 2 3` after
/// it
void skipLine(Cursor &cursor) {
  skipPosition(cursor);
  if (!cursor.accept(",")) {
    return;
  }
  cursor.expect("function_name", "after the place of an inlined statement");
  cursor.expect(Token::Kind::identifier, "a label of .debug_str");
  if (cursor.accept("+")) {
    parseNumber(cursor, "an offset");
  }
  cursor.expect(",", "after the name of a function");
  cursor.expect("inlined_at", "after the name of a function");
  skipPosition(cursor);
}

/// `.section .debug_info { ... }`: labels and numbers
void skipSection(Cursor &cursor) {
  cursor.expect(Token::Kind::dotWord, "the name of a section");
  cursor.expect("{", "in front of a section");
  while (!cursor.accept("}")) {
    bool known = cursor.at(Token::Kind::identifier) ||
                 cursor.at(Token::Kind::dotWord) ||
                 cursor.at(Token::Kind::number) || cursor.at(",") ||
                 cursor.at(":") || cursor.at("+") || cursor.at("-");
    if (!known) {
      cursor.refuseNext("data of a section");
    }
    cursor.take();
  }
}

} // namespace

bool skipDebugInformation(Cursor &cursor) {
  if (cursor.accept(".file")) {
    skipFile(cursor);
  } else if (cursor.accept(".loc")) {
    skipLine(cursor);
  } else if (cursor.accept(".section")) {
    skipSection(cursor);
  } else {
    return false;
  }
  return true;
}

bool skipPragma(Cursor &cursor) {
  if (!cursor.accept(".pragma")) {
    return false;
  }
  do {
    cursor.expect(Token::Kind::string, "the text of a .pragma");
  } while (cursor.accept(","));
  cursor.expect(";", "after a .pragma");
  return true;
}

} // namespace cheems::emulator::ptx
