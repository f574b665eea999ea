/* threads_win32.c: several threads at once, and the caller told of the time meanwhile. */
#include "win32.h"

typedef struct member {
    const cs_team *team;
    unsigned index;
} member;

static DWORD WINAPI run_member(void *arg) {
    const member *m = arg;
    m->team->work(m->team->arg, m->index);
    return 0;
}

unsigned cs_win32_together(void *ctx, const cs_team *team) {
    (void)ctx;
    member members[CS_TEAM_MAX];
    HANDLE threads[CS_TEAM_MAX];
    DWORD made = 0;
    for (unsigned i = 0; i < team->count && i < CS_TEAM_MAX; i++) {
        members[i] = (member){.team = team, .index = i};
        threads[made] = CreateThread(NULL, 0, run_member, &members[i], 0, NULL);
        made += threads[made] != NULL;
    }
    while (made && WaitForMultipleObjects(made, threads, TRUE, CS_TEAM_WAIT_MS) == WAIT_TIMEOUT)
        if (team->wait) team->wait(team->arg);
    for (DWORD i = 0; i < made; i++) {
        WaitForSingleObject(threads[i], INFINITE); /* members[] must outlive them, also where the wait above failed */
        CloseHandle(threads[i]);
    }
    return made;
}
