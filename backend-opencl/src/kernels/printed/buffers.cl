// Printed by `cargo xtask kernels` from the WGSL of kogge-gpu. Change the WGSL, not this file.

// Returns the work-group's number. There may be more work-groups than are needed.
INLINE uint group_index(uint3 workgroup, uint3 workgroups) {
    return workgroup.y * workgroups.x + workgroup.x;
}
