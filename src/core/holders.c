#include "cudnn_setup/system.h"

void cs_holders_free(cs_holders *holders) {
    for (size_t i = 0; i < holders->count; i++) {
        cs_free(holders->items[i].name);
        cs_free(holders->items[i].module);
    }
    cs_free(holders->items);
    *holders = (cs_holders){0};
}

cs_status cs_holders_add(cs_holders *holders, uint32_t pid, const char *name, const char *module, cs_error *error) {
    char *name_copy = cs_strdup(name), *module_copy = cs_strdup(module);
    cs_holder *items = name_copy && module_copy ? cs_realloc(holders->items, holders->count + 1, sizeof *items) : NULL;
    if (!items) {
        cs_free(name_copy);
        cs_free(module_copy);
        return cs_fail(error, CS_E_NO_MEMORY, "holders", NULL, NULL);
    }
    holders->items = items;
    holders->items[holders->count++] = (cs_holder){.pid = pid, .name = name_copy, .module = module_copy};
    return CS_OK;
}
