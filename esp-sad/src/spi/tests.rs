//! How SPIs are put together.
