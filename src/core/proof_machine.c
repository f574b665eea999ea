/* proof_machine.c: whether this machine can use the package, told before anything is changed. */
#include "cudnn_setup/machine.h"
#include "cudnn_setup/programs.h"
#include "cudnn_setup/proof.h"

static void tell(cs_run *run, const char *id, cs_fit fit, const cs_buffer sentence[CS_LANGUAGE_COUNT]) {
    if (fit == CS_FIT_UNKNOWN) return;
    cs_emit(run->host->events, fit == CS_FIT_BAD ? CS_EVENT_WARNING : CS_EVENT_NOTE, id, "%s",
            cs_buffer_string(&sentence[CS_ENGLISH]));
}

void cs_proof_tell_driver(cs_run *run, const cs_manifest *manifest) {
    cs_machine machine = {0};
    cs_machine_read_driver(run->host, manifest, &machine);
    tell(run, "machine.driver", machine.driver_fit, machine.driver_sentence);
    cs_machine_free(&machine);
}

void cs_proof_tell_gpus(cs_run *run, const cs_manifest *manifest) {
    cs_machine machine = {0};
    cs_buffer probe = {0};
    if (run->options->selftest != CS_SELFTEST_SKIP && run->host->registry &&
        cs_programs_path(&run->session, CS_PROGRAM_NAME_PROBE, &probe, NULL) == CS_OK &&
        cs_machine_ask(run->host, cs_buffer_string(&probe), run->options->selftest_as_current, manifest, &machine))
        tell(run, "machine.gpu", machine.gpu_fit, machine.gpu_sentence);
    cs_buffer_free(&probe);
    cs_machine_free(&machine);
}
