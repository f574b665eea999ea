#include "findings.h"

#include <stdarg.h>
#include <string.h>

#include "cudnn_setup/package.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/text.h"
#include "doctor.h"

static void put_line(cs_scene *scene, const char *word, const char *format, va_list arguments) {
    cs_buffer text = {0};
    cs_buffer_vformat(&text, format, arguments);
    cs_buffer_format(scene->report, "%s: ", word);
    cs_text_visible(scene->report, cs_buffer_string(&text));
    cs_buffer_text(scene->report, "\n");
    if (text.failed) scene->report->failed = true;
    cs_buffer_free(&text);
}

void cs_scene_note(cs_scene *scene, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_line(scene, "note", format, arguments);
    va_end(arguments);
    scene->notes++;
}

void cs_scene_fault(cs_scene *scene, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    put_line(scene, "fault", format, arguments);
    va_end(arguments);
    scene->faults++;
}

bool cs_scene_has(const cs_scene *scene, const char *folder, const char *name) {
    const cs_fs *fs = scene->host->fs;
    cs_buffer path = {0};
    cs_file_info info;
    bool there = cs_path_join(&path, fs->separator, folder, name, NULL) == CS_OK &&
                 fs->stat(fs->ctx, path.data, &info, NULL) == CS_OK && info.kind != CS_FILE_FOLDER;
    cs_buffer_free(&path);
    return there;
}

static cs_status read_parts(cs_scene *scene, cs_error *error) {
    cs_manifest manifest = {0};
    cs_status status = cs_package_manifest(scene->host, NULL, &manifest, error);
    for (size_t i = 0; i < manifest.file_count && status == CS_OK; i++)
        if (manifest.files[i].role == CS_ROLE_DLL)
            status = cs_strings_add(&scene->parts, cs_path_name(manifest.files[i].target), error);
    cs_manifest_free(&manifest);
    return status;
}

static cs_status set_up(cs_scene *scene, const char *cuda, cs_error *error) {
    cs_host quiet = *scene->host;
    quiet.events = NULL;
    cs_status status = cs_search_order_read(scene->host, NULL, &scene->order, error);
    if (status == CS_OK) status = cs_toolkit_detect(&quiet, "10.1", cuda, &scene->toolkits, error);
    if (status == CS_OK) status = read_parts(scene, error);
    const cs_toolkits *found = &scene->toolkits;
    if (status == CS_OK && found->chosen < found->count)
        status = cs_path_join(&scene->bin, scene->host->fs->separator, found->items[found->chosen].path, "bin", error);
    return status;
}

cs_status cs_doctor_findings(const cs_host *host, const char *cuda, cs_buffer *report, cs_outcome *outcome) {
    cs_scene scene = {.host = host, .report = report};
    cs_status status = set_up(&scene, cuda, &outcome->error);
    if (status == CS_OK) {
        cs_find_copies(&scene);
        cs_find_machine(&scene);
        status = scene.faults ? CS_E_DIFFERS : scene.notes ? CS_E_NOTHING : CS_OK;
        if (status == CS_OK) cs_buffer_text(&outcome->message, "Nothing that programs are known to stumble over.");
    }
    cs_search_order_free(&scene.order);
    cs_toolkits_free(&scene.toolkits);
    cs_strings_free(&scene.parts);
    cs_buffer_free(&scene.bin);
    return status;
}

void cs_doctor_explain(const cs_host *host, const char *cuda, cs_buffer *out) {
    cs_host quiet = *host;
    cs_toolkits toolkits = {0};
    cs_buffer bin = {0};
    quiet.events = NULL;
    if (cs_toolkit_detect(&quiet, "10.1", cuda, &toolkits, NULL) == CS_OK && toolkits.chosen < toolkits.count)
        if (cs_path_join(&bin, host->fs->separator, toolkits.items[toolkits.chosen].path, "bin", NULL) != CS_OK)
            cs_buffer_free(&bin);
    cs_explain(host, bin.size ? bin.data : NULL, out);
    cs_toolkits_free(&toolkits);
    cs_buffer_free(&bin);
}
