//===- Modifiers.cpp - Modifiers that accesses share ----------------------===//
#include "Modifiers.h"

#include "Decode/Decoder.h"

#include <algorithm>
#include <string>

using namespace cheems::emulator;

namespace {

bool isShared(std::string_view modifier) {
  return modifier.starts_with("shared");
}

/// Only accesses to these spaces go through the L2 cache. Its hints say nothing
/// of other accesses.
bool isCached(const AccessKind &kind) {
  return kind.space == Space::global || kind.space == Space::generic;
}

} // namespace

Space cheems::emulator::takeSpace(
    Statement &statement, std::initializer_list<std::string_view> spaces) {
  std::string_view found = statement.takeAny(
      {"global", "const", "local", "param", "param::entry", "param::func",
       "shared", "shared::cta", "shared::cluster"});
  if (found.empty()) {
    return Space::generic;
  }
  std::string_view family = isShared(found)              ? "shared"
                            : found.starts_with("param") ? "param"
                                                         : found;
  if (std::find(spaces.begin(), spaces.end(), family) == spaces.end()) {
    statement.refuse("it has no access to ." + std::string(found));
  }
  if (found == "shared::cluster" && statement.architecture() < 90) {
    statement.refuse(".shared::cluster needs sm_90");
  }
  if (family == "shared") {
    return Space::shared;
  }
  if (family == "global") {
    return Space::global;
  }
  if (family == "const") {
    return Space::constant;
  }
  return family == "local" ? Space::local : Space::parameter;
}

Scope cheems::emulator::takeScope(Statement &statement) {
  std::string_view scope = statement.takeAny({"cta", "cluster", "gpu", "sys"});
  if (scope.empty()) {
    return Scope::none;
  }
  if (scope == "cluster" && statement.architecture() < 90) {
    statement.refuse("the scope .cluster needs sm_90");
  }
  return scope == "cta"       ? Scope::block
         : scope == "cluster" ? Scope::cluster
         : scope == "gpu"     ? Scope::gpu
                              : Scope::system;
}

Scope cheems::emulator::takeRequiredScope(Statement &statement) {
  Scope scope = takeScope(statement);
  if (scope == Scope::none) {
    statement.refuse("it needs a scope: .cta, .cluster, .gpu or .sys");
  }
  return scope;
}

void cheems::emulator::takeOrder(Statement &statement, Semantics ordered,
                                 AccessKind &kind) {
  std::string_view strongest =
      ordered == Semantics::acquire ? "acquire" : "release";
  if (statement.take("mmio")) {
    statement.notModelled(".mmio");
  }
  std::string_view order =
      statement.takeAny({"weak", "volatile", "relaxed", strongest});
  if (order == "relaxed" || order == strongest) {
    kind.semantics = order == "relaxed" ? Semantics::relaxed : ordered;
    kind.scope = takeRequiredScope(statement);
  } else if (order == "volatile") {
    // PTX ISA, "Volatile Operation": as relaxed at system scope.
    kind.semantics = Semantics::isVolatile;
    kind.scope = Scope::system;
  }
  if (kind.semantics != Semantics::weak && kind.space != Space::generic &&
      kind.space != Space::global && kind.space != Space::shared) {
    statement.refuse("." + std::string(order) +
                     " is for global, shared and generic addresses");
  }
  markCommunication(statement, kind);
}

int cheems::emulator::takeVector(Statement &statement) {
  std::string_view vector = statement.takeAny({"v2", "v4", "v8"});
  return vector.empty() ? 1 : vector[1] - '0';
}

