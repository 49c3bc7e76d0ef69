//! A section: its source, its plan, and the cache of compiled programs.
