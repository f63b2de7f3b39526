//! A program with the programs that it starts, which end together.

use std::process::{Child, Command};

/// The programs of a group, of which the first one is known.
#[cfg(unix)]
pub(super) struct Group(libc::pid_t);

#[cfg(unix)]
impl Group {
    /// Lets `command` start a group. The terminal's Ctrl-C does not reach it, only kogge.
    pub(super) fn prepare(command: &mut Command) {
        std::os::unix::process::CommandExt::process_group(command, 0);
    }

    /// Returns the group of a program whose command was prepared.
    pub(super) fn of(program: &Child) -> Option<Self> {
        program.id().try_into().ok().map(Self)
    }

    pub(super) fn end(&self) {
        // SAFETY: `killpg` takes any number. The group began with the program, and its number is not used again while one of
        // its processes is left.
        unsafe { libc::killpg(self.0, libc::SIGKILL) };
    }
}

/// A job, which Windows ends when its last handle closes: also when kogge itself is killed.
#[cfg(windows)]
pub(super) struct Group(std::os::windows::io::OwnedHandle);

#[cfg(windows)]
impl Group {
    /// Lets `command` start a group. The console's Ctrl-C does not reach it, only kogge.
    pub(super) fn prepare(command: &mut Command) {
        use windows_sys::Win32::System::Threading::CREATE_NEW_PROCESS_GROUP;
        std::os::windows::process::CommandExt::creation_flags(command, CREATE_NEW_PROCESS_GROUP);
    }

    /// Makes a job of a program. What the program has started before this call does not belong to it.
    pub(super) fn of(program: &Child) -> Option<Self> {
        use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
        use std::ptr::null;
        use windows_sys::Win32::System::JobObjects::{
            AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
            JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation, SetInformationJobObject,
        };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        let size = size_of_val(&limits) as u32;
        // SAFETY: a job needs neither attributes nor a name. A handle that is not null belongs to nobody else. `limits` is the
        // structure of its class and has this size, and the program's handle is open as long as `program` exists.
        unsafe {
            let job = CreateJobObjectW(null(), null());
            if job.is_null() {
                return None;
            }
            let owned = OwnedHandle::from_raw_handle(job);
            let is_set =
                SetInformationJobObject(job, JobObjectExtendedLimitInformation, (&raw const limits).cast(), size) != 0
                    && AssignProcessToJobObject(job, program.as_raw_handle()) != 0;
            is_set.then_some(Self(owned))
        }
    }

    pub(super) fn end(&self) {
        use std::os::windows::io::AsRawHandle;
        // SAFETY: the handle of the job is open as long as `self` exists.
        unsafe { windows_sys::Win32::System::JobObjects::TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

/// Nothing, where programs have no groups.
#[cfg(not(any(unix, windows)))]
pub(super) struct Group;

#[cfg(not(any(unix, windows)))]
impl Group {
    pub(super) fn prepare(_: &mut Command) {}

    pub(super) fn of(_: &Child) -> Option<Self> {
        None
    }

    pub(super) fn end(&self) {}
}
