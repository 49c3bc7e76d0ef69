//! What is said of what cannot run, whatever the types are: by inference where a section comes to it, and by a check of
//! the source alone ([`crate::check`]).

use super::host::Refusal;

const LOOK: &str = "look at one element in plain Ruby, on a copy: Ikra.debug(element) { |x| … }";

fn refusal(slug: &'static str, message: impl Into<String>, hint: impl Into<String>) -> Refusal {
    Refusal { slug, message: message.into(), hint: Some(hint.into()), ..Refusal::default() }
}

/// A method of Ruby's own; `of`: its class with `#`, or the module whose own method it is, with a dot.
pub(crate) fn method(of: &str, name: &str, hint: Option<String>) -> Refusal {
    let message = format!("`{of}{name}` cannot run in a section");
    Refusal { slug: "unsupported-method", message, hint, ..Refusal::default() }
}

/// `new` of a class whose objects no section makes.
pub(crate) fn new(class: &str, hint: Option<&'static str>) -> Refusal {
    let hint = hint.unwrap_or(
        "make it before the section and let the block use the variable; a section makes objects of classes whose \
         `initialize` is written in Ruby",
    );
    refusal("unsupported-new", format!("`{class}.new` cannot run in a section"), hint)
}

/// A function of Kernel's that needs the running program; debuggers.
pub(crate) fn function(name: &str) -> Option<Refusal> {
    let hint = match name {
        "binding" | "debugger" | "byebug" => LOOK,
        "eval" => "write the code itself; variables are known by their names only",
        "instance_eval" => "call the methods of the object, or write a method in its class",
        _ => return None,
    };
    Some(refusal("unsupported-call", format!("`{name}` cannot run in a section"), hint))
}

/// A part of a regular expression.
pub(crate) fn pattern(part: &str, why: &str) -> Refusal {
    refusal(
        "unsupported-regexp",
        format!("`{part}` of a regular expression cannot run in a section: {why}"),
        "write the pattern without that, or match before the section and keep what was found",
    )
}

/// `block_given?` in a block.
pub(crate) fn block_given() -> Refusal {
    refusal(
        "unsupported-block",
        "whether the method around the section was called with a block is not known in it",
        "ask before the section, `given = block_given?`, and let the block use the variable",
    )
}

/// `break` out of the block of a parallel call.
pub(crate) fn break_out() -> Refusal {
    refusal(
        "unsupported-break",
        "`break` would stop the other elements too",
        "use `next` to end the block for this element",
    )
}

/// `return` in a parameter's own value, which the method is not begun with.
pub(crate) fn return_of_default() -> Refusal {
    refusal(
        "unsupported-return",
        "`return` in the value of an optional parameter cannot run in a section",
        "let the value be nil, and return in the method's body",
    )
}

/// `return` there; `in_driver`: in the code around parallel calls.
pub(crate) fn return_out(in_driver: bool) -> Refusal {
    let hint = match in_driver {
        true => "use `next` to end the block of the section, with its value: `next value`",
        false => "use `next` to end the block for this element",
    };
    refusal("unsupported-return", "`return` would leave the method around the section", hint)
}
