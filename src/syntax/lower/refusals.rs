//! What has no place in the AST, with the hint that says what to write instead. Slugs are stable.

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// One kind of refusal.
pub(super) struct Refusal {
    pub slug: &'static str,
    pub message: &'static str,
    pub hint: &'static str,
}

impl Refusal {
    pub fn at(&self, span: Span) -> Diagnostic {
        Diagnostic::new(self.slug, span, self.message).hint(self.hint)
    }
}

macro_rules! refusals {
    ($($name:ident $slug:literal $message:literal $hint:literal;)*) => {
        $(pub(super) const $name: Refusal = Refusal { slug: $slug, message: $message, hint: $hint };)*

        /// Every slug, for the test that wants an example of each.
        #[cfg(test)]
        pub(in crate::syntax) const SLUGS: &[&str] = &[$($slug),*];
    };
}

refusals! {
    SYNTAX "syntax-error"
        "this is not complete Ruby"
        "run `ruby -c` on the file";
    TOO_DEEP "nesting-too-deep"
        "this expression is nested too deeply"
        "keep parts of it in local variables or move them into methods";
    REFINEMENT "active-refinement"
        "a refinement is active where this code stands, and sections do not see refinements"
        "put the code where no `using` comes before it, or make the methods of the refinement plain ones";

    // Values
    ENCODING "unsupported-encoding"
        "only text in UTF-8 can be used in a parallel section"
        "write the text in UTF-8, without escapes for single bytes";
    FILE_ENCODING "unsupported-encoding"
        "a String of a file that names another encoding than UTF-8 at its top cannot be used in a parallel section"
        "leave out that comment, as UTF-8 is what files are in";
    TWICE "unsupported-hash"
        "a key stands twice in a Hash literal: which place it gets is not the same in all Rubies"
        "leave out the one that is overwritten";
    HASH "unsupported-hash"
        "`**` without a name in a Hash cannot be used in a parallel section"
        "name the parameter: def draw(**options) = { **options }";
    REGEXP "unsupported-regexp"
        "a regular expression as a condition looks at `$_`, which a parallel section does not have"
        "say what is to match it: text =~ /…/";
    REGEXP_ONCE "unsupported-regexp"
        "what `/o` keeps from the first time on would hang on which element comes first"
        "write it without /o, or make it before the section, and keep it in a constant or variable";
    REGEXP_ENCODING "unsupported-regexp"
        "a regular expression of another encoding cannot be used in a parallel section"
        "write it in UTF-8, without /n, /e and /s";
    COMMAND "unsupported-command"
        "a parallel section cannot run a command"
        "run the command before the section and keep its answer in a variable";

    // Variables and constants
    HOOKED_GLOBAL "unsupported-global"
        "a global variable that Ruby itself looks at cannot be assigned in a parallel section"
        "assign it before the section or behind it";
    SPECIAL_GLOBAL "unsupported-special-global"
        "a global variable that Ruby itself sets cannot be used in a parallel section"
        "assign it to a local variable before the section and use that";
    CONSTANT_ASSIGNMENT "unsupported-constant-assignment"
        "a constant cannot be assigned in a parallel section"
        "assign the constant before the section, or use a local variable";
    DEFINED "unsupported-defined"
        "`defined?` of this cannot be used in a parallel section"
        "give a variable a first value and ask `nil?`";

    // Control
    RESCUE_CLASS "unsupported-rescue"
        "only constants, and arrays of them, can stand after `rescue` in a parallel section"
        "name the classes, as in `rescue ZeroDivisionError, TypeError`, or keep them in a constant: `rescue *ERRORS`";
    RESCUE_VARIABLE "unsupported-rescue-variable"
        "an exception can only be kept in a local variable of a parallel section"
        "leave out `=> …` and write a `rescue` for each class; `raise` without arguments raises the same error again";
    RESCUE_CAPTURED "unsupported-rescue-variable"
        "an exception cannot be kept in a variable from around a parallel section"
        "use a name that no variable around the block has, as in `rescue => error`";
    REDO "unsupported-redo"
        "`redo` cannot be used in a parallel section"
        "write a loop, such as `while`";
    FLIP_FLOP "unsupported-flip-flop"
        "a flip-flop of numbers, or in the block of a parallel section, cannot be used"
        "put it in a method, or keep the state in a local variable that is true or false";
    CHANGED_KEYWORDS "unsupported-keyword-splat"
        "keywords that are passed on with `**` must not be used in other ways than to look them up"
        "change a copy of them, as in `options.merge(a: 1)`, or name each keyword";
    BEGIN_END "unsupported-begin-end-block"
        "`BEGIN` and `END` blocks cannot be used in a parallel section"
        "put the code before or after the section";

    SYNC_LEAVES "unsupported-sync"
        "the block of `Ikra.sync` stands by itself: `return`, `yield` and `super` mean nothing in it"
        "assign a variable in it, and look at that after it";

    // Definitions
    DEF "unsupported-def"
        "a method cannot be defined in a parallel section"
        "define the method in its class, before the section";
    CLASS "unsupported-class"
        "a class or module cannot be opened in a parallel section"
        "define it before the section";
    ALIAS "unsupported-alias"
        "`alias` cannot be used in a parallel section"
        "define the alias in the class, before the section";
    UNDEF "unsupported-undef"
        "`undef` cannot be used in a parallel section"
        "undefine the method before the section";

    // Arguments and parameters
    FORWARDING "unsupported-argument-forwarding"
        "arguments without a name of the method around a parallel section cannot be passed on in it"
        "give the parameters names, and use those";
    SUPER_IN_DEFAULT "unsupported-super"
        "`super` without arguments stands in a default value"
        "write the arguments out: `super()`, or `super(a)`";

    SYNTAX_KIND "unsupported-syntax"
        "this kind of expression cannot be used in a parallel section"
        "write it with variables, operators, method calls, `if`, `case … when` and `while`";
}
