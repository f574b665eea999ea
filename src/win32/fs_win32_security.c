/* fs_win32_security.c: owner and access list as data, and giving a moved file its new neighbours' rights. */
#include "win32.h"

#include <aclapi.h>
#include <string.h>

static const DWORD share_all = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;

/* All kinds of access entries begin alike; in object entries the SID lies behind up to two GUIDs. */
static PSID ace_sid(ACE_HEADER *header, uint32_t *mask, bool *allow) {
    ACCESS_ALLOWED_ACE *plain = (void *)header;
    ACCESS_ALLOWED_OBJECT_ACE *object = (void *)header;
    *mask = plain->Mask;
    switch (header->AceType) {
    case ACCESS_ALLOWED_ACE_TYPE:
    case ACCESS_ALLOWED_CALLBACK_ACE_TYPE:
        *allow = true;
        return &plain->SidStart;
    case ACCESS_DENIED_ACE_TYPE:
    case ACCESS_DENIED_CALLBACK_ACE_TYPE:
        *allow = false;
        return &plain->SidStart;
    case ACCESS_ALLOWED_OBJECT_ACE_TYPE:
    case ACCESS_ALLOWED_CALLBACK_OBJECT_ACE_TYPE:
        *allow = true;
        break;
    case ACCESS_DENIED_OBJECT_ACE_TYPE:
    case ACCESS_DENIED_CALLBACK_OBJECT_ACE_TYPE:
        *allow = false;
        break;
    default:
        return NULL;
    }
    size_t guids =
        (object->Flags & ACE_OBJECT_TYPE_PRESENT ? 1u : 0u) + (object->Flags & ACE_INHERITED_OBJECT_TYPE_PRESENT ? 1u : 0u);
    return (char *)&object->ObjectType + guids * sizeof(GUID);
}

static cs_status copy_acl(PACL acl, cs_security *out, cs_error *error) {
    out->aces = cs_alloc(acl->AceCount ? acl->AceCount : 1, sizeof *out->aces);
    if (!out->aces) return cs_fail(error, CS_E_NO_MEMORY, "security", NULL, NULL);
    for (DWORD i = 0; i < acl->AceCount; i++) {
        void *entry;
        cs_ace *ace = &out->aces[out->count];
        if (!GetAce(acl, i, &entry)) return cs_fail_last(error, "security", NULL);
        PSID sid = ace_sid(entry, &ace->mask, &ace->allow);
        if (!sid) return cs_fail(error, CS_E_UNSUPPORTED, "security", NULL, "an access entry of an unknown kind");
        ace->flags = (uint8_t)(((ACE_HEADER *)entry)->AceFlags & 31);
        cs_status status = cs_sid_text(sid, ace->sid, error);
        if (status != CS_OK) return status;
        out->count++;
    }
    return CS_OK;
}

static cs_status copy_descriptor(PSECURITY_DESCRIPTOR descriptor, cs_security *out, cs_error *error) {
    PSID owner = NULL;
    PACL acl = NULL;
    BOOL defaulted, present = FALSE;
    if (!GetSecurityDescriptorOwner(descriptor, &owner, &defaulted) ||
        !GetSecurityDescriptorDacl(descriptor, &present, &acl, &defaulted))
        return cs_fail_last(error, "security", NULL);
    cs_status status = owner ? cs_sid_text(owner, out->owner, error) : CS_OK;
    out->null_dacl = !present || !acl;
    if (status == CS_OK && !out->null_dacl) status = copy_acl(acl, out, error);
    if (status == CS_OK && cs_wine_version()) cs_own_sid(out->self);
    return status;
}

static cs_status read_descriptor(HANDLE handle, const char *path, cs_security *out, cs_error *error) {
    static const SECURITY_INFORMATION what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
    DWORD size = 0;
    GetKernelObjectSecurity(handle, what, NULL, 0, &size);
    if (!size) return cs_fail_last(error, "security", path);
    PSECURITY_DESCRIPTOR descriptor = cs_alloc(size, 1);
    if (!descriptor) return cs_fail(error, CS_E_NO_MEMORY, "security", path, NULL);
    cs_status status = GetKernelObjectSecurity(handle, what, descriptor, size, &size) ? copy_descriptor(descriptor, out, error)
                                                                                      : cs_fail_last(error, "security", path);
    cs_free(descriptor);
    return status;
}

/* Of a link itself, not of what it leads to. */
cs_status cs_win32_security(void *ctx, const char *path, cs_security *out, cs_error *error) {
    (void)ctx;
    *out = (cs_security){0};
    cs_error local;
    if (!error) error = &local;
    wchar_t *wide = cs_wide_path(path, "security", error);
    if (!wide) return error->status;
    HANDLE handle = CreateFileW(wide, READ_CONTROL, share_all, NULL, OPEN_EXISTING,
                                FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT, NULL);
    cs_status status =
        handle == INVALID_HANDLE_VALUE ? cs_fail_last(error, "security", path) : read_descriptor(handle, path, out, error);
    if (handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
    cs_free(wide);
    if (status != CS_OK) cs_security_free(out);
    return status;
}

/* An empty list that is not protected takes exactly what the parent hands down. Source: Microsoft, "Automatic Propagation of
 * Inheritable ACEs". The right to change the list is asked for here alone: a file that is only moved does not need it. */
cs_status cs_win32_inherit_security(void *ctx, cs_file *file, cs_error *error) {
    (void)ctx;
    ACL empty;
    HANDLE handle = ReOpenFile(file->handle, READ_CONTROL | WRITE_DAC, share_all, FILE_FLAG_OPEN_REPARSE_POINT);
    if (handle == INVALID_HANDLE_VALUE) return cs_fail_last(error, "inherit security", file->path);
    DWORD code = ERROR_SUCCESS;
    if (!InitializeAcl(&empty, sizeof empty, ACL_REVISION))
        code = GetLastError();
    else
        code = SetSecurityInfo(handle, SE_FILE_OBJECT, DACL_SECURITY_INFORMATION | UNPROTECTED_DACL_SECURITY_INFORMATION, NULL,
                               NULL, &empty, NULL);
    CloseHandle(handle);
    return code == ERROR_SUCCESS ? CS_OK : cs_fail_win32(error, code, "inherit security", file->path);
}
