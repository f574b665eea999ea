/* path_maker.h: PATH values made at random, for the properties of pathlist: the same ones on every machine for the same seed. */
#ifndef PATH_MAKER_H
#define PATH_MAKER_H

#include "cudnn_setup/pathlist.h"

#define OURS  "C:\\Program Files\\CUDA\\v10.1\\bin"
#define OTHER "D:\\CUDA\\v10.1\\bin"
#define THIRD "E:\\sdk\\v10.1\\bin"

/* OURS can be named through %ProgramFiles%, %CUDA_PATH% and its 8.3 name too; the others by their text alone. */
extern const cs_pathlist_folder path_maker_ours, path_maker_other, path_maker_third;

/* How many cases a property has to judge: CUDNN_SETUP_PROPERTY_CASES, or 20,000. */
unsigned long path_maker_wanted(void);
/* How many were judged so far, by all properties of this program. */
extern unsigned long path_maker_cases;
/* Prints the closing line that tests/run_properties.sh adds up. */
void path_maker_report(void);

void path_maker_seed(uint64_t seed);
size_t path_maker_below(size_t bound);

/* Foreign entries, then spellings of OURS. */
extern const char *const path_maker_entries[];
enum { PATH_MAKER_FOREIGN = 12, PATH_MAKER_ENTRIES = 20 };

cs_reg_value path_maker_value(uint32_t type, const cs_buffer *text, size_t terminators);
uint32_t path_maker_type(void); /* REG_SZ or, more often, REG_EXPAND_SZ */
/* Up to `most` entries, of the first `kinds` above; no, one or two terminators. */
cs_reg_value path_maker_list(size_t most, size_t kinds);
/* Pieces that break every rule: quotes without partners, lone surrogates, a lone '%', empty entries. */
cs_reg_value path_maker_wild(void);
/* Any of these, or an absent value. */
cs_reg_value path_maker_any(void);
cs_pathlist_place path_maker_place(void);

/* Fails the running test with the case's number and the value's bytes. */
void path_maker_fail(unsigned long number, const char *what, const cs_reg_value *value);
#define path_maker_check(number, value, condition) ((condition) ? (void)0 : path_maker_fail(number, #condition, value))

#endif
