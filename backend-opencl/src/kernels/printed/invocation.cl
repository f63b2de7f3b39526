// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// The place of a work-item: its number in its work-group, the work-group, and the number of work-groups.
typedef struct {
    uint lane;
    uint3 workgroup;
    uint3 workgroups;
} Invocation;

// Returns the work-group's number. A launch may have more work-groups than are needed.
INLINE uint group_index(Invocation id) {
    return id.workgroup.y * id.workgroups.x + id.workgroup.x;
}
