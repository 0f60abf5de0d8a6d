cheems_fuzz_target(fuzz_answers answers.cpp LINK CheemsServeApi)
