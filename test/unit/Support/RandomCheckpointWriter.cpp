// Fills a random checkpoint with weights and writes it as a model folder.
#include "test/unit/Support/RandomCheckpoint.h"
#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace cheems::test {
namespace {

struct StoredTensor {
  std::string name, type;
  std::vector<int64_t> shape;
  std::string bytes; // little-endian
};

void append(std::string &bytes, uint32_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
}

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

/// Rounds to nearest, ties to even.
uint32_t toBF16(float value) {
  uint32_t bits = bitsOf(value);
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

/// Rounds to nearest, ties to even, subnormals included; values beyond the
/// largest half are not drawn.
uint32_t toF16(float value) {
  uint32_t sign = (bitsOf(value) >> 16) & 0x8000;
  double magnitude = std::abs(static_cast<double>(value));
  int exponent = -14;
  while (exponent < 15 && std::ldexp(magnitude, -exponent) >= 2.0) {
    ++exponent;
  }
  // in units of the last place, 1024 of them a power of two; a carry runs into
  // the exponent by itself
  double units = std::nearbyint(std::ldexp(magnitude, 10 - exponent));
  return sign | static_cast<uint32_t>(units + 1024.0 * (exponent + 14));
}

class Writer {
public:
  explicit Writer(const RandomCheckpoint &checkpoint)
      : c(checkpoint), random(checkpoint.seed ^ 0x3e1645) {}
  void write(const std::filesystem::path &folder);

private:
  template <typename Draw>
  void add(const std::string &name, std::vector<int64_t> shape, Draw draw);
  void projection(const std::string &name, int64_t out, int64_t in, bool bias);
  void aroundOne(const std::string &name, int64_t size) {
    add(name, {size}, [&] { return 1.0 + 0.1 * random.normal(); });
  }
  void attention(const std::string &prefix);
  void model();
  std::string config() const;
  void save(const std::filesystem::path &path,
            const std::vector<StoredTensor> &part) const;

  const RandomCheckpoint &c;
  Random random;
  std::vector<StoredTensor> tensors;
};

template <typename Draw>
void Writer::add(const std::string &name, std::vector<int64_t> shape,
                 Draw draw) {
  using Stored = RandomCheckpoint::Stored;
  Stored stored = c.stored == Stored::Mixed
                      ? random.pick({Stored::F32, Stored::BF16, Stored::F16})
                      : c.stored;
  StoredTensor tensor{name,
                      stored == Stored::F32    ? "F32"
                      : stored == Stored::BF16 ? "BF16"
                                               : "F16",
                      shape,
                      {}};
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  for (int64_t i = 0; i < count; ++i) {
    float value = static_cast<float>(draw());
    switch (stored) {
    case Stored::BF16:
      append(tensor.bytes, toBF16(value), 2);
      break;
    case Stored::F16:
      append(tensor.bytes, toF16(value), 2);
      break;
    default:
      append(tensor.bytes, bitsOf(value), 4);
    }
  }
  tensors.push_back(std::move(tensor));
}

void Writer::projection(const std::string &name, int64_t out, int64_t in,
                        bool bias) {
  double scale = 1.0 / std::sqrt(static_cast<double>(in));
  add(name + ".weight", {out, in}, [&] { return scale * random.normal(); });
  if (bias) {
    add(name + ".bias", {out}, [&] { return 0.1 * random.normal(); });
  }
}

void Writer::attention(const std::string &prefix) {
  int64_t queries = c.heads * c.headDim, keys = c.keyValueHeads * c.headDim;
  projection(prefix + "q_proj", queries, c.hidden, c.attentionBias);
  projection(prefix + "k_proj", keys, c.hidden, c.attentionBias);
  projection(prefix + "v_proj", keys, c.hidden, c.attentionBias);
  projection(prefix + "dt_proj", c.maskHeads(), keys, c.attentionBias);
  projection(prefix + "o_proj", c.hidden, queries, c.attentionBias);
  add(prefix + "A", {c.maskHeads()},
      [&] { return 2.0 * random.uniform() - 1.5; });
  if (c.queryKeyNorms) {
    aroundOne(prefix + "q_norm.weight", c.headDim);
    aroundOne(prefix + "k_norm.weight", c.headDim);
  }
}

void Writer::model() {
  bool author = c.authorNames;
  double scale = 1.0 / std::sqrt(static_cast<double>(c.hidden));
  add(author ? "model.word_embed.weight" : "model.embed_tokens.weight",
      {c.vocabulary, c.hidden}, [&] { return scale * random.normal(); });
  for (int64_t i = 0; i < c.layers; ++i) {
    std::string layer = "model.layers." + std::to_string(i) + ".";
    aroundOne(layer +
                  (author ? "pre_layernorm.weight" : "input_layernorm.weight"),
              c.hidden);
    aroundOne(layer + (author ? "pre_residual.weight" : "input_residual"),
              c.hidden);
    attention(layer + "self_attn.");
    aroundOne(layer + (author ? "post_layernorm.weight"
                              : "post_attention_layernorm.weight"),
              c.hidden);
    aroundOne(layer +
                  (author ? "post_residual.weight" : "post_attention_residual"),
              c.hidden);
    std::string mlp = layer + (author ? "feed_forward." : "mlp.");
    if (c.gated) {
      projection(mlp + "gate_proj", c.intermediate, c.hidden, c.mlpBias);
    }
    projection(mlp + "up_proj", c.intermediate, c.hidden, c.mlpBias);
    projection(mlp + "down_proj", c.hidden, c.intermediate, c.mlpBias);
  }
  aroundOne(author ? "model.final_layernorm.weight" : "model.norm.weight",
            c.hidden);
  if (!c.tied) {
    projection("lm_head", c.vocabulary, c.hidden, false);
  }
}

std::string Writer::config() const {
  std::ostringstream json;
  json.precision(17);
  auto flag = [](bool value) { return value ? "true" : "false"; };
  json << "{\"model_type\": \"doge\", \"architectures\": "
          "[\"DogeForCausalLM\"], \"vocab_size\": "
       << c.vocabulary << ", \"hidden_size\": " << c.hidden
       << ", \"intermediate_size\": " << c.intermediate
       << ", \"num_hidden_layers\": " << c.layers
       << ", \"num_attention_heads\": " << c.heads
       << ", \"num_key_value_heads\": " << c.keyValueHeads
       << ", \"max_position_embeddings\": " << c.maxPositions
       << ", \"hidden_act\": \"" << c.activation
       << "\", \"rms_norm_eps\": " << c.normEpsilon
       << ", \"tie_word_embeddings\": " << flag(c.tied)
       << ", \"bos_token_id\": 0, \"eos_token_id\": 1, \"pad_token_id\": 2, "
          "\"is_moe\": false";
  if (c.keepWindow) {
    json << ", \"keep_window_size\": " << *c.keepWindow;
  }
  if (c.separateHead) {
    json << ", \"head_dim\": " << c.headDim;
  }
  if (c.authorNames) {
    json << ", \"hidden_bias\": " << flag(c.attentionBias)
         << ", \"dynamic_mask_ratio\": 0.0";
  } else {
    json << ", \"attention_bias\": " << flag(c.attentionBias)
         << ", \"mlp_bias\": " << flag(c.mlpBias);
  }
  std::ostringstream scaling;
  scaling.precision(17);
  scaling << "\"rope_type\": \"" << (c.dynamicRope ? "dynamic" : "default")
          << '"';
  if (c.dynamicRope) {
    scaling << ", \"factor\": " << c.factor
            << ", \"original_max_position_embeddings\": " << c.maxPositions;
  }
  if (!c.oldRopeFields) {
    json << ", \"rope_parameters\": {\"rope_theta\": " << c.theta << ", "
         << scaling.str() << '}';
  } else {
    json << ", \"rope_theta\": " << c.theta << ", \"rope_scaling\": ";
    json << (c.dynamicRope ? "{" + scaling.str() + "}" : "null");
  }
  json << "}\n";
  return json.str();
}

void writeFile(const std::filesystem::path &path, const std::string &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

void Writer::save(const std::filesystem::path &path,
                  const std::vector<StoredTensor> &part) const {
  std::ostringstream header;
  std::string body;
  header << "{\"__metadata__\":{\"format\":\"pt\"}";
  for (const StoredTensor &tensor : part) {
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
  append(length, static_cast<uint32_t>(text.size()), 4);
  append(length, 0, 4);
  writeFile(path, length + text + body);
}

void Writer::write(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  writeFile(folder / "config.json", config());
  model();
  if (!c.sharded) {
    save(folder / "model.safetensors", tensors);
    return;
  }
  const char *names[] = {"model-00001-of-00002.safetensors",
                         "model-00002-of-00002.safetensors"};
  std::vector<StoredTensor> parts[2];
  std::ostringstream index;
  size_t total = 0;
  for (size_t i = 0; i < tensors.size(); ++i) {
    size_t part = i * 2 / tensors.size();
    index << (i ? "," : "") << '"' << tensors[i].name << "\":\"" << names[part]
          << '"';
    total += tensors[i].bytes.size();
    parts[part].push_back(tensors[i]);
  }
  save(folder / names[0], parts[0]);
  save(folder / names[1], parts[1]);
  writeFile(folder / "model.safetensors.index.json",
            "{\"metadata\":{\"total_size\":" + std::to_string(total) +
                "},\"weight_map\":{" + index.str() + "}}\n");
}

} // namespace

void writeCheckpoint(const RandomCheckpoint &checkpoint,
                     const std::filesystem::path &folder) {
  Writer(checkpoint).write(folder);
}

} // namespace cheems::test
