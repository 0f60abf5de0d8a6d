// Opens a model folder.
#include "cheems/Import/Checkpoint.h"
#include "lib/Import/Families/Family.h"
#include "lib/Import/FolderFiles.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"

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
  auto json = parseJsonObject(spellFloats(**text), file);
  if (!json) {
    return json.takeError();
  }
  // A foreign model should not be reported as a broken one of ours, so this
  // comes before its files are read.
  std::optional<FoundFamily> family;
  if (auto found = findFamily(*json, file, nullptr)) {
    family = *found;
  } else if (json->get("model_type") || json->get("architectures")) {
    return found.takeError();
  } else {
    llvm::consumeError(found.takeError());
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
  if (!weights && family) {
    return weights.takeError();
  }
  if (!family) { // what a model is comes before what it lacks
    auto found = findFamily(*json, file, weights ? &*weights : nullptr);
    if (!found) {
      llvm::consumeError(weights.takeError());
      return found.takeError();
    }
    family = *found;
  }
  Binder binder(*weights, warn);
  auto model = family->family->describe(
      {*json, file, family->kind->modelType, options.leastLayers, warn},
      binder);
  if (!model) {
    return model.takeError();
  }
  if (llvm::Error error = binder.checkLeftOver()) {
    return std::move(error);
  }
  warnOfUnknownFields(*json, fieldsOf(*family->family), file, warn);

  checkpoint.description = std::move(*model);
  checkpoint.storedPrecision = binder.precision();
  for (const TensorView &view : binder.used()) {
    checkpoint.tensors.try_emplace(view.name, view);
  }
  checkpoint.files = std::move(weights->files);
  return std::move(checkpoint);
}

} // namespace cheems
