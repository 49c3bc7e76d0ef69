//! Transformations of verified IR, one verb a file.
