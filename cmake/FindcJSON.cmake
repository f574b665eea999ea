# Finds cJSON (cJSON.h under cjson/) and defines the target cJSON::cJSON.
# A module of our own because the packaged config files name the target differently (cjson, cJSON::cJSON) and Debian's
# carries no include folder.
include(FindPackageHandleStandardArgs)
find_path(cJSON_INCLUDE_DIR cjson/cJSON.h)
find_library(cJSON_LIBRARY NAMES cjson libcjson)
if(cJSON_INCLUDE_DIR)
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${cJSON_INCLUDE_DIR}/cjson/cJSON.h" line REGEX "#define CJSON_VERSION_${part} [0-9]+")
    string(REGEX REPLACE ".* " "" cJSON_${part} "${line}")
  endforeach()
  set(cJSON_VERSION "${cJSON_MAJOR}.${cJSON_MINOR}.${cJSON_PATCH}")
endif()
find_package_handle_standard_args(cJSON REQUIRED_VARS cJSON_LIBRARY cJSON_INCLUDE_DIR VERSION_VAR cJSON_VERSION)
if(cJSON_FOUND AND NOT TARGET cJSON::cJSON)
  add_library(cJSON::cJSON UNKNOWN IMPORTED)
  set_target_properties(cJSON::cJSON PROPERTIES IMPORTED_LOCATION "${cJSON_LIBRARY}"
                                                INTERFACE_INCLUDE_DIRECTORIES "${cJSON_INCLUDE_DIR}")
  # The header's default on Windows is dllexport, which a static library must not say to its users.
  if(WIN32 AND NOT cJSON_LIBRARY MATCHES "\\.dll\\.a$")
    set_property(TARGET cJSON::cJSON PROPERTY INTERFACE_COMPILE_DEFINITIONS CJSON_HIDE_SYMBOLS)
  endif()
endif()
mark_as_advanced(cJSON_INCLUDE_DIR cJSON_LIBRARY)
