// config.json of Doge and Cheems.
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Messages.h"
#include "lib/Import/Rotary.h"

namespace cheems {
namespace {

class DogeLikeReader {
public:
  DogeLikeReader(const FamilyInput &input, const DogeLikeKind &kind)
      : input(input), kind(kind), reader(input.config, input.file) {}

  llvm::Expected<DogeLikeFields> read();

private:
  void checkRefused();
  void readSizes();
  void readHeadSizes();
  void readMaths();
  void readAngles();
  void readBiases();

  const FamilyInput &input;
  const DogeLikeKind &kind;
  ConfigReader reader;
  DogeLikeFields result;
};

void DogeLikeReader::checkRefused() {
  if (std::optional<double> ratio = reader.number("dynamic_mask_ratio")) {
    if (*ratio < 0.0 || *ratio > 1.0) {
      reader.fail("dynamic_mask_ratio", "must be from 0 to 1");
    } else if (*ratio > 0.0) {
      reader.refuse("dynamic_mask_ratio", "above 0 is not supported: it ranks "
                                          "keys among later ones, so a token "
                                          "would depend on its future");
    }
  }
  if (reader.get("sliding_window")) {
    reader.refuse(
        "sliding_window",
        "is not supported: it drops keys by age, but keep_window_size "
        "drops them by "
        "their mask");
  }
  refuseCommonFields(reader);
}

void DogeLikeReader::readSizes() {
  result.vocabulary =
      reader.integer("vocab_size", 1, largestIndex).value_or(kind.vocabulary);
  result.hidden =
      reader.integer("hidden_size", 1, largestSize).value_or(kind.hidden);
  result.intermediate = reader.integer("intermediate_size", 1, largestSize)
                            .value_or(kind.intermediate);
  result.layers =
      reader.integer("num_hidden_layers", input.leastLayers, largestCount)
          .value_or(kind.layers);
  result.maxPositions =
      reader.integer("max_position_embeddings", 1, largestIndex).value_or(2048);
}

void DogeLikeReader::readHeadSizes() {
  HeadFields found = readHeads(reader, result.hidden, kind.heads);
  result.heads = found.heads;
  result.keyValueHeads = found.keyValueHeads;
  result.headDim = found.size;
  if (result.anyAttention()) {
    checkEvenHeads(reader, found, result.hidden);
  }
}

void DogeLikeReader::readMaths() {
  result.normEpsilon = readEpsilon(reader, "rms_norm_eps", 1e-6);
  result.activation = readActivation(reader, "hidden_act", "silu");
  result.tied = reader.boolean("tie_word_embeddings").value_or(kind.tied);
}

void DogeLikeReader::readAngles() {
  llvm::json::Object otherwise{{"rope_type", "dynamic"},
                               {"factor", kind.rotaryFactor}};
  RotaryFields fields;
  fields.file = input.file;
  fields.rows = dogeLikeFields();
  fields.maxPositions = result.maxPositions;
  fields.otherwise = kind.rotaryFactor != 0.0 ? &otherwise : nullptr;
  if (result.anyAttention()) {
    fields.uses.push_back({"a head_dim", result.headDim});
  }
  if (result.anySSD()) {
    fields.uses.push_back({"an ssd_state_size", result.ssdStateSize});
  }
  fields.wholeHeads = true;
  result.rotary =
      std::get<RotaryConfig>(readRotary(reader, fields, input.warn).table);
}

void DogeLikeReader::readBiases() {
  auto flag = [&](llvm::StringRef name) -> Binder::Flag {
    for (llvm::StringRef field : {name, llvm::StringRef("hidden_bias")}) {
      if (std::optional<bool> value = reader.boolean(field)) {
        return Binder::BiasFlag{*value, field};
      }
    }
    return std::nullopt;
  };
  result.attentionBias = flag("attention_bias");
  result.ssdBias = flag("hidden_bias");
  result.mlpBias = flag("mlp_bias");
}

llvm::Expected<DogeLikeFields> DogeLikeReader::read() {
  result.file = input.file.str();
  checkRefused();
  readSizes();
  readPattern(reader, kind, result);
  readHeadSizes();
  readState(reader, result);
  readMaths();
  readAngles();
  readMask(reader, kind, result, input.warn);
  readExperts(reader, kind, result);
  readBiases();
  result.bosToken =
      readToken(reader, "bos_token_id", kind.bos, result.vocabulary);
  result.padToken =
      readToken(reader, "pad_token_id", kind.pad, result.vocabulary);
  result.eosTokens =
      readTokens(reader, "eos_token_id", kind.eos, result.vocabulary);
  if (llvm::Error error = reader.take()) {
    return std::move(error);
  }
  return std::move(result);
}

} // namespace

llvm::Expected<DogeLikeFields> readDogeLike(const FamilyInput &input,
                                            const DogeLikeKind &kind) {
  return DogeLikeReader(input, kind).read();
}

} // namespace cheems
