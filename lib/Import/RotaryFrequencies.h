// Frequencies of rotary embedding that follow from config.json alone, as
// transformers scales them. All begin from theta^(-2i/size).
#ifndef CHEEMS_LIB_IMPORT_ROTARYFREQUENCIES_H
#define CHEEMS_LIB_IMPORT_ROTARYFREQUENCIES_H

#include "cheems/Import/ModelDescription.h"

namespace cheems {

/// All divided by `factor`.
RotaryList linearFrequencies(double theta, int64_t size, double factor);

/// Frequencies that turn more than `high` times over the trained length stay,
/// those that turn less than `low` times are divided by `factor`, and between
/// them both are mixed.
struct Llama3Scaling {
  double factor = 1.0, low = 1.0, high = 4.0, trained = 0.0;
};
RotaryList llama3Frequencies(double theta, int64_t size,
                             const Llama3Scaling &scaling);

/// The same with a mix that is linear in i, between the places where `fast` and
/// `slow` turns are made. Cosines and sines get a factor.
struct YarnScaling {
  double factor = 1.0, trained = 0.0, fast = 32.0, slow = 1.0;
  bool truncate = true; ///< the two places are whole numbers
  std::optional<double> attentionFactor;
  double mscale = 0.0, mscaleAllDim = 0.0; ///< 0: absent
};
/// Empty where the two places are in the wrong order, which no model means.
RotaryList yarnFrequencies(double theta, int64_t size,
                           const YarnScaling &scaling);

} // namespace cheems

#endif
