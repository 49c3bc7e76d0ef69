# frozen_string_literal: true

require "digest"

# Every hint is followed on the example that it is given for: what was unsupported then does what plain Ruby does.
module FollowedHints
  class Car
    attr_accessor :speed, :hours, :tags

    def initialize(speed, hours = 9..17)
      @speed = speed
      @hours = hours
      @tags = {}
    end
  end

  class Base
    def cost(base = 2) = base
  end

  class Derived < Base
    define_method(:cost) { super }
  end

  class Mended < Base
    define_method(:cost) { super() }
  end

  # Computes when it is asked first.
  class Place
    def root
      @root ||= Math.sqrt(2)
    end
  end

  # Loads what is asked for.
  module Lazy
    def self.forget = const_defined?(:LIMIT, false) && remove_const(:LIMIT)
    def self.const_missing(name) = const_set(name, 3)
  end

  LETTERS = %w[a b].freeze

  # What is written, what the hint says, and what is written then. Both are called with the elements.
  PAIRS = {
    "step with keywords" => [
      ->(all) { all.pmap { |_x| 1.step(by: 2, to: 7).to_a } }, /1\.step\(7, 2\)/,
      ->(all) { all.pmap { |_x| 1.step(7, 2).to_a } }
    ],
    "Range.new" => [nil, nil, ->(all) { all.pmap { |x| Range.new(0, x).sum } }],
    "a range of other ends that an object holds" => [
      ->(all) { cars = all.map { |x| Car.new(x, 9r..17r) }; cars.pmap { |car| car.hours.cover?(car.speed) } },
      /make sure that both its ends are numbers, or Strings/,
      ->(all) { cars = all.map { |x| Car.new(x, 9.0..17) }; cars.pmap { |car| car.hours.cover?(car.speed) } }
    ],
    "super without arguments in define_method" => [
      ->(all) { all.pmap { |x| Derived.new.cost + x } }, /write the arguments out: `super\(\)`/,
      ->(all) { all.pmap { |x| Mended.new.cost + x } }
    ],
    "what a pattern keeps out of its match" => [
      ->(all) { all.pmap { |x| "van #{x}" =~ /van\K / } }, /write the pattern without that/,
      ->(all) { all.pmap { |x| "van #{x}" =~ /van / } }
    ],
    "a constant that is loaded when it is named first" => [
      ->(all) { Lazy.forget; all.pmap { |x| Lazy::LIMIT + x } }, /by naming it there/,
      ->(all) { Lazy::LIMIT; all.pmap { |x| Lazy::LIMIT + x } }
    ],
    "a digest" => [
      ->(all) { Digest::SHA256; all.pmap { |x| Digest::SHA256.hexdigest(x.to_s).size } }, /do it (before|outside)/,
      ->(all) { sizes = all.map { |x| Digest::SHA256.hexdigest(x.to_s).size }; all.size.times.pmap { |i| sizes[i] } }
    ],
    "return" => [
      ->(all) { all.pmap { |x| return 0 if x > 1; x } }, /use `next` to end the block for this element/,
      ->(all) { all.pmap { |x| next 0 if x > 1; x } }
    ],
    "return in a section" => [
      ->(all) { Ikra.section { return 0 if all.size > 1; all.psum } }, /`next` to end the block of the section, with its/,
      ->(all) { Ikra.section { next 0 if all.size > 1; all.psum } }
    ],
    "break" => [
      ->(all) { all.peach { |x| break if x > 1 } }, /next|pselect/,
      ->(all) { all.peach { |x| next if x > 1 } }
    ],
    "a method by a name that is not known" => [
      ->(all) { all.pmap { |x| binding.local_variable_get(:x) } }, /Ikra\.debug/,
      ->(all) { all.pmap { |x| x } }
    ],
    "draws of a generator that do not run" => [
      ->(all) { random = Random.new(4); all.pmap { |x| random.bytes(x) } }, /rand/,
      ->(all) { all.pmap { |x| Random.new(x).rand(5) } }
    ],
    "a time" => [
      ->(all) { time = Time.at(0); all.pmap { |x| time.year + x } }, /time\.to_f/,
      ->(all) { time = Time.at(0).to_f; all.pmap { |x| time + x } }
    ],
    "an array that is a key and changed" => [
      ->(all) { all.pmap { |x| key = [x]; hash = { key => 1 }; key << 2; hash.size } }, /hash\[key\.dup\]/,
      ->(all) { all.pmap { |x| key = [x]; hash = {}; hash[key.dup] = 1; key << 2; hash.size } }
    ],
    "keys that an array holds" => [
      nil, nil, ->(all) { all.pmap { |x| { "a" => x, "b" => 2 }.slice(*LETTERS) } }
    ]
  }.freeze
end

each_compiling_backend do
  FollowedHints::PAIRS.each do |name, (written, hint, followed)|
    it "helps with #{name}" do
      skip "a GPU matches no regular expressions" if name.match?(/a pattern keeps/) && Ikra.backend != :cpu
      all = [1, 2, 3]
      if hint
        expect { written.call(all) }.to raise_error(Ikra::UnsupportedError) { |error|
          told = error.diagnostics.flat_map { |reason| [reason.message, reason.hint] }
          expect(told.grep(hint)).not_to be_empty, error.message
          # Nothing in a message is a name of ours.
          expect(error.message).not_to match(/`#/)
        }
      end
      expected = Ikra.debug { followed.call(all) }
      expect(followed.call(all)).to eq(expected)
    end
  end

  it "helps with a value that is computed when it is asked for first" do
    place = FollowedHints::Place.new
    Ikra.conflicts = :raise
    expect { [1, 2].pmap { |x| place.root + x } }
      .to raise_error(Ikra::ConflictError, /hint: ask for it once before the section, so that @root is set/)
    place.root
    expect([1, 2].pmap { |x| place.root + x }).to eq([1.0 + Math.sqrt(2), 2.0 + Math.sqrt(2)])
  end
end
