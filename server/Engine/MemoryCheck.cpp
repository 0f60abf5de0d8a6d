#include "server/Engine/MemoryCheck.h"
#include "runtime/Error.h"
#include "server/Engine/MemoryLimit.h"
#include "server/Engine/Runner.h"
#include <cstdio>

namespace cheems::serve {

static std::string shown(int64_t bytes) {
  bool isLarge = bytes >= int64_t{1} << 30;
  char text[32];
  std::snprintf(text, sizeof(text), isLarge ? "%.2f GiB" : "%.1f MiB",
                static_cast<double>(bytes) /
                    (int64_t{1} << (isLarge ? 30 : 20)));
  return text;
}

int64_t checkMemory(const Model &model, const SessionOptions &session,
                    const EngineOptions &options) {
  SessionBytes bytes = Session::estimate(model, session);
  bool onGPU = model.device() >= 0; // the GPU itself reports lack of memory
  int64_t limit = options.memoryLimit ? *options.memoryLimit : memoryLimit();
  int64_t runs = onGPU ? 0 : bytes.weights + bytes.state + bytes.workspace;
  if (runs > limit) {
    throw Error(Status::usage,
                std::to_string(options.slots) + " slots of " +
                    (session.context != 0 ? std::to_string(session.context)
                                          : std::string("the model's")) +
                    " tokens take " + shown(bytes.state) + ", beside " +
                    shown(runs - bytes.state) +
                    " for weights and work, more than the " + shown(limit) +
                    (options.memoryLimit
                         ? " of --memory; give more, or lower"
                         : " that this process may have; lower") +
                    " --parallel or --ctx-size");
  }
  if (options.cacheBytes > limit - runs) {
    throw Error(Status::usage,
                "a cache of " + shown(options.cacheBytes) +
                    " is more than the " + shown(limit - runs) +
                    " that are left of the " + shown(limit) +
                    (options.memoryLimit ? " of --memory" : "") +
                    " beside slots and weights; lower --cache-ram");
  }
  // states of choices that wait for a slot, and of slots that are being saved
  int64_t copies = Runner::statesPerSlot + (options.slotFolder.empty() ? 0 : 1);
  return limit - runs - options.cacheBytes - (onGPU ? 0 : copies * bytes.state);
}

} // namespace cheems::serve
