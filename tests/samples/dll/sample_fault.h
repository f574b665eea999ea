/* sample_fault.h: what a DLL built with a fault does at the point SAMPLE_FAULT. */
#ifndef SAMPLE_FAULT_H
#define SAMPLE_FAULT_H

#include <windows.h>

static inline void sample_hang(void) { Sleep(INFINITE); }

/* An access violation, 0xC0000005. */
static inline void sample_crash(void) {
    volatile int *volatile nowhere = NULL;
    *nowhere = 1;
}

static inline void sample_work(void) {
    (void)sample_hang;
    (void)sample_crash;
}

#ifndef SAMPLE_FAULT
#define SAMPLE_FAULT sample_work
#endif

#endif
