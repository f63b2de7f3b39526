//! The wgpu backend. It is not written yet; `kogge devices` says so.
