// Opens a model folder.
#include "cheems/Import/Checkpoint.h"
#include "lib/Import/BindTensors.h"
#include "lib/Import/Config.h"
#include "lib/Import/InputFile.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "lib/Import/NameSets.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace cheems {
namespace {

/// The text of a file of the folder; absent where there is none.
llvm::Expected<std::optional<std::string>> readText(llvm::StringRef folder,
                                                    llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status) ==
      std::errc::no_such_file_or_directory) {
    return std::nullopt;
  }
  auto buffer = openInput(path);
  if (!buffer) {
    return buffer.takeError();
  }
  return (*buffer)->getBuffer().str();
}

/// Reads a file that the artefact carries; what is no JSON would only fail when
/// the model runs.
llvm::Error carry(llvm::StringRef folder, llvm::StringRef name,
                  std::string &text) {
  auto found = readText(folder, name);
  if (!found) {
    return found.takeError();
  }
  text = found->value_or("");
  if (!*found || !name.ends_with(".json")) {
    return llvm::Error::success();
  }
  return parseJsonObject(text, (folder + "/" + name).str()).takeError();
}

} // namespace

llvm::Expected<Checkpoint> Checkpoint::open(llvm::StringRef folder,
                                            WarningHandler warn,
                                            int64_t leastLayers) {
  if (!llvm::sys::fs::is_directory(folder)) {
    return failed(folder + (llvm::sys::fs::exists(folder)
                                ? ": not a model folder"
                                : ": no such model folder"));
  }
  auto text = readText(folder, "config.json");
  if (!text) {
    return text.takeError();
  }
  std::string file = (folder + "/config.json").str();
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
  auto weights = openWeightFiles(folder);
  if (!weights) {
    return weights.takeError();
  }
  auto names = detectNameSet(*weights, *json->getString("model_type"), file);
  if (!names) {
    return names.takeError();
  }
  auto config = readConfig(*json, *names, file, warn, leastLayers);
  if (!config) {
    return config.takeError();
  }
  auto bound = bindTensors(std::move(*config), *names, *weights, warn);
  if (!bound) {
    return bound.takeError();
  }

  Checkpoint checkpoint;
  checkpoint.configJson = std::move(**text);
  const std::pair<llvm::StringRef, std::string *> carried[] = {
      {"generation_config.json", &checkpoint.generationConfigJson},
      {"tokenizer.json", &checkpoint.tokenizerJson},
      {"tokenizer_config.json", &checkpoint.tokenizerConfigJson},
      {"chat_template.jinja", &checkpoint.chatTemplate}};
  for (const auto &[name, place] : carried) {
    if (llvm::Error error = carry(folder, name, *place)) {
      return std::move(error);
    }
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
