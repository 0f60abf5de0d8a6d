//===- Work.h - What a queue or a node of a graph does ----------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_WORK_H
#define CHEEMS_EMULATOR_DRIVER_WORK_H

#include "Types.h"

#include <cstdint>
#include <memory>

namespace cheems::emulator::driver {

struct Context;

enum class Progress {
  done,
  waitsForPrimary, ///< a kernel at griddepcontrol.wait
  released,        ///< its dependents may start; it goes on by run()
};

/// A kernel, a copy, a call of the host: something that streams order.
class Work {
public:
  virtual ~Work();

  virtual CUgraphNodeType type() const = 0;
  virtual std::unique_ptr<Work> clone() const = 0;
  /// The context is locked. `early`: kernels before this one in its stream have
  /// not ended (programmatic dependent launch).
  virtual Progress run(Context &context, bool early) = 0;
  /// Kernels after it may start when it lets them.
  virtual void hasDependents() {}
  /// After Progress::released: dependents see what it has written, or do not.
  virtual void showWrites(bool areShown) {}
  /// Those kernels have ended; the next run() goes on.
  virtual void primaryFinished() {}
  /// True for calls of the host, which may wait for other threads: nobody holds
  /// the lock while they run.
  virtual bool runsUnlocked() const { return false; }
  /// The context broke before this ran.
  virtual void abandon(CUresult status) {}
  /// A kernel that lets the next one start before it ends
  /// (griddepcontrol.launch_dependents).
  virtual bool releasesDependents() const { return false; }
  /// What it adds to the clock of events.
  virtual uint64_t nanoseconds() const { return 0; }
};

/// Nothing: a node that only joins others, a recorded event.
class EmptyWork : public Work {
public:
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_EMPTY; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<EmptyWork>();
  }
  Progress run(Context &, bool) override { return Progress::done; }
};

/// A function of the host.
class HostWork : public Work {
public:
  HostWork(CUhostFn function, void *data) : function(function), data(data) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_HOST; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<HostWork>(*this);
  }
  Progress run(Context &context, bool early) override;
  bool runsUnlocked() const override { return true; }

  CUhostFn function;
  void *data;
};

/// cuStreamAddCallback, which is told of errors, too.
class CallbackWork : public Work {
public:
  CallbackWork(CUstreamCallback function, CUstream stream, void *data)
      : function(function), stream(stream), data(data) {}

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_HOST; }
  std::unique_ptr<Work> clone() const override {
    return std::make_unique<CallbackWork>(*this);
  }
  Progress run(Context &context, bool early) override;
  bool runsUnlocked() const override { return true; }
  void abandon(CUresult status) override;

private:
  CUstreamCallback function;
  CUstream stream;
  void *data;
};

} // namespace cheems::emulator::driver

#endif
