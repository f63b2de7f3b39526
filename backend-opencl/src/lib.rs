//! (documentation to come with the crate's content)
