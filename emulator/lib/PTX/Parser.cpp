//===- Parser.cpp ---------------------------------------------------------===//
#include "Parser.h"

#include "Body.h"
#include "DebugInformation.h"
#include "Declarations.h"
#include "Header.h"
#include "Support/Error.h"

#include <algorithm>

namespace cheems::emulator::ptx {
namespace {

class ModuleParser {
public:
  explicit ModuleParser(std::string_view text)
      : cursor(text), module(std::make_unique<Module>()) {}

  std::unique_ptr<Module> parse() {
    parseModuleHeader(cursor, *module);
    while (!cursor.at(Token::Kind::end)) {
      directive();
    }
    return std::move(module);
  }

private:
  void directive() {
    if (skipDebugInformation(cursor) || skipPragma(cursor)) {
      return;
    }
    if (cursor.at(".alias")) {
      throw NotModelled(cursor.location().line, ".alias");
    }
    Linkage linkage = parseLinkage();
    if (cursor.at(".entry") || cursor.at(".func")) {
      function(linkage);
    } else if (cursor.at(Token::Kind::dotWord) &&
               stateSpace(cursor.peek().text)) {
      parseVariables(cursor, names, linkage, /*inFunction=*/false,
                     module->variables);
    } else {
      cursor.refuseNext("a variable or a function");
    }
  }

  Linkage parseLinkage() {
    struct Known {
      std::string_view text;
      Linkage linkage;
    };
    constexpr Known all[] = {{".visible", Linkage::visible},
                             {".extern", Linkage::external},
                             {".weak", Linkage::weak},
                             {".common", Linkage::common}};
    for (const Known &known : all) {
      if (cursor.accept(known.text)) {
        return known.linkage;
      }
    }
    return Linkage::none;
  }

  void function(Linkage linkage) {
    auto parsed = std::make_unique<Function>();
    parsed->entry = cursor.take().is(".entry");
    parsed->linkage = linkage;
    if (linkage == Linkage::common) {
      refuse(cursor.location(), ".common is for global variables");
    }
    names.open();
    if (!parsed->entry && cursor.at("(")) {
      parsed->results = parseParameters(cursor, names, ParameterOf::function,
                                        parsed->variables);
    }
    const Token &name =
        cursor.expect(Token::Kind::identifier, "the name of a function");
    if (name.is("_") || name.is("WARP_SZ")) {
      refuse(name.location, quoted(name.text) + " cannot be declared");
    }
    parsed->location = name.location;
    parsed->name = name.text;
    if (cursor.at("(")) {
      auto of = parsed->entry ? ParameterOf::entry : ParameterOf::function;
      parsed->parameters =
          parseParameters(cursor, names, of, parsed->variables);
    }
    parseFunctionDirectives(cursor, *parsed);
    Function &known = declare(name, std::move(parsed));
    if (!cursor.accept(";")) {
      body(known);
    }
    names.close(/*function=*/true);
  }

  void body(Function &known) {
    if (known.linkage == Linkage::external) {
      refuse(cursor.location(), "an .extern function has no body");
    }
    known.defined = true;
    parseBody(cursor, names, known);
  }

  /// A function may be declared more than once; what points to it points to
  /// its definition.
  Function &declare(const Token &name, std::unique_ptr<Function> parsed) {
    auto found = functions.find(name.text);
    if (found == functions.end()) {
      Function *added = parsed.get();
      module->functions.push_back(std::move(parsed));
      functions.emplace(name.text, added);
      names.declareInModule(name, added);
      return *added;
    }
    Function &before = *found->second;
    if (before.entry != parsed->entry ||
        !same(before.parameters, parsed->parameters) ||
        !same(before.results, parsed->results)) {
      refuse(name.location,
             quoted(name.text) + " was declared with other parameters");
    }
    if (before.defined) {
      if (cursor.at("{")) {
        refuse(name.location, quoted(name.text) + " is defined twice");
      }
      kept.push_back(std::move(parsed)); // the open scope has its names
      return before;
    }
    // The last declaration's names are those of the body.
    std::swap(before, *parsed);
    kept.push_back(std::move(parsed));
    return before;
  }

  static bool same(const std::vector<const Variable *> &left,
                   const std::vector<const Variable *> &right) {
    return std::ranges::equal(
        left, right, [](const Variable *one, const Variable *other) {
          return one->space == other->space && one->vector == other->vector &&
                 one->type.width == other->type.width &&
                 one->extents == other->extents;
        });
  }

  Cursor cursor;
  Names names;
  std::unique_ptr<Module> module;
  std::unordered_map<std::string_view, Function *> functions;
  /// Declarations that a later one replaced, for as long as names are looked
  /// up.
  std::vector<std::unique_ptr<Function>> kept;
};

} // namespace

std::unique_ptr<Module> parse(std::string_view text) {
  return ModuleParser(text.substr(0, text.find('\0'))).parse();
}

} // namespace cheems::emulator::ptx
