/* The machines that the runs start from. Rows: a DLL, a header, an import library (and, with four, the licence). */
#include "crash_explore.h"

#include <stdio.h>
#include <string.h>

#define OLD_TIME INT64_C(131000000000000000)

static void text_in(crash_image *image, const char *tree, const char *target, const char *text, uint32_t attributes) {
    char path[256];
    snprintf(path, sizeof path, "%s\\%s", tree, target);
    for (char *at = path; *at; at++)
        if (*at == '/') *at = '\\';
    crash_image_text(image, path, text, attributes, OLD_TIME);
}

static void text_at(crash_image *image, const char *target, const char *text, uint32_t attributes) {
    text_in(image, CRASH_TREE, target, text, attributes);
}

static void toolkit(crash_image *image, const char *tree) {
    text_in(image, tree, "bin/cudart64_101.dll", "cudart", 0x20);
    text_in(image, tree, "version.txt", "CUDA Version 10.1.243\n", 0x20);
    text_in(image, tree, "include/cuda_runtime.h", "a header of CUDA", 0x20);
}

/* A Windows, two CUDA 10.1, the packages, and the environment in one of its usual states. */
static void bare(crash_image *image, unsigned environment) {
    memset(image, 0, sizeof *image);
    crash_image_folder(image, "C:\\Program Files");
    crash_image_folder(image, "C:\\Windows\\System32");
    crash_image_text(image, CRASH_DOWNLOADED, "the program", 0x20, OLD_TIME);
    crash_put_packages(image);
    toolkit(image, CRASH_TREE);
    toolkit(image, CRASH_OTHER_TREE);
    if (environment == 0) { /* PATH without us, CUDA_PATH naming nothing usable */
        crash_image_value(image, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\Windows;C:\\tools");
        crash_image_value(image, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, "D:\\gone");
    } else if (environment == 1) { /* all there already: nothing to write */
        crash_image_value(image, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, CRASH_TREE "\\bin;C:\\Windows");
        crash_image_value(image, CS_KEY_ENVIRONMENT, "CUDA_PATH", CS_REG_SZ, CRASH_TREE);
        crash_image_value(image, CS_KEY_ENVIRONMENT, "CUDA_PATH_V10_1", CS_REG_SZ, CRASH_TREE);
    } /* 2: no environment at all */
}

static void without_cudnn(crash_image *image, unsigned environment) { bare(image, environment); }

/* A cuDNN that somebody copied in: one row new to us, one older and read-only, one already right. */
static void with_760(crash_image *image, unsigned environment) {
    bare(image, environment);
    text_at(image, crash_target(1), "7.6.0 row 1", 0x21);
    text_at(image, crash_target(2), crash_row_text("8.0.3", 2), 0x20);
    if (crash_rows > 3) text_at(image, crash_target(3), "7.6.0 row 3", 0x22);
}

static void damage(crash_image *image) {
    text_at(image, crash_target(0), "damaged", 0x20);
    crash_image_delete(image, CRASH_TREE "\\include\\cudnn.h");
}

static void replace_one(crash_image *image) { text_at(image, crash_target(1), "the user's own header", 0x20); }

static void delete_tree(crash_image *image) { crash_image_delete(image, CRASH_TREE); }

static void edit_path(crash_image *image) {
    crash_image_value(image, CS_KEY_ENVIRONMENT, "Path", CS_REG_EXPAND_SZ, "C:\\Windows;" CRASH_TREE "\\bin;C:\\other");
}

const crash_scenario crash_scenarios[] = {
    {.name = "fresh, folders missing", .machine = without_cudnn, .steps = {CRASH_INSTALL_803}, .step_count = 1},
    {.name = "over 7.6", .machine = with_760, .steps = {CRASH_INSTALL_803}, .step_count = 1},
    {.name = "over our 8.0.2",
     .machine = with_760,
     .before = {CRASH_INSTALL_802},
     .before_count = 1,
     .steps = {CRASH_INSTALL_803},
     .step_count = 1},
    {.name = "over ours, nothing to do",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .steps = {CRASH_INSTALL_803},
     .step_count = 1},
    {.name = "uninstall of a fresh one",
     .machine = without_cudnn,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "uninstall back to 7.6",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "uninstall of a stack of 2",
     .machine = with_760,
     .before = {CRASH_INSTALL_802, CRASH_INSTALL_803},
     .before_count = 2,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "rollback of the upgrade",
     .machine = with_760,
     .before = {CRASH_INSTALL_802, CRASH_INSTALL_803},
     .before_count = 2,
     .steps = {CRASH_ROLLBACK},
     .step_count = 1},
    {.name = "repair of damage",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .meddle = damage,
     .steps = {CRASH_REPAIR},
     .step_count = 1},
    {.name = "uninstall, one file replaced",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .meddle = replace_one,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "uninstall, PATH edited",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .meddle = edit_path,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "uninstall, tree deleted",
     .machine = without_cudnn,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .meddle = delete_tree,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "upgrade, two rollbacks",
     .machine = with_760,
     .before = {CRASH_INSTALL_802},
     .before_count = 1,
     .steps = {CRASH_INSTALL_803, CRASH_ROLLBACK, CRASH_ROLLBACK},
     .step_count = 3},
    {.name = "repair, uninstall, install",
     .machine = with_760,
     .before = {CRASH_INSTALL_802, CRASH_INSTALL_803},
     .before_count = 2,
     .meddle = damage,
     .steps = {CRASH_REPAIR, CRASH_UNINSTALL, CRASH_INSTALL_803},
     .step_count = 3},
    {.name = "uninstall from P, running",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .steps = {CRASH_UNINSTALL | CRASH_FROM_P},
     .step_count = 1},
    {.name = "other tree at rest, install",
     .machine = with_760,
     .before = {CRASH_INSTALL_802 | CRASH_ON_OTHER},
     .before_count = 1,
     .steps = {CRASH_INSTALL_803},
     .step_count = 1},
    {.name = "other tree at rest, uninstall",
     .machine = with_760,
     .before = {CRASH_INSTALL_803 | CRASH_ON_OTHER, CRASH_INSTALL_803},
     .before_count = 2,
     .steps = {CRASH_UNINSTALL},
     .step_count = 1},
    {.name = "two trees interrupted",
     .machine = with_760,
     .before = {CRASH_INSTALL_803},
     .before_count = 1,
     .interrupted = {CRASH_INTERRUPTED | CRASH_UNINSTALL, CRASH_INTERRUPTED | CRASH_INSTALL_803 | CRASH_ON_OTHER},
     .steps = {CRASH_RECOVER},
     .step_count = 1},
};
const size_t crash_scenario_count = sizeof crash_scenarios / sizeof crash_scenarios[0];
