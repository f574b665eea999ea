/* skip.h: leaves a test that cannot run here, and says why; the runner shows the reason. */
#ifndef CUDNN_SETUP_TESTS_SKIP_H
#define CUDNN_SETUP_TESTS_SKIP_H

/* Needs <cmocka.h>. `reason` is a string literal: "Wine shows links to folders only". Does not return. */
#define SKIP(reason)                                                                                                             \
    do {                                                                                                                         \
        print_message("SKIP: " reason "\n");                                                                                     \
        skip();                                                                                                                  \
    } while (0)

#endif
