//! Announcing, quiescing and the scan, one thread at a time.
