/* The loader of the system that this runs on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "cudnn_setup/loader.h"

static void test_loader_absent_library(void **state) {
    (void)state;
    const cs_loader loader = cs_loader_system();
    cs_library *library = (cs_library *)&loader;
    cs_error error = {0};
    assert_int_equal(loader.open(loader.ctx, "no_such_library_here.dll", &library, &error), CS_E_NOT_FOUND);
    assert_null(library);
    assert_string_equal(error.path, "no_such_library_here.dll");
}

/* A path would leave the search order out, which is what is to be seen. */
static void test_loader_refuses_paths(void **state) {
    (void)state;
    const cs_loader loader = cs_loader_system();
    cs_library *library = NULL;
    assert_int_equal(loader.open(loader.ctx, "./libm.so.6", &library, NULL), CS_E_NAME);
    assert_null(library);
}

static void test_loader_finds_symbols(void **state) {
    (void)state;
    static const char *const names[] = {"libm.so.6", "kernel32.dll"};
    static const char *const symbols[] = {"cos", "GetTickCount"};
    const cs_loader loader = cs_loader_system();
    size_t found = 0;
    for (size_t i = 0; i < 2; i++) { /* one of the two is there, on either system */
        cs_library *library = NULL;
        cs_buffer path = {0};
        if (loader.open(loader.ctx, names[i], &library, NULL) != CS_OK) continue;
        found++;
        assert_true(loader.symbol(loader.ctx, library, symbols[i]) != NULL);
        assert_true(loader.symbol(loader.ctx, library, "no_such_function_here") == NULL);
        loader.where(loader.ctx, library, &path);
        assert_true(path.size > strlen(names[i])); /* with its folder */
        cs_buffer_free(&path);
        loader.close(loader.ctx, library);
    }
    assert_int_equal(found, 1);
}

static void test_loader_names_and_clock(void **state) {
    (void)state;
    const cs_loader loader = cs_loader_system();
    assert_non_null(strstr(loader.driver[0], "cuda"));
    assert_non_null(strstr(loader.runtime[0], "cudart"));
    assert_true(loader.cudnn_count >= 1);
    for (size_t i = 0; i < loader.cudnn_count; i++) {
        size_t parts = 0;
        while (parts < CS_LIBRARY_PARTS && loader.cudnn[i].parts[parts]) parts++;
        assert_true(parts >= 6);
    }
    uint64_t before = loader.nanoseconds(loader.ctx);
    for (int i = 0; i < 1000; i++) assert_true(loader.nanoseconds(loader.ctx) >= before);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loader_absent_library), cmocka_unit_test(test_loader_refuses_paths),
                                       cmocka_unit_test(test_loader_finds_symbols),
                                       cmocka_unit_test(test_loader_names_and_clock)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
