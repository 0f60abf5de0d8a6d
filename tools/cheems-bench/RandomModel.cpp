#include "RandomModel.h"
#include "runtime/Error.h"
#include "runtime/Json/Json.h"
#include "runtime/Process/Interrupt.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>

namespace cheems::bench {

namespace {

using nlohmann::json;

/// Tensors repeat so many numbers: drawing each of a billion would take longer
/// than writing them. A prime divides no row, so the rows of a matrix differ.
constexpr int64_t period = 1048583;

class Generator {
public:
  Generator(std::ofstream &file, bool brain)
      : file(file), size(brain ? 2 : 4), units(period) {
    std::mt19937 random(1);
    for (float &unit : units) {
      unit = static_cast<float>(static_cast<int32_t>(random())) * 0x1p-31f;
    }
  }

  void write(const RandomTensor &tensor) {
    if (block.empty() || tensor.scale != scale || tensor.shift != shift) {
      scale = tensor.scale;
      shift = tensor.shift;
      fill();
    }
    for (int64_t left = tensor.elements(); left > 0;) {
      if (interrupt::requested()) {
        throw Error(Status::interrupted, "interrupted");
      }
      int64_t part = std::min(left, period - at);
      file.write(block.data() + at * size, part * size);
      left -= part;
      at = (at + part) % period;
    }
  }

private:
  /// The upper half of an f32 is a bf16.
  void fill() {
    block.resize(static_cast<size_t>(period * size));
    char *to = block.data();
    for (float unit : units) {
      float value = shift + scale * unit;
      char text[4];
      std::memcpy(text, &value, 4);
      std::memcpy(to, text + 4 - size, static_cast<size_t>(size));
      to += size;
    }
  }

  std::ofstream &file;
  int64_t size, at = 0;
  float scale = 0, shift = 0;
  std::vector<float> units; ///< in [-1, 1)
  std::vector<char> block;
};

} // namespace

int64_t RandomTensor::elements() const {
  int64_t product = 1;
  for (int64_t extent : shape) {
    product *= extent;
  }
  return product;
}

RandomTensor nearOne(const std::string &name, int64_t size) {
  return {name, {size}, 0.05F, 1.0F};
}

RandomTensor matrix(const std::string &name, int64_t rows, int64_t columns) {
  return {name,
          {rows, columns},
          std::sqrt(3.0F / static_cast<float>(columns)),
          0.0F};
}

double RandomModel::bytes(bool brain) const {
  double sum = 0;
  for (const RandomTensor &tensor : tensors) {
    double product = brain ? 2 : 4;
    for (int64_t extent : tensor.shape) {
      product *= static_cast<double>(extent);
    }
    sum += product;
  }
  return sum;
}

void writeModel(const std::string &folder, const RandomModel &model,
                bool brain) {
  std::ofstream(folder + "/config.json") << model.config;
  json header = json::object();
  int64_t end = 0;
  for (const RandomTensor &tensor : model.tensors) {
    int64_t begin = end;
    end += tensor.elements() * (brain ? 2 : 4);
    header[tensor.name] = {{"dtype", brain ? "BF16" : "F32"},
                           {"shape", tensor.shape},
                           {"data_offsets", json::array({begin, end})}};
  }
  std::string text = printJson(header);
  uint64_t count = text.size();
  std::string path = folder + "/model.safetensors";
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(&count), sizeof(count));
  file << text;
  Generator generator(file, brain);
  for (const RandomTensor &tensor : model.tensors) {
    generator.write(tensor);
  }
  file.close();
  if (!file) {
    throw Error("cannot write " + path + "; set TMPDIR to a place with room");
  }
}

} // namespace cheems::bench
