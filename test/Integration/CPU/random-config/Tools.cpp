// Spawns the tools and speaks safetensors with them.
#include "Tools.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include <fstream>
#include <stdexcept>

namespace cheems::test {

std::filesystem::path toolFolder() {
  static int anchor;
  std::filesystem::path self =
      llvm::sys::fs::getMainExecutable("RandomConfigTests", &anchor);
  return self.parent_path();
}

std::string runTool(const std::string &tool,
                    const std::vector<std::string> &arguments,
                    const std::filesystem::path &scratch) {
  constexpr unsigned seconds = 300;
  std::string program = (toolFolder() / tool).string();
  std::string errors = (scratch / "stderr.txt").string();
  llvm::SmallVector<llvm::StringRef> words{program};
  words.append(arguments.begin(), arguments.end());
  std::string output = (scratch / "stdout.txt").string();
  std::optional<llvm::StringRef> redirects[] = {"", output, errors};
  for (const std::string &each : {output, errors}) {
    std::filesystem::remove(each); // else longer text of before would stay
  }
  std::string reason;
  int code = llvm::sys::ExecuteAndWait(program, words, std::nullopt, redirects,
                                       seconds, 0, &reason);
  if (code == 0) {
    return {};
  }
  auto text = llvm::MemoryBuffer::getFile(errors);
  return llvm::join(words, " ") + "\nended with " + std::to_string(code) +
         (reason.empty() ? "" : " (" + reason + ")") + "\n" +
         (text ? (*text)->getBuffer().str() : "");
}

static llvm::Expected<llvm::json::Value>
described(const std::string &artefact, const std::filesystem::path &scratch) {
  std::string failure =
      runTool("cheems-run", {artefact, "--describe=json"}, scratch);
  if (!failure.empty()) {
    return llvm::createStringError(failure);
  }
  auto text = llvm::MemoryBuffer::getFile((scratch / "stdout.txt").string());
  if (!text) {
    return llvm::errorCodeToError(text.getError());
  }
  return llvm::json::parse((*text)->getBuffer());
}

llvm::Expected<std::string> variantOf(const std::string &artefact,
                                      const std::filesystem::path &scratch) {
  auto description = described(artefact, scratch);
  if (!description) {
    return description.takeError();
  }
  const llvm::json::Object *root = description->getAsObject(),
                           *file = root ? root->getObject("file") : nullptr;
  auto variant = file ? file->getString("variant") : std::nullopt;
  if (!variant) {
    return llvm::createStringError(artefact + ": no file.variant is described");
  }
  return variant->str();
}

llvm::Expected<std::set<std::string>>
matmulFormatsOf(const std::string &artefact,
                const std::filesystem::path &scratch) {
  auto description = described(artefact, scratch);
  if (!description) {
    return description.takeError();
  }
  const llvm::json::Object *root = description->getAsObject();
  const llvm::json::Array *parameters =
      root ? root->getArray("parameters") : nullptr;
  if (!parameters) {
    return llvm::createStringError(artefact + ": no parameters are described");
  }
  std::set<std::string> formats;
  for (const llvm::json::Value &value : *parameters) {
    const llvm::json::Object &parameter = *value.getAsObject();
    llvm::StringRef name = parameter.getString("name").value_or("");
    bool product = false;
    for (const char *stem : {"up_proj", "down_proj", "o_proj", "out_proj"}) {
      product |= name.ends_with(std::string(".") + stem + ".weight");
    }
    if (!product || parameter.getBoolean("scales").value_or(false)) {
      continue;
    }
    const llvm::json::Object *codes = parameter.getObject("codes");
    int64_t bits = codes ? codes->getInteger("bits").value_or(0) : 0,
            group = codes ? codes->getInteger("group").value_or(0) : 0;
    formats.insert(bits == 0 ? "exact"
                   : group == 0
                       ? std::to_string(bits)
                       : std::to_string(bits) + "/" + std::to_string(group));
  }
  return formats;
}

void writeIds(const std::filesystem::path &path,
              const std::vector<std::vector<int64_t>> &rows) {
  size_t bytes = rows.size() * rows[0].size() * sizeof(int64_t);
  std::string header = "{\"input_ids\":{\"dtype\":\"I64\",\"shape\":[" +
                       std::to_string(rows.size()) + "," +
                       std::to_string(rows[0].size()) +
                       "],\"data_offsets\":[0," + std::to_string(bytes) + "]}}";
  uint64_t length = header.size();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(&length), sizeof(length));
  file << header;
  for (const std::vector<int64_t> &row : rows) {
    file.write(reinterpret_cast<const char *>(row.data()),
               static_cast<std::streamsize>(row.size() * sizeof(int64_t)));
  }
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

llvm::Expected<reference::Tensor>
readLogits(const std::filesystem::path &path) {
  auto file = SafeTensorsFile::open(path.string());
  if (!file) {
    return file.takeError();
  }
  const TensorView *view = file->find("logits");
  if (!view) {
    return llvm::createStringError(path.string() + " has no tensor logits");
  }
  return reference::Tensor::from(*view);
}

namespace {

/// A pool of entries: layers, heads, and numbers of an entry.
struct EntryPool {
  int64_t layers, heads, size;
};

} // namespace

/// Describes the first two pools, which are `keys` and `values` alike.
static llvm::Expected<EntryPool>
entryPool(const std::string &artefact, const std::filesystem::path &scratch) {
  auto description = described(artefact, scratch);
  if (!description) {
    return description.takeError();
  }
  const llvm::json::Object *root = description->getAsObject();
  const llvm::json::Array *pools = root ? root->getArray("state") : nullptr;
  constexpr const char *names[] = {"keys", "values"};
  std::optional<EntryPool> found;
  for (size_t i = 0; i < std::size(names); ++i) {
    const llvm::json::Object *pool =
        pools && i < pools->size() ? (*pools)[i].getAsObject() : nullptr;
    const llvm::json::Array *shape = pool ? pool->getArray("shape") : nullptr;
    if (!shape || shape->size() != 5 || pool->getString("name") != names[i] ||
        pool->getString("type") != "bf16" ||
        (*shape)[3].getAsString() != "capacity") {
      return llvm::createStringError(artefact + ": pool " + std::to_string(i) +
                                     " is not " + names[i] + " in bf16");
    }
    found = {(*shape)[1].getAsInteger().value_or(0),
             (*shape)[2].getAsInteger().value_or(0),
             (*shape)[4].getAsInteger().value_or(0)};
  }
  return *found;
}

/// The entries of a state file (docs/abi.md), which holds `count` of them.
static llvm::Expected<std::vector<reference::Tensor>>
readEntries(const std::string &path, EntryPool pool, int64_t count) {
  using llvm::support::endian::read16le;
  using llvm::support::endian::read64le;
  constexpr size_t header = 128, position = 24, entries = 32;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    return llvm::errorCodeToError(file.getError());
  }
  const char *bytes = (*file)->getBufferStart();
  size_t numbers = 2 * pool.layers * pool.heads * count * pool.size;
  if ((*file)->getBufferSize() < header + 2 * numbers ||
      read64le(bytes + position) != static_cast<uint64_t>(count) ||
      read64le(bytes + entries) != static_cast<uint64_t>(count)) {
    return llvm::createStringError(path + " does not hold all entries");
  }
  std::vector<reference::Tensor> result(
      2 * pool.layers, reference::Tensor({count, pool.heads, pool.size}));
  const char *at = bytes + header;
  for (int64_t which = 0; which < 2; ++which) {
    for (int64_t layer = 0; layer < pool.layers; ++layer) {
      for (int64_t g = 0; g < pool.heads; ++g) {
        for (int64_t t = 0; t < count; ++t) {
          for (int64_t p = 0; p < pool.size; ++p, at += 2) {
            result[2 * layer + which](t, g, p) = llvm::bit_cast<float>(
                static_cast<uint32_t>(read16le(at)) << 16);
          }
        }
      }
    }
  }
  return result;
}

llvm::Expected<std::vector<reference::Tensor>>
storedEntries(const std::string &artefact, const std::vector<int64_t> &ids,
              int64_t chunk, int64_t threads,
              const std::filesystem::path &scratch) {
  llvm::Expected<EntryPool> pool = entryPool(artefact, scratch);
  if (!pool) {
    return pool.takeError();
  }
  std::string prompt;
  for (int64_t id : ids) {
    prompt += (prompt.empty() ? "" : ",") + std::to_string(id);
  }
  std::string state = (scratch / "state").string();
  std::filesystem::remove(state);
  // the one token that is generated is not fed
  std::string failure =
      runTool("cheems-run",
              {artefact, "--prompt-ids", prompt, "--print-ids", "-n", "1",
               "--temp", "0", "-t", std::to_string(threads), "--prefill-chunk",
               std::to_string(chunk), "--save-state", state},
              scratch);
  if (!failure.empty()) {
    return llvm::createStringError(failure);
  }
  return readEntries(state, *pool, static_cast<int64_t>(ids.size()));
}

} // namespace cheems::test
