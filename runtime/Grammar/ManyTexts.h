// From which nodes of a grammar very many texts lead to the end of their rule.
#ifndef CHEEMS_RUNTIME_GRAMMAR_MANYTEXTS_H
#define CHEEMS_RUNTIME_GRAMMAR_MANYTEXTS_H

#include "runtime/Grammar/CompiledGrammar.h"

namespace cheems::grammar {

/// Makes `many` from the nodes and their needs. Texts that are read in several
/// ways count several times.
void findMany(Grammar &grammar);

} // namespace cheems::grammar

#endif
