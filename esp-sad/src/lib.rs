//! The SA database: lock-free lookup, handles with generations, reclamation by grace periods.
