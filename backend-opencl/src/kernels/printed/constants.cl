// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

#define WEIGHTED_SUMS_GROUPS 1024u
#define REACHED_ONCE 0xffffffffu
#define MOST_MOVES 512u
