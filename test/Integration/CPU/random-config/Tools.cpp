// Spawns the tools and speaks safetensors with them.
#include "Tools.h"
#include "cheems/Import/SafeTensors.h"
#include "llvm/ADT/StringExtras.h"
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
productFormatsOf(const std::string &artefact,
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
    if (!product || parameter.getString("rounded") == "scales") {
      continue;
    }
    int64_t bits = parameter.getInteger("bits").value_or(0),
            group = parameter.getInteger("group").value_or(0);
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

} // namespace cheems::test
