// The shapes and kinds in which attention is compiled for a test, and what its
// results may err by.
#ifndef CHEEMS_TEST_UNIT_KERNELS_ATTENTIONFORM_H
#define CHEEMS_TEST_UNIT_KERNELS_ATTENTIONFORM_H

#include "Entries.h"
#include "ModuleText.h"
#include "cheems/Reference/DynamicMaskAttention.h"
#include "cheems/Reference/Linear.h"
#include "cheems/Reference/QuantizeEntries.h"

namespace cheems::test {

using reference::MaskKind;

/// Heads in groups of one, some and all; a mask per key head, a query head, and
/// one for all; sizes around vector registers.
struct AttentionForm {
  static constexpr double kHideBelow = 1.0;

  MaskKind kind;
  int64_t keep; ///< 0: no thresholds
  int64_t heads, keyHeads, maskHeads, size;
  Element element;
  bool stored = false; ///< only entries that some head sees; kind threshold
  bool single = false; ///< of one row, which the type says
  bool bf16 = false;   ///< of quantized values: matmuls may be of bf16
  int64_t window = 0;  ///< entries that a row sees at most; 0: all; kind none

  const char *kindName() const {
    return kind == MaskKind::Bias        ? "bias"
           : kind == MaskKind::Threshold ? "threshold"
           : kind == MaskKind::Scale     ? "scale"
                                         : "none";
  }
  std::string name() const {
    std::ostringstream text;
    text << kindName() << "_keep" << keep << "_H" << heads << "_G" << keyHeads
         << "_M" << maskHeads << "_P" << size << "_" << spelling(element)
         << (window ? "_W" + std::to_string(window) : "")
         << (stored ? "_stored" : "") << (bf16 ? "_bf16" : "")
         << (single ? "_row" : "");
    return text.str();
  }
  AttentionForm ofOneRow() const {
    AttentionForm form = *this;
    form.single = true;
    return form;
  }
  double scale() const { return 1 / std::sqrt(static_cast<double>(size)); }

  std::string count() const { return single ? "1x" : "?x"; }
  std::string rows() const {
    return count() + std::to_string(heads) + "x" + std::to_string(size) +
           "xf32";
  }
  std::string keys() const {
    return std::to_string(keyHeads) + "x?x" + std::to_string(size) + "x" +
           spelling(element);
  }
  std::string masks(const std::string &type) const {
    return std::to_string(maskHeads) + "x?x" + type;
  }
  bool masked() const { return kind != MaskKind::None; }
  /// Declares the masks if there are some, as %m.
  void declareMasks(FunctionText &function) const {
    if (masked()) {
      function.input("m", masks("f32"));
    }
  }
  /// Among the op's inputs, and among their types.
  std::string maskInput() const { return masked() ? "%m, " : ""; }
  std::string maskType() const {
    return masked() ? "tensor<" + masks("f32") + ">, " : "";
  }
  std::string bounds(const std::string &type) const {
    return count() + std::to_string(maskHeads) + "x" + type;
  }

  /// kind, scale and hide_below as an op prints them.
  std::string attributes() const {
    std::ostringstream text;
    text << std::scientific;
    text.precision(17);
    text << kindName() << " scale " << scale();
    if (kind == MaskKind::Threshold) {
      text << " hide_below " << kHideBelow;
    }
    if (window) {
      text << " window " << window;
    }
    text << (bf16 ? " allow_bf16" : "");
    return text.str();
  }
  bool coded() const { return element == Element::I8; }

  /// Declares the optional inputs and returns their clauses.
  std::string clauses(FunctionText &function) const {
    std::string clause = sight(function);
    if (coded()) {
      std::string scales = std::to_string(keyHeads) + "x?xf32";
      function.input("ks", scales).input("vs", scales);
      clause +=
          " scales(%ks, %vs : tensor<" + scales + ">, tensor<" + scales + ">)";
    }
    return clause;
  }
  std::string sight(FunctionText &function) const {
    if (stored) {
      function.input("s", count() + "i32");
      return " seen(%s : tensor<" + count() + "i32>)";
    }
    if (keep == 0) {
      return "";
    }
    function.input("p", masks("i32"))
        .input("t", bounds("f32"))
        .input("l", bounds("i32"));
    return " kept(%p, %t, %l : tensor<" + masks("i32") + ">, tensor<" +
           bounds("f32") + ">, tensor<" + bounds("i32") + ">)";
  }

  /// Bounds the error of a score of P terms, scaled and biased.
  double scoreError() const {
    double products = static_cast<double>(size),
           largest = 3 * 2 * products / std::sqrt(products) + 4;
    return (products + (coded() ? 4 : 3)) * kUnit * largest;
  }
  /// Bounds the error of a sum of |weights| over `count` entries: weights are
  /// quotients of exponentials of score differences (4 scores), each
  /// exponential by 5 units in the last place, rescaled once per block; the two
  /// sums and the rescalings add a rounding per entry. Quantized values have
  /// scales: a rounding per score and per weight.
  double relativeError(int64_t count) const {
    return 4 * scoreError() +
           ((coded() ? 41 : 40) + 12 * static_cast<double>(count)) * kUnit;
  }

