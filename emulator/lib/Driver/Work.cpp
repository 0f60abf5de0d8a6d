//===- Work.cpp -----------------------------------------------------------===//
#include "Work.h"

#include "Process.h"

namespace cheems::emulator::driver {
namespace {

/// While it lives, the thread is in a function that the driver calls.
struct InHostFunction {
  InHostFunction() { thread().isInHostFunction = true; }
  ~InHostFunction() { thread().isInHostFunction = false; }
};

} // namespace

Work::~Work() = default;

Progress HostWork::run(Context &, bool) {
  InHostFunction scope;
  function(data);
  return Progress::done;
}

Progress CallbackWork::run(Context &, bool) {
  InHostFunction scope;
  function(stream, CUDA_SUCCESS, data);
  return Progress::done;
}

void CallbackWork::abandon(CUresult status) {
  InHostFunction scope;
  function(stream, status, data);
}

} // namespace cheems::emulator::driver
