# Warnings, hardening and reproducibility for the project's own code.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wformat=2 -Wvla -Werror)
if(CMAKE_C_COMPILER_ID MATCHES "Clang") # for the fuzzers: gcc tells a format that is handed on, and long rows of text, from mistakes
  add_compile_options(-Wno-format-nonliteral -Wno-string-concatenation)
endif()
add_compile_options(-fstack-protector-strong)
# The same bytes whatever folder the sources and the build lie in.
add_compile_options("-ffile-prefix-map=${PROJECT_BINARY_DIR}=build" "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")
set(CMAKE_C_ARCHIVE_CREATE "<CMAKE_AR> qcD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_APPEND "<CMAKE_AR> qD <TARGET> <LINK_FLAGS> <OBJECTS>")
set(CMAKE_C_ARCHIVE_FINISH "<CMAKE_RANLIB> -D <TARGET>")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
# _FORTIFY_SOURCE needs the optimiser and hides errors from the sanitizers: optimised builds only.
add_compile_options($<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE> $<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-D_FORTIFY_SOURCE=2>)

if(WIN32)
  # Windows 10, wide functions only, and C99's printf whatever the C runtime.
  add_compile_definitions(_WIN32_WINNT=0x0A00 WINVER=0x0A00 NTDDI_VERSION=0x0A000000 UNICODE _UNICODE __USE_MINGW_ANSI_STDIO=1)
  add_link_options(-static -fstack-protector-strong -Wl,--no-insert-timestamp)
endif()
