cheems_fuzz_target(fuzz_grammar grammar.cpp LINK CheemsGrammar)
