cheems_fuzz_target(fuzz_state state.cpp LINK CheemsGeneration)
