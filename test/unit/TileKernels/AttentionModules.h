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

/// Expects of some prompts, which are given by their numbers, that kernels for
/// warpgroups have their instructions where the form has panels, with bulk
/// copies if `copiesBulk`. All other kernels have the instructions of warps.
inline void
expectAskedUnits(const std::vector<AttentionForm> &prompts,
                 const std::vector<std::pair<int, bool>> &hasPanelsByNumber,
                 llvm::StringRef kernel, bool copiesBulk) {
  if (!inspectsKernels()) {
    GTEST_SKIP() << "code is that of another process";
  }
  for (auto [number, hasPanels] : drawnOf(hasPanelsByNumber, 2)) {
    for (const std::string &unit : units()) {
      SCOPED_TRACE(unit + "\n" + textOf(prompts[number]));
      auto module = compiledStep(textOf(prompts[number]), unit);
      ASSERT_NE(module, nullptr);
      llvm::StringRef text = kernelIn(module->ptx(), kernel);
      auto [groups, warps] = instructionsIn(text);
      bool isGroups = unit == "wgmma" && hasPanels;
      EXPECT_EQ(groups > 0, isGroups);
      EXPECT_EQ(warps > 0, !isGroups);
      EXPECT_EQ(text.contains("cp.async.bulk"), isGroups && copiesBulk);
    }
  }
}

/// The one unit of what has no other form.
inline std::vector<std::string> newestUnit() { return {units().front()}; }

/// Holds cases of one kind, each with one of the forms and one of the units. A
/// step of up to three segments agrees with the evaluator, and a sequence has
/// the same bits alone.
/// \param longest rows of the step at most.
/// \param most rows that a sequence has before the step.
void holdCases(const std::vector<AttentionForm> &forms, int64_t longest,
               int64_t most,
               const std::vector<std::string> &units = newestUnit());

} // namespace cheems::test

#endif
