/* signature_win32.c: what an embedded Authenticode signature is worth. No network, no windows. */
#include "win32.h"

#include <wintrust.h>
#include <softpub.h>

#include "cudnn_setup/host.h"
#include "cudnn_setup/pe.h"

typedef LONG(WINAPI *verify_fn)(HWND, GUID *, LPVOID);
typedef CRYPT_PROVIDER_DATA *(WINAPI *data_fn)(HANDLE);
typedef CRYPT_PROVIDER_SGNR *(WINAPI *signer_fn)(CRYPT_PROVIDER_DATA *, DWORD, BOOL, DWORD);
typedef CRYPT_PROVIDER_CERT *(WINAPI *cert_fn)(CRYPT_PROVIDER_SGNR *, DWORD);
typedef DWORD(WINAPI *name_fn)(PCCERT_CONTEXT, DWORD, DWORD, void *, LPWSTR, DWORD);

/* The organisation in the signer's certificate is NVIDIA's. state: of a verification that is not closed yet. */
static bool signer_is_nvidia(HANDLE state) {
    data_fn data_of = (data_fn)cs_late(L"wintrust.dll", "WTHelperProvDataFromStateData");
    signer_fn signer_of = (signer_fn)cs_late(L"wintrust.dll", "WTHelperGetProvSignerFromChain");
    cert_fn cert_of = (cert_fn)cs_late(L"wintrust.dll", "WTHelperGetProvCertFromChain");
    name_fn name_of = (name_fn)cs_late(L"crypt32.dll", "CertGetNameStringW");
    if (!data_of || !signer_of || !cert_of || !name_of) return false;
    CRYPT_PROVIDER_DATA *data = data_of(state);
    CRYPT_PROVIDER_SGNR *signer = data ? signer_of(data, 0, FALSE, 0) : NULL;
    CRYPT_PROVIDER_CERT *cert = signer ? cert_of(signer, 0) : NULL;
    if (!cert || !cert->pCert) return false;
    char organization[] = szOID_ORGANIZATION_NAME;
    wchar_t name[128] = L"";
    name_of(cert->pCert, CERT_NAME_ATTR_TYPE, 0, organization, name, sizeof name / sizeof *name);
    return wcscmp(name, L"NVIDIA Corporation") == 0;
}

/* The bytes are as they were signed; the system only does not vouch for who signed them. */
static bool is_doubt_about_signer(LONG code) {
    switch ((DWORD)code) {
    case (DWORD)CERT_E_UNTRUSTEDROOT:
    case (DWORD)CERT_E_CHAINING:
    case (DWORD)CERT_E_EXPIRED:
    case (DWORD)CERT_E_REVOKED:
    case (DWORD)CERT_E_WRONG_USAGE:
    case (DWORD)CERT_E_UNTRUSTEDCA:
    case (DWORD)TRUST_E_EXPLICIT_DISTRUST:
    case (DWORD)TRUST_E_SUBJECT_NOT_TRUSTED:
    case (DWORD)CRYPT_E_SECURITY_SETTINGS:
        return true;
    default:
        return false;
    }
}

static bool is_unsigned(LONG code) {
    return code == (LONG)TRUST_E_NOSIGNATURE || code == (LONG)TRUST_E_SUBJECT_FORM_UNKNOWN ||
           code == (LONG)TRUST_E_PROVIDER_UNKNOWN;
}

static cs_signature verify(verify_fn check, const wchar_t *path, bool has_table) {
    GUID action = WINTRUST_ACTION_GENERIC_VERIFY_V2;
    WINTRUST_FILE_INFO file = {.cbStruct = sizeof file, .pcwszFilePath = path};
    WINTRUST_DATA data = {.cbStruct = sizeof data,
                          .dwUIChoice = WTD_UI_NONE,
                          .fdwRevocationChecks = WTD_REVOKE_NONE,
                          .dwUnionChoice = WTD_CHOICE_FILE,
                          .pFile = &file,
                          .dwStateAction = WTD_STATEACTION_VERIFY,
                          .dwProvFlags = WTD_CACHE_ONLY_URL_RETRIEVAL | WTD_REVOCATION_CHECK_NONE};
    LONG code = check(INVALID_HANDLE_VALUE, &action, &data);
    cs_signature out = CS_SIGNATURE_BROKEN;
    if (code == ERROR_SUCCESS)
        out = signer_is_nvidia(data.hWVTStateData) ? CS_SIGNATURE_NVIDIA : CS_SIGNATURE_OTHER;
    else if (is_doubt_about_signer(code))
        out = CS_SIGNATURE_OTHER;
    else if (is_unsigned(code) && !has_table) /* a table that yields no signature is a damaged one */
        out = CS_SIGNATURE_NONE;
    data.dwStateAction = WTD_STATEACTION_CLOSE;
    check(INVALID_HANDLE_VALUE, &action, &data);
    return out;
}

cs_status cs_win32_signature(void *ctx, const char *path, cs_signature *out, cs_error *error) {
    (void)ctx;
    *out = CS_SIGNATURE_NONE;
    cs_error local;
    if (!error) error = &local;
    cs_pe pe = {0};
    cs_status status = cs_pe_read(cs_fs_real(), path, CS_PE_HEADER, &pe, error);
    bool has_table = pe.signed_;
    cs_pe_free(&pe);
    if (status != CS_OK) return status;
    verify_fn check = (verify_fn)cs_late(L"wintrust.dll", "WinVerifyTrust");
    if (!check) return cs_fail(error, CS_E_UNSUPPORTED, "signature", path, "wintrust.dll cannot be loaded");
    wchar_t *wide = cs_wide_path(path, "signature", error);
    if (!wide) return error->status;
    *out = verify(check, wide, has_table);
    cs_free(wide);
    return CS_OK;
}
