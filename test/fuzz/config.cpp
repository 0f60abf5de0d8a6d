// config.json from memory, as every type of model of every family: what is
// accepted is within the ranges later stages rely on.
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Json.h"
#include <cmath>
#include <deque>

using namespace cheems;

/// Tensors of a small Llama of 3 layers, with all that any of its kin has: the
/// seeds have its sizes, so that other fields are read to the end.
static const WeightFiles &smallLlama() {
  static std::deque<TensorView> views;
  static const WeightFiles weights = [] {
    WeightFiles made;
    made.name = "fuzz";
    made.paths = {"fuzz"};
    auto add = [&](const std::string &name,
                   std::initializer_list<int64_t> shape) {
      TensorView &view = views.emplace_back();
      view.name = name;
      view.type = DType::F32;
      view.shape = shape;
      made.tensors[name] = {&view, 0};
    };
    auto project = [&](const std::string &name, int64_t out, int64_t in) {
      add(name + ".weight", {out, in});
      add(name + ".bias", {out});
    };
    add("model.embed_tokens.weight", {11, 16});
    add("lm_head.weight", {11, 16});
    add("model.norm.weight", {16});
    for (int i = 0; i < 3; ++i) {
      std::string layer = "model.layers." + std::to_string(i) + ".",
                  attention = layer + "self_attn.", mlp = layer + "mlp.";
      add(layer + "input_layernorm.weight", {16});
      add(layer + "post_attention_layernorm.weight", {16});
      project(attention + "q_proj", 16, 16);
      project(attention + "k_proj", 8, 16);
      project(attention + "v_proj", 8, 16);
      project(attention + "o_proj", 16, 16);
      add(attention + "q_norm.weight", {4});
      add(attention + "k_norm.weight", {4});
      project(mlp + "gate_proj", 12, 16);
      project(mlp + "up_proj", 12, 16);
      project(mlp + "down_proj", 16, 12);
    }
    return made;
  }();
  return weights;
}

static void require(bool sound) {
  if (!sound) {
    __builtin_trap();
  }
}

/// Whether modules can have this number in f32.
static bool isFloat(double value) { return std::abs(value) < 0x1p127; }

static void check(const RotaryRule &rule) {
  if (const auto *config = std::get_if<RotaryConfig>(&rule)) {
    require(config->theta >= 1 && config->factor >= 1 &&
            std::isfinite(config->theta) && config->trainedPositions > 0);
    return;
  }
  const auto &list = std::get<RotaryList>(rule);
  require(!list.frequencies.empty() && list.factor > 0 && isFloat(list.factor));
  for (double frequency : list.frequencies) {
    require(frequency >= 0 && frequency <= 1);
  }
}

static void check(const ModelDescription &model, const Attention &attention) {
  require(attention.heads > 0 && attention.keyValueHeads > 0 &&
          attention.heads % attention.keyValueHeads == 0 &&
          attention.headSize > 0 && isFloat(attention.scale) &&
          (!attention.window || *attention.window > 0));
  if (attention.rotary) {
    require(attention.rotary->size % 2 == 0 && attention.rotary->size > 0 &&
            attention.rotary->size <= attention.headSize &&
            attention.rotary->table < model.rotary.size());
  }
}

static void check(const ModelDescription &model) {
  require(model.vocabulary > 0 && model.hidden > 0 && model.maxPositions > 0 &&
          isFloat(model.embeddingFactor) && isFloat(model.logitFactor) &&
          model.logitFactor != 0);
  for (const RotaryRule &rule : model.rotary) {
    check(rule);
  }
  for (const Layer &layer : model.layers) {
    for (const Branch &branch : layer.branches) {
      require(isFloat(branch.residual.factor) && branch.norm.epsilon > 0);
    }
    if (const auto *attention = layer.find<Attention>()) {
      check(model, *attention);
    }
  }
  for (int64_t token : model.eosTokens) {
    require(token >= 0 && token < model.vocabulary);
  }
}

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
  require(sound);
}

/// Checks what was read, or that the error is one line.
template <typename T> static void checkRead(llvm::Expected<T> read) {
  if (read) {
    check(*read);
  } else {
    require(llvm::toString(read.takeError()).find('\n') == std::string::npos);
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
    require(!line.contains('\n')); // a warning is one line
  };
  for (const DogeLikeKind *kind :
       {&dogeKind(), &authorsDogeKind(), &cheemsKind()}) {
    checkRead(readDogeLike({*object, "fuzz", kind->modelType, 1, warn}, *kind));
  }
  for (const Family *family : families()) {
    for (const ModelKind &kind : family->kinds) {
      Binder binder(smallLlama(), warn);
      checkRead(
          family->describe({*object, "fuzz", kind.modelType, 1, warn}, binder));
    }
  }
  return 0;
}
