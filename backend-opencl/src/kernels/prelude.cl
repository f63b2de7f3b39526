// What the printed kernels need and OpenCL C lacks.

#define INLINE static inline __attribute__((always_inline))

// The result of `compare_exchange`.
typedef struct {
    uint old_value;
    bool exchanged;
} Exchange;

// Exchanges a word if it has the expected value.
INLINE Exchange compare_exchange(volatile __global uint *word, uint expected, uint value) {
    const uint old_value = atomic_cmpxchg(word, expected, value);
    return (Exchange){old_value, old_value == expected};
}

// Reads a word that other work-groups may write.
INLINE uint load_atomic(volatile __global uint *word) {
    return *word;
}

// Returns the bits of a word in reverse order.
INLINE uint reverse_bits(uint word) {
#ifdef NVIDIA
    // One instruction, which the compiler does not find. On an H100, counts take 48 to 61 % longer without it.
    uint reversed;
    __asm__("brev.b32 %0, %1;" : "=r"(reversed) : "r"(word));
    return reversed;
#else
    word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;
    word = (word >> 2 & 0x33333333u) | (word & 0x33333333u) << 2;
    word = (word >> 4 & 0x0f0f0f0fu) | (word & 0x0f0f0f0fu) << 4;
    return (rotate(word, 8u) & 0x00ff00ffu) | (rotate(word, 24u) & 0xff00ff00u);
#endif
}
