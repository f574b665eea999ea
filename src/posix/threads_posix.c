/* threads_posix.c: several threads at once, and the caller told of the time meanwhile. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <time.h>

#include "system_posix.h"

typedef struct crew {
    const cs_team *team;
    pthread_mutex_t lock;
    pthread_cond_t over;
    unsigned running;
} crew;

typedef struct member {
    crew *crew;
    unsigned index;
    pthread_t thread;
} member;

static void *run_member(void *arg) {
    member *m = arg;
    m->crew->team->work(m->crew->team->arg, m->index);
    pthread_mutex_lock(&m->crew->lock);
    if (--m->crew->running == 0) pthread_cond_signal(&m->crew->over);
    pthread_mutex_unlock(&m->crew->lock);
    return NULL;
}

static struct timespec after(long milliseconds) {
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_nsec += milliseconds * 1000000;
    when.tv_sec += when.tv_nsec / 1000000000;
    when.tv_nsec %= 1000000000;
    return when;
}

static void wait_for(crew *c) {
    pthread_mutex_lock(&c->lock);
    while (c->running) {
        struct timespec until = after(CS_TEAM_WAIT_MS);
        if (pthread_cond_timedwait(&c->over, &c->lock, &until) != ETIMEDOUT) continue;
        pthread_mutex_unlock(&c->lock);
        if (c->team->wait) c->team->wait(c->team->arg);
        pthread_mutex_lock(&c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

unsigned cs_posix_together(void *ctx, const cs_team *team) {
    (void)ctx;
    crew c = {.team = team, .lock = PTHREAD_MUTEX_INITIALIZER};
    member members[CS_TEAM_MAX];
    pthread_condattr_t clock;
    unsigned made = 0;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&c.over, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_lock(&c.lock);
    for (unsigned i = 0; i < team->count && i < CS_TEAM_MAX; i++) {
        members[made] = (member){.crew = &c, .index = i};
        if (pthread_create(&members[made].thread, NULL, run_member, &members[made]) == 0) made++;
    }
    c.running = made; /* none can have counted itself out yet */
    pthread_mutex_unlock(&c.lock);
    wait_for(&c);
    for (unsigned i = 0; i < made; i++) pthread_join(members[i].thread, NULL);
    pthread_cond_destroy(&c.over);
    pthread_mutex_destroy(&c.lock);
    return made;
}
