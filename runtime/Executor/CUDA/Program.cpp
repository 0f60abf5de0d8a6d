#include "runtime/Executor/CUDA/Program.h"
#include <map>
#include <mutex>

using namespace cheems;
using namespace cheems::cuda;

Program::Program(const Model &model, const Loading &loading)
    : switched(Switches::ofEnvironment()),
      gpu(std::make_shared<const Context>(model.device())),
      module(gpu, model.cudaCode(), model.path(), model.forced()),
      launches(LaunchPlan::parse(module.code().plan, module.code().path,
                                 model.path(), model.metadata().state.size())),
      kernels(module.functions(launches, switched)),
      parameters(model.metadata(), model.path()) {
  int64_t all;
  if (__builtin_add_overflow(parameters.bytes(), loading.need(launches),
                             &all)) {
    throw MemoryShort(model.path() + ": is too large for any GPU");
  }
  requireFree(*gpu, all,
              "the weights (" + std::to_string(parameters.bytes()) +
                  " bytes) and " + loading.purpose);
  parameters.upload(gpu, model.parameters(), loading.uploading);
}

std::shared_ptr<const Program> Program::of(const Model &model,
                                           const Loading &loading) {
  static std::mutex lock;
  // Whoever holds a program holds its model, too: an address whose program has
  // gone may be that of another model.
  static std::map<const Model *, std::weak_ptr<const Program>> programs;
  std::lock_guard guard(lock);
  for (auto each = programs.begin(); each != programs.end();) {
    each = each->second.expired() ? programs.erase(each) : std::next(each);
  }
  if (auto found = programs.find(&model); found != programs.end()) {
    if (auto held = found->second.lock()) {
      return held;
    }
  }
  std::shared_ptr<const Program> made(new Program(model, loading));
  programs[&model] = made;
  return made;
}
