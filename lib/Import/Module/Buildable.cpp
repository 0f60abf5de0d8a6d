// What a description may have and no op says yet.
#include "ModelTypes.h"
#include "cheems/Import/Error.h"

namespace cheems {
namespace {

/// Looks for the first thing that cannot be built, and says where it is.
class Check {
public:
  explicit Check(const ModelDescription &model) : model(model) {}

  llvm::Error run() {
    for (const Layer &layer : model.layers) {
      ++number;
      for (const Branch &branch : layer.branches) {
        check(branch);
      }
    }
    return std::move(first);
  }

  ~Check() { llvm::consumeError(std::move(first)); }

private:
  void want(bool holds, const llvm::Twine &what) {
    if (holds || first) {
      return;
    }
    std::string place =
        number < 0 ? "the model" : "layer " + std::to_string(number);
    first = llvm::make_error<UnsupportedError>(
        ("a model of type '" + llvm::Twine(model.modelType) +
         "' is read, but cannot be compiled by this version: " + place +
         " has " + what)
            .str());
  }

  void check(const Branch &branch) {
    const auto &mixers = branch.mixers;
    want(mixers.size() == 1 ||
             (mixers.size() == 2 &&
              std::holds_alternative<MLP>(mixers[0].what) &&
              std::holds_alternative<RetrievedExperts>(mixers[1].what)),
         "parts side by side other than an MLP and retrieved experts");
    want(!std::holds_alternative<RetrievedExperts>(mixers.front().what),
         "retrieved experts without an MLP");
    for (const Mixer &mixer : mixers) {
      want(mixers.size() == 1 || mixer.outputFactor == 1.0,
           "a factor of one of its parts side by side");
      std::visit([&](const auto &what) { check(what); }, mixer.what);
    }
  }

  void check(const Attention &attention) {
    want(!attention.window || !attention.mask,
         "a window of rows beside dynamic masks");
    const Attention &other = *model.find<Attention>();
    want(attention.keyValueHeads == other.keyValueHeads &&
             attention.headSize == other.headSize,
         "other heads of keys than the first layer of attention");
    want(attention.mask.has_value() == other.mask.has_value(),
         "no masks, or the first layer of attention has none");
    if (attention.mask && other.mask) {
      want(attention.mask->heads == other.mask->heads &&
               attention.mask->kind == other.mask->kind &&
               attention.mask->keep == other.mask->keep,
           "other masks than the first layer of attention");
    }
  }

  void check(const SSD &ssd) {
    const SSD &other = *model.find<SSD>();
    want(ssd.heads == other.heads && ssd.headSize == other.headSize &&
             ssd.stateSize == other.stateSize,
         "another state than the first layer of SSD");
  }

  void check(const MLP &) {}
  void check(const RetrievedExperts &) {}

  const ModelDescription &model;
  int64_t number = -1; ///< of the layer
  llvm::Error first = llvm::Error::success();
};

} // namespace

llvm::Error checkBuildable(const ModelDescription &model) {
  return Check(model).run();
}

} // namespace cheems
