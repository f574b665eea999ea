/* findings_machine.c: what the variables and folders of the machine say, compared with each other. */
#include <stdio.h>
#include <string.h>

#include "cudnn_setup/cudnn_header.h"
#include "cudnn_setup/path.h"
#include "cudnn_setup/pathlist.h"
#include "cudnn_setup/text.h"
#include "findings.h"

static const char shim[] = "cudnn64_8.dll";

/* ---- PATH ---- */

/* Is the folder in this process's own PATH? known: this process has one. */
static bool in_own_path(const cs_scene *scene, const char *folder, bool *known) {
    const cs_system *system = scene->host->system;
    cs_buffer path = {0};
    bool found = false;
    *known = system->own_variable(system->ctx, "PATH", &path, NULL) == CS_OK;
    for (char *p = path.data; p && !found;) {
        char *end = strchr(p, ';');
        if (end) *end = '\0';
        found = cs_pathlist_same_text(p, folder);
        p = end ? end + 1 : NULL;
    }
    cs_buffer_free(&path);
    return found;
}

/* The files are there, but not where programs look: in the registry, or only in programs that were started earlier. */
static void find_path(cs_scene *scene) {
    bool known, own;
    if (!scene->bin.size || !cs_scene_has(scene, scene->bin.data, shim)) return;
    bool in_registry = cs_search_order_find(scene->host, &scene->order, scene->bin.data) < scene->order.count;
    own = in_own_path(scene, scene->bin.data, &known);
    if (!in_registry)
        cs_scene_fault(scene, "%s is in %s, but that folder is not in PATH: programs do not find it", shim, scene->bin.data);
    else if (known && !own)
        cs_scene_note(
            scene,
            "PATH has %s, but this console was started before it had: it and what is started from it keep the old PATH. "
            "Open a new one; restart programs, services and IDEs that run",
            scene->bin.data);
}

/* ---- CUDA_PATH ---- */

static void find_variables(cs_scene *scene) {
    for (size_t i = 0; i < scene->toolkits.count; i++) {
        const cs_toolkit_candidate *one = &scene->toolkits.items[i];
        bool variable = one->source == CS_TOOLKIT_CUDA_PATH || one->source == CS_TOOLKIT_CUDA_PATH_V;
        if (variable && !one->usable)
            cs_scene_note(scene, "%s names %s, which is no usable CUDA 10.1 toolkit: %s", cs_toolkit_source_text(one->source),
                          one->path[0] ? one->path : "nothing", one->reason);
    }
}

/* ---- headers ---- */

static void find_header(cs_scene *scene) {
    enum { MOST = 256 * 1024 };
    const cs_fs *fs = scene->host->fs;
    cs_buffer path = {0}, text = {0};
    uint32_t header[3];
    size_t at = scene->bin.size ? cs_search_order_find(scene->host, &scene->order, scene->bin.data) : scene->order.count;
    if (at == scene->order.count) return;
    const cs_search_place *place = &scene->order.items[at];
    const char *tree = scene->toolkits.items[scene->toolkits.chosen].path;
    bool read = cs_path_join(&path, fs->separator, tree, "include/cudnn_version.h", NULL) == CS_OK &&
                cs_fs_read_all(fs, path.data, MOST, &text, NULL) == CS_OK &&
                cs_cudnn_header_version(cs_buffer_string(&text), text.size, header);
    for (size_t i = 0; i < place->count && read; i++) {
        const cs_search_dll *dll = &place->dlls[i];
        if (!cs_text_equal_ascii_case(dll->name, shim) || !dll->has_version) continue;
        if (dll->version[0] == header[0] && dll->version[1] == header[1] && dll->version[2] == header[2]) continue;
        cs_scene_fault(scene,
                       "%s says %u.%u.%u, but %s in %s is %u.%u.%u: programs are compiled for one version and run with another",
                       path.data, (unsigned)header[0], (unsigned)header[1], (unsigned)header[2], shim, place->path,
                       dll->version[0], dll->version[1], dll->version[2]);
    }
    cs_buffer_free(&path);
    cs_buffer_free(&text);
}

/* ---- strays ---- */

/* An archive that was unpacked to the root of a drive: its folder is called cuda. */
static void find_stray(cs_scene *scene) {
    static const char *const names[] = {"cudnn64_8.dll", "cudnn64_7.dll"};
    const cs_system *system = scene->host->system;
    cs_buffer windows = {0};
    char stray[] = "C:\\cuda\\bin";
    if (system->folder(system->ctx, CS_FOLDER_WINDOWS, &windows, NULL) == CS_OK && windows.size > 2) stray[0] = windows.data[0];
    cs_buffer_free(&windows);
    if (scene->host->fs->separator != '\\' || cs_search_order_find(scene->host, &scene->order, stray) < scene->order.count)
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (cs_scene_has(scene, stray, names[i])) {
            cs_scene_note(scene, "%s lies in %s, where nothing looks: an unpacked archive is not installed yet", names[i], stray);
            return;
        }
}

/* ---- Python ---- */

static bool has_part(const char *path, const char *part) {
    size_t size = strlen(part);
    for (; *path; path++) {
        size_t i = 0;
        while (i < size && path[i] && (path[i] | 32) == (part[i] | 32)) i++;
        if (i == size) return true;
    }
    return false;
}

/* Python from the Store is packaged: Windows does not search PATH for its DLLs as for other programs. */
static void find_python(cs_scene *scene) {
    for (size_t i = 0; i < scene->order.count; i++) {
        const cs_search_place *place = &scene->order.items[i];
        bool in_path = place->kind == CS_SEARCH_MACHINE_PATH || place->kind == CS_SEARCH_USER_PATH;
        if (!in_path || place->state != CS_SEARCH_SEEN || !cs_scene_has(scene, place->path, "python.exe")) continue;
        if (has_part(place->path, "\\WindowsApps") || has_part(place->path, "PythonSoftwareFoundation.Python"))
            cs_scene_note(
                scene,
                "The python.exe that comes first is in %s: Python from the Microsoft Store is packaged and does not search "
                "PATH for DLLs. Use the installer from python.org, or add the folder with os.add_dll_directory",
                place->path);
        return;
    }
}

void cs_find_machine(cs_scene *scene) {
    find_path(scene);
    find_variables(scene);
    find_header(scene);
    find_stray(scene);
    find_python(scene);
}
