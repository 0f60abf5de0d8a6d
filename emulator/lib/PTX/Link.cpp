//===- Link.cpp - One module of several PTX texts ------------------------===//
#include "Link.h"

#include "Support/Error.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>
#include <utility>

namespace cheems::emulator::ptx {
namespace {

constexpr std::string_view magic = "//cheems-emulator: linked texts\n";
constexpr std::string_view textMark = "//text ";

/// A function or a variable of a module's scope.
struct Symbol {
  size_t text;
  Function *function = nullptr;
  Variable *variable = nullptr;

  const std::string &name() const {
    return function ? function->name : variable->name;
  }
  Linkage linkage() const {
    return function ? function->linkage : variable->linkage;
  }
  Location location() const {
    return function ? function->location : variable->location;
  }
  bool isDefined() const {
    return function ? function->defined
                    : variable->linkage != Linkage::external;
  }
  bool isLocal() const { return linkage() == Linkage::none; }
};

uint64_t bytesOf(const Variable &variable) {
  return variable.space == StateSpace::reg
             ? static_cast<uint64_t>(variable.type.width) / 8
             : variable.bytes();
}

bool same(const std::vector<const Variable *> &left,
          const std::vector<const Variable *> &right) {
  return std::ranges::equal(left, right,
                            [](const Variable *one, const Variable *other) {
                              return bytesOf(*one) == bytesOf(*other);
                            });
}

class Linker {
public:
  Linker(std::vector<std::unique_ptr<Module>> modules,
         const std::vector<std::string> &names)
      : modules(std::move(modules)), names(names) {}

  std::unique_ptr<Module> link() {
    each([&](const Symbol &symbol) { choose(symbol); });
    each([&](const Symbol &symbol) { replace(symbol); });
    each([&](const Symbol &symbol) { separate(symbol); });
    auto linked = std::make_unique<Module>();
    linked->versionMajor = modules[0]->versionMajor;
    linked->versionMinor = modules[0]->versionMinor;
    linked->target = modules[0]->target;
    linked->targetOptions = modules[0]->targetOptions;
    linked->addressBits = modules[0]->addressBits;
    for (auto &module : modules) {
      for (auto &variable : module->variables) {
        if (!variables.contains(variable.get())) {
          linked->variables.push_back(std::move(variable));
        }
      }
      for (auto &function : module->functions) {
        if (!functions.contains(function.get())) {
          redirect(*function);
          linked->functions.push_back(std::move(function));
        }
      }
    }
    return linked;
  }

private:
  template <typename F> void each(F tell) {
    for (size_t text = 0; text < modules.size(); ++text) {
      for (auto &function : modules[text]->functions) {
        tell(Symbol{.text = text, .function = function.get()});
      }
      for (auto &variable : modules[text]->variables) {
        tell(Symbol{.text = text, .variable = variable.get()});
      }
    }
  }

  [[noreturn]] void refuse(const Symbol &symbol, const std::string &what) {
    throw Refusal(symbol.location().line, "of the text '" + names[symbol.text] +
                                              "': '" + symbol.name() + "' " +
                                              what);
  }

  /// Chooses one of all definitions of a name that other texts can see.
  void choose(const Symbol &symbol) {
    if (!symbol.isLocal()) {
      shared.insert(symbol.name());
    }
    if (!symbol.isDefined() || symbol.isLocal()) {
      return;
    }
    auto [at, isFirst] = chosen.try_emplace(symbol.name(), symbol);
    Symbol &before = at->second;
    if (isFirst) {
      return;
    }
    checkSame(symbol, before);
    auto strength = [](const Symbol &one) {
      return one.linkage() == Linkage::visible ? 2
             : one.linkage() == Linkage::weak  ? 1
                                               : 0;
    };
    if (strength(symbol) == 2 && strength(before) == 2) {
      refuse(symbol,
             "is defined in the text '" + names[before.text] + "', too");
    }
    bool isLarger = strength(symbol) == 0 && strength(before) == 0 &&
                    symbol.variable->bytes() > before.variable->bytes();
    if (strength(symbol) > strength(before) || isLarger) {
      before = symbol;
    }
  }

  void replace(const Symbol &symbol) {
    auto found = chosen.find(symbol.name());
    if (symbol.isLocal() || found == chosen.end()) {
      return;
    }
    const Symbol &definition = found->second;
    if (symbol.function && symbol.function != definition.function) {
      checkSame(symbol, definition);
      functions[symbol.function] = definition.function;
    } else if (symbol.variable && symbol.variable != definition.variable) {
      checkSame(symbol, definition);
      variables[symbol.variable] = definition.variable;
    }
  }

