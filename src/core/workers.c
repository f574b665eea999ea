#include "cudnn_setup/workers.h"

unsigned cs_workers_for(const cs_system *system, size_t jobs) {
    if (!system || !system->together || jobs < 2) return 1;
    unsigned count = system->processors(system->ctx) + 1;
    if (count > CS_TEAM_MAX) count = CS_TEAM_MAX;
    return count < jobs ? count : (unsigned)jobs;
}

void cs_workers_run(const cs_system *system, const cs_team *team, void (*alone)(void *arg)) {
    if (team->count > 1 && system->together(system->ctx, team) > 0) return;
    alone(team->arg);
    team->work(team->arg, 0);
}
