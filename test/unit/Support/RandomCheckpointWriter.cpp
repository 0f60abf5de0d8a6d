// Writes a random checkpoint as a model folder.
#include "test/unit/Support/RandomDraws.h"
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cheems::test {

void writeFile(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

void saveTensors(const std::filesystem::path &path,
                 const std::vector<RandomTensor> &part) {
  std::ostringstream header;
  std::string body;
  header << "{\"__metadata__\":{\"format\":\"pt\"}";
  for (const RandomTensor &tensor : part) {
    header << ",\"" << tensor.name << "\":{\"dtype\":\"" << tensor.type
           << "\",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      header << (i ? "," : "") << tensor.shape[i];
    }
    header << "],\"data_offsets\":[" << body.size() << ','
           << body.size() + tensor.bytes.size() << "]}";
    body += tensor.bytes;
  }
  header << '}';
  std::string text = header.str(), length;
  text.resize((text.size() + 7) / 8 * 8, ' ');
  for (int byte = 0; byte < 8; ++byte) {
    length.push_back(static_cast<char>(text.size() >> (8 * byte)));
  }
  writeFile(path, length + text + body);
}

void writeCheckpoint(const RandomCheckpoint &checkpoint,
                     const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  writeFile(folder / "config.json", configText(checkpoint));
  std::vector<RandomTensor> tensors = drawTensors(checkpoint);
  if (!checkpoint.sharded) {
    saveTensors(folder / "model.safetensors", tensors);
    return;
  }
  const char *names[] = {"model-00001-of-00002.safetensors",
                         "model-00002-of-00002.safetensors"};
  std::vector<RandomTensor> parts[2];
  std::ostringstream index;
  size_t total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    size_t part = i * 2 / tensors.size();
    index << (i ? "," : "") << '"' << tensors[i].name << "\":\"" << names[part]
          << '"';
    total += tensors[i].bytes.size();
    parts[part].push_back(tensors[i]);
  }
  saveTensors(folder / names[0], parts[0]);
  saveTensors(folder / names[1], parts[1]);
  writeFile(folder / "model.safetensors.index.json",
            "{\"metadata\":{\"total_size\":" + std::to_string(total) +
                "},\"weight_map\":{" + index.str() + "}}\n");
}

} // namespace cheems::test
