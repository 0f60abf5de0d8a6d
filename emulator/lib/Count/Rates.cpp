//===- Rates.cpp - Cycles that an instruction keeps its pipe busy --------===//
#include "Rates.h"

#include <charconv>
#include <string_view>

using namespace cheems::emulator;

namespace {

bool has(const Detail &detail, std::string_view part) {
  return detail.text.find(part) != std::string::npos;
}

/// Multiply-adds per cycle and multiprocessor. With `rate` for f16, tf32 has
/// half of it, and formats of 8 bits have the double.
double tensorRate(const Detail &detail, int architecture) {
  const double rate = architecture >= 90 ? 2048 : 1024;
  if (has(detail, ".f64")) {
    return rate / 16;
  }
  if (has(detail, ".tf32")) {
    return rate / 2;
  }
  if (has(detail, ".s8") || has(detail, ".u8") || has(detail, ".e4m3") ||
      has(detail, ".e5m2")) {
    return rate * 2;
  }
  if (has(detail, ".s4") || has(detail, ".u4")) {
    return rate * 4;
  }
  if (has(detail, ".b1")) {
    return rate * 16;
  }
  return rate;
}

/// Results per cycle and multiprocessor.
double resultsPerCycle(const Detail &detail, int architecture) {
  const bool isHopper = architecture >= 90;
  switch (detail.pipe) {
  case Pipe::fma:
    // Integer multiplications have half of the units.
    return isHopper && has(detail, "f32") ? 128 : 64;
  case Pipe::half:
    return !isHopper && has(detail, "bf16") ? 128 : 256;
  case Pipe::fp64:
    return isHopper ? 64 : 32;
  case Pipe::mufu:
    return 16;
  case Pipe::conversion:
    return isHopper && !has(detail, "64") ? 64 : 16;
  case Pipe::lsu:
    return 32;
  case Pipe::alu:
    return 64;
  default:
    return 0;
  }
}

/// The number after `letter` at the front of `text`, which is taken off. 0:
/// there is none.
uint64_t takeExtent(std::string_view &text, char letter) {
  uint64_t extent = 0;
  if (text.starts_with(letter)) {
    const char *begin = text.data() + 1, *end = text.data() + text.size();
    text.remove_prefix(std::from_chars(begin, end, extent).ptr - text.data());
  }
  return extent;
}

/// The oldest mma of f16: each quarter of the warp has a matmul of its own.
bool isFourMatmuls(const Detail &detail) {
  return has(detail, ".m8n8k4") && has(detail, ".f16");
}

} // namespace

uint64_t cheems::emulator::multiplyAddsOf(const Detail &detail) {
  if (detail.pipe != Pipe::tensor) {
    return 0;
  }
  // ".m64n128k16" after the dot of a modifier.
  for (size_t at = detail.text.find(".m"); at != std::string::npos;
       at = detail.text.find(".m", at + 1)) {
    std::string_view rest = std::string_view(detail.text).substr(at + 1);
    const uint64_t m = takeExtent(rest, 'm'), n = takeExtent(rest, 'n'),
                   k = takeExtent(rest, 'k');
    if (m && n && k) {
      const uint64_t all = m * n * k;
      return detail.text.starts_with("wgmma") ? all / 4
             : isFourMatmuls(detail)          ? all * 4
                                              : all;
    }
  }
  return 0;
}

double cheems::emulator::cyclesOf(const Detail &detail, int architecture) {
  if (detail.pipe == Pipe::tensor) {
    return static_cast<double>(multiplyAddsOf(detail)) /
           tensorRate(detail, architecture);
  }
  const double rate = resultsPerCycle(detail, architecture);
  return rate == 0 ? 0 : warpLanes / rate;
}
