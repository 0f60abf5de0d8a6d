//===- SystemCalls.cpp - Functions that the driver defines ---------------===//
#include "SystemCalls.h"

#include "Support/Error.h"

#include <algorithm>

using namespace cheems::emulator;

namespace {

const std::vector<SystemCall> &all() {
  using Kind = SystemCall::Kind;
  static const std::vector<SystemCall> list = {
      // status (format, arguments)
      {Kind::print, "vprintf", 4, {8, 8}, true},
      {Kind::allocate, "malloc", 8, {8}, true},
      {Kind::free, "free", 0, {8}, true},
      // (message, file, line, function, bytes of a character)
      {Kind::fail, "__assertfail", 0, {8, 8, 4, 8, 8}, false},
  };
  return list;
}

bool fits(const ptx::Variable &formal, uint32_t bytes) {
  return formal.space == ptx::StateSpace::reg
             ? formal.type.width == static_cast<int>(8 * bytes)
             : formal.bytes() == bytes;
}

} // namespace

const SystemCall *cheems::emulator::systemCall(const ptx::Function &function) {
  if (function.defined || function.entry) {
    return nullptr;
  }
  for (const SystemCall &call : all()) {
    if (call.name != function.name) {
      continue;
    }
    bool isRight =
        function.results.size() == (call.result ? 1 : 0) &&
        std::ranges::equal(function.parameters, call.parameters,
                           [](const ptx::Variable *formal, uint32_t bytes) {
                             return fits(*formal, bytes);
                           });
    if (!isRight || (call.result && !fits(*function.results[0], call.result))) {
      throw Refusal(function.location.line,
                    "'" + function.name +
                        "' is not declared with the result and the parameters "
                        "that the driver's has");
    }
    return &call;
  }
  return nullptr;
}
