// config.json from memory, under every name set: what is accepted is within the
// ranges later stages rely on.
#include "lib/Import/Config.h"
#include "lib/Import/Json.h"

using namespace cheems;

static void check(const CheckpointConfig &config) {
  const ModelConfig &model = config.model;
  bool sound =
      model.vocabulary > 0 && model.hidden > 0 && model.intermediate > 0 &&
      model.layers > 0 && model.heads > 0 && model.keyValueHeads > 0 &&
      model.headDim > 0 && (model.headDim % 2 == 0 || !config.anyAttention()) &&
      (model.ssdStateSize > 0) == config.anySSD() &&
      model.ssdStateSize % 2 == 0 && config.attentionPeriod > 0 &&
      config.attentionOffset >= 0 && model.experts > 0 &&
      model.expertHeads > 0 && model.expertsPerHead > 0 &&
      model.heads % model.keyValueHeads == 0 && model.maxPositions > 0 &&
      model.normEpsilon > 0 && model.rotary.theta > 0 &&
      model.rotary.factor >= 1 &&
      (!model.rotary.dynamic || !config.anyAttention() || model.headDim > 2) &&
      (!model.rotary.dynamic || !config.anySSD() || model.ssdStateSize > 2) &&
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
      llvm::StringRef(reinterpret_cast<const char *>(data), size), "fuzz");
  if (!object) {
    llvm::consumeError(object.takeError());
    return 0;
  }
  llvm::consumeError(checkModelType(*object, "fuzz"));
  for (NameSet names :
       {NameSet::Transformers, NameSet::Author, NameSet::Cheems}) {
    auto config = readConfig(*object, names, "fuzz", [](llvm::StringRef line) {
      if (line.contains('\n')) {
        __builtin_trap(); // a warning is one line
      }
    });
    if (config) {
      check(*config);
    } else if (llvm::toString(config.takeError()).find('\n') !=
               std::string::npos) {
      __builtin_trap(); // so is an error
    }
  }
  return 0;
}
