// config.json from memory, under every spelling of Doge and Cheems: what is
// accepted is within the ranges later stages rely on.
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Json.h"

using namespace cheems;

static void check(const DogeLikeFields &model) {
  bool sound =
      model.vocabulary > 0 && model.hidden > 0 && model.intermediate > 0 &&
      model.layers > 0 && model.heads > 0 && model.keyValueHeads > 0 &&
      model.headDim > 0 && (model.headDim % 2 == 0 || !model.anyAttention()) &&
      (model.ssdStateSize > 0) == model.anySSD() &&
      model.ssdStateSize % 2 == 0 && model.attentionPeriod > 0 &&
      model.attentionOffset >= 0 && model.experts > 0 &&
      model.expertHeads > 0 && model.expertsPerHead > 0 &&
      model.heads % model.keyValueHeads == 0 && model.maxPositions > 0 &&
      model.normEpsilon > 0 && model.rotary.theta > 0 &&
      model.rotary.factor >= 1 &&
      (!model.rotary.dynamic || !model.anyAttention() || model.headDim > 2) &&
      (!model.rotary.dynamic || !model.anySSD() || model.ssdStateSize > 2) &&
      (!model.keepWindow ||
       (*model.keepWindow > 0 && model.maskKind == MaskKind::Bias));
  for (int64_t token : model.eosTokens) {
    sound &= token >= 0 && token < model.vocabulary;
  }
  if (!sound) {
    __builtin_trap();
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto object = parseJsonObject(
      spellFloats(llvm::StringRef(reinterpret_cast<const char *>(data), size)),
      "fuzz");
  if (!object) {
    llvm::consumeError(object.takeError());
    return 0;
  }
  llvm::consumeError(findFamily(*object, "fuzz", nullptr).takeError());
  auto warn = [](llvm::StringRef line) {
    if (line.contains('\n')) {
      __builtin_trap(); // a warning is one line
    }
  };
  for (const DogeLikeKind *kind :
       {&dogeKind(), &authorsDogeKind(), &cheemsKind()}) {
    auto config =
        readDogeLike({*object, "fuzz", kind->modelType, 1, warn}, *kind);
    if (config) {
      check(*config);
    } else if (llvm::toString(config.takeError()).find('\n') !=
               std::string::npos) {
      __builtin_trap(); // so is an error
    }
  }
  return 0;
}
