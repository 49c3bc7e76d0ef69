//! Numbers, symbols, strings, arrays and ranges.

use super::{Lowering, refusals};
use crate::regexp;
use crate::source::Span;
use crate::syntax::ast::{Call, Kind, Node, StringPart};
use ruby_prism::{self as prism, Node as P};
use std::collections::HashSet;

impl Lowering<'_> {
    pub(super) fn integer(&mut self, integer: &prism::IntegerNode<'_>) -> Node {
        let span = self.span(&integer.location());
        let value = integer.value();
        let (negative, digits) = value.to_u32_digits();
        self.integer_of(span, negative, digits)
    }

    /// Beyond 64 bits it is made of its words, which are a String that is there before the section.
    fn integer_of(&mut self, span: Span, negative: bool, digits: &[u32]) -> Node {
        if let Some(value) = i64_of(negative, digits) {
            return self.node(span, Kind::Integer(value));
        }
        let hex = words_of(negative, digits).iter().map(|byte| format!("{byte:02x}")).collect();
        let args = vec![self.node(span, Kind::Symbol(hex))];
        self.number(span, "#big_literal", args)
    }

    /// `3r`, `1.5r`: numerator and denominator without a common divisor.
    pub(super) fn rational(&mut self, rational: &prism::RationalNode<'_>) -> Node {
        let span = self.span(&rational.location());
        let (numerator, denominator) = (rational.numerator(), rational.denominator());
        let parts = [numerator.to_u32_digits(), denominator.to_u32_digits()]
            .map(|(negative, digits)| self.integer_of(span, negative, digits));
        self.number(span, "#rational", parts.into())
    }

    /// `3i`, `1.5ri`
    pub(super) fn imaginary(&mut self, imaginary: &prism::ImaginaryNode<'_>) -> Node {
        let span = self.span(&imaginary.location());
        let part = self.expression(&imaginary.numeric());
        let args = vec![self.node(span, Kind::Integer(0)), part];
        self.number(span, "#complex", args)
    }

    fn number(&mut self, span: Span, name: &str, args: Vec<Node>) -> Node {
        let receiver = self.node(span, Kind::Nil);
        self.primitive(span, receiver, name, args)
    }

    pub(super) fn symbol(&mut self, symbol: &prism::SymbolNode<'_>) -> Node {
        let span = self.span(&symbol.location());
        let name = self.utf8(symbol.unescaped(), span);
        self.node(span, Kind::Symbol(name))
    }

    pub(super) fn regexp(&mut self, regexp: &prism::RegularExpressionNode<'_>) -> Node {
        let span = self.span(&regexp.location());
        if regexp.is_ascii_8bit() || regexp.is_euc_jp() || regexp.is_windows_31j() {
            return self.unsupported(&refusals::REGEXP_ENCODING, span);
        }
        let source = self.utf8(regexp.unescaped(), span);
        let flags =
            [regexp.is_ignore_case(), regexp.is_extended(), regexp.is_multi_line(), regexp.is_utf_8()];
        let options = regexp_options(flags);
        self.node(span, Kind::Regexp(source, options))
    }

    /// `/a#{b}/`: the Regexp with that source. What `/o` keeps from the first time on has to be the same each time.
    pub(super) fn interpolated_regexp(
        &mut self,
        regexp: &prism::InterpolatedRegularExpressionNode<'_>,
    ) -> Node {
        let span = self.span(&regexp.location());
        if regexp.is_ascii_8bit() || regexp.is_euc_jp() || regexp.is_windows_31j() {
            return self.unsupported(&refusals::REGEXP_ENCODING, span);
        }
        let mut parts = Vec::new();
        self.string_parts(&regexp.parts(), span, &mut parts, false);
        let is_constant = |part: &StringPart| match part {
            StringPart::Expression(node) => matches!(node.kind, Kind::Constant { .. }),
            _ => true,
        };
        if regexp.is_once() && !parts.iter().all(is_constant) {
            return self.unsupported(&refusals::REGEXP_ONCE, span);
        }
        let flags =
            [regexp.is_ignore_case(), regexp.is_extended(), regexp.is_multi_line(), regexp.is_utf_8()];
        let options = regexp_options(flags) | regexp::INTERPOLATED;
        let groups = if writes_groups(&parts) { Kind::True } else { Kind::False };
        let args = vec![self.node(span, Kind::Integer(options.into())), self.node(span, groups)];
        let receiver = self.node(span, Kind::String(parts));
        self.primitive(span, receiver, "#as_pattern", args)
    }

    pub(super) fn string(&mut self, string: &prism::StringNode<'_>) -> Node {
        self.written_string(string, string.is_frozen())
    }

    /// A key of a Hash that is written out. One that is a String is frozen.
    fn key(&mut self, key: &P<'_>) -> Node {
        match key.as_string_node() {
            Some(string) => self.written_string(&string, true),
            None => self.expression(key),
        }
    }

    fn written_string(&mut self, string: &prism::StringNode<'_>, frozen: bool) -> Node {
        let span = self.span(&string.location());
        if self.source.names_other_encoding && !string.is_forced_utf8_encoding() {
            return self.refuse(&refusals::FILE_ENCODING, span);
        }
        self.written(string.unescaped(), frozen, span)
    }

    /// A literal of these bytes. Where they are no text in UTF-8 (`"\xff"`), it is a String that is there before the
    /// section, or a copy of that.
    fn written(&mut self, bytes: &[u8], frozen: bool, span: Span) -> Node {
        let Ok(text) = std::str::from_utf8(bytes) else {
            let hex = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let args = vec![self.node(span, Kind::Symbol(hex))];
            let nil = self.node(span, Kind::Nil);
            let name = if frozen { "#frozen_literal_of_bytes" } else { "#literal_of_bytes" };
            return self.primitive(span, nil, name, args);
        };
        let text = text.to_owned();
        let parts = match text.is_empty() {
            _ if frozen => vec![StringPart::Frozen(text)],
            true => Vec::new(),
            false => vec![StringPart::Text(text)],
        };
        self.node(span, Kind::String(parts))
    }

    pub(super) fn interpolated_string(&mut self, string: &prism::InterpolatedStringNode<'_>) -> Node {
        let span = self.span(&string.location());
        if self.source.names_other_encoding {
            return self.refuse(&refusals::FILE_ENCODING, span);
        }
        let mut bytes = Vec::new();
        if only_written(&string.parts(), &mut bytes) {
            return self.written(&bytes, string.is_frozen(), span);
        }
        let mut parts = Vec::new();
        self.string_parts(&string.parts(), span, &mut parts, true);
        self.node(span, Kind::String(parts))
    }

    /// `:"a#{b}"`: the Symbol of that String.
    pub(super) fn interpolated_symbol(&mut self, symbol: &prism::InterpolatedSymbolNode<'_>) -> Node {
        let span = self.span(&symbol.location());
        let mut parts = Vec::new();
        self.string_parts(&symbol.parts(), span, &mut parts, false);
        let receiver = self.node(span, Kind::String(parts));
        let call = Call {
            receiver: Some(receiver),
            name: "to_sym".into(),
            name_span: span,
            args: vec![],
            block: None,
            safe: false,
            variable: false,
        };
        self.node(span, Kind::Call(Box::new(call)))
    }

    /// `bytes`: those that are no text in UTF-8 may be among them.
    fn string_parts(
        &mut self,
        list: &prism::NodeList<'_>,
        around: Span,
        parts: &mut Vec<StringPart>,
        bytes: bool,
    ) {
        for part in list {
            let span = self.span(&part.location());
            if let Some(string) = part.as_string_node() {
                if bytes && std::str::from_utf8(string.unescaped()).is_err() {
                    let written = self.written(string.unescaped(), true, span);
                    parts.push(StringPart::Expression(written));
                    continue;
                }
                let text = self.utf8(string.unescaped(), span);
                match parts.last_mut() {
                    Some(StringPart::Text(before)) => before.push_str(&text),
                    _ if text.is_empty() => {}
                    _ => parts.push(StringPart::Text(text)),
                }
            } else if let Some(string) = part.as_interpolated_string_node() {
                // Literals side by side are one string.
                self.deeper(around, |this| this.string_parts(&string.parts(), around, parts, bytes));
            } else if let Some(embedded) = part.as_embedded_statements_node() {
                let statements = embedded.statements().map(|statements| statements.as_node());
                let expression = self.optional(statements.as_ref(), span);
                parts.push(StringPart::Expression(expression));
            } else if let Some(embedded) = part.as_embedded_variable_node() {
                let expression = self.expression(&embedded.variable());
                parts.push(StringPart::Expression(expression));
            } else {
                self.unexpected(&part);
            }
        }
    }

    /// `__FILE__`
    pub(super) fn source_file(&mut self, location: &prism::Location<'_>) -> Node {
        let span = self.span(location);
        let path = self.source.path.clone();
        self.node(span, Kind::String(vec![StringPart::Text(path)]))
    }

    /// `__LINE__`
    pub(super) fn source_line(&mut self, location: &prism::Location<'_>) -> Node {
        let span = self.span(location);
        let (line, _) = self.source.position(span.start);
        self.node(span, Kind::Integer(line.into()))
    }

    pub(super) fn array(&mut self, elements: &prism::NodeList<'_>, location: &prism::Location<'_>) -> Node {
        let elements = elements.iter().map(|element| self.expression(&element)).collect();
        let span = self.span(location);
        self.node(span, Kind::Array(elements))
    }

    /// `{ a: 1, b => 2, **c }`: calls of what makes one, with keys and values in turn, and of what adds others.
    pub(super) fn hash(&mut self, elements: &prism::NodeList<'_>, location: &prism::Location<'_>) -> Node {
        let span = self.span(location);
        let mut made = self.node(span, Kind::Nil);
        let (mut name, mut args) = ("#new_hash", Vec::new());
        let mut literals = HashSet::new();
        let mut distinct = true;
        for element in elements {
            if let Some(pair) = element.as_assoc_node() {
                if literal_key(&pair.key()).is_some_and(|key| !literals.insert(key)) {
                    let span = self.span(&pair.key().location());
                    return self.unsupported(&refusals::TWICE, span);
                }
                distinct &= is_told_by_its_text(&pair.key());
                args.push(self.key(&pair.key()));
                args.push(self.expression(&pair.value()));
                continue;
            }
            let others = element.as_assoc_splat_node().and_then(|splat| splat.value());
            let Some(others) = others else {
                let span = self.span(&element.location());
                return self.unsupported(&refusals::HASH, span);
            };
            if name == "#new_hash" || !args.is_empty() {
                made = self.primitive(span, made, name, std::mem::take(&mut args));
            }
            name = "#with_pairs";
            literals.clear();
            let others = self.without_changes(|s| s.expression(&others));
            made = self.primitive(span, made, "#with_all", vec![others]);
        }
        match name {
            "#with_pairs" if args.is_empty() => made,
            "#new_hash" if distinct => self.primitive(span, made, "#new_hash_of_distinct", args),
            name => self.primitive(span, made, name, args),
        }
    }

    pub(super) fn primitive(&mut self, span: Span, receiver: Node, name: &str, args: Vec<Node>) -> Node {
        let call = Call {
            receiver: Some(receiver),
            name: name.into(),
            name_span: span,
            args,
            block: None,
            safe: false,
            variable: false,
        };
        self.node(span, Kind::Call(Box::new(call)))
    }

    pub(super) fn range(&mut self, range: &prism::RangeNode<'_>) -> Node {
        let mut end = |node: Option<P<'_>>| node.map(|node| Box::new(self.expression(&node)));
        let (low, high) = (end(range.left()), end(range.right()));
        let span = self.span(&range.location());
        self.node(span, Kind::Range { low, high, exclusive: range.is_exclude_end() })
    }

    /// Text that Ruby may hold in any encoding (`"\xff"`), which a section does not.
    pub(super) fn utf8(&mut self, bytes: &[u8], span: Span) -> String {
        match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => {
                self.refuse(&refusals::ENCODING, span);
                String::new()
            }
        }
    }
}

