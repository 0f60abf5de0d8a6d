//===- Process.cpp --------------------------------------------------------===//
#include "Process.h"

#include "Support/Error.h"

#include <atomic>
#include <new>

namespace cheems::emulator::driver {

uintptr_t newHandle() {
  static uintptr_t last = 0x4000'0000;
  return last += 64;
}

Process &process() {
  static Process *only = new Process;
  return *only;
}

ThreadState &thread() {
  static std::atomic<uint64_t> numbers = 0;
  thread_local ThreadState state = [] {
    ThreadState fresh;
    fresh.number = ++numbers;
    return fresh;
  }();
  return state;
}

Context &currentContext(bool evenIfBroken) {
  auto &stack = thread().stack;
  require(!stack.empty() && stack.back(), CUDA_ERROR_INVALID_CONTEXT);
  if (stack.back()->isDestroyed && stack.back()->isPrimary &&
      process().primary) {
    stack.back() = process().primary; // it was reset and is in use again
  }
  Context &context = *stack.back();
  require(!context.isDestroyed, context.isPrimary
                                    ? CUDA_ERROR_INVALID_CONTEXT
                                    : CUDA_ERROR_CONTEXT_IS_DESTROYED);
  require(evenIfBroken || !context.broken, context.broken);
  return context;
}

std::shared_ptr<Stream> sharedStream(Context &context, CUstream handle) {
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (number <= 1) {
    return context.legacy;
  }
  if (number == 2) {
    auto &stream = context.perThread[thread().number];
    if (!stream) {
      stream = std::make_shared<Stream>();
      stream->handle = handle;
      stream->context = context.weak_from_this();
      stream->id = ++process().streamIds;
    }
    return stream;
  }
  auto stream = process().streams.get(handle);
  require(stream->context.lock().get() == &context, CUDA_ERROR_INVALID_HANDLE);
  return stream;
}

Stream &findStream(Context &context, CUstream handle) {
  return *sharedStream(context, handle);
}

Event &findEvent(CUevent handle) { return *process().events.get(handle); }

void requireDevice(CUdevice device) {
  require(device == 0, CUDA_ERROR_INVALID_DEVICE);
}

CUresult codeOfException() {
  try {
    throw;
  } catch (const Failure &failure) {
    return failure.code;
  } catch (const NotModelled &refusal) {
    note(refusal.what());
    return CUDA_ERROR_NOT_SUPPORTED;
  } catch (const Refusal &refusal) {
    note(refusal.what());
    return CUDA_ERROR_INVALID_PTX;
  } catch (const std::bad_alloc &) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    note(error.what());
    return CUDA_ERROR_UNKNOWN;
  }
}

} // namespace cheems::emulator::driver
