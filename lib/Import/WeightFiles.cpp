// Single weight files and shards.
#include "lib/Import/WeightFiles.h"
#include "lib/Import/InputFile.h"
#include "lib/Import/Json.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <map>

namespace cheems {
namespace {

std::string join(llvm::StringRef folder, llvm::StringRef name) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Expected<WeightFiles> openSingle(std::string path) {
  auto file = SafeTensorsFile::open(path);
  if (!file) {
    return file.takeError();
  }
  WeightFiles weights;
  weights.name = path;
  weights.paths.push_back(std::move(path));
  weights.files.push_back(std::move(*file));
  for (const TensorView &view : weights.files.front().tensors()) {
    weights.tensors[view.name] = {&view, 0};
  }
  return weights;
}

llvm::Expected<WeightFiles> openShards(llvm::StringRef folder,
                                       const std::string &index) {
  auto text = openInput(index);
  if (!text) {
    return text.takeError();
  }
  auto shardOf = parseShardIndex((*text)->getBuffer(), index);
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
    std::string path = join(folder, name);
    auto file = SafeTensorsFile::open(path);
    if (!file) {
      return file.takeError();
    }
    number = weights.files.size();
    weights.paths.push_back(std::move(path));
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

llvm::Expected<WeightFiles> openWeightFiles(llvm::StringRef folder) {
  std::string single = join(folder, "model.safetensors"),
              index = join(folder, "model.safetensors.index.json");
  if (llvm::sys::fs::exists(single)) {
    return openSingle(std::move(single));
  }
  if (llvm::sys::fs::exists(index)) {
    return openShards(folder, index);
  }
  return failed(folder +
                ": neither model.safetensors nor model.safetensors.index.json "
                "is there; other weight formats "
                "must be converted to safetensors first");
}

} // namespace cheems
