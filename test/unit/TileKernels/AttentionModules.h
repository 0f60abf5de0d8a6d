// Kernels of attention that cases draw.
#ifndef CHEEMS_TEST_UNIT_TILEKERNELS_ATTENTIONMODULES_H
#define CHEEMS_TEST_UNIT_TILEKERNELS_ATTENTIONMODULES_H

#include "AttentionForm.h"

namespace cheems::test {

/// Forms by each of some units, compiled when a case draws them.
class Modules {
public:
  Modules(const std::vector<AttentionForm> &forms,
          const std::vector<std::string> &units)
      : forms(forms), units(units) {}

  struct Drawn {
    TileModule *module;
    const AttentionForm &form;
    std::string unit;
  };
  Drawn of(uint64_t number) {
    const AttentionForm &form = forms[formOf(number, forms.size())];
    const std::string &unit = units[unitOf(number, units.size())];
    return {compiledStep(textOf(form), unit), form, unit};
  }

private:
  const std::vector<AttentionForm> &forms;
  std::vector<std::string> units;
};

/// A kernel's part of PTX.
inline llvm::StringRef kernelIn(llvm::StringRef text, llvm::StringRef name) {
  text = text.split((".entry " + name + "(").str()).second;
  return text.split(".entry").first;
}

/// The one unit of what has no other form.
inline std::vector<std::string> newestUnit() { return {units().front()}; }

} // namespace cheems::test

#endif
