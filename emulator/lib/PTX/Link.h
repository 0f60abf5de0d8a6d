//===- Link.h - One module of several PTX texts -----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_LINK_H
#define CHEEMS_EMULATOR_PTX_LINK_H

#include "Syntax.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cheems::emulator::ptx {

struct NamedText {
  std::string name; ///< for messages
  std::string_view text;
};

/// An image that has these texts in it. Names are cut at the end of a line.
std::string joinTexts(const std::vector<NamedText> &texts);
/// The texts of such an image; of another one it alone, without a name.
std::vector<NamedText> textsOf(std::string_view image);

/// Joins modules (PTX ISA, "Linking Directives"): what one declares .extern is
/// what another defines .visible or .weak. A .visible definition comes before
/// .weak ones, of which the first one counts, and of .common variables the
/// largest does. Names without a directive stay within their text. A name that
/// nobody defines stays a declaration.
///
/// Throws Refusal where a name is defined twice or has differing types.
/// `names` are those of the texts.
std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> modules,
                             const std::vector<std::string> &names);

} // namespace cheems::emulator::ptx

#endif