  void checkSame(const Symbol &symbol, const Symbol &other) {
    bool isSame = false;
    if (symbol.function && other.function) {
      const Function &one = *symbol.function, &two = *other.function;
      isSame = one.entry == two.entry && same(one.parameters, two.parameters) &&
               same(one.results, two.results);
    } else if (symbol.variable && other.variable) {
      const Variable &one = *symbol.variable, &two = *other.variable;
      bool isUnsized = (!one.extents.empty() && one.extents[0] == 0) ||
                       (!two.extents.empty() && two.extents[0] == 0);
      bool isCommon =
          one.linkage == Linkage::common || two.linkage == Linkage::common;
      isSame = one.space == two.space && one.type.width == two.type.width &&
               (isUnsized || isCommon || one.bytes() == two.bytes());
    }
    if (!isSame) {
      refuse(symbol,
             "has another type in the text '" + names[other.text] + "'");
    }
  }

  /// A name that is another text's, too, and is not to be seen there, gets a
  /// name that no text can have.
  void separate(const Symbol &symbol) {
    if (!symbol.isLocal() || (!shared.contains(symbol.name()) &&
                              taken.insert(symbol.name()).second)) {
      return;
    }
    if (symbol.function && symbol.function->entry) {
      refuse(symbol, "is a kernel of another text, too");
    }
    const std::string fresh = symbol.name() + "@" + names[symbol.text];
    const std::string old = std::exchange(
        symbol.function ? symbol.function->name : symbol.variable->name, fresh);
    Module &module = *modules[symbol.text];
    for (auto &variable : module.variables) {
      rename(*variable, old, fresh);
    }
    for (auto &function : module.functions) {
      bool isHidden = std::ranges::any_of(
          function->variables, [&](auto &one) { return one->name == old; });
      for (auto &variable : function->variables) {
        if (!isHidden) {
          rename(*variable, old, fresh);
        }
      }
    }
  }

  static void rename(Variable &variable, const std::string &old,
                     const std::string &fresh) {
    for (InitialValue &value : variable.initial) {
      if (value.symbol == old) {
        value.symbol = fresh;
      }
    }
  }

  void redirect(Function &function) {
    for (Instruction &statement : function.statements) {
      for (auto *list :
           {&statement.operands, &statement.results, &statement.arguments}) {
        for (Operand &operand : *list) {
          redirect(operand);
        }
      }
      if (statement.callee) {
        redirect(*statement.callee);
      }
    }
  }

  void redirect(Operand &operand) {
    if (auto *variable = std::get_if<const Variable *>(&operand.value)) {
      auto found = variables.find(*variable);
      *variable = found == variables.end() ? *variable : found->second;
    } else if (auto *function = std::get_if<const Function *>(&operand.value)) {
      auto found = functions.find(*function);
      *function = found == functions.end() ? *function : found->second;
    } else if (auto *address = std::get_if<Address>(&operand.value)) {
      if (address->base) {
        redirect(*address->base);
      }
      for (Operand &coordinate : address->coordinates) {
        redirect(coordinate);
      }
    } else if (auto *vector = std::get_if<VectorOperand>(&operand.value)) {
      for (Operand &element : vector->elements) {
        redirect(element);
      }
    } else if (auto *pair = std::get_if<PairOperand>(&operand.value)) {
      redirect(*pair->first);
      redirect(*pair->second);
    }
  }

  std::vector<std::unique_ptr<Module>> modules;
  const std::vector<std::string> &names;
  std::map<std::string, Symbol> chosen;
  std::set<std::string> shared; ///< names with a linking directive
  std::set<std::string> taken;  ///< names without one
  /// What is replaced, by what.
  std::unordered_map<const Variable *, const Variable *> variables;
  std::unordered_map<const Function *, const Function *> functions;
};

} // namespace

std::string joinTexts(const std::vector<NamedText> &texts) {
  std::string image(magic);
  for (const NamedText &text : texts) {
    image += textMark;
    image += std::to_string(text.text.size()) + " " +
             text.name.substr(0, text.name.find('\n')) + "\n";
    image += text.text;
  }
  return image;
}

std::vector<NamedText> textsOf(std::string_view image) {
  std::vector<NamedText> texts;
  if (!image.starts_with(magic)) {
    return {{"", image}};
  }
  image.remove_prefix(magic.size());
  while (image.starts_with(textMark)) {
    image.remove_prefix(textMark.size());
    uint64_t bytes = 0;
    const char *begin = std::to_address(image.begin());
    const size_t line = image.find('\n');
    const size_t name =
        std::from_chars(begin, begin + image.size(), bytes).ptr - begin;
    if (line == image.npos || name > line || bytes > image.size() - line - 1) {
      throw Refusal(1, "an image of the linker is damaged");
    }
    std::string_view rest = image.substr(line + 1);
    texts.push_back({std::string(image.substr(std::min(name + 1, line),
                                              line - std::min(name + 1, line))),
                     rest.substr(0, bytes)});
    image = rest.substr(bytes);
  }
  if (texts.empty()) {
    throw Refusal(1, "an image of the linker is damaged");
  }
  return texts;
}

std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules,
                             const std::vector<std::string> &names) {
  if (modules.size() == 1) {
    return std::move(modules[0]);
  }
  return Linker(std::move(modules), names).link();
}

} // namespace cheems::emulator::ptx
