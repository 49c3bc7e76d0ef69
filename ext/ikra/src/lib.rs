use magnus::Ruby;
#[magnus::init(name = "native")]
fn init(_ruby: &Ruby) -> Result<(), magnus::Error> {
    Ok(())
}
