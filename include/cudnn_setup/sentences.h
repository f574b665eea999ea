/* sentences.h: what the core says in English - failures, warnings, what a run ends with - in Simplified Chinese.
 *
 * The English sentence is the one that the log, /json and quiet mode hold; a window or report in Chinese looks it up here,
 * wherever it was made: in this process or in the worker. The catalogue has each printf format as it stands in the source with
 * its Chinese beside it. A sentence is matched against the formats, its fields are read back from it and put into the Chinese.
 * What is composed of several (an error of a call, a sentence that continues another) is taken apart as the core composes it, and
 * each part is looked up. What is not known in all its parts stays English as a whole.
 *
 * The text may come through a pipe or from a file name: it is matched in bounded time, and nothing in it is ever a format. */
#ifndef CUDNN_SETUP_SENTENCES_H
#define CUDNN_SETUP_SENTENCES_H

#include "cudnn_setup/buffer.h"
#include "cudnn_setup/verdict.h"

/* Appends the sentence in that language: in Chinese where it is known, else as it is. text: UTF-8. */
void cs_say_sentence(cs_buffer *out, const char *text, cs_language language);
/* Appends the Chinese; false, and nothing appended, where the sentence is not known as a whole. */
bool cs_sentence_chinese(cs_buffer *out, const char *text);

/* One row of the catalogue. In the Chinese {1} is the format's first field as it is; {1*} is a sentence or word of its own, or
 * nothing, and is looked up; {1,} and {1;} are lists of such, {1/} is lines of such; {1#} is a path, {1!} the name of a variable
 * or program; {1?} is names as they are, of which " and 5 more" is looked up, or a word in place of them. */
typedef struct cs_sentence {
    const char *english; /* printf format */
    const char *chinese;
} cs_sentence;

/* Of the catalogue, for its tests; NULL past the end. */
const cs_sentence *cs_sentence_at(size_t index);

#endif
