//===- Header.cpp ---------------------------------------------------------===//
#include "Header.h"

#include "ConstantExpression.h"
#include "DebugInformation.h"

#include <algorithm>
#include <charconv>

namespace cheems::emulator::ptx {
namespace {

int parsePart(const Token &token, std::string_view text) {
  int value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(token.location, quoted(token.text) + " is no version like 8.5");
  }
  return value;
}

struct KnownDirective {
  std::string_view text;
  size_t least, most; ///< numbers after the directive
  bool ofEntry;       ///< else of functions
};
constexpr KnownDirective known[] = {
    {".maxntid", 1, 3, true},           {".reqntid", 1, 3, true},
    {".minnctapersm", 1, 1, true},      {".maxnctapersm", 1, 1, true},
    {".maxnreg", 1, 1, true},           {".reqnctapercluster", 1, 3, true},
    {".maxclusterrank", 1, 1, true},    {".explicitcluster", 0, 0, true},
    {".blocksareclusters", 0, 0, true}, {".noreturn", 0, 0, false},
    {".abi_preserve", 1, 1, false},     {".abi_preserve_control", 1, 1, false},
};

const KnownDirective *find(const Token &token, const Function &function) {
  auto *directive = std::ranges::find(known, token.text, &KnownDirective::text);
  if (directive == std::end(known)) {
    return nullptr;
  }
  if (directive->ofEntry != function.entry) {
    refuse(token.location, quoted(token.text) + " is for " +
                               (directive->ofEntry ? "kernels" : "functions"));
  }
  return directive;
}

void parseValues(Cursor &cursor, const KnownDirective &directive,
                 Function::Directive &parsed) {
  if (directive.most == 0) {
    return;
  }
  do {
    Location location = cursor.location();
    uint64_t value = parseNumber(cursor, "a number of a directive");
    bool mayBeZero = !directive.ofEntry;
    if ((value == 0 && !mayBeZero) || value > INT32_MAX) {
      refuse(location,
             "the number of " + quoted(directive.text) + " is out of range");
    }
    parsed.values.push_back(value);
  } while (parsed.values.size() < directive.most && cursor.accept(","));
}

} // namespace

void parseModuleHeader(Cursor &cursor, Module &module) {
  cursor.expect(".version", "at the beginning of a module");
  const Token &version = cursor.expect(Token::Kind::number, "a version");
  size_t dot = std::min(version.text.find('.'), version.text.size());
  module.versionMajor = parsePart(version, version.text.substr(0, dot));
  module.versionMinor = parsePart(
      version, version.text.substr(std::min(dot + 1, version.text.size())));
  cursor.expect(".target", "after the version");
  module.target =
      cursor.expect(Token::Kind::identifier, "the name of a target").text;
  while (cursor.accept(",")) {
    module.targetOptions.emplace_back(
        cursor.expect(Token::Kind::identifier, "an option of the target").text);
  }
  module.addressBits = 32; // the ISA's default
  if (cursor.accept(".address_size")) {
    Location location = cursor.location();
    uint64_t bits = parseNumber(cursor, "32 or 64");
    if (bits != 32 && bits != 64) {
      refuse(location, "an address has 32 or 64 bits");
    }
    module.addressBits = int(bits);
  }
}

void parseFunctionDirectives(Cursor &cursor, Function &function) {
  while (cursor.at(Token::Kind::dotWord)) {
    if (skipPragma(cursor)) {
      continue;
    }
    const Token &token = cursor.peek();
    const KnownDirective *directive = find(token, function);
    if (!directive) {
      return;
    }
    auto rival = token.is(".maxntid")   ? "reqntid"
                 : token.is(".reqntid") ? "maxntid"
                                        : "";
    if (std::ranges::find(function.directives, rival,
                          &Function::Directive::name) !=
        function.directives.end()) {
      refuse(token.location, "a kernel has .maxntid or .reqntid, not both");
    }
    cursor.take();
    Function::Directive parsed;
    parsed.location = token.location;
    parsed.name = token.text.substr(1);
    parseValues(cursor, *directive, parsed);
    function.directives.push_back(std::move(parsed));
  }
}

} // namespace cheems::emulator::ptx
