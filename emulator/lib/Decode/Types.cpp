//===- Types.cpp - The types that modifiers name ------------------------===//
#include "Types.h"

#include <iterator>
#include <unordered_map>

using namespace cheems::emulator;

namespace {

struct Entry {
  std::string_view name;
  int bits;
};

/// The entries are in the order of Type.
constexpr Entry entries[] = {
    {"pred", 1},    {"b8", 8},       {"b16", 16},     {"b32", 32},
    {"b64", 64},    {"b128", 128},   {"b1024", 1024}, {"u8", 8},
    {"u16", 16},    {"u32", 32},     {"u64", 64},     {"u4", 4},
    {"b1", 1},      {"s8", 8},       {"s16", 16},     {"s32", 32},
    {"s64", 64},    {"s4", 4},       {"f16", 16},     {"bf16", 16},
    {"f32", 32},    {"f64", 64},     {"tf32", 32},    {"f16x2", 32},
    {"bf16x2", 32}, {"u16x2", 32},   {"s16x2", 32},   {"f32x2", 64},
    {"e4m3", 8},    {"e5m2", 8},     {"e2m1", 4},     {"e3m2", 6},
    {"e2m3", 6},    {"ue8m0", 8},    {"e4m3x2", 16},  {"e5m2x2", 16},
    {"e4m3x4", 32}, {"e5m2x4", 32},  {"e2m1x2", 8},   {"e3m2x2", 16},
    {"e2m3x2", 16}, {"ue8m0x2", 16},
};
static_assert(std::size(entries) == size_t(Type::ue8m0x2) + 1);

} // namespace

std::optional<Type> cheems::emulator::parseType(std::string_view modifier) {
  static const auto *types = [] {
    auto *map = new std::unordered_map<std::string_view, Type>;
    for (size_t i = 0; i < std::size(entries); ++i) {
      map->emplace(entries[i].name, static_cast<Type>(i));
    }
    return map;
  }();
  auto found = types->find(modifier);
  return found == types->end() ? std::nullopt : std::optional(found->second);
}

std::string_view cheems::emulator::name(Type type) {
  return entries[static_cast<size_t>(type)].name;
}

int cheems::emulator::bits(Type type) {
  return entries[static_cast<size_t>(type)].bits;
}
