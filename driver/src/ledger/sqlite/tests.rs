//! Tests of the file store.
