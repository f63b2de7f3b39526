// Clears large buffers: NVIDIA's clEnqueueFillBuffer is wrong beyond 2^31 words.

// Sets words to zero.
__kernel KERNEL void clear(__global uint *restrict words, uint end) {
    const size_t index = get_global_id(0);
    if (index < end) {
        words[index] = 0;
    }
}
