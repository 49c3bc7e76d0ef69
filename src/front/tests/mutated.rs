//! Ruby blocks with parts swapped, doubled, taken away and put in: whatever the text, syntax and inference give a
//! section or a refusal, never a panic or an internal error.

use super::World;
use crate::error::Error;
use crate::heap::schema::Output;
use crate::types::{ArrayKind, Type};

/// Knuth's MMIX generator: the test needs variety, not quality.
struct Lcg(u64);

impl Lcg {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % n.max(1) as u64) as usize
    }
}

const CLASSES: &str = r"
class Car
  def move(by, limit = 10, fast: false)
    @speed += by
    return nil if @speed > limit
    @speed = fast ? 1.5 : 0
    yield @speed if block_given?
    @speed
  end
  def depth(n)
    n < 1 ? 0 : depth(n - 1) + 1
  end
  def wheels
    4
  end
end
class Truck < Car
  def wheels
    super + 2
  end
end
";

const BLOCKS: &[&str] = &[
    "x.is_a?(Car) ? x.speed : nil",
    "s = 0; 3.times { |i| next if i == 1; s += i }; s",
    "i = 0; while i < 5; i += 1; break if i == 3; end; i",
    "a, (b, *c), d = 1, [2, 3, 4], 5; a + b + d",
    "case x when Integer then x + 1 when Float, nil then 0.5 when 1..3 then :a else table[0] end",
    "x ||= 5; x &&= x; x",
    "begin; y = x; end while false; y",
    "table.each_with_index { |t, i| break t if t > i }",
    "table.sum { |t| t * 0.5 } + (1..4).inject(:+)",
    "for i in 0...3 do table[i] = i end; table.size",
    "car.move(1, fast: true) { |v| next v }; car.depth(3)",
    "car.next&.speed&.abs",
    "car.speed += 1 unless car.speed.nil?",
    "car.wheels.zero? and raise ArgumentError, 'bad'",
    "f = lambda { |v| v + 1 }; f.call(2)",
    "[1, 2.5, nil].max; [x, 1].first",
    "loop { |z| break 1, 2 }",
    "x.then { |v; w| w = v; w }",
    "!x && (x || x) != nil",
    "rand(6) + Math.sqrt(2).to_i.clamp(0, 3)",
    "until (y = x) do y = 1; break end",
    "x.times.map { 1 }; \"#{x}\"; :a",
    "n = x; n -= 1 while n.is_a?(Integer) && n > 0",
    "1.step(9, 2) { |k| table[-k] && next }",
    "(x ? car : nil)&.move(2)",
];

/// Pieces that come in from outside.
const PIECES: &[&str] = &[
    "nil",
    "1",
    "2.5",
    "x",
    "car",
    "table",
    "self",
    "@a",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "|v|",
    "do",
    "end",
    "if",
    "unless",
    "then",
    "else",
    "while",
    "return",
    "break",
    "next",
    "yield",
    "super",
    "and",
    "not",
    "=",
    "+=",
    "||=",
    "&.",
    ".",
    "..",
    "*",
    "**",
    "-",
    "<=>",
    "==",
    "&",
    "!",
    ",",
    ";",
    "?",
    ":",
    "->",
    "=>",
    "case",
    "when",
    "begin",
    "rescue",
    "ensure",
    "in",
    "for",
    "def",
    "redo",
    "retry",
    "__method__",
    "9223372036854775807",
    "\"",
    ":sym",
    "&:abs",
    "%w[a]",
    "defined?",
    "Car",
    "Truck",
    "Integer",
    "Math::PI",
    "é",
];

/// Words, numbers, runs of signs and of blanks.
fn pieces(text: &str) -> Vec<String> {
    let kind = |c: char| if c.is_alphanumeric() || "_@?!".contains(c) { 0 } else { u32::from(c == ' ') + 1 };
    let mut all: Vec<String> = Vec::new();
    let mut last = None;
    for c in text.chars() {
        let kind = kind(c);
        match all.last_mut() {
            Some(piece) if last == Some(kind) && kind != 2 => piece.push(c),
            _ => all.push(c.to_string()),
        }
        last = Some(kind);
    }
    all
}

fn mutated(random: &mut Lcg) -> String {
    let mut all = pieces(BLOCKS[random.below(BLOCKS.len())]);
    for _ in 0..=random.below(4) {
        let at = random.below(all.len());
        match random.below(7) {
            0 if all.len() > 1 => drop(all.remove(at)),
            1 => {
                let other = random.below(all.len());
                all.swap(at, other);
            }
            2 => all.insert(at, format!(" {} ", PIECES[random.below(PIECES.len())])),
            3 => all[at] = PIECES[random.below(PIECES.len())].to_string(),
            4 => {
                let copy = all[at..(at + 4).min(all.len())].to_vec();
                let to = random.below(all.len());
                all.splice(to..to, copy);
            }
            5 => {
                let other = pieces(BLOCKS[random.below(BLOCKS.len())]);
                let from = random.below(other.len());
                all.splice(at..at, other[from..(from + 6).min(other.len())].to_vec());
            }
            _ => {
                let other = pieces(BLOCKS[random.below(BLOCKS.len())]);
                all.push("; ".into());
                all.extend(other);
            }
        }
    }
    all.concat()
}

fn world(block: &str) -> Option<World> {
    let world = World::try_new(&format!("{CLASSES}base.pmap {{ |x| {block} }}"))?;
    let (car, truck) = (world.object("Car"), world.object("Truck"));
    let mixed = [
        Type::Integer,
        Type::Float,
        Type::Nil,
        car.clone(),
        truck.clone(),
        Type::Symbol,
        Type::True,
        Type::False,
    ];
    Some(
        world
            .base(&mixed)
            .column("Car", "speed", &[Type::Integer, Type::Nil])
            .column("Car", "next", &[Type::Nil, truck])
            .column("Car", "parts", &[Type::Array(ArrayKind(1))])
            .captured("car", car.clone())
            .captured("self", Type::Nil)
            .captured("table", Type::Array(ArrayKind(0)))
            .elements(0, &[Type::Integer, Type::Nil])
            .elements(1, &[car]),
    )
}

#[test]
fn no_text_makes_inference_panic() {
    let count = std::env::var("IKRA_MUTATED").map_or(2_000, |n| n.parse().expect("a number"));
    let (mut compiled, mut refused) = (0, 0);
    for seed in 0..count {
        let mut random = Lcg(seed * 7919 + 1);
        let block = mutated(&mut random);
        let output = [Output::Values, Output::Nothing, Output::Selection, Output::Kept][random.below(4)];
        let result = std::panic::catch_unwind(|| {
            let mut world = world(&block)?;
            Some(world.infer(output))
        });
        match result {
            Ok(None | Some(Err(Error::Unsupported(_)))) => refused += 1,
            Ok(Some(Ok(_))) => compiled += 1,
            Ok(Some(Err(error))) => panic!("{error}\nin block {seed}: {block}"),
            Err(_) => panic!("block {seed}: {block}"),
        }
    }
    assert!(compiled > count / 10 && refused > count / 10, "{compiled} compiled, {refused} refused");
}
