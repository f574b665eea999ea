# Finds cmocka and defines the target cmocka::cmocka.
# A module of our own because cmocka's config files give variables in some versions, targets in others, and a shared
# library that does not exist where only the static one is installed.
include(FindPackageHandleStandardArgs)
find_path(cmocka_INCLUDE_DIR cmocka.h)
find_library(cmocka_LIBRARY NAMES cmocka cmocka-static)
find_package_handle_standard_args(cmocka REQUIRED_VARS cmocka_LIBRARY cmocka_INCLUDE_DIR)
if(cmocka_FOUND AND NOT TARGET cmocka::cmocka)
  add_library(cmocka::cmocka UNKNOWN IMPORTED)
  set_target_properties(cmocka::cmocka PROPERTIES IMPORTED_LOCATION "${cmocka_LIBRARY}"
                                                  INTERFACE_INCLUDE_DIRECTORIES "${cmocka_INCLUDE_DIR}")
endif()
mark_as_advanced(cmocka_INCLUDE_DIR cmocka_LIBRARY)
