// Writes small checkpoints.
#include "test/unit/Import/ModelFolder.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <cstring>

namespace cheems::test {

static void append(std::string &bytes, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
}

StoredTensor patterned(std::vector<int64_t> shape, std::string type, int seed) {
  int64_t count = 1;
  for (int64_t extent : shape) {
    count *= extent;
  }
  StoredTensor tensor{std::move(type), std::move(shape), {}};
  for (int64_t i = 0; i < count; ++i) {
    double value = 0.25 * static_cast<double>(
                              1 + (i * 7 + seed * 5) %
                                      6); // 0.25 to 1.5: exact in every type
    if (tensor.type == "F64") {
      append(tensor.bytes, llvm::bit_cast<uint64_t>(value), 8);
    } else if (tensor.type == "I64") {
      append(tensor.bytes, static_cast<uint64_t>(i), 8);
    } else if (tensor.type == "I32") {
      append(tensor.bytes, static_cast<uint64_t>(i), 4);
    } else {
      uint32_t bits = llvm::bit_cast<uint32_t>(static_cast<float>(value));
      if (tensor.type == "BF16") {
        append(tensor.bytes, bits >> 16, 2);
      } else if (tensor.type == "F16") {
        append(tensor.bytes,
               ((bits >> 13) & 0x3ff) | (((bits >> 23) - 112) << 10), 2);
      } else {
        append(tensor.bytes, bits, 4);
      }
    }
  }
  return tensor;
}

std::string safeTensorsBytes(const std::string &header,
                             const std::string &data) {
  std::string bytes;
  append(bytes, header.size(), 8);
  return bytes + header + data;
}

std::string safeTensorsBytes(const TensorMap &tensors) {
  llvm::json::Object header{
      {"__metadata__", llvm::json::Object{{"format", "pt"}}}};
  std::string data;
  for (const auto &[name, tensor] : tensors) {
    size_t begin = data.size();
    data += tensor.bytes;
    header[name] = llvm::json::Object{
        {"dtype", tensor.type},
        {"shape", llvm::json::Array(tensor.shape)},
        {"data_offsets", llvm::json::Array{begin, data.size()}}};
  }
  return safeTensorsBytes(
      llvm::formatv("{0}", llvm::json::Value(std::move(header))).str(), data);
}

llvm::json::Value json(llvm::StringRef text) {
  return llvm::cantFail(llvm::json::parse(text));
}

ModelFolder::ModelFolder() {
  llvm::SmallString<128> made;
  if (std::error_code error =
          llvm::sys::fs::createUniqueDirectory("cheems-import", made)) {
    llvm::report_fatal_error(llvm::Twine("cannot make a temporary folder: ") +
                             error.message());
  }
  path = made.str().str();
  config =
      *json(
           R"({"model_type": "doge", "vocab_size": 11, "hidden_size": 16, "intermediate_size": 12,
                     "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                     "max_position_embeddings": 64, "tie_word_embeddings": true})")
           .getAsObject();
  tensors["model.embed_tokens.weight"] = patterned({11, 16});
  tensors["model.norm.weight"] = patterned({16});
  for (int layer = 0; layer < 2; ++layer) {
    std::string prefix = "model.layers." + std::to_string(layer) + ".";
    for (const char *name :
         {"input_layernorm.weight", "input_residual",
          "post_attention_layernorm.weight", "post_attention_residual"}) {
      tensors[prefix + name] = patterned({16}, "F32", layer);
    }
    tensors[prefix + "self_attn.q_proj.weight"] =
        patterned({16, 16}, "F32", layer);
    tensors[prefix + "self_attn.k_proj.weight"] =
        patterned({8, 16}, "F32", layer);
    tensors[prefix + "self_attn.v_proj.weight"] =
        patterned({8, 16}, "F32", layer);
    tensors[prefix + "self_attn.dt_proj.weight"] =
        patterned({2, 8}, "F32", layer);
    tensors[prefix + "self_attn.A"] = patterned({2}, "F32", layer);
    tensors[prefix + "self_attn.o_proj.weight"] =
        patterned({16, 16}, "F32", layer);
    tensors[prefix + "self_attn.q_norm.weight"] = patterned({4}, "F32", layer);
    tensors[prefix + "self_attn.k_norm.weight"] = patterned({4}, "F32", layer);
    tensors[prefix + "mlp.gate_proj.weight"] =
        patterned({12, 16}, "F32", layer);
    tensors[prefix + "mlp.up_proj.weight"] = patterned({12, 16}, "F32", layer);
    tensors[prefix + "mlp.down_proj.weight"] =
        patterned({16, 12}, "F32", layer);
  }
}

ModelFolder::~ModelFolder() { (void)llvm::sys::fs::remove_directories(path); }

ModelFolder &ModelFolder::set(llvm::StringRef field, llvm::json::Value value) {
  config[field.str()] = std::move(value); // the key owns its text
  return *this;
}

ModelFolder &ModelFolder::unset(llvm::StringRef field) {
  config.erase(field);
  return *this;
}

ModelFolder &ModelFolder::add(const std::string &tensor, StoredTensor stored) {
  tensors[tensor] = std::move(stored);
  return *this;
}

ModelFolder &ModelFolder::useAuthorNames() {
  const std::pair<const char *, const char *> renamed[] = {
      {"model.embed_tokens.", "model.word_embed."},
      {"model.norm.", "model.final_layernorm."},
      {".input_layernorm.", ".pre_layernorm."},
      {".input_residual", ".pre_residual.weight"},
      {".post_attention_layernorm.", ".post_layernorm."},
      {".post_attention_residual", ".post_residual.weight"},
      {".mlp.", ".feed_forward."}};
  TensorMap result;
  for (auto &[name, tensor] : tensors) {
    std::string changed = name;
    for (const auto &[from, to] : renamed) {
      if (size_t at = changed.find(from); at != std::string::npos) {
        changed.replace(at, std::strlen(from), to);
      }
    }
    result[changed] = std::move(tensor);
  }
  tensors = std::move(result);
  return *this;
}

ModelFolder &ModelFolder::removeNorms() {
  for (auto it = tensors.begin(); it != tensors.end();) {
    llvm::StringRef name = it->first;
    it = name.ends_with("q_norm.weight") || name.ends_with("k_norm.weight")
             ? tensors.erase(it)
             : std::next(it);
  }
  return *this;
}

ModelFolder &ModelFolder::maskPerAttentionHead() {
  for (auto &[name, tensor] : tensors) {
    if (llvm::StringRef(name).ends_with("dt_proj.weight")) {
      tensor = patterned({4, 8});
    } else if (llvm::StringRef(name).ends_with("self_attn.A")) {
      tensor = patterned({4});
    }
  }
  return *this;
}

ModelFolder &ModelFolder::remove(const std::string &tensor) {
  tensors.erase(tensor);
  return *this;
}

void ModelFolder::write(llvm::StringRef name, llvm::StringRef bytes) const {
  std::error_code error;
  llvm::raw_fd_ostream file((path + "/" + name).str(), error);
  if (!error) {
    file << bytes;
  }
  if (error || (file.close(), file.has_error())) {
    llvm::report_fatal_error("cannot write " + llvm::Twine(path) + "/" + name);
  }
}

void ModelFolder::write() const {
  write("config.json",
        llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object(config)))
            .str());
  write("model.safetensors", safeTensorsBytes(tensors));
}

Opened ModelFolder::open() const {
  Opened result;
  auto checkpoint = Checkpoint::open(path, [&](llvm::StringRef warning) {
    result.warnings.push_back(warning.str());
  });
  if (checkpoint) {
    result.checkpoint.emplace(std::move(*checkpoint));
  } else {
    result.unsupported = checkpoint.errorIsA<UnsupportedError>();
    result.error = llvm::toString(checkpoint.takeError());
  }
  return result;
}

} // namespace cheems::test
