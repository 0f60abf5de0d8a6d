// How many texts lead from the nodes of a grammar to the end of their rule.
#ifndef CHEEMS_RUNTIME_GRAMMAR_TEXTCOUNTS_H
#define CHEEMS_RUNTIME_GRAMMAR_TEXTCOUNTS_H

#include "runtime/Grammar/CompiledGrammar.h"

namespace cheems::grammar {

/// Makes `texts` from the nodes and their needs. Texts that are read in several
/// ways count several times.
void countTexts(Grammar &grammar);

/// Whether there are surely fewer texts from the node than `count`; known only
/// where no list without repeats is in them.
bool hasFewerTexts(const Grammar &grammar, NodeId node, int64_t count);

} // namespace cheems::grammar

#endif
