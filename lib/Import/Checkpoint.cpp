// Opens a model folder.
#include "cheems/Import/Checkpoint.h"
#include "lib/Import/BindTensors.h"
#include "lib/Import/Config.h"
#include "lib/Import/FolderFiles.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "lib/Import/NameSets.h"

namespace cheems {
namespace {

/// Reads a file that the artefact carries; what is no JSON would only fail when
/// the model runs.
llvm::Error carry(const FolderFiles &files, llvm::StringRef name,
                  std::string &text) {
  auto found = files.text(name);
  if (!found) {
    return found.takeError();
  }
  text = found->value_or("");
  if (!*found || !name.ends_with(".json")) {
    return llvm::Error::success();
  }
  return parseJsonObject(text, files.path(name)).takeError();
}

} // namespace

llvm::Expected<Checkpoint> Checkpoint::open(llvm::StringRef folder,
                                            WarningHandler warn,
                                            const CheckpointOptions &options) {
  auto files = FolderFiles::open(folder, options.allowLinks);
  if (!files) {
    return files.takeError();
  }
  auto text = files->text("config.json");
  if (!text) {
    return text.takeError();
  }
  std::string file = files->path("config.json");
  if (!*text) {
    return failed(file + ": no such file; a model folder has one");
  }
  auto json = parseJsonObject(**text, file);
  if (!json) {
    return json.takeError();
  }
  if (llvm::Error error = checkModelType(*json, file)) {
    return std::move(error);
  }
  Checkpoint checkpoint; // its texts first: they are small
  checkpoint.configJson = std::move(**text);
  const std::pair<llvm::StringRef, std::string *> carried[] = {
      {"generation_config.json", &checkpoint.generationConfigJson},
      {"tokenizer.json", &checkpoint.tokenizerJson},
      {"tokenizer_config.json", &checkpoint.tokenizerConfigJson},
      {"chat_template.jinja", &checkpoint.chatTemplate},
      {"additional_chat_templates/tool_use.jinja",
       &checkpoint.toolUseTemplate}};
  for (const auto &[name, place] : carried) {
    if (llvm::Error error = carry(*files, name, *place)) {
      return std::move(error);
    }
  }
  auto weights = openWeightFiles(*files);
  if (!weights) {
    return weights.takeError();
  }
  auto names = detectNameSet(*weights, *json->getString("model_type"), file);
  if (!names) {
    return names.takeError();
  }
  auto config = readConfig(*json, *names, file, warn, options.leastLayers);
  if (!config) {
    return config.takeError();
  }
  auto bound = bindTensors(std::move(*config), *names, *weights, warn);
  if (!bound) {
    return bound.takeError();
  }

  checkpoint.modelConfig = std::move(bound->config);
  checkpoint.storedPrecision = bound->precision;
  for (const TensorView *view : bound->used) {
    checkpoint.tensors.try_emplace(view->name, *view);
  }
  checkpoint.files = std::move(weights->files);
  return std::move(checkpoint);
}

} // namespace cheems
