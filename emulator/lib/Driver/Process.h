//===- Process.h - What all contexts share ----------------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_DRIVER_PROCESS_H
#define CHEEMS_EMULATOR_DRIVER_PROCESS_H

#include "Context.h"
#include "Handles.h"
#include "Module.h"

#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace cheems::emulator::driver {

/// What cuDriverGetVersion answers. This version's functions are those that
/// Entries/ lists, and its PTX goes up to ISA 9.0.
constexpr int driverVersion = 13000;

/// A small number is more urgent. Priorities are told but order nothing: they
/// are hints.
constexpr int leastStreamPriority = 0, greatestStreamPriority = -5;

/// cuMemPoolCreate.
struct MemoryPool {
  CUmemoryPool handle = nullptr;
  CUmemPoolProps properties{};
  uint64_t releaseThreshold = 0;
  int followEventDependencies = 1, allowOpportunistic = 1,
      allowInternalDependencies = 1;
  uint64_t used = 0, usedHigh = 0, reservedHigh = 0;
};

struct Process {
  std::mutex lock;
  std::optional<Options> options; ///< set by cuInit
  uint64_t contextIds = 0, streamIds = 0, bufferIds = 0, captureIds = 0;
  uint64_t threadNumbers = 0;

  std::shared_ptr<Context> primary; ///< null: not active
  CUcontext primaryHandle = nullptr;
  unsigned primaryUses = 0, primaryFlags = 0;
  std::shared_ptr<MemoryPool> defaultPool, currentPool;

  Handles<CUcontext, Context> contexts;
  Handles<CUstream, Stream> streams;
  Handles<CUevent, Event> events;
  Handles<CUmemoryPool, MemoryPool> pools;
  Handles<CUmodule, LoadedModule> modules;
  Handles<CUfunction, Function> functions;
  Handles<CUlibrary, Library> libraries;
  Handles<CUkernel, LibraryKernel> kernels;
  Handles<CUlinkState, Link> links;
  Handles<CUgraph, Graph> graphs;
  Handles<CUgraphNode, Node> nodes;
  Handles<CUgraphExec, GraphExec> executables;
  std::vector<std::weak_ptr<Capture>> captures;
  std::set<std::string> noted;
  uint64_t warnings = 0; ///< of all grids so far
};

/// Lives as long as the process, because other libraries may call in while it
/// ends.
Process &process();

/// What the driver knows of the calling thread.
struct ThreadState {
  std::vector<std::shared_ptr<Context>> stack; ///< the last one is current
  CUstreamCaptureMode captureMode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  uint64_t number = 0;
  bool isInHostFunction = false;
};
ThreadState &thread();

/// The current context, or 201; what broke it, if it is broken.
Context &currentContext(bool evenIfBroken = false);
/// A stream of the current context. 0 is the legacy default stream.
Stream &findStream(Context &context, CUstream handle);
std::shared_ptr<Stream> sharedStream(Context &context, CUstream handle);
Event &findEvent(CUevent handle);
/// 101 if it is not the one device.
void requireDevice(CUdevice device);
/// A context with its default stream, without a handle.
std::shared_ptr<Context> makeContext(unsigned flags);
/// Ends a context: its handles, its memory, what has not run.
void destroy(const std::shared_ptr<Context> &context);

/// For entry points with _ptsz: the default stream is the thread's.
inline CUstream perThread(CUstream stream) {
  return stream ? stream : reinterpret_cast<CUstream>(2);
}

/// The code for the exception that is being handled.
CUresult codeOfException();

/// The body of an entry point: takes the lock, requires cuInit, turns
/// exceptions into codes.
template <typename Body> CUresult call(Body body) {
  try {
    require(!thread().isInHostFunction, CUDA_ERROR_NOT_PERMITTED);
    std::lock_guard guard(process().lock);
    require(process().options, CUDA_ERROR_NOT_INITIALIZED);
    body();
    return CUDA_SUCCESS;
  } catch (...) {
    return codeOfException();
  }
}

/// Does what call does; the body gets the current context.
template <typename Body> CUresult callInContext(Body body) {
  return call([&] { body(currentContext()); });
}

} // namespace cheems::emulator::driver

#endif