  /// Whether matmuls of attention are of bf16.
  bool rounds(Mode mode) const {
    return mode == Mode::AMX && (bf16 || element == Element::BF16);
  }
  /// What matmuls are with.
  Tensor rounded(Mode mode, const Tensor &query) const {
    return rounds(mode) ? reference::bf16(query) : query;
  }
  /// Bounds the error of a sum of |weights * values|: rounded to bf16, a weight
  /// errs by half a unit of eight bits, and by one more of f32 as it is made a
  /// multiple of a power of two.
  double valueError(Mode mode, int64_t count) const {
    return relativeError(count) + (rounds(mode) ? 0x1p-8 + 20 * kUnit : 0);
  }
};

/// Keys or values [G, C, P], as attention reads them and as they are stored.
class StoredRows {
public:
  Tensor read;

  StoredRows(Random &random, const AttentionForm &form, int64_t count)
      : read(random.tensor({form.keyHeads, count, form.size}, -2, 2,
                           form.coded() ? Element::F32 : form.element)),
        element(form.element) {
    if (form.coded()) {
      reference::QuantizedEntries entries = reference::quantizeEntries(read);
      read = entries.values();
      codes = entries.codes;
      scales = entries.scales;
    }
  }

  /// Nothing (NaN) as head g's row j.
  void forget(int64_t g, int64_t j) {
    for (int64_t p = 0; p < read.shape[2]; ++p) {
      read(g, j, p) = std::numeric_limits<double>::quiet_NaN();
    }
    if (element == Element::I8) {
      scales(g, j) = std::numeric_limits<double>::quiet_NaN();
    }
  }
  /// Head g's row `from` of others as row j.
  void set(int64_t g, int64_t j, const StoredRows &others, int64_t from) {
    for (int64_t p = 0; p < read.shape[2]; ++p) {
      read(g, j, p) = others.read(g, from, p);
      if (element == Element::I8) {
        codes(g, j, p) = others.codes(g, from, p);
      }
    }
    if (element == Element::I8) {
      scales(g, j) = others.scales(g, from);
    }
  }

  Buffer buffer() const {
    return Buffer(element, element == Element::I8 ? codes : read);
  }
  /// Returns the scales of quantized entries; it has no elements for others.
  Buffer scaleBuffer() const {
    return element == Element::I8 ? Buffer(Element::F32, scales)
                                  : Buffer(Element::F32, {0});
  }

private:
  Element element;
  Tensor codes, scales;
};

inline constexpr AttentionForm kAttentionForms[] = {
    {MaskKind::Bias, 0, 1, 1, 1, 1, Element::F32},
    {MaskKind::Bias, 0, 4, 2, 2, 16, Element::BF16},
    {MaskKind::Bias, 5, 2, 1, 1, 64, Element::BF16},
    {MaskKind::Bias, 1, 3, 3, 3, 7, Element::F32},
    {MaskKind::Bias, 17, 4, 2, 4, 8, Element::F32},
    {MaskKind::Bias, 8, 6, 3, 1, 33, Element::BF16},
    {MaskKind::Threshold, 0, 2, 1, 2, 24, Element::F32},
    {MaskKind::Threshold, 0, 4, 4, 2, 2, Element::BF16},
    {MaskKind::Threshold, 0, 3, 1, 1, 5, Element::BF16},
    {MaskKind::Threshold, 0, 2, 1, 2, 32, Element::BF16, true},
    {MaskKind::Threshold, 0, 3, 1, 1, 9, Element::F32, true},
    {MaskKind::Threshold, 0, 4, 2, 4, 80, Element::F32, true},
    {MaskKind::Scale, 0, 4, 2, 2, 32, Element::F32},
    {MaskKind::Scale, 0, 2, 1, 2, 3, Element::BF16},
    {MaskKind::Scale, 0, 1, 1, 1, 17, Element::BF16},
    {MaskKind::Scale, 0, 19, 1, 19, 32, Element::BF16},
    {MaskKind::Bias, 0, 4, 2, 2, 128, Element::BF16},
    {MaskKind::Bias, 0, 4, 2, 2, 64, Element::I8, false, false, true},
    {MaskKind::Bias, 5, 2, 1, 1, 33, Element::I8},
    {MaskKind::Bias, 3, 4, 2, 4, 128, Element::I8, false, false, true},
    {MaskKind::Threshold, 0, 3, 3, 1, 7, Element::I8},
    {MaskKind::Threshold, 0, 2, 1, 2, 80, Element::I8, true, false, true},
    {MaskKind::Scale, 0, 4, 2, 2, 32, Element::I8},
    {MaskKind::Scale, 0, 19, 1, 19, 24, Element::I8, false, false, true},
    // Those of key heads stand for masks.
    {MaskKind::None, 0, 9, 3, 3, 64, Element::BF16},
    {MaskKind::None, 0, 3, 1, 1, 7, Element::F32},
    {MaskKind::None, 0, 8, 1, 1, 80, Element::BF16},
    {MaskKind::None, 0, 4, 2, 2, 64, Element::I8, false, false, true},
    {MaskKind::None, 0, 2, 2, 2, 33, Element::I8},
    {MaskKind::None, 0, 4, 2, 2, 64, Element::BF16, false, false, false, 5},
    {MaskKind::None, 0, 3, 1, 1, 7, Element::F32, false, false, false, 1},
    {MaskKind::None, 0, 2, 2, 2, 32, Element::I8, false, false, true, 70},
    {MaskKind::None, 0, 8, 1, 1, 16, Element::F32, false, false, false, 400},
};

} // namespace cheems::test

#endif
