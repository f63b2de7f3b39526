//! What macOS says about the machine.

use std::ffi::CStr;
use std::ptr::null_mut;

/// Returns the value that macOS keeps under a name, if any. A text ends with a zero; a number has the byte order of the machine.
#[doc(hidden)]
pub fn sysctl(name: &CStr) -> Option<Vec<u8>> {
    let mut size = 0;
    // SAFETY: `name` ends with a zero. Without a buffer, the function writes only the size of the value.
    let is_known = unsafe { libc::sysctlbyname(name.as_ptr(), null_mut(), &mut size, null_mut(), 0) } == 0;
    let mut value = vec![0; if is_known { size } else { return None }];
    // SAFETY: `name` ends with a zero, and `value` has `size` bytes, which can be written. The function replaces `size` by the number
    // of bytes that it has written.
    let is_read =
        unsafe { libc::sysctlbyname(name.as_ptr(), value.as_mut_ptr().cast(), &mut size, null_mut(), 0) } == 0;
    value.truncate(size);
    is_read.then_some(value)
}
