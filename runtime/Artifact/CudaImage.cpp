#include "runtime/Artifact/CudaImage.h"
#include "runtime/Artifact/FieldReader.h"
#include "runtime/Json/Json.h"

using namespace cheems;
using nlohmann::json;

namespace {

std::string_view parsePart(const FieldReader &gpu, const std::string &field,
                           std::string_view bytes) {
  const json &place = gpu.list(field);
  if (place.size() != 2) {
    throw gpu.bad(field, "is not an offset and a size");
  }
  auto size = static_cast<int64_t>(bytes.size());
  int64_t offset = gpu.integer(place[0], field, 0, size);
  int64_t length = gpu.integer(place[1], field, 1, size);
  if (length > size - offset) {
    throw gpu.bad(field, "reaches outside its section");
  }
  return bytes.substr(static_cast<size_t>(offset), static_cast<size_t>(length));
}

GPUCode parseGPU(const FieldReader &reader, std::string_view bytes) {
  GPUCode code;
  code.architecture = reader.oneOf("architecture", {"sm_80", "sm_90a"});
  code.path = reader.where();
  code.plan = parsePart(reader, "plan", bytes);
  code.ptx = parsePart(reader, "ptx", bytes);
  if (code.ptx.back() != '\0') {
    throw reader.bad("ptx", "does not end with a zero");
  }
  if (reader.has("cubin")) {
    code.cubin = parsePart(reader, "cubin", bytes);
  }
  return code;
}

} // namespace

bool GPUCode::runsOn(int major, int minor) const {
  // What "a" marks uses features that later GPUs do not keep.
  return architecture == "sm_90a" ? major == 9 && minor == 0 : major >= 8;
}

bool GPUCode::cubinRunsOn(int major, int minor) const {
  return architecture == "sm_90a" ? major == 9 && minor == 0 : major == 8;
}

CudaImage CudaImage::parse(const ImageEntry &entry, std::string_view bytes,
                           const std::string &name) {
  json fields = parseJsonOrThrow<json>(entry.fields);
  FieldReader reader(fields, entry.path, name);
  CudaImage image;
  image.decodeRows = reader.integer("decode_rows", 1, maxTokens);
  if (reader.has("prefill")) {
    image.prefill = reader.integer("prefill", 1, maxTokens);
  }
  for (const json &item : reader.list("cards")) {
    FieldReader one = reader.element(item, "cards", image.gpus.size());
    GPUCode code = parseGPU(one, bytes);
    for (const GPUCode &other : image.gpus) {
      if (code.architecture == other.architecture) {
        throw one.bad("architecture", "is that of another GPU");
      }
    }
    image.gpus.push_back(std::move(code));
  }
  if (image.gpus.empty()) {
    throw reader.bad("cards", "is empty");
  }
  return image;
}

const GPUCode *CudaImage::best(int major, int minor) const {
  const GPUCode *found = nullptr;
  for (const GPUCode &code : gpus) {
    if (code.runsOn(major, minor) &&
        (!found || code.architecture == "sm_90a")) {
      found = &code;
    }
  }
  return found;
}
