#include "Describe.h"
#include "runtime/Error.h"
#include "runtime/Executor/CUDA/CudaModule.h"
#include "runtime/Json/Json.h"
#include "runtime/Text/TextModel.h"
#include "tools/Support/Format.h"
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace cheems::run {

namespace {

using Json = nlohmann::ordered_json;

/// 1,234,567.
std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  for (size_t at = digits.size(); at > 3;) {
    digits.insert(at -= 3, ",");
  }
  return digits;
}

std::string megabytes(int64_t bytes) {
  return format("%.2f MB", static_cast<double>(bytes) / 1e6);
}

std::string joined(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) {
    text += (text.empty() ? "" : ", ") + word;
  }
  return text;
}

/// How many layers have a pool of this role, which its first extent says.
/// Layers with a window of rows have pools of their own.
int64_t layersWith(const Metadata &data, PoolRole role) {
  int64_t layers = 0;
  for (const StateKind &kind : data.state) {
    layers += kind.role == role ? kind.extents[0] : 0;
  }
  return layers;
}

std::string layers(const Metadata &data) {
  std::vector<std::string> kinds;
  if (int64_t count = layersWith(data, PoolRole::running)) {
    kinds.push_back(std::to_string(count) + " of state-space duality");
  }
  if (int64_t count = layersWith(data, PoolRole::keys)) {
    kinds.push_back(std::to_string(count) + " of attention");
  }
  return std::to_string(data.layers) +
         (kinds.empty() ? "" : ": " + joined(kinds));
}

std::string sizes(const Metadata &data) {
  return "hidden " + std::to_string(data.hidden) + ", heads " +
         std::to_string(data.heads) + ", vocabulary " +
         grouped(data.vocabulary) +
         (data.expertsPerToken > 0
              ? ", experts " + std::to_string(data.expertsPerToken) +
                    " per token and layer"
              : "");
}

std::string context(const Metadata &data) {
  return (data.defaultContext == 0 ? "unlimited"
                                   : grouped(data.defaultContext) + " tokens") +
         ", trained with " + grouped(data.trainedContext) +
         (data.keepWindow > 0
              ? ", keeps " + grouped(data.keepWindow) + " keys per head"
              : "");
}

/// What a sequence takes while it runs.
std::string state(const Model &model) {
  const Metadata &data = model.metadata();
  PoolSizes most(data.capacity(data.defaultContext),
                 data.ring(data.defaultContext, model.variant().prefill));
  int64_t token = 0, latest = 0, fixed = 0, whole = 0;
  for (const StateKind &kind : data.state) {
    (kind.isRing()        ? latest
     : kind.hasCapacity() ? token
                          : fixed) += kind.slotBytes({1, 1});
    whole += kind.slotBytes(most);
  }
  std::string text;
  if (token > 0 || (latest == 0 && data.hasCapacity())) {
    text = grouped(token) + " bytes per token, ";
  }
  if (latest > 0) {
    text += grouped(latest) + " bytes for each of the last " +
            grouped(data.ringWindow) + " tokens, ";
  }
  if (fixed > 0) {
    text += grouped(fixed) + " bytes per sequence, ";
  }
  return text + megabytes(whole) + " per sequence at most";
}

std::string variants(const Model &model) {
  std::vector<std::string> names;
  if (model.image().target == CudaImage::target) {
    std::string loaded;
    if (model.gpu()) {
      loaded = cuda::CudaModule(
                   std::make_shared<const cuda::Context>(model.device()),
                   model.cudaCode(), model.path())
                   .name();
    }
    for (const std::string &name : cuda::CudaModule::names(model.cudaCode())) {
      names.push_back(name + (name == loaded ? " (chosen here)" : ""));
    }
    return joined(names);
  }
  if (model.image().target != CpuImage::target) {
    return model.image().target +
           (model.whyNotHere().empty() ? " (chosen here)" : "");
  }
  for (const Variant &variant : model.cpu().variants) {
    names.push_back(variant.name +
                    (&variant == &model.variant() ? " (chosen here)" : ""));
  }
  return joined(names);
}

