//===- Modifiers.h - Modifiers that accesses share ---------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_LOADSTORE_MODIFIERS_H
#define CHEEMS_EMULATOR_LOADSTORE_MODIFIERS_H

#include "AddressSpaces/Access.h"
#include "Decode/Family.h"

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace cheems::emulator {

/// One access of a lane as it was decoded: what handlers of ld, st, atom and
/// red have as payload, or as the beginning of it.
struct Transfer {
  AccessKind kind;
  int64_t offset = 0; ///< added to each lane's base
  bool wide = true;   ///< bases are 64-bit elements, else 32-bit ones
};

/// The state space among `spaces`; generic if there is none. "shared" stands
/// for .shared, .shared::cta and .shared::cluster.
Space takeSpace(Statement &statement,
                std::initializer_list<std::string_view> spaces);

/// .cta, .cluster, .gpu or .sys; Scope::none if there is none of them.
Scope takeScope(Statement &statement);
Scope takeRequiredScope(Statement &statement);

/// Order and scope of ld (`ordered` is acquire) and st (release), into `kind`,
/// whose space is known. An access that other blocks can see marks the kernel.
void takeOrder(Statement &statement, Semantics ordered, AccessKind &kind);

/// .v2 and .v4; 1 if there is none.
int takeVector(Statement &statement);

/// Cache operators and eviction priorities of ld and st, which change nothing
/// that a program can see. `operators` are those the instruction has.
void takeCacheOperators(Statement &statement, const AccessKind &kind,
                        std::initializer_list<std::string_view> operators);

/// .L2::64B, .L2::128B and .L2::256B of ld, which change nothing either.
void takePrefetchSize(Statement &statement, const AccessKind &kind);

/// .L2::cache_hint: the last operand is a policy of createpolicy.
bool takeCacheHint(Statement &statement, const AccessKind &kind);
/// The policy must be a 64-bit value. Nothing that a program can see depends on
/// it.
void checkCachePolicy(Statement &statement, size_t operand);

/// Marks the kernel if blocks can see each other's accesses of this kind.
void markCommunication(Statement &statement, const AccessKind &kind);

/// Decodes `[...]` of `operand` into the transfer, whose kind has the space of
/// the text; the base's slot is returned. A name decides what space it is in:
/// `.param` of a call lies in local memory.
Slot takeAddress(Statement &statement, size_t operand, Transfer &transfer);

/// Bits of the elements that a register operand of ld or st has, 16 to 128: 8
/// bits are kept in 16. 0 if it is no register. Refuses a register of a kind
/// that the type does not go with (PTX ISA, "Operand Size Exceeding
/// Instruction-Type Size").
int transferBits(Statement &statement, const ptx::Operand &operand, Type type);
/// .b16, .b32, .b64 or .b128
Type bitsType(int bits);

} // namespace cheems::emulator

#endif
