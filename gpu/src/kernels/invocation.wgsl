/// The position of a work-item in the launch: its number in its work-group, the work-group, and the number of
/// work-groups.
struct Invocation {
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
    @builtin(num_workgroups) workgroups: vec3<u32>,
}

/// Returns the work-group's number. A launch may have more work-groups than necessary.
fn group_index(id: Invocation) -> u32 {
    return id.workgroup.y * id.workgroups.x + id.workgroup.x;
}