void cheems::emulator::takeCacheOperators(
    Statement &statement, const AccessKind &kind,
    std::initializer_list<std::string_view> operators) {
  std::string_view cacheOperator = statement.takeAny(operators);
  std::string_view first = statement.takeAny(
      {"L1::evict_normal", "L1::evict_unchanged", "L1::evict_first",
       "L1::evict_last", "L1::no_allocate"});
  std::string_view second = statement.takeAny(
      {"L2::evict_normal", "L2::evict_first", "L2::evict_last"});
  if (!second.empty()) {
    statement.refuse("." + std::string(second) +
                     " is for 256-bit accesses, which need sm_100");
  }
  if (!cacheOperator.empty() && kind.semantics != Semantics::weak) {
    statement.refuse("only a weak access has ." + std::string(cacheOperator));
  }
  if (first.empty()) {
    return;
  }
  if (!cacheOperator.empty()) {
    statement.refuse("." + std::string(first) + " does not go with ." +
                     std::string(cacheOperator));
  }
  if (kind.semantics == Semantics::isVolatile) {
    statement.refuse("." + std::string(first) + " does not go with .volatile");
  }
  if (!isCached(kind)) {
    statement.refuse("." + std::string(first) +
                     " is for global and generic addresses");
  }
}

void cheems::emulator::takePrefetchSize(Statement &statement,
                                        const AccessKind &kind) {
  std::string_view size =
      statement.takeAny({"L2::64B", "L2::128B", "L2::256B"});
  if (!size.empty() && !isCached(kind)) {
    statement.refuse("." + std::string(size) +
                     " is for global and generic addresses");
  }
}

bool cheems::emulator::takeCacheHint(Statement &statement,
                                     const AccessKind &kind) {
  if (!statement.take("L2::cache_hint")) {
    return false;
  }
  if (!isCached(kind)) {
    statement.refuse(".L2::cache_hint is for global and generic addresses");
  }
  if (kind.semantics == Semantics::isVolatile) {
    statement.refuse(".L2::cache_hint does not go with .volatile");
  }
  return true;
}

void cheems::emulator::checkCachePolicy(Statement &statement, size_t operand) {
  statement.source(operand, Type::b64);
}

void cheems::emulator::markCommunication(Statement &statement,
                                         const AccessKind &kind) {
  bool isWide = kind.scope == Scope::gpu || kind.scope == Scope::system;
  bool isVisible = kind.space == Space::global || kind.space == Space::generic;
  if (kind.semantics != Semantics::weak && isWide && isVisible) {
    statement.communicates();
  }
}

Slot cheems::emulator::takeAddress(Statement &statement, size_t operand,
                                   Transfer &transfer) {
  DecodedAddress address = statement.address(operand, transfer.kind.space);
  // Parameters of a function, and what it hands to others, are local memory.
  bool isInFunction = !statement.decoder.isInEntry();
  transfer.kind.space = address.space == Space::parameter && isInFunction
                            ? Space::local
                            : address.space;
  bool isWide = transfer.kind.space == Space::global ||
                transfer.kind.space == Space::generic;
  if (isWide && !address.wide) {
    statement.refuse("a global or generic address has 64 bits");
  }
  transfer.offset = address.offset;
  transfer.wide = address.wide;
  return address.base;
}

int cheems::emulator::transferBits(Statement &statement,
                                   const ptx::Operand &operand, Type type) {
  int registerBits = statement.registerBits(operand);
  const auto *variable = std::get_if<const ptx::Variable *>(&operand.value);
  if (registerBits == 0 || !variable) {
    return registerBits;
  }
  if (registerBits < bits(type)) {
    statement.refuse("the register " + (*variable)->name +
                     " is narrower than ." + std::string(name(type)));
  }
  ptx::Kind kind = (*variable)->type.kind;
  bool isFloating = kind == ptx::Kind::floating || kind == ptx::Kind::bfloat ||
                    kind == ptx::Kind::packed;
  bool fits = kind == ptx::Kind::bits || isBits(type) ||
              (isFloating ? isFloat(type) && registerBits == bits(type)
                          : isInteger(type));
  if (!fits) {
    statement.refuse("the register " + (*variable)->name + " of type ." +
                     (*variable)->type.text + " does not go with ." +
                     std::string(name(type)));
  }
  return std::max(registerBits, 16);
}

Type cheems::emulator::bitsType(int bits) {
  return bits <= 16   ? Type::b16
         : bits == 32 ? Type::b32
         : bits == 64 ? Type::b64
                      : Type::b128;
}
