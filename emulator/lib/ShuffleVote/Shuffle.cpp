//===- Shuffle.cpp - shfl.sync --------------------------------------------===//
#include "Families.h"
#include "Lanes/Multiversion.h"
#include "Members.h"
#include "SourceLane.h"

#include <cstdint>
#include <cstring>
#if CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_AVX512
#include <immintrin.h>
#endif

CHEEMS_LANES_BEGIN
namespace {

/// What a lane gets from one that does not take part, which the ISA leaves
/// open: NaN as f32, as f16x2 and as bf16x2, and far out of any range as an
/// index.
constexpr uint32_t unpredictable = 0xffd5ffd5;

/// Says from which lanes all lanes take their values. That is known when the
/// instruction is decoded if `b` and `c` are immediates.
struct Sources {
  alignas(64) int32_t lane[warpLanes];
  LaneMask inside;
};

/// `to` is not `from`.
[[gnu::always_inline]] inline void permute(uint32_t *to, const uint32_t *from,
                                           const int32_t *source) {
#if CHEEMS_LANES_INSTRUCTION_SET == CHEEMS_LANES_AVX512
  __m512i low = _mm512_loadu_si512(from);
  __m512i high = _mm512_loadu_si512(from + 16);
  __m512i first =
      _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source), high);
  __m512i second =
      _mm512_permutex2var_epi32(low, _mm512_loadu_si512(source + 16), high);
  _mm512_storeu_si512(to, first);
  _mm512_storeu_si512(to + 16, second);
#else
  for (int lane = 0; lane < warpLanes; ++lane) {
    to[lane] = from[source[lane]];
  }
#endif
}

/// slots: d, a, membermask, then p if there is one
template <bool hasPredicate>
[[gnu::always_inline]] inline Step
shuffle(Warp &warp, const Instruction &instruction, LaneMask active,
        const Sources &sources) {
  const Slot *slots = instruction.slots;
  uint32_t *to = warp.destination<uint32_t>(slots[0]);
  // d and a may be one register.
  alignas(64) uint32_t from[warpLanes];
  std::memcpy(from, warp.source<uint32_t>(slots[1]), sizeof(from));
  auto exchange = [&](LaneMask lanes) {
    if (lanes == allLanes) {
      permute(to, from, sources.lane);
      return;
    }
    forLanes(lanes, [&](int lane) {
      int source = sources.lane[lane];
      to[lane] = lanes >> source & 1 ? from[source] : unpredictable;
    });
  };
  if (!forMembers(warp, instruction, active, slots[2], exchange)) {
    return Step::converge;
  }
  if (hasPredicate) {
    warp.setPredicate(slots[3], sources.inside, active);
  }
  return Step::next;
}

template <bool hasPredicate>
Step shuffleFixed(Warp &warp, const Instruction &instruction, LaneMask active) {
  return shuffle<hasPredicate>(warp, instruction, active,
                               instruction.as<Sources>());
}

/// slots: as those of shuffle, then b and c
template <ShuffleMode mode, bool hasPredicate>
Step shuffleComputed(Warp &warp, const Instruction &instruction,
                     LaneMask active) {
  const Slot *operands = instruction.slots + (hasPredicate ? 4 : 3);
  const uint32_t *b = warp.source<uint32_t>(operands[0]);
  const uint32_t *c = warp.source<uint32_t>(operands[1]);
  Sources sources;
  LaneMask inside = 0;
  CHEEMS_LANES_LOOP
  for (int lane = 0; lane < warpLanes; ++lane) {
    SourceLane source = sourceLane(mode, lane, b[lane], c[lane]);
    sources.lane[lane] = source.lane;
    inside |= LaneMask(source.inside) << lane;
  }
  sources.inside = inside;
  return shuffle<hasPredicate>(warp, instruction, active, sources);
}

template <bool hasPredicate> Handler computed(ShuffleMode mode) {
  switch (mode) {
  case ShuffleMode::up:
    return shuffleComputed<ShuffleMode::up, hasPredicate>;
  case ShuffleMode::down:
    return shuffleComputed<ShuffleMode::down, hasPredicate>;
  case ShuffleMode::butterfly:
    return shuffleComputed<ShuffleMode::butterfly, hasPredicate>;
  default:
    return shuffleComputed<ShuffleMode::index, hasPredicate>;
  }
}

bool isSink(const ptx::Operand &operand) {
  return std::holds_alternative<ptx::Sink>(operand.value);
}

/// PTX ISA, "Data Movement and Conversion Instructions: shfl.sync"
void decodeShuffle(Statement &statement) {
  if (!statement.take("sync")) {
    statement.refuse("without .sync it is not for sm_70 and later");
  }
  std::string_view name = statement.takeOne({"up", "down", "bfly", "idx"});
  ShuffleMode mode = name == "up"     ? ShuffleMode::up
                     : name == "down" ? ShuffleMode::down
                     : name == "bfly" ? ShuffleMode::butterfly
                                      : ShuffleMode::index;
  statement.takeType({Type::b32});
  statement.end(5);
  auto [value, predicate] = statement.pair(statement.operand(0));
  if (isSink(*value)) {
    statement.refuse("nothing takes its value");
  }
  bool hasPredicate = predicate && !isSink(*predicate);
  std::vector<Slot> slots{statement.destination(*value, Type::b32),
                          statement.source(1, Type::b32),
                          statement.source(4, Type::b32)};
  if (hasPredicate) {
    slots.push_back(statement.predicateDestination(*predicate));
  }
  if (!statement.isImmediate(2) || !statement.isImmediate(3)) {
    slots.push_back(statement.source(2, Type::b32));
    slots.push_back(statement.source(3, Type::b32));
    statement.emit(hasPredicate ? computed<true>(mode) : computed<false>(mode),
                   Pipe::lsu, slots);
    return;
  }
  Sources sources{};
  for (int lane = 0; lane < warpLanes; ++lane) {
    SourceLane source =
        sourceLane(mode, lane, static_cast<uint32_t>(statement.immediate(2)),
                   static_cast<uint32_t>(statement.immediate(3)));
    sources.lane[lane] = source.lane;
    sources.inside |= LaneMask(source.inside) << lane;
  }
  statement.emit(hasPredicate ? shuffleFixed<true> : shuffleFixed<false>,
                 Pipe::lsu, slots, statement.keep(sources));
}

constexpr Opcode shufflesOpcodes[] = {{"shfl", decodeShuffle}};

} // namespace

std::span<const Opcode> shuffles() { return shufflesOpcodes; }
CHEEMS_LANES_END
