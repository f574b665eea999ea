#include "platform.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#include <windows.h>
#include <shellapi.h>

#include "cudnn_setup/text.h"

void platform_known_folders(temp_folder *folder) { (void)folder; }

void platform_arguments(int argc, char **argv, cs_strings *out) {
    int count = 0;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &count);
    (void)argc, (void)argv;
    assert_non_null(wide);
    for (int i = 1; i < count; i++) {
        cs_buffer text = {0};
        cs_wtf8_from_utf16(&text, wide[i], wcslen(wide[i]));
        assert_int_equal(cs_strings_add(out, cs_buffer_string(&text), NULL), CS_OK);
        cs_buffer_free(&text);
    }
    LocalFree(wide);
}

void platform_binary_output(void) { _setmode(_fileno(stdout), _O_BINARY); }

bool platform_started_hidden(void) {
    STARTUPINFOW start;
    GetStartupInfoW(&start);
    return start.dwFlags & STARTF_USESHOWWINDOW && start.wShowWindow == SW_HIDE;
}

void *platform_hold_service(const char *name) {
    cs_buffer wide = {0};
    assert_true(cs_utf16le_from_wtf8(&wide, name, strlen(name)));
    cs_buffer_append(&wide, L"", sizeof(wchar_t));
    SC_HANDLE manager = OpenSCManagerW(NULL, NULL, SC_MANAGER_CONNECT);
    assert_non_null(manager);
    SC_HANDLE service = OpenServiceW(manager, (const wchar_t *)(const void *)wide.data, SERVICE_QUERY_CONFIG);
    CloseServiceHandle(manager);
    cs_buffer_free(&wide);
    return service;
}

void platform_release_service(void *service) { CloseServiceHandle(service); }
#else
#include "cudnn_setup/posix.h"

void platform_known_folders(temp_folder *folder) { assert_int_equal(cs_system_posix_set_root(folder->path, NULL), CS_OK); }

void platform_arguments(int argc, char **argv, cs_strings *out) {
    for (int i = 1; i < argc; i++) assert_int_equal(cs_strings_add(out, argv[i], NULL), CS_OK);
}

void platform_binary_output(void) {}

bool platform_started_hidden(void) { return true; }

void *platform_hold_service(const char *name) {
    (void)name;
    return NULL;
}

void platform_release_service(void *service) { (void)service; }
#endif
