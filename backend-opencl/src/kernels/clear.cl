// Clears large buffers: NVIDIA's clEnqueueFillBuffer is wrong beyond 2^31 words.

// Sets words to zero.
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void clear(__global uint *restrict words, uint end) {
    const size_t index = get_global_id(0);
    if (index < end) {
        words[index] = 0;
    }
}
