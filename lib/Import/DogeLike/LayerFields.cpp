// Layer kinds, masks and experts.
#include "lib/Import/DogeLike/DogeLike.h"
#include "lib/Import/Messages.h"
#include "llvm/ADT/StringSwitch.h"

namespace cheems {
namespace {

/// `name`, or the spelling of the author's first versions.
std::optional<int64_t> eitherSpelling(ConfigReader &reader,
                                      llvm::StringRef name,
                                      llvm::StringRef older, int64_t high) {
  std::optional<int64_t> value = reader.integer(name, 1, high),
                         early = reader.integer(older, 1, high);
  if (value && early && *value != *early) {
    reader.fail(name, llvm::Twine(*value) + " contradicts " + older + " " +
                          llvm::Twine(*early));
  }
  return value ? value : early;
}

} // namespace

void readPattern(ConfigReader &reader, const DogeLikeKind &kind,
                 DogeLikeFields &result) {
  if (!kind.hybrid()) {
    return; // every layer is attention
  }
  result.attentionPeriod =
      reader.integer("attn_layer_period", 1, largestCount).value_or(8);
  result.attentionOffset =
      reader.integer("attn_layer_offset", 0, largestCount).value_or(7);
}

void readState(ConfigReader &reader, DogeLikeFields &result) {
  if (!result.anySSD()) {
    return;
  }
  std::optional<int64_t> given =
      reader.integer("ssd_state_size", 1, largestSize);
  result.ssdStateSize = given.value_or(result.headDim);
  if (result.ssdStateSize % 2 != 0) {
    reader.fail("ssd_state_size",
                llvm::Twine(result.ssdStateSize) +
                    (given ? "" : " (by default the head size)") +
                    " is odd; rotary embedding pairs the halves of a state");
  }
}

void readMask(ConfigReader &reader, const DogeLikeKind &kind,
              DogeLikeFields &result, WarningHandler warn) {
  llvm::StringRef name = reader.string("dynamic_mask_type").value_or("bias");
  std::optional<MaskKind> found =
      llvm::StringSwitch<std::optional<MaskKind>>(name)
          .Case("bias", MaskKind::Bias)
          .Case("threshold", MaskKind::Threshold)
          .Case("scale", MaskKind::Scale)
          .Default(std::nullopt);
  if (found) {
    result.maskKind = *found;
  } else {
    reader.refuse("dynamic_mask_type",
                  quoted(name) +
                      " is not supported; 'bias', 'threshold' and 'scale' are");
  }
  result.maskThreshold = reader.number("dynamic_mask_threshold").value_or(1.0);

  // an explicit null asks for no window whatever the default is
  std::optional<int64_t> window =
      reader.integer("keep_window_size", 1, INT32_MAX);
  if (result.maskKind != MaskKind::Bias) {
    if (window) {
      warn(result.file + ": keep_window_size has no effect: keys are ranked "
                         "with dynamic_mask_type 'bias' only");
    }
    return;
  }
  result.keepWindow = reader.has("keep_window_size") ? window : kind.keepWindow;
}

void readExperts(ConfigReader &reader, const DogeLikeKind &kind,
                 DogeLikeFields &result) {
  result.isMoE = reader.boolean("is_moe");
  llvm::StringRef score = reader.string("cdmoe_score").value_or("softmax");
  if (score == "inner") {
    result.scorePlacement = ScorePlacement::Inner;
  } else if (score != "softmax") {
    reader.refuse("cdmoe_score",
                  quoted(score) +
                      " is not supported; 'softmax' and 'inner' are");
  }
  if (kind.router) {
    result.expertsField = "num_experts";
    result.expertsPerHeadField = "num_experts_per_tok";
    result.experts =
        reader.integer(result.expertsField, 1, INT32_MAX).value_or(16384);
    result.expertHeads = 1;
    result.expertsPerHead =
        reader.integer(result.expertsPerHeadField, 1, INT32_MAX).value_or(64);
    return;
  }
  result.expertsField = "num_cdmoe_experts";
  result.expertsPerHeadField = "num_cdmoe_experts_per_head";
  // the default is the author's, who may have meant 16384
  result.experts = eitherSpelling(reader, result.expertsField,
                                  "num_cdmmoe_experts", INT32_MAX)
                       .value_or(16348);
  result.expertHeads = eitherSpelling(reader, "num_cdmoe_heads",
                                      "num_cdmmoe_heads", largestCount)
                           .value_or(4);
  result.expertsPerHead =
      eitherSpelling(reader, result.expertsPerHeadField,
                     "num_cdmmoe_experts_per_head", INT32_MAX)
          .value_or(8);
  result.retrievalSize =
      reader.integer("expert_retrieval_size", 1, largestSize).value_or(64);
}

} // namespace cheems
