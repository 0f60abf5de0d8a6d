//===- Declarations.h - Variables and parameters ----------------*- C++ -*-===//
#ifndef CHEEMS_EMULATOR_PTX_DECLARATIONS_H
#define CHEEMS_EMULATOR_PTX_DECLARATIONS_H

#include "Cursor.h"
#include "Names.h"

#include <optional>

namespace cheems::emulator::ptx {

using Variables = std::vector<std::unique_ptr<Variable>>;

/// The space that `.reg` and so on names; nothing for other words.
std::optional<StateSpace> stateSpace(std::string_view directive);

/// The type of a variable that a word like `.b32` names. Throws Refusal, for a
/// type that only instructions have, too.
Type parseType(Cursor &cursor);

/// A declaration, whose space comes next, up to its semicolon. The variables
/// are added to `variables`. `inFunction` says which spaces there may be.
void parseVariables(Cursor &cursor, Names &names, Linkage linkage,
                    bool inFunction, Variables &variables);

/// What a list of parameters belongs to.
enum class ParameterOf { entry, function, prototype };

/// A list in parentheses. Names but `_` are declared in the innermost scope,
/// except those of a prototype.
std::vector<const Variable *> parseParameters(Cursor &cursor, Names &names,
                                              ParameterOf of,
                                              Variables &variables);

/// Parses what follows an equals sign, for a variable whose type and extents
/// are known. A first extent of 0 becomes the number of its values.
void parseInitializer(Cursor &cursor, Names &names, Variable &variable);

} // namespace cheems::emulator::ptx

#endif
