#include "runtime/Executor/CUDA/Program.h"
#include <map>
#include <mutex>

using namespace cheems;
using namespace cheems::cuda;

Program::Program(const Model &model, const WeightUpload::Progress &uploading)
    : card(std::make_shared<const Context>(model.device())),
      module(card, model.cudaCode(), model.path()),
      launches(LaunchPlan::parse(module.code().plan, module.code().path,
                                 model.path(), model.metadata().state.size())),
      kernels(module.functions(launches)),
      parameters(card, model.metadata(), model.parameters(), model.path(),
                 uploading) {}

std::shared_ptr<const Program>
Program::of(const Model &model, const WeightUpload::Progress &uploading) {
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
  std::shared_ptr<const Program> made(new Program(model, uploading));
  programs[&model] = made;
  return made;
}
