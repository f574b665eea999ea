/* fake_cudnn.h: what the fake cuDNN's files share: every descriptor and handle is one kind of object. */
#ifndef CUDNN_SETUP_TESTS_FAKE_CUDNN_H
#define CUDNN_SETUP_TESTS_FAKE_CUDNN_H

#include "fake_cuda.h"

typedef struct fake_object {
    int type, mode, groups;
    int size[4];
    int pad[2], stride[2], dilation[2];
} fake_object;

int fake_create(void **object);
int fake_destroy(void *object);
size_t fake_count(const fake_object *object);

#endif
