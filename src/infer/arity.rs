//! How many arguments Ruby's own methods take that are written in C and have a varying number: of those Ruby's `arity`
//! only tells that it varies.

use rustc_hash::FxHashSet;

/// Least and most, and the methods. What is in none of these takes any number, or is not known to take splats.
const BOUNDS: &[((usize, usize), &str)] = &[
    (
        (0, 1),
        "Array#all? Array#any? Array#count Array#cycle Array#find_index Array#first Array#flatten Array#flatten! \
         Array#index Array#join Array#last Array#max Array#min Array#none? Array#one? \
         Array#permutation Array#pop Array#rindex Array#rotate Array#rotate! Array#sample Array#shift Array#sum \
         Enumerable#all? Enumerable#any? Enumerable#count Enumerable#cycle Enumerable#detect Enumerable#find \
         Enumerable#find_index Enumerable#first Enumerable#max Enumerable#max_by Enumerable#min Enumerable#min_by \
         Enumerable#none? Enumerable#one? Enumerable#sum Enumerator#with_index Enumerator::Lazy#with_index \
         Exception#exception Float#ceil Float#floor Float#round Float#truncate Hash#any? Hash#default Hash#flatten \
         Hash.new Integer#ceil Integer#chr Integer#digits Integer#floor Integer#inspect Integer#round Integer#to_s \
         Integer#truncate Kernel#catch Kernel#rand Method#curry Proc#curry Random#rand Random.new Random.rand \
         Random::Base#rand Range#count Range#first Range#last Range#max Range#min Range#step Regexp.last_match \
         Set#join String#chomp String#chomp! String#each_line String#lines String#scrub String#sum String#to_i",
    ),
    ((1, 1), "Kernel#Float String#unpack String#unpack1"),
    ((0, 2), "Array.new Enumerable#inject Enumerable#reduce Numeric#step String#split"),
    (
        (1, 2),
        "Array#[] Array#fetch Array#slice Array#slice! Comparable#clamp Hash#fetch Integer#[] Integer#pow \
         Kernel#Integer Kernel#respond_to? MatchData#[] Math.log Regexp#match Regexp#match? String#[] \
         String#byteslice String#center String#gsub String#gsub! String#index String#ljust String#match \
         String#match? String#rindex String#rjust String#slice String#slice! String#upto \
         Symbol#[] Symbol#match Symbol#match? Symbol#slice",
    ),
    ((1, 3), "Array#fill Regexp.new"),
    ((2, 2), "String#sub String#sub!"),
    ((2, 3), "Array#[]= Range.new String#[]="),
];

/// Those whose rules count.
const COUNTING: &[&str] = &["Range#first", "Range#last", "String#match", "Symbol#match"];

/// Those that look at something else before they count.
const LATE: &[&str] =
    &["Integer#chr", "Integer#digits", "Kernel#Integer", "Range#max", "Range#min", "String#chomp!"];

/// Those that tell of too many that there may be one, though there may be none.
const ONE_AT_MOST: &[&str] = &["Enumerable#count", "Enumerable#find_index", "Range#count"];

/// Those that hand on all that they are given to `each`, which takes nothing where it is Ruby's own.
const TO_EACH: &[&str] = &["each_with_index", "each_entry", "to_a", "entries", "reverse_each", "to_h"];

/// Those that take something else with a block.
const WITH_BLOCK: &[((usize, usize), &str)] = &[((0, 2), "Array#fill"), ((1, 2), "String#sub String#sub!")];

/// Least and most of a method, where both are known: `of` is its class with `#`, or its module with a dot.
pub(crate) fn bounds(of: &str, name: &str, arity: i64, has_block: bool) -> Option<(usize, usize)> {
    if let Ok(exact) = usize::try_from(arity) {
        return Some((exact, exact));
    }
    let find = |table: &[((usize, usize), &str)]| {
        let is = |known: &str| known.strip_prefix(of).is_some_and(|known| known == name);
        table.iter().find(|(_, names)| names.split_whitespace().any(is)).map(|(bounds, _)| *bounds)
    };
    has_block.then(|| find(WITH_BLOCK)).flatten().or_else(|| find(BOUNDS))
}

/// May a number of arguments of a method of this name be wrong by one of the tables?
pub(crate) fn is_counted(name: &str) -> bool {
    thread_local! {
        static NAMES: FxHashSet<&'static str> = {
            let names = BOUNDS.iter().flat_map(|(_, names)| names.split_whitespace());
            names.filter_map(|name| name.rsplit(['#', '.']).next()).collect()
        };
    }
    NAMES.with(|names| names.contains(name)) || hands_on(name)
}

/// Does a method of Enumerable's hand on what it is given to `each`?
pub(crate) fn hands_on(name: &str) -> bool {
    TO_EACH.contains(&name)
}

/// What becomes of a wrong number of arguments.
pub(crate) enum Miscount {
    /// An ArgumentError with what is expected.
    Told(String),
    /// The method's own rule tells.
    Own,
    /// What Ruby says hangs on what the values are.
    Unknown,
}

pub(crate) fn miscount(of: &str, name: &str, (least, most): (usize, usize)) -> Miscount {
    let is_among =
        |names: &[&str]| names.iter().any(|known| known.strip_prefix(of).is_some_and(|known| known == name));
    match () {
        () if is_among(COUNTING) => Miscount::Own,
        () if is_among(LATE) => Miscount::Unknown,
        () if is_among(ONE_AT_MOST) => Miscount::Told("1".into()),
        () => Miscount::Told(expected(least, most)),
    }
}

pub(crate) fn expected(least: usize, most: usize) -> String {
    if least == most { least.to_string() } else { format!("{least}..{most}") }
}