/// An Integer's value from its sign and its digits to the base 2³², the least significant first.
fn i64_of(negative: bool, digits: &[u32]) -> Option<i64> {
    let mut magnitude: i128 = 0;
    for digit in digits.iter().rev() {
        magnitude = magnitude.checked_mul(1 << 32)?.checked_add(i128::from(*digit))?;
    }
    i64::try_from(if negative { -magnitude } else { magnitude }).ok()
}

/// The bytes of an Integer in two's complement, the lowest first, in as few words of 64 bits as hold it and its sign.
fn words_of(negative: bool, digits: &[u32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = digits.iter().flat_map(|digit| digit.to_le_bytes()).collect();
    bytes.resize(bytes.len().next_multiple_of(8) + 8, 0);
    if negative {
        let mut carry = true;
        for byte in &mut bytes {
            let (sum, carries) = (!*byte).overflowing_add(carry.into());
            (*byte, carry) = (sum, carries);
        }
    }
    let sign = if negative { 0xff } else { 0 };
    let is_sign = |word: &[u8]| word.iter().all(|byte| *byte == sign);
    while let Some((rest, last)) = bytes.split_last_chunk::<8>()
        && is_sign(last)
        && rest.last().is_some_and(|byte| (byte ^ sign) & 0x80 == 0)
    {
        bytes.truncate(rest.len());
    }
    bytes
}

/// A key that Ruby compares with others when it reads a literal: what it is, and its text.
fn literal_key(key: &P<'_>) -> Option<(&'static str, Vec<u8>)> {
    let text = |location: prism::Location<'_>| location.as_slice().to_vec();
    match key {
        P::IntegerNode { .. } => Some(("Integer", text(key.location()))),
        P::FloatNode { .. } => Some(("Float", text(key.location()))),
        P::StringNode { .. } => Some(("String", key.as_string_node()?.unescaped().to_vec())),
        P::SymbolNode { .. } => Some(("Symbol", key.as_symbol_node()?.unescaped().to_vec())),
        _ => None,
    }
}

/// Is a key that [`literal_key`] knows another one wherever its text is another?
fn is_told_by_its_text(key: &P<'_>) -> bool {
    let is_decimal = |text: &[u8]| match text.strip_prefix(b"-").unwrap_or(text) {
        [b'0'] => true,
        [b'1'..=b'9', rest @ ..] => rest.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    match key {
        P::IntegerNode { .. } => is_decimal(key.location().as_slice()),
        P::StringNode { .. } | P::SymbolNode { .. } => true,
        _ => false,
    }
}

/// The bytes of literals side by side, where they are nothing else.
fn only_written(list: &prism::NodeList<'_>, bytes: &mut Vec<u8>) -> bool {
    list.iter().all(|part| match (part.as_string_node(), part.as_interpolated_string_node()) {
        (Some(string), _) => {
            bytes.extend(string.unescaped());
            true
        }
        (_, Some(string)) => only_written(&string.parts(), bytes),
        _ => false,
    })
}

/// Those of `/i`, `/x`, `/m` and `/u` that are on.
fn regexp_options(flags: [bool; 4]) -> u32 {
    let options = [regexp::IGNORE_CASE, regexp::EXTENDED, regexp::MULTILINE, regexp::FIXED_ENCODING];
    flags.iter().zip(options).filter(|(is_on, _)| **is_on).map(|(_, option)| option).sum()
}

/// Are there groups in what is written of a pattern, outside of brackets?
fn writes_groups(parts: &[StringPart]) -> bool {
    let (mut escaped, mut brackets) = (false, 0);
    let texts = parts.iter().filter_map(|part| match part {
        StringPart::Text(text) | StringPart::Frozen(text) => Some(text),
        _ => None,
    });
    let mut found = false;
    for text in texts {
        for (at, char) in text.char_indices() {
            let rest = &text[at + char.len_utf8()..];
            let is_named = || rest.starts_with("?<") && !rest.starts_with("?<=") && !rest.starts_with("?<!");
            match char {
                _ if escaped => {
                    escaped = false;
                    continue;
                }
                '\\' => escaped = true,
                '[' => brackets += 1,
                ']' if brackets > 0 => brackets -= 1,
                '(' if brackets == 0 && (!rest.starts_with('?') || is_named() || rest.starts_with("?'")) => {
                    found = true;
                }
                _ => {}
            }
        }
    }
    found
}