/// Says where the model runs, and what else it has code for.
std::string device(const Model &model) {
  std::vector<std::string> targets;
  for (const ImageEntry &image : model.metadata().images) {
    targets.push_back(image.target);
  }
  const cuda::DeviceInfo *gpu = model.gpu();
  return model.deviceName() + (gpu ? ", " + gpu->name : "") +
         "; the file has code for " + joined(targets) +
         (model.whyNotHere().empty() ? "" : ". " + model.whyNotHere());
}

/// What was asked for of the compiler.
const std::string &madeFor(const Model &model) {
  return model.cpu().cpu.empty() ? model.image().target : model.cpu().cpu;
}

/// `found`, or why it cannot be had.
template <typename Find> std::string orWhyNot(const Find &found) {
  try {
    return found();
  } catch (const Error &error) {
    return std::string("cannot be used: ") + error.what();
  }
}

std::string tokenizer(const ModelPointer &model) {
  if (model->tokenizer().empty()) {
    return "no";
  }
  return "yes, " + grouped(TextModel(model).tokenizer().vocabularySize()) +
         " tokens";
}

std::string chatTemplate(const ModelPointer &model) {
  TextModel text(model);
  if (!text.hasChatTemplate()) {
    return "no";
  }
  text.chatTemplate();
  return "yes";
}

bool isList(const Json &value) {
  return value.is_array() && !value.empty() && value[0].is_structured();
}

} // namespace

std::string summary(const ModelPointer &pointer) {
  const Model &model = *pointer;
  const Metadata &data = model.metadata();
  std::vector<std::pair<std::string, std::string>> lines = {
      {"model", data.modelType + ", " + model.path()},
      {"layers", layers(data)},
      {"sizes", sizes(data)},
      {"parameters", data.parameterCount ? grouped(*data.parameterCount)
                                         : "not recorded by its compiler"},
      {"weights", data.weights + ", keys and values " + data.kvType},
      {"context", context(data)},
      {"state", state(model)},
      {"device", device(model)},
      {"variants", orWhyNot([&] { return variants(model); })},
      {"tokenizer", orWhyNot([&] { return tokenizer(pointer); })},
      {"chat template", orWhyNot([&] { return chatTemplate(pointer); })},
      {"file", megabytes(model.fileBytes()) + ", weights " +
                   megabytes(model.weightBytes())},
      {"compiled by",
       data.compiler + " for " + madeFor(model) +
           (data.pipeline == "fast" ? "" : ", " + data.pipeline)}};
  for (const std::string &warning : data.warnings) {
    lines.emplace_back("warning", warning);
  }
  std::string result;
  for (const auto &[name, value] : lines) {
    result += format("%-15s%s\n", name.c_str(), value.c_str());
  }
  return result;
}

std::string fullDescription(const ModelPointer &model) {
  std::string result = summary(model);
  auto dump = [](const Json &value) { return printJsonOfAnyBytes(value); };
  auto add = [&](const std::string &name, const Json &value) {
    if (!isList(value)) {
      result += name + ": " + dump(value) + "\n";
      return;
    }
    result += name + ":\n";
    for (const Json &item : value) {
      result += "  " + dump(item) + "\n";
    }
  };
  result += "\n";
  const Json root = parseJsonOrThrow<Json>(model->describe());
  for (const auto &[name, value] : root.items()) {
    if (name == "images") {
      for (const Json &image : value) {
        for (const auto &[field, inner] : image.items()) {
          add("images." + image["target"].get<std::string>() + "." + field,
              inner);
        }
      }
      continue;
    }
    if (!value.is_object()) {
      add(name, value);
      continue;
    }
    for (const auto &[field, inner] : value.items()) {
      std::string path = name + '.';
      path += field;
      add(path, inner);
    }
  }
  return result;
}

} // namespace cheems::run
