#include "cudnn_setup/progress.h"

enum { TICKS_BETWEEN_EVENTS = 100, TICKS_OF_MEMORY = 2000 };

/* Weighs what came since the last event by its share of the last two seconds, so that one slow file does not make the time left
 * jump. */
static void learn_rate(cs_meter *meter, uint64_t now, uint64_t done) {
    uint64_t ticks = now - meter->last_tick;
    if (!ticks || done < meter->last_done) return;
    uint64_t fresh = (done - meter->last_done) * 1000 / ticks;
    uint64_t weight = !meter->rate || ticks > TICKS_OF_MEMORY ? TICKS_OF_MEMORY : ticks;
    meter->rate = (fresh * weight + meter->rate * (TICKS_OF_MEMORY - weight)) / TICKS_OF_MEMORY;
    meter->last_tick = now;
    meter->last_done = done;
}

static uint64_t time_left(const cs_meter *meter, uint64_t done) {
    uint64_t left = meter->total > done ? meter->total - done : 0;
    if (!left) return 0;
    if (!meter->rate || left > UINT64_MAX / 1000) return CS_TIME_UNKNOWN;
    return left * 1000 / meter->rate;
}

void cs_meter_tell(cs_meter *meter, uint64_t done) {
    const cs_system *system = meter->host->system;
    if (system) {
        uint64_t now = system->ticks(system->ctx);
        if (meter->started && done != meter->total && now < meter->next_tick) return;
        if (meter->started)
            learn_rate(meter, now, done);
        else
            meter->last_tick = now, meter->last_done = done;
        meter->started = true;
        meter->next_tick = now + TICKS_BETWEEN_EVENTS;
    }
    const cs_progress progress = {.step = meter->step,
                                  .file = meter->file,
                                  .counts_files = meter->counts_files,
                                  .done = done,
                                  .total = meter->total,
                                  .rate = meter->rate,
                                  .left_ms = time_left(meter, done)};
    cs_emit_progress(meter->host->events, &progress);
}

cs_status cs_meter_step(cs_meter *meter, uint64_t done) {
    if (cs_cancelled(meter->host->events)) return CS_E_CANCELLED;
    cs_meter_tell(meter, done);
    return CS_OK;
}
