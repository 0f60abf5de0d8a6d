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
      : forms(forms), units(units), modules(forms.size() * units.size()) {}

  struct Drawn {
    TileModule *module;
    const AttentionForm &form;
    std::string unit;
  };
  Drawn of(uint64_t number) {
    size_t which = number / kShare % modules.size();
    const AttentionForm &form = forms[which % forms.size()];
    const std::string &unit = units[which / forms.size()];
    if (!modules[which]) {
      modules[which] = compiledStep(textOf(form), unit);
    }
    return {modules[which].get(), form, unit};
  }

private:
  const std::vector<AttentionForm> &forms;
  std::vector<std::string> units;
  std::vector<std::unique_ptr<TileModule>> modules;
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
