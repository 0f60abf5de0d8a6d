//===- Vote.cpp - vote.sync -----------------------------------------------===//
#include "Families.h"
#include "Members.h"

#include <string_view>

using namespace cheems::emulator;

namespace {

enum class Mode { all, any, uniform };

/// slots: p, a, membermask
template <Mode mode>
Step vote(Warp &warp, const Instruction &instruction, LaneMask active) {
  LaneMask source = warp.predicate(instruction.slots[1]);
  bool here = forMembers(
      warp, instruction, active, instruction.slots[2], [&](LaneMask lanes) {
        LaneMask set = source & lanes;
        bool result = mode == Mode::all   ? set == lanes
                      : mode == Mode::any ? set != 0
                                          : set == 0 || set == lanes;
        warp.setPredicate(instruction.slots[0], result ? allLanes : 0, lanes);
      });
  return here ? Step::next : Step::converge;
}

/// slots: d, a, membermask
Step ballot(Warp &warp, const Instruction &instruction, LaneMask active) {
  LaneMask source = warp.predicate(instruction.slots[1]);
  uint32_t *to = warp.destination<uint32_t>(instruction.slots[0]);
  bool here = forMembers(
      warp, instruction, active, instruction.slots[2], [&](LaneMask lanes) {
        forLanes(lanes, [&](int lane) { to[lane] = source & lanes; });
      });
  return here ? Step::next : Step::converge;
}

/// PTX ISA, "Parallel Synchronization and Communication Instructions:
/// vote.sync"
void decodeVote(Statement &statement) {
  if (!statement.take("sync")) {
    statement.refuse("without .sync it is not for sm_70 and later");
  }
  std::string_view mode = statement.takeOne({"all", "any", "uni", "ballot"});
  bool isBallot = mode == "ballot";
  statement.takeType({isBallot ? Type::b32 : Type::pred});
  statement.end(3);
  if (std::holds_alternative<ptx::Sink>(statement.operand(0).value)) {
    statement.refuse("nothing takes its result");
  }
  Handler handler = isBallot        ? ballot
                    : mode == "all" ? vote<Mode::all>
                    : mode == "any" ? vote<Mode::any>
                                    : vote<Mode::uniform>;
  statement.emit(handler, Pipe::lsu,
                 {isBallot ? statement.destination(0, Type::b32)
                           : statement.predicateDestination(0),
                  statement.predicate(1), statement.source(2, Type::b32)});
}

constexpr Opcode votesOpcodes[] = {{"vote", decodeVote}};

} // namespace

std::span<const Opcode> cheems::emulator::votes() { return votesOpcodes; }
