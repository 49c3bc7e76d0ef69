use super::*;
use crate::source::SourceFile;

#[test]
fn first() {
    let mut sources = SourceMap::default();
    let file =
        sources.add(SourceFile::new("a.rb", "rate = 2\nxs.pmap { |x| y = x * rate; y + _z(1) { it } }\n", 1));
    for span in codes_in(&sources, file) {
        match code_at(&sources, file, span.start, span.end) {
            Ok(code) => println!("{}", dump::dump(&code)),
            Err(e) => println!("{e:?}"),
        }
    }
}
