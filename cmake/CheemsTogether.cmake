# Sources that are compiled together: cheems_compile_together(TARGET), cheems_compile_alone(SOURCE...).

# With CHEEMS_UNITY_BUILD sources of a library, a tool or a test program are compiled together, which halves their time in a
# whole build and lengthens that of a change. Those that name a constant or a helper as another of their library
# does are compiled alone, and so are those with options of their own. CMake's own unity builds write absolute paths into what they
# compile, which no cache of another folder can serve; these include paths below the project's folder.
function(cheems_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES CHEEMS_ALONE ON)
endfunction()

# cheems_compile_together(TARGET): at the end of the folder, when all is known of its sources
function(cheems_compile_together target)
  if(CHEEMS_UNITY_BUILD)
    cmake_language(EVAL CODE "cmake_language(DEFER CALL _cheems_unite ${target})")
  endif()
endfunction()

set(_cheems_most_together 32)
function(_cheems_unite target)
  get_target_property(sources ${target} SOURCES)
  set(alone)
  set(together)
  foreach(source IN LISTS sources)
    get_source_file_property(is_alone ${source} CHEEMS_ALONE)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(is_alone OR options OR NOT source MATCHES "\\.cpp$")
      list(APPEND alone ${source})
    else()
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
      list(APPEND together ${source})
    endif()
  endforeach()
  # in groups of equal size
  list(LENGTH together count)
  math(EXPR groups "(${count} + ${_cheems_most_together} - 1) / ${_cheems_most_together}")
  set(number 0)
  while(number LESS groups)
    math(EXPR size "(${count} - 1 - ${number}) / ${groups} + 1")
    list(SUBLIST together 0 ${size} group)
    list(REMOVE_ITEM together ${group})
    list(TRANSFORM group REPLACE "(.+)" "#include \"\\1\"\n")
    list(JOIN group "" text)
    set(united ${CMAKE_CURRENT_BINARY_DIR}/${target}_together_${number}.cpp)
    file(CONFIGURE OUTPUT ${united} CONTENT "// What CHEEMS_UNITY_BUILD compiles together.\n${text}" @ONLY)
    list(APPEND alone ${united})
    math(EXPR number "${number} + 1")
  endwhile()
  set_property(TARGET ${target} PROPERTY SOURCES ${alone})
endfunction()
