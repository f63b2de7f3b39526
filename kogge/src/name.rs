//! The names of backends and devices.

use std::str::FromStr;

/// The name of a backend.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum BackendName {
    /// The best one that works
    #[default]
    Auto,
    /// All cores of the CPU
    Cpu,
    /// A plain generator on one thread, to check the others against
    Mailbox,
    /// GPUs through OpenCL
    Opencl,
    /// GPUs through Vulkan, Metal or DX12
    Wgpu,
}

impl BackendName {
    /// All names, as [`BackendName::name`] gives them.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Cpu, Self::Mailbox, Self::Opencl, Self::Wgpu];

    /// Returns the name in lower case.
    ///
    /// ```
    /// use kogge::{BackendName, NamedDevice};
    /// assert_eq!(BackendName::Wgpu.name(), "wgpu");
    /// assert_eq!("wgpu:1".parse(), Ok(NamedDevice { backend: BackendName::Wgpu, number: Some(1) }));
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Cpu => "cpu",
            Self::Mailbox => "mailbox",
            Self::Opencl => "opencl",
            Self::Wgpu => "wgpu",
        }
    }
}

/// A backend, and the number of one of its devices if one is given: `opencl` or `opencl:1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct NamedDevice {
    /// The backend.
    pub backend: BackendName,
    /// The number of the device within the backend.
    pub number: Option<usize>,
}

impl FromStr for NamedDevice {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (name, number) = match text.split_once(':') {
            Some((name, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                (name, Some(number.parse().map_err(drop)?))
            }
            Some(_) => return Err(()),
            None => (text, None),
        };
        let backend = BackendName::ALL.into_iter().find(|backend| backend.name() == name).ok_or(())?;
        Ok(Self { backend, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_read() {
        for (text, backend, number) in [
            ("auto", BackendName::Auto, None),
            ("cpu", BackendName::Cpu, None),
            ("opencl:1", BackendName::Opencl, Some(1)),
            ("wgpu:12", BackendName::Wgpu, Some(12)),
        ] {
            assert_eq!(text.parse(), Ok(NamedDevice { backend, number }), "{text}");
        }
        for text in ["", "CPU", "cpu:", "cpu:+1", "cpu:-1", "cpu:x", "gpu", "opencl:99999999999999999999999"] {
            assert_eq!(text.parse::<NamedDevice>(), Err(()), "{text}");
        }
    }
}
