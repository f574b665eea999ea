#include <string.h>

#include "cudnn_setup/options.h"
#include "options_table.h"

typedef struct exit_row {
    int code;
    const char *meaning;
    bool setup_only; /* the doctor's verbs never end so */
} exit_row;

static const exit_row exit_rows[] = {
    {CS_EXIT_OK, "done, or already so", false},
    {CS_EXIT_DIFFERS, "/verify: something differs from what was installed", false},
    {CS_EXIT_NO_SPACE, "not enough disk space; nothing changed", false},
    {CS_EXIT_RIGHTS, "administrator rights are needed", true},
    {CS_EXIT_CANCELLED, "cancelled; everything is as before", false},
    {CS_EXIT_FAILED, "failed; everything is as before", false},
    {CS_EXIT_PENDING, "interrupted work is pending, or a finished change may not survive a power cut; /recover goes on", false},
    {CS_EXIT_NOTHING, "nothing of ours is installed", false},
    {CS_EXIT_BUSY, "another run is at work", true},
    {CS_EXIT_ARCHIVE_OPEN, "the archive cannot be opened", false},
    {CS_EXIT_ARCHIVE_BAD, "the archive is not the expected package, or is damaged", false},
    {CS_EXIT_PLATFORM, "this Windows or processor is not supported", true},
    {CS_EXIT_NEWER, "a newer cuDNN of the same major version is in the tree (/force goes on)", true},
    {CS_EXIT_USAGE, "bad command line", false},
    {CS_EXIT_TOOLKIT, "no usable CUDA 10.1 toolkit", false},
};

static const char *const group_titles[GROUP_COUNT] = {
    [GROUP_CHANGE] = "To change the machine (needs an administrator)",
    [GROUP_LOOK] = "Only to look",
    [GROUP_WHAT] = "What",
    [GROUP_HOW] = "How",
    [GROUP_OUTPUT] = "Output",
};

static size_t row_width(const option_row *row) { return 1 + strlen(row->name) + (row->value ? 1 + strlen(row->value) : 0); }

static void print_row(const option_row *row, size_t width, cs_buffer *out) {
    cs_buffer_format(out, "  /%s%s%s%*s  %s\n", row->name, row->value ? ":" : "", row->value ? row->value : "",
                     (int)(width - row_width(row)), "", row->help);
}

static void print_group(cs_program program, option_group group, size_t width, cs_buffer *out) {
    bool titled = false;
    for (size_t i = 0; i < option_row_count; i++) {
        const option_row *row = &option_rows[i];
        if (row->group != group || !(row->programs & 1u << program)) continue;
        if (!titled) cs_buffer_format(out, "\n%s:\n", group_titles[group]);
        titled = true;
        print_row(row, width, out);
    }
}

static void print_exit_codes(cs_program program, cs_buffer *out) {
    cs_buffer_text(out, "\nExit codes:\n");
    for (size_t i = 0; i < sizeof exit_rows / sizeof exit_rows[0]; i++)
        if (program != CS_PROGRAM_DOCTOR || !exit_rows[i].setup_only)
            cs_buffer_format(out, "  %4d  %s\n", exit_rows[i].code, exit_rows[i].meaning);
    if (program == CS_PROGRAM_DOCTOR)
        cs_buffer_text(out, "  Without a verb: 0 healthy, 1 warnings, 2 broken. probe: 0 nothing wrong, 1 something to know, 2 a "
                            "stage failed.\n");
}

void cs_options_help(cs_program program, cs_buffer *out) {
    bool doctor = program == CS_PROGRAM_DOCTOR;
    cs_buffer_text(out, doctor ? "cudnn-doctor looks at CUDA 10.1 and cuDNN 8 on this machine and changes nothing.\n\n"
                                 "  cudnn-doctor [verb] [options]      without a verb: the diagnosis\n"
                               : "cudnn-setup puts cuDNN 8.0.3 into a CUDA 10.1 toolkit, proves it, and takes it back.\n\n"
                                 "  cudnn-setup [/verb] [options] [archive.zip]\n");
    size_t width = 0;
    for (size_t i = 0; i < option_row_count; i++)
        if (option_rows[i].programs & 1u << program && row_width(&option_rows[i]) > width) width = row_width(&option_rows[i]);
    for (option_group group = GROUP_CHANGE; group < GROUP_COUNT; group = (option_group)(group + 1))
        print_group(program, group, width, out);
    cs_buffer_text(
        out,
        "\nAlso: -option, --option=value, /option value; any case. A value in brackets is what counts without the option.\n");
    print_exit_codes(program, out);
}
