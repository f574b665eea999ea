/* transaction_internal.h: one forward run of the engine. Private to transaction*.c. */
#ifndef CUDNN_SETUP_TRANSACTION_INTERNAL_H
#define CUDNN_SETUP_TRANSACTION_INTERNAL_H

#include "engine.h"

typedef struct cs_forward {
    cs_engine engine;
    const cs_tree *tree;
    const cs_record *record;
    bool journaled;  /* the journal got its name: only an undo ends this run now */
    cs_file **files; /* per move: held from its check until it has moved */
} cs_forward;

/* Step 4: everything is as the record says. Opens files[]. Changes nothing. */
cs_status cs_forward_check(cs_forward *run, cs_error *error);
/* Steps 7 to 9, in this order, each once. */
cs_status cs_forward_files(cs_forward *run, cs_error *error);
cs_status cs_forward_registry(cs_forward *run, cs_error *error);
cs_status cs_forward_durable(cs_forward *run, cs_error *error);

void cs_forward_close_files(cs_forward *run);
/* CS_E_CANCELLED if the user asked for it. */
cs_status cs_forward_cancelled(const cs_forward *run, cs_error *error);

#endif
