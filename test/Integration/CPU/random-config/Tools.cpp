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

llvm::Expected<std::string> variantOf(const std::string &artefact,
                                      const std::filesystem::path &scratch) {
  std::string failure =
      runTool("cheems-run", {artefact, "--describe=json"}, scratch);
  if (!failure.empty()) {
    return llvm::createStringError(failure);
  }
  auto text = llvm::MemoryBuffer::getFile((scratch / "stdout.txt").string());
  if (!text) {
    return llvm::errorCodeToError(text.getError());
  }
  auto described = llvm::json::parse((*text)->getBuffer());
  if (!described) {
    return described.takeError();
  }
  const llvm::json::Object *root = described->getAsObject(),
                           *file = root ? root->getObject("file") : nullptr;
  auto variant = file ? file->getString("variant") : std::nullopt;
  if (!variant) {
    return llvm::createStringError(artefact + ": no file.variant is described");
  }
  return variant->str();
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
