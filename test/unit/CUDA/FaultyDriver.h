// What tests ask of the driver in FaultyDriver.cpp, beside calls of CUDA.
#ifndef CHEEMS_TEST_UNIT_CUDA_FAULTYDRIVER_H
#define CHEEMS_TEST_UNIT_CUDA_FAULTYDRIVER_H

extern "C" {

struct FaultyDriver {
  /// Counts calls from now on, and lets the `call`-th fail, from 1 on, with
  /// `code`; 0: none.
  void (*failCall)(long call, int code);
  /// Calls since then.
  long (*calls)();
  /// The function of one of them, from 1 on.
  const char *(*nameOf)(long call);
  /// Launches since then that may begin before the previous kernel has ended.
  long (*overlapping)();
  /// Graphs that were launched since then.
  long (*graphs)();
  /// What was made and not yet given back: memory, streams, contexts and so on.
  long (*alive)();
};

const FaultyDriver *faultyDriver();
}

#endif
