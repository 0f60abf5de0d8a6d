#include "runtime/Artifact/CpuImage.h"
#include "cheems/artifact.h"
#include "runtime/Artifact/FieldReader.h"
#include "runtime/Artifact/Metadata.h"
#include "runtime/Json/Json.h"

using namespace cheems;
using nlohmann::json;

namespace {

WorkspaceSize parseWorkspace(const FieldReader &sizes,
                             const std::string &entry) {
  const json &list = sizes.list(entry);
  if (list.size() != 3) {
    throw sizes.bad(entry, "does not have the three numbers S, R and W");
  }
  auto number = [&](size_t i) {
    return sizes.integer(list[i], entry, 0, INT64_MAX);
  };
  return {number(0), number(1), number(2)};
}

std::string parseEntry(const FieldReader &variant, const std::string &field) {
  std::string symbol = variant.text(field);
  if (symbol.compare(0, sizeof(CHEEMS_ARTIFACT_ENTRY_PREFIX) - 1,
                     CHEEMS_ARTIFACT_ENTRY_PREFIX) != 0) {
    throw variant.bad(
        field, "does not name an entry (" CHEEMS_ARTIFACT_ENTRY_PREFIX "…)");
  }
  return symbol;
}

Variant parseVariant(const FieldReader &reader) {
  Variant variant;
  variant.name = reader.text("name");
  variant.features = reader.texts("features");
  variant.wants = reader.texts("wants");
  variant.generalEntry = parseEntry(reader, "general");
  variant.decodeEntry = parseEntry(reader, "decode");
  FieldReader sizes = reader.object("workspace");
  variant.generalWorkspace = parseWorkspace(sizes, "general");
  variant.decodeWorkspace = parseWorkspace(sizes, "decode");
  if (reader.has("ssd_chunk")) {
    variant.ssdChunk = reader.integer("ssd_chunk", 1, maxTokens);
  }
  if (reader.has("prefill")) {
    variant.prefill = reader.integer("prefill", 1, maxTokens);
  }
  if (reader.has("decode_rows")) {
    variant.decodeRows = reader.integer("decode_rows", 1, maxTokens);
  }
  return variant;
}

} // namespace

int64_t WorkspaceSize::bytes(int64_t rows, int64_t threads) const {
  return multiplyAdd(perRow, rows,
                     multiplyAdd(perThread, threads, fixed, "the workspace"),
                     "the workspace");
}

bool Variant::flushesDenormals() const {
  return std::find(features.begin(), features.end(), "amx-bf16") !=
         features.end();
}

CpuImage CpuImage::parse(const ImageEntry &entry, const std::string &name) {
  json fields = parseJsonOrThrow<json>(entry.fields);
  FieldReader reader(fields, entry.path, name);
  CpuImage image;
  image.cpu = reader.text("cpu");
  image.features = reader.texts("features");
  if (reader.has("sanitizer")) {
    image.sanitizer = reader.oneOf("sanitizer", {"address", "thread"});
  }
  for (const json &item : reader.list("variants")) {
    FieldReader one = reader.element(item, "variants", image.variants.size());
    Variant variant = parseVariant(one);
    for (const Variant &other : image.variants) {
      if (variant.name == other.name) {
        throw one.bad("name", "is that of another variant");
      }
    }
    image.variants.push_back(std::move(variant));
  }
  if (image.variants.empty()) {
    throw reader.bad("variants", "is empty");
  }
  FieldReader marks = reader.object("marks");
  image.generalMarks = marks.texts("general");
  image.decodeMarks = marks.texts("decode");
  return image;
}
