# find_package is the only way to the libraries, so that a prefix of Debian, vcpkg, MSYS2 or `./dev deps` serves alike.
# Targets used by the project: LibArchive::LibArchive, cJSON::cJSON, ZLIB::ZLIB, cmocka::cmocka, OpenSSL::Crypto.
find_package(ZLIB REQUIRED)
find_package(LibArchive REQUIRED)
find_package(cJSON REQUIRED)
if(NOT WIN32)
  find_package(OpenSSL REQUIRED COMPONENTS Crypto)
endif()
if(CUDNN_SETUP_TESTS)
  find_package(cmocka REQUIRED)
endif()

# FindLibArchive does not know static libraries: they need a definition on Windows and zlib behind them.
if(WIN32 AND CUDNN_SETUP_STATIC)
  set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS LIBARCHIVE_STATIC)
  set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
endif()
