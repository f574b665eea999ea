/* operations.h: the verbs. Each takes the parsed options, does the whole job through the host, and fills the outcome; the
 * returned status equals outcome->status. None prints, exits or opens the log: events tell what happens. */
#ifndef CUDNN_SETUP_OPERATIONS_H
#define CUDNN_SETUP_OPERATIONS_H

#include "cudnn_setup/host.h"
#include "cudnn_setup/options.h"
#include "cudnn_setup/outcome.h"

cs_status cs_install(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_uninstall(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_rollback(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_repair(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_recover(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_forget(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_verify(const cs_host *host, const cs_options *options, cs_outcome *outcome);
/* report receives the text for people. */
cs_status cs_show_status(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);
cs_status cs_seal(const cs_host *host, const cs_options *options, cs_outcome *outcome);
cs_status cs_detect(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);
cs_status cs_show_search_order(const cs_host *host, const cs_options *options, cs_buffer *report, cs_outcome *outcome);

/* Which verb does what: NULL where a verb has no operation here. */
typedef cs_status (*cs_operation)(const cs_host *host, const cs_options *options, cs_outcome *outcome);

#endif
