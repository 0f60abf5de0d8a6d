// Single weight files and shards.
#include "lib/Import/WeightFiles.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

namespace cheems {
namespace {

constexpr llvm::StringLiteral kSingle = "model.safetensors",
                              kIndex = "model.safetensors.index.json",
                              kPickled = "pytorch_model.bin";

llvm::Expected<SafeTensorsFile> openFile(const FolderFiles &files,
                                         llvm::StringRef name) {
  auto buffer = files.weights(name);
  if (!buffer) {
    return buffer.takeError();
  }
  return SafeTensorsFile::parse(std::move(*buffer), files.path(name));
}

llvm::Expected<WeightFiles> openSingle(const FolderFiles &files) {
  auto file = openFile(files, kSingle);
  if (!file) {
    return file.takeError();
  }
  WeightFiles weights;
  weights.name = files.path(kSingle);
  weights.paths.push_back(weights.name);
  weights.files.push_back(std::move(*file));
  for (const TensorView &view : weights.files.front().tensors()) {
    weights.tensors[view.name] = {&view, 0};
  }
  return weights;
}

llvm::Expected<WeightFiles> openShards(const FolderFiles &files) {
  std::string index = files.path(kIndex);
  auto text = files.text(kIndex);
  if (!text) {
    return text.takeError();
  }
  auto shardOf = parseShardIndex(text->value_or(""), index);
  if (!shardOf) {
    return shardOf.takeError();
  }
  // ordered, so that the first error does not depend on hashing
  std::map<llvm::StringRef, size_t> shards;
  std::map<llvm::StringRef, llvm::StringRef> expected;
  for (const auto &entry : *shardOf) {
    shards.emplace(entry.second, 0);
    expected.emplace(entry.first(), entry.second);
  }
  WeightFiles weights;
  weights.name = index;
  for (auto &[name, number] : shards) {
    if (!files.has(name)) {
      return failed(files.path(name) + ": no such file; " + index +
                    " names it: download it");
    }
    auto file = openFile(files, name);
    if (!file) {
      return file.takeError();
    }
    number = weights.files.size();
    weights.paths.push_back(files.path(name));
    weights.files.push_back(std::move(*file));
  }
  for (const auto &[tensor, shard] : expected) {
    size_t number = shards[shard];
    const TensorView *view = weights.files[number].find(tensor);
    if (!view) {
      return failed(weights.paths[number] + ": tensor " + quoted(tensor) +
                    " is missing; " + index + " says it is here");
    }
    weights.tensors[tensor] = {view, number};
  }
  for (size_t number = 0; number < weights.files.size(); ++number) {
    for (const TensorView &view : weights.files[number].tensors()) {
      if (weights.tensors.lookup(view.name).view != &view) {
        return failed(weights.paths[number] + ": tensor " + quoted(view.name) +
                      " is not listed for this file in " + index);
      }
    }
  }
  return weights;
}

} // namespace

llvm::Expected<llvm::StringMap<std::string>>
parseShardIndex(llvm::StringRef text, llvm::StringRef file) {
  auto object = parseJsonObject(text, file);
  if (!object) {
    return object.takeError();
  }
  const llvm::json::Object *map = object->getObject("weight_map");
  if (!map || map->empty()) {
    return failed(file + ": weight_map is missing or empty");
  }
  llvm::StringMap<std::string> shardOf;
  for (const auto &[key, value] : *map) {
    std::optional<llvm::StringRef> shard = value.getAsString();
    if (!shard) {
      return failed(file + ": weight_map of tensor " + quoted(key) +
                    " is not a file name");
    }
    if (shard->empty() || *shard == "." || *shard == ".." ||
        shard->find_first_of(llvm::StringRef("/\\\0", 3)) !=
            llvm::StringRef::npos) {
      return failed(
          file + ": tensor " + quoted(key) + " should be in " + quoted(*shard) +
          ", which is not a plain file name; shards are beside their index");
    }
    shardOf[key] = shard->str();
  }
  return shardOf;
}

llvm::Expected<WeightFiles> openWeightFiles(const FolderFiles &files) {
  if (files.has(kSingle)) {
    return openSingle(files);
  }
  if (files.has(kIndex)) {
    return openShards(files);
  }
  constexpr llvm::StringLiteral neither =
      "neither model.safetensors nor model.safetensors.index.json is there; ";
  std::vector<std::string> others = files.endingWith(".safetensors");
  if (others.empty() && files.has(kPickled)) {
    // Clones, because tensors that share memory are not saved.
    return unsupported(
        files.path(kPickled) +
        ": weights pickled by PyTorch are not read; in this folder, run "
        "python3 -c \"import torch, safetensors.torch as s; "
        "w = torch.load('pytorch_model.bin', map_location='cpu', "
        "weights_only=True); "
        "s.save_file({k: v.clone().contiguous() for k, v in w.items()}, "
        "'model.safetensors')\"");
  }
  if (others.empty()) {
    return failed(files.folder() + ": " + neither +
                  "other weight formats must be converted to safetensors "
                  "first");
  }
  if (files.has("adapter_config.json")) {
    return failed(files.folder() + ": " + neither +
                  "these are weights of an adapter; merge them into those of "
                  "its model");
  }
  return failed(files.path(others.front()) + ": " + neither +
                (others.size() == 1
                     ? "if all weights are in this file, rename it to "
                       "model.safetensors"
                     : "download the index, which says what is in each file"));
}

} // namespace cheems
