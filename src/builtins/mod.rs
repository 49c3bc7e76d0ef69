//! Ruby's own methods: typing rule and lowering side by side, one file a class.
#![deny(unsafe_code)]
