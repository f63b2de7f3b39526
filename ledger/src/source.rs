//! The sources of answers.

use std::fmt;

use kogge_board::DeviceInfo;

/// The source of an answer. A second answer from the same source proves nothing.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Source {
    /// The backend's name, as given to `--backend`.
    pub backend: String,
    /// The device's name.
    pub device: String,
    /// The variant of the backend's code.
    pub variant: String,
    /// The version of kogge.
    pub kogge: String,
    /// The way in which the plies above ranges were made; empty in ledgers of positions.
    pub plan: String,
}

impl From<&DeviceInfo> for Source {
    fn from(info: &DeviceInfo) -> Self {
        Self {
            backend: info.backend.to_owned(),
            device: info.name.clone(),
            variant: info.variant.clone(),
            kogge: env!("CARGO_PKG_VERSION").to_owned(),
            plan: String::new(),
        }
    }
}

impl Source {
    /// The implementation: sources are independent if their implementations differ. The variants of a backend are compiled from
    /// the same source, so they make the same mistakes on any device, tuned or not, with any plan and any number of threads.
    pub fn implementation(&self) -> &str {
        &self.backend
    }

    /// Returns whether both sources run the same code in the same way, so that a second count would prove nothing at all.
    pub fn is_like(&self, other: &Self) -> bool {
        (&self.backend, &self.variant, &self.plan) == (&other.backend, &other.variant, &other.plan)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { backend, device, variant, kogge, plan } = self;
        write!(f, "{backend} ({device}; {variant}; kogge {kogge}")?;
        if plan.is_empty() { f.write_str(")") } else { write!(f, "; {plan})") }
    }
}
