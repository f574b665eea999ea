/* findings_copies.c: several, incomplete, mixed and renamed copies of cuDNN in the folders that a new program searches. */
#include <stdlib.h>
#include <string.h>

#include "cudnn_setup/text.h"
#include "findings.h"

static const char shim[] = "cudnn64_8.dll";

static const cs_search_dll *dll_in(const cs_search_place *place, const char *name) {
    for (size_t i = 0; i < place->count; i++)
        if (cs_text_equal_ascii_case(place->dlls[i].name, name)) return &place->dlls[i];
    return NULL;
}

static void put_name(cs_buffer *list, const char *name) {
    if (list->size) cs_buffer_text(list, ", ");
    cs_buffer_text(list, name);
}

/* ---- a file under another version's name ---- */

/* The number in "cudnn64_7.dll"; 0: another name. */
static unsigned named_version(const char *name) {
    static const char start[] = "cudnn64_";
    for (size_t i = 0; start[i]; i++)
        if ((name[i] | 32) != (start[i] | 32)) return 0;
    char *end;
    unsigned long number = strtoul(name + sizeof start - 1, &end, 10);
    return number < 1000 && cs_text_equal_ascii_case(end, ".dll") ? (unsigned)number : 0;
}

/* cuDNN 9 and later: other file names, so that nothing is hidden, but programs that get parts of both into one process fail. */
static void find_later(cs_scene *scene, const cs_search_place *place) {
    for (size_t i = 0; i < place->count; i++)
        if (named_version(place->dlls[i].name) > 8)
            cs_scene_note(
                scene,
                "%s lies in %s: a program made for it finds it beside cuDNN 8. One that brings only a part of a cuDNN of "
                "its own can mix the two in one process and fail with error 127 (WinError 127)",
                place->dlls[i].name, place->path);
}

static void find_renamed(cs_scene *scene, const cs_search_place *place) {
    for (size_t i = 0; i < place->count; i++) {
        const cs_search_dll *dll = &place->dlls[i];
        unsigned named = named_version(dll->name);
        if (!named || !dll->has_version || dll->version[0] == named) continue;
        cs_scene_note(
            scene,
            "%s in %s is really version %u.%u.%u: a renamed file. The number in the name is cuDNN's own; a program that "
            "asks for %s needs cuDNN %u, and nothing else will do",
            dll->name, place->path, dll->version[0], dll->version[1], dll->version[2], dll->name, named);
    }
}

/* ---- sets ---- */

/* How many of the parts are in a place; the others' names go to missing. */
static size_t count_parts(const cs_scene *scene, const cs_search_place *place, cs_buffer *missing) {
    size_t count = 0;
    for (size_t i = 0; i < scene->parts.count; i++) {
        bool there = dll_in(place, scene->parts.items[i]) != NULL;
        count += there;
        if (!there) put_name(missing, scene->parts.items[i]);
    }
    return count;
}

/* The set that programs load: cudnn64_8.dll loads its parts by their bare names, in the same order, at their first use. */
static void find_winner_parts(cs_scene *scene, const cs_search_place *winner) {
    for (size_t i = 0; i < scene->parts.count; i++) {
        const char *name = scene->parts.items[i];
        const cs_search_place *place = NULL;
        const cs_search_dll *dll = cs_search_order_first(&scene->order, name, &place);
        if (!dll)
            cs_scene_fault(
                scene,
                "%s is missing: %s in %s loads it at its first use and will fail with error 126. The whole set of %u DLLs "
                "is needed",
                name, shim, winner->path, (unsigned)scene->parts.count);
        else if (place != winner)
            cs_scene_fault(scene, "%s comes from %s, but %s from %s: the parts of two copies get mixed", name, place->path, shim,
                           winner->path);
    }
}

static void find_partial(cs_scene *scene, const cs_search_place *place) {
    cs_buffer missing = {0};
    size_t count = count_parts(scene, place, &missing);
    if (count && count < scene->parts.count)
        cs_scene_note(scene,
                      "%s holds %u of the %u DLLs of cuDNN 8: what is missing there (%s) comes from elsewhere, or not at all",
                      place->path, (unsigned)count, (unsigned)scene->parts.count, cs_buffer_string(&missing));
    cs_buffer_free(&missing);
}

static bool same_version(const cs_search_dll *a, const cs_search_dll *b) {
    return !a->has_version || !b->has_version || memcmp(a->version, b->version, sizeof a->version) == 0;
}

/* Parts of several versions in the one folder that wins. */
static void find_versions(cs_scene *scene, const cs_search_place *winner) {
    const cs_search_dll *first = dll_in(winner, shim);
    for (size_t i = 0; i < scene->parts.count; i++) {
        const cs_search_dll *dll = dll_in(winner, scene->parts.items[i]);
        if (!dll || same_version(first, dll)) continue;
        cs_scene_fault(
            scene,
            "%s in %s is version %u.%u.%u.%u, but %s beside it is %u.%u.%u.%u: parts of different versions give error 127 "
            "or CUDNN_STATUS_VERSION_MISMATCH (14)",
            dll->name, winner->path, dll->version[0], dll->version[1], dll->version[2], dll->version[3], shim, first->version[0],
            first->version[1], first->version[2], first->version[3]);
    }
}

/* ---- several copies ---- */

enum { NAMED_COPIES = 3 };

static void find_several(cs_scene *scene, const cs_search_place *winner) {
    cs_buffer others = {0};
    size_t count = 0;
    for (size_t i = 0; i < scene->order.count; i++) {
        const cs_search_place *place = &scene->order.items[i];
        if (place == winner || !dll_in(place, shim)) continue;
        if (count++ < NAMED_COPIES) put_name(&others, place->path);
    }
    if (count > NAMED_COPIES) cs_buffer_format(&others, " and %u more", (unsigned)(count - NAMED_COPIES));
    if (count)
        cs_scene_note(scene,
                      "%s comes first from %s, and is also in %s: a program with another search order may load another one", shim,
                      winner->path, cs_buffer_string(&others));
    cs_buffer_free(&others);
}

static void find_shadow(cs_scene *scene, const cs_search_place *place) {
    bool windows = place->kind == CS_SEARCH_SYSTEM || place->kind == CS_SEARCH_SYSTEM_16 || place->kind == CS_SEARCH_WINDOWS;
    if (!windows || !place->count) return;
    cs_scene_note(scene,
                  "%s lies in %s, which Windows searches before PATH: this copy hides every other one for most programs, now and "
                  "after each update. Delete it if you put it there",
                  place->dlls[0].name, place->path);
}

void cs_find_copies(cs_scene *scene) {
    const cs_search_place *winner = NULL;
    cs_search_order_first(&scene->order, shim, &winner);
    if (winner) {
        find_winner_parts(scene, winner);
        find_versions(scene, winner);
        find_several(scene, winner);
    }
    for (size_t i = 0; i < scene->order.count; i++) {
        const cs_search_place *place = &scene->order.items[i];
        find_shadow(scene, place);
        find_renamed(scene, place);
        find_later(scene, place);
        if (place != winner) find_partial(scene, place);
    }
}
