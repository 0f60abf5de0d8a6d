//===- Modifiers.cpp - What comes after an opcode ------------------------===//
#include "Decoder.h"
#include "Support/Error.h"

#include <algorithm>
#include <stdexcept>

using namespace cheems::emulator;

Statement::Statement(Decoder &decoder, const ptx::Instruction &syntax)
    : syntax(syntax), decoder(decoder), taken(syntax.modifiers.size()) {}

void Statement::refuse(const std::string &reason) const {
  throw Refusal(line(), decoder.text + ": " + reason);
}

void Statement::notModelled(const std::string &what) const {
  throw NotModelled(line(), decoder.text + ": " + what);
}

int Statement::architecture() const { return decoder.gpuArchitecture(); }

bool Statement::take(std::string_view modifier) {
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i] && syntax.modifiers[i] == modifier) {
      taken[i] = true;
      return true;
    }
  }
  return false;
}

std::string_view
Statement::takeAny(std::initializer_list<std::string_view> modifiers) {
  std::string_view result;
  for (size_t i = 0; i < taken.size(); ++i) {
    std::string_view modifier = syntax.modifiers[i];
    if (taken[i] || std::find(modifiers.begin(), modifiers.end(), modifier) ==
                        modifiers.end()) {
      continue;
    }
    if (!result.empty()) {
      refuse("'." + std::string(result) + "' and '." + std::string(modifier) +
             "' exclude each other");
    }
    taken[i] = true;
    result = modifier;
  }
  return result;
}

std::string_view
Statement::takeOne(std::initializer_list<std::string_view> modifiers) {
  std::string_view result = takeAny(modifiers);
  if (result.empty()) {
    std::string names;
    for (std::string_view modifier : modifiers) {
      names += (names.empty() ? "." : ", .") + std::string(modifier);
    }
    refuse("it must have one of " + names);
  }
  return result;
}

Type Statement::takeType(std::initializer_list<Type> allowed) {
  std::optional<Type> type = takeAnyType();
  if (!type) {
    refuse("it has no type, or too few of them");
  }
  if (std::find(allowed.begin(), allowed.end(), *type) == allowed.end()) {
    refuse("the type '." + std::string(name(*type)) + "' is not allowed here");
  }
  return *type;
}

std::optional<Type> Statement::takeAnyType() {
  for (size_t i = 0; i < taken.size(); ++i) {
    if (taken[i]) {
      continue;
    }
    if (std::optional<Type> type = parseType(syntax.modifiers[i])) {
      taken[i] = true;
      return type;
    }
  }
  return std::nullopt;
}

std::string_view Statement::takePrefix(std::string_view start) {
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i] && syntax.modifiers[i].starts_with(start)) {
      taken[i] = true;
      return syntax.modifiers[i];
    }
  }
  return {};
}

void Statement::end(size_t least, size_t most) {
  for (size_t i = 0; i < taken.size(); ++i) {
    if (!taken[i]) {
      refuse("the modifier '." + syntax.modifiers[i] +
             "' is unknown or does not fit here");
    }
  }
  if (operands() < least || operands() > most) {
    refuse("it has " + std::to_string(operands()) + " operands instead of " +
           std::to_string(least) +
           (least == most ? "" : " to " + std::to_string(most)));
  }
  ended = true;
}

void Statement::emit(Handler handler, Pipe pipe, std::span<const Slot> slots,
                     uint64_t payload) {
  if (!ended) {
    throw std::logic_error(decoder.text +
                           ": its family emits before it has called end()");
  }
  decoder.emit(line(), handler, pipe, slots, payload);
}

void Statement::keepAlive(std::shared_ptr<const void> kept) {
  decoder.program->kept.push_back(std::move(kept));
}

void Statement::communicates() { decoder.program->communicates = true; }
void Statement::waitsForPrimary() { decoder.program->waitsForPrimary = true; }
