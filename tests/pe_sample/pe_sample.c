/* A small real DLL for the reader of PE files: two exports, one import of its own, and pe_sample.rc's version resource. */
#include <windows.h>

__declspec(dllexport) unsigned long pe_sample_one(void);
__declspec(dllexport) int pe_sample_two(int value);

unsigned long pe_sample_one(void) { return GetCurrentProcessId(); }

int pe_sample_two(int value) { return value + 2; }
