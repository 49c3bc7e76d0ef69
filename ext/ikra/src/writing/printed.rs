//! What a section has printed: Ruby writes it (`lib/ikra/output.rb`), to whatever its streams are by then.

use super::decoder::Decoder;
use super::strings;
use crate::vm::errors::Trouble;
use ikra_core::error::Error;
use ikra_core::faults;
use ikra_core::heap::Printed;
use ikra_core::heap::printed::stream_of;
use ikra_core::types::HierarchyId;
use magnus::rb_sys::FromRawValue;
use magnus::{RArray, RModule, Ruby, Value, prelude::*};

/// Writes texts, each to its stream.
pub fn write(ruby: &Ruby, texts: RArray) -> Result<(), Trouble> {
    let module: RModule = ruby.class_object().const_get::<_, RModule>("Ikra")?.const_get("Output")?;
    let _: Value = module.funcall("write", (texts,))?;
    Ok(())
}

impl Decoder<'_> {
    /// Runs code of Ruby's; what has been printed before stays printed where that raises.
    pub fn write(&self, printed: &Printed) -> Result<(), Trouble> {
        match self.texts_of(printed)? {
            Some(texts) => write(self.ruby, texts),
            None => Ok(()),
        }
    }

    /// What [`write`] takes; nothing where nothing has been printed. The caller keeps it alive.
    pub fn texts_of(&self, printed: &Printed) -> Result<Option<RArray>, Trouble> {
        if printed.is_empty() {
            return Ok(None);
        }
        faults::point("writing output")?;
        let ruby = self.ruby;
        let all = ruby.ary_new();
        let mut parts = printed.parts().peekable();
        let mut text = Vec::new();
        while let Some((part, bytes)) = parts.next() {
            text.extend_from_slice(bytes);
            // What goes to one stream is written at once.
            let goes_on = parts.peek().is_some_and(|(next, _)| {
                (next.stream, next.encoding, next.flush) == (part.stream, part.encoding, part.flush)
            });
            if !goes_on {
                all.push(self.written(
                    ruby,
                    part.stream,
                    (!part.flush).then_some((&text, part.encoding)),
                )?)?;
                text.clear();
            }
        }
        Ok(Some(all))
    }

    /// A stream and the text for it; without one it is flushed.
    fn written(&self, ruby: &Ruby, stream: i64, text: Option<(&Vec<u8>, i64)>) -> Result<RArray, Trouble> {
        let pair = ruby.ary_new();
        match stream_of(stream) {
            None => pair.push(stream)?,
            Some((hierarchy, id)) => {
                let object = self.object(HierarchyId(hierarchy), id);
                let object = object.ok_or_else(|| Error::Internal("a stream is lost".into()))?;
                // SAFETY: it was read, and is kept alive.
                pair.push(unsafe { Value::from_raw(object) })?;
            }
        }
        if let Some((text, encoding)) = text {
            // SAFETY: it was just made.
            pair.push(unsafe { Value::from_raw(strings::make(text, encoding)?) })?;
        }
        Ok(pair)
    }
}
