cheems_fuzz_target(fuzz_jinja jinja.cpp LINK CheemsChatTemplate)
