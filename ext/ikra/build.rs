//! Ruby's functions are in the process that loads the extension. Only macOS's linker has to be told.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        println!("cargo::rustc-link-arg=-Wl,-undefined,dynamic_lookup");
    }
}
