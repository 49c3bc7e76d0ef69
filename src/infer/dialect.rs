//! What Rubies differ in, as facts about the running one. The extension asks Ruby for all of them when it is loaded, so
//! that versions are compared nowhere. `core/` asks for one by its name: `__ruby?(:array_sum_adds_up)`.

/// Defines [`Dialect`]: for each fact what it means, its name, and the Ruby code that tells. Code that raises tells that
/// it is false.
macro_rules! dialect {
    ($($(#[doc = $meaning:literal])+ $fact:ident: $code:literal,)+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
        pub struct Dialect {
            $($(#[doc = $meaning])+ pub $fact: bool,)+
        }

        impl Dialect {
            /// Asks of each fact whether its code gives true.
            pub fn probe(mut holds: impl FnMut(&str) -> bool) -> Self {
                Self { $($fact: holds($code),)+ }
            }

            /// The fact of this name.
            pub fn fact(&self, name: &str) -> Option<bool> {
                match name {
                    $(stringify!($fact) => Some(self.$fact),)+
                    _ => None,
                }
            }
        }
    };
}

dialect! {
    /// A String of several expressions and no text has the encoding of the first; else UTF-8.
    expressions_tell_encoding: "\"#{1}#{2}\".encoding == Encoding::US_ASCII",
    /// A range of one character in the sets of `tr` stands for two.
    ranges_of_one_count_twice: "\"b\".tr(\"a-ab\", \"123\") == \"3\"",
    /// The message of a NameError tells the line that raised it.
    names_tell_lines: "ErrorHighlight::CoreExt.method_defined?(:to_s, false)",
    /// … or names that did_you_mean has found.
    names_suggest_others: "DidYouMean::Correctable.method_defined?(:to_s, false)",
    /// Messages tell of a receiver no more than its class: `an instance of Integer` instead of `1:Integer`.
    receivers_are_instances:
        "begin; 1.public_send(:'missing'); rescue => e; e.message.end_with?('an instance of Integer'); end",
    /// Functions of Math put their name in quotes where they say that a number is out of their domain …
    domain_quotes_math: "begin; Math.sqrt(-1.0); rescue Math::DomainError => e; e.message.include?('\"'); end",
    /// … and so does `Integer.sqrt`.
    domain_quotes_isqrt: "begin; Integer.sqrt(-1); rescue Math::DomainError => e; e.message.include?('\"'); end",
    /// `clamp` says so of ends the wrong way round …
    clamp_says_smaller:
        "begin; 1.clamp(2, 1); rescue => e; e.message == 'min argument must be smaller than max argument'; end",
    /// … or in these words.
    clamp_says_less:
        "begin; 1.clamp(2, 1); rescue => e; e.message == 'min argument must be less than or equal to max argument'; end",
    /// An array of literals within another one is a literal, so that the outer one can be one, too.
    arrays_of_literals_are_literals:
        "begin; [[1], 1.5].max; rescue => e; e.message.start_with?('comparison of Array'); end",
    /// `{ 1 => 2, a: 3 }` instead of `{1=>2, :a=>3}`.
    hashes_inspect_with_spaces: "{ 1 => 2 }.inspect == '{1 => 2}'",
    /// `Float` tells the bytes of a text that is no number, not its characters.
    float_tells_bytes: "begin; Float(\"\\u00e9\"); rescue ArgumentError => e; e.message.ascii_only?; end",
    /// Messages have names between two quotes that are alike.
    quotes_are_even: "begin; 1.round(2**40); rescue RangeError => e; e.message.include?(\"'int'\"); end",
    /// `Integer#times` is written in Ruby, with `<` and `succ`.
    times_is_ruby: "!Integer.instance_method(:times).source_location.nil?",
    /// `Complex.rect` takes the real part of a Complex without another one.
    complex_parts_are_real: "Complex.rect(Complex(1, 0.0)).imaginary.is_a?(Integer)",
    /// `Complex#to_r` takes an imaginary part of 0.0 for none.
    complex_zeros_are_none: "Complex(1, 0.0).to_r == 1",
    /// Powers of numbers at a multiple of 45 degrees are at one.
    complex_powers_know_angles: "(Complex(0, 1.5)**2).imaginary.is_a?(Float)",
    /// `Complex.polar` knows that an angle is three quarters of a turn.
    polar_knows_three_quarters: "Complex.polar(2.0, Math::PI / 2 + Math::PI).real == 0.0",
    /// The angle that `Complex.polar` has without one is a Float.
    polar_angle_is_float: "Complex.polar(3).imaginary.is_a?(Float)",
    /// `inject` without a block wants an argument.
    inject_wants_arguments: "begin; [1].inject; false; rescue ArgumentError; true; end",
    /// Messages tell both names of the encoding of bytes.
    binary_has_two_names: "Encoding::BINARY.inspect.include?('(')",
    /// Integers of more than one word (62 bits and a sign): `div` by a Float truncates instead of flooring.
    large_div_truncates: "(-(2**62) - 1).div(1e30) == 0",
    /// Multiples of the unit among them are rounded up to the next one by `ceil` …
    large_ceil_overshoots: "(-5 * 10**18).ceil(-18) == -4 * 10**18",
    /// … and towards zero by `truncate`.
    large_truncate_overshoots: "(-5 * 10**18).truncate(-18) == -4 * 10**18",
    /// `floor` and `ceil` give 0 for a unit of 21 digits and more, whichever side of 0 the Integer is on.
    far_rounding_is_zero: "(-1).floor(-20) == 0",
    /// `fdiv` divides by a Float where the divisor has one word, also where that rounds it.
    fdiv_rounds_divisors: "1.fdiv(2**53 + 1) == 1.0 / (2**53 + 1)",
    /// `Integer.sqrt` of less than 2**53 is the root of a Float, which may have been rounded up.
    sqrt_may_be_above: "Integer.sqrt(4_620_432_184_485_120) == 67_973_761",
    /// `ceildiv` negates what is no Integer; else it takes it from 0.
    ceildiv_negates: "begin; 1.ceildiv(nil); rescue NoMethodError => e; e.name == :-@; end",
    /// `0.pow(n, 0)` is 0, not a ZeroDivisionError, unless n is 0.
    zero_pow_takes_any_modulus: "0.pow(13, 0) == 0",
    /// `Float#%` by 0.0 raises ZeroDivisionError; else it is NaN.
    float_modulo_raises: "begin; 1.0 % 0.0; false; rescue ZeroDivisionError; true; end",
    /// `Float#round(half: :even)` multiplies the whole number, not its fraction alone, by the power of ten.
    half_even_scales_the_whole: "52_327.05.round(1, half: :even) == 52_327.0",
    /// `Math.log(x, base)` is the quotient of natural logarithms; else of binary ones.
    log_is_natural: "Math.log(2**29, 2) > 29.0",
    /// That quotient alone decides also where x or the base is 0; else one is minus infinity, the other minus zero.
    log_divides_infinities: "(1.0 / Math.log(0.5, 0.0)).positive?",
    /// `@a, @b = 1, 2` whose value nobody uses assigns `@b` first.
    variables_are_assigned_backwards:
        "Class.new { def set; @a, @b = 1, 2; self; end }.new.set.instance_variables == [:@b, :@a]",
    /// `MatchData#[]` from the end on gives as many as are asked for.
    match_parts_are_filled: "\"a\".match(/a/)[-1, 2].size == 2",
    /// `Hash#assoc` gives the key that it is asked for; else that of a small Hash.
    hash_assoc_gives_argument: "k = [1]; { [1] => 1 }.assoc(k)[0].equal?(k)",
    /// `Array#rassoc` asks for `to_ary`, as `assoc` does.
    rassoc_takes_lists: "o = Object.new; o.define_singleton_method(:to_ary) { [1, 2] }; [o].rassoc(2) == [1, 2]",
    /// `Array#sum` from something other than an Integer is `+` for each item, without compensation.
    array_sum_adds_up: "([0.1] * 10).sum(0.0) < 1.0",
    /// `Array#sum` from a Float compensates what the Integers at the beginning lose with it.
    array_sum_compensates_the_start: "[1, -1e100].sum(1e100) == 1.0",
    /// When it comes to the first item that is no Integer, it calls the block for that once more.
    array_sum_asks_twice: "n = 0; [0.1].sum(0.5) { n += 1; 0.1 }; n == 2",
    /// `Enumerable#sum` loses numbers behind an object that made the sum a Float.
    enumerable_sum_loses_numbers:
        "half = Struct.new(:x) { def coerce(y) = [y, x] }.new(0.5); [half, 1.0].each.sum == 0.5",
    /// `sort_by` with keys that are numbers of one word swaps items with equal keys.
    sort_by_is_unstable: "(0..40).sort_by { |i| i % 2 } != (0..40).partition(&:even?).flatten",
    /// `sort_by!` does not call the block for a single item.
    sort_by_bang_spares_one: "n = 0; [1].sort_by! { n += 1 }; n == 0",
    /// `Array#bsearch` goes the wrong way where the block gives a number of another kind than an Integer of one word.
    array_bsearch_turns_from_floats: "[1, 2].bsearch { |x| x - 1.0 } == 1",
    /// `Range#bsearch` starts with the numbers just outside the range, and from the last one it tried.
    range_bsearch_starts_outside: "n = 0; (0..10).bsearch { |x| n = x; x >= 7 } && n == 7",
    /// `Range#last(n)` takes a range of one Integer for empty.
    range_last_forgets_one: "(1..1).last(1).empty?",
    /// `Range#size` of a range without ends is nil.
    range_without_ends_has_no_size: "begin; (nil..nil).size.nil?; rescue TypeError; false; end",
    /// `Range#size` is only for ranges that begin with an Integer; else also for those of other numbers.
    range_size_counts_integers: "begin; (1.0..2.0).size; false; rescue TypeError; true; end",
    /// `Range#step` goes down with a negative step; else that is an ArgumentError.
    range_step_goes_down: "(2..1).step(-1) { break true }",
    /// `Range#reverse_each` needs no beginning.
    range_reverse_each_from_nowhere: "(..1).reverse_each { break true }",
    /// `Data#initialize` looks for each member before it tells of keywords that are no members; else it counts.
    data_asks_for_each:
        "begin; Data.define(:a, :b).new(a: 1, c: 2); rescue ArgumentError => e; e.message.include?('missing'); end",
    /// `**nil` alone passes no keywords; else it is a TypeError …
    nil_is_no_keywords: "h = nil; ->(**o) { o.empty? }.(**h)",
    /// … and so it does beside keywords with names.
    nil_adds_no_keywords: "h = nil; ->(**o) { o.size == 1 }.(a: 1, **h)",
    /// … and so it does in a Hash that is written out.
    nil_adds_nothing: "h = nil; { a: 1, **h }.size == 1",
    /// A method that takes no keywords is given the very Hash of `run(**hash)`.
    lone_splats_are_the_hash: "h = { a: 1 }; ->(*all) { all[0].equal?(h) }.(**h)",
    /// What `**` collects of one Hash alone has the default of that …
    collected_keywords_keep_defaults: "h = Hash.new(5); ->(**o) { o[:a] == 5 }.(**h)",
    /// … also behind keywords with names.
    rest_of_keywords_keeps_defaults: "h = Hash.new(5); ->(a: 1, **o) { o[:z] == 5 }.(**h)",
    /// `Data#with` calls `initialize`.
    data_with_initializes: "Data.define(:a) { def initialize(a:) = super(a: 1) }.new(a: 2).with(a: 3).a == 1",
    /// Backtraces tell the class of a method beside its name.
    labels_tell_classes: "begin; [1].fetch(1); rescue IndexError => e; e.backtrace[0].include?('Array#fetch'); end",
    /// What a `rescue` or `ensure` runs after an error is a frame of its own in them.
    clauses_are_frames: "begin; begin; raise; rescue; [1].fetch(1); end; rescue IndexError => e; \
        e.backtrace[1].include?('rescue in'); end",
    /// So they do where the arguments of a method do not fit.
    arity_errors_tell_classes:
        "begin; 1.ceildiv; rescue ArgumentError => e; e.backtrace[0].include?('Integer#ceildiv'); end",
    /// A block with one parameter and keywords takes the first item of an array; else all of it.
    keywords_take_apart: "proc { |a, k: 0| a }.call([1, 2]) == 1",
    /// `shift` of an empty Hash gives its default.
    empty_shift_gives_default: "Hash.new(1).shift == 1",
    /// An invalid byte ends a prefix only where a character ends.
    prefixes_end_characters: "!\"\\u3042\".start_with?(\"\\u3042\".byteslice(0))",
    /// `delete_prefix` takes away invalid bytes.
    broken_prefixes_count: "(\"\\u3042\".byteslice(0) + \"a\").delete_prefix(\"\\u3042\".byteslice(0)) == \"a\"",
    /// `rstrip` refuses Strings with invalid bytes anywhere …
    rstrip_checks_all: "begin; (\"\\u3042\".byteslice(0) + \"a\").rstrip; false; rescue ArgumentError, EncodingError; true; end",
    /// … with an EncodingError.
    strip_raises_encoding_errors: "begin; (\"a\" + \"\\u3042\".byteslice(0)).rstrip; false; rescue EncodingError; true; end",
    /// `String#index` with a place behind the end looks at nothing else.
    index_looks_at_the_place_first: "\"\".index(1, 5).nil?",
    /// `String#[]` goes back from the end to what is near it, over bytes that are no characters too.
    slices_go_back: "(\"a\" * 60 + \"\\u3042\".byteslice(1, 2))[-1].bytesize == 3",
    /// `String#slice` converts its second argument first.
    slice_counts_first: "begin; \"\".slice(nil, 1e20); rescue RangeError; true; rescue TypeError; false; end",
    /// `split` takes a null byte for a space.
    split_at_null: "\"a\\0b\".split.size == 2",
    /// A point needs no digit behind it: `Float(\"1.\")`.
    floats_end_with_points: "Float(\"1.\") == 1.0",
    /// `%c` takes the first character of a String.
    formats_first_character: "format(\"%c\", \"ab\") == \"a\"",
    /// `format("%f", -(2**62))` has two signs.
    format_doubles_a_sign: "format(\"%.0f\", -(2**62)).start_with?(\"--\")",
    /// In UTF-8 `"\x7F"` is inspected as that; else as `"\u007F"`, as other controls are.
    delete_inspects_as_byte: "\"\\u00e9\\u007f\".inspect.include?('x')",
    /// What is inspected is UTF-8.
    inspects_in_utf8: "\"\\u00e9\".inspect == \"\\\"\\u00e9\\\"\"",
    /// `{x: 1}.inspect` is that, not `{:x=>1}`.
    hashes_show_symbols_bare: "{ x: 1 }.inspect == '{x: 1}'",
    /// A seed of two words of which the upper is 1 counts as one of one word; else as an array of one word.
    guarded_seeds_are_one_word: "Random.new(2**32).rand == Random.new(0).rand",
}
