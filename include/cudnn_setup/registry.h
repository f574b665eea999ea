/* registry.h: the seam to the registry (64-bit view always). Values are raw: type and bytes, never expanded or converted. */
#ifndef CUDNN_SETUP_REGISTRY_H
#define CUDNN_SETUP_REGISTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cudnn_setup/buffer.h"

typedef enum cs_hive { CS_HKLM, CS_HKCU } cs_hive;

enum {
    CS_REG_NONE = 0,
    CS_REG_SZ = 1,
    CS_REG_EXPAND_SZ = 2,
    CS_REG_BINARY = 3,
    CS_REG_DWORD = 4,
    CS_REG_MULTI_SZ = 7,
    CS_REG_QWORD = 11
};

/* One value. Starts as {0}, which is "absent". bytes are as stored: UTF-16LE for strings, terminator and odd sizes included. */
typedef struct cs_reg_value {
    bool present;
    uint32_t type;
    uint8_t *bytes; /* owned; NULL when size is 0 */
    size_t size;
} cs_reg_value;

void cs_reg_value_free(cs_reg_value *value);
cs_status cs_reg_value_copy(cs_reg_value *out, const cs_reg_value *from, cs_error *error); /* out starts empty */
bool cs_reg_value_equal(const cs_reg_value *a, const cs_reg_value *b);                     /* presence, type and bytes */
/* A string value (REG_SZ or REG_EXPAND_SZ) from UTF-8, with one terminator. */
cs_status cs_reg_value_from_text(cs_reg_value *out, uint32_t type, const char *text, cs_error *error);
/* UTF-8 of a string value up to its first NUL; CS_E_FORMAT if it is not a string type. Replaces out. */
cs_status cs_reg_value_to_text(const cs_reg_value *value, cs_buffer *out, cs_error *error);

typedef cs_status (*cs_reg_entry)(void *ctx, const char *name);

typedef struct cs_registry {
    void *ctx;
    /* key: "SYSTEM\\CurrentControlSet\\..." in UTF-8 with '\\'. An absent key or value: CS_OK with out->present false. A read
     * that is short or fails is an error, never an empty value. */
    cs_status (*read)(void *ctx, cs_hive hive, const char *key, const char *name, cs_reg_value *out, cs_error *error);
    /* Sets the value (creating the key), or deletes it when value->present is false (absent already: CS_OK). */
    cs_status (*write)(void *ctx, cs_hive hive, const char *key, const char *name, const cs_reg_value *value, cs_error *error);
    /* The exact spelling under which the value is stored ("Path" or "PATH"); CS_E_NOT_FOUND. Replaces out. */
    cs_status (*value_name)(void *ctx, cs_hive hive, const char *key, const char *name, cs_buffer *out, cs_error *error);
    cs_status (*list_values)(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error);
    cs_status (*list_keys)(void *ctx, cs_hive hive, const char *key, cs_reg_entry entry, void *entry_ctx, cs_error *error);
    /* Deletes the key only if it has no values and no subkeys; CS_E_NOT_EMPTY otherwise, absent is CS_OK. */
    cs_status (*remove_empty_key)(void *ctx, cs_hive hive, const char *key, cs_error *error);
    /* RegFlushKey on the hive file that holds key: everything written to it so far is durable on CS_OK. */
    cs_status (*flush)(void *ctx, cs_hive hive, const char *key, cs_error *error);
} cs_registry;

#define CS_KEY_ENVIRONMENT      "SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment"
#define CS_KEY_USER_ENVIRONMENT "Environment"
#define CS_KEY_CUDA             "SOFTWARE\\NVIDIA Corporation\\GPU Computing Toolkit\\CUDA"
#define CS_KEY_SERVICES         "SYSTEM\\CurrentControlSet\\Services"
#define CS_KEY_UNINSTALL        "SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall"

#endif
