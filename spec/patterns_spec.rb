# frozen_string_literal: true

module PatternsSpec
  # It is equal to nil, and to what is small.
  class Nothing
    def ==(other) = other.nil? || other == 1
    def to_s = "nothing"
  end

  # A class that is equal to everything.
  class All
    def self.==(_other) = true
  end

  Pair = Struct.new(:a, :b)
end

# Pattern matching: each block is run by Ruby and by every back-end and must give the same.
each_backend do
  let(:small) { [0, 1, 2, 3, 5, 8, 13] }
  let(:mixed) { [1, 2.5, nil, :a, true, false, -7, 4.0] }
  let(:pairs) { [[1, 2], [3, 4], [0, 0], [5, -1]] }
  let(:ragged) { [[], [1], [1, 2], [1, 2, 3], [3, 2, 1, 0]] }

  describe "values" do
    it "matches literals, ranges and classes" do
      expect_same(small) do |n|
        case n
        in 0 then :none
        in 1 | 2 then :few
        in 3..7 then n * 2
        in 8.. then 1.5
        end
      end
      expect_same(mixed) do |x|
        case x
        in Integer then x + 1
        in Float then x * 2
        in nil then 0
        in Symbol then x
        in true | false then x
        end
      end
      expect_same(mixed) do |x|
        case x
        in Numeric then x + 1
        in :a then 1
        else -1
        end
      end
    end

    it "knows the class of what is equal to a literal" do
      items = [[:+, 1], ["a", 2], [3, 4], [nil, 1], [:-, 2], [[5], 3], [2.0, 7], [true, 1]]
      expect_same(items) do |item|
        case item
        in [:+ | :- => op, n] then 7.public_send(op, n) + op.size
        in ["a" | "b" => text, n] then text.upcase * n
        in [2 | 3 => number, n] then number.fdiv(n)
        in [nil => none, n] then none.to_a.size + n
        in [true | false => truth, n] then truth & (n > 1)
        in [first, n] then [first, n].size
        end
      end
      expect_same(items.map(&:first)) do |x|
        if x == :+ then x.to_proc.call(1, 2)
        elsif x == 2 then x.floor
        elsif "a" === x then x.ord
        elsif x == nil then x.to_a.size
        else 0
        end
      end
      nothing = PatternsSpec::Nothing.new
      expect_same([nothing, nil, 1, :a]) { |x| x == nil ? x.to_s : x != :a ? x.to_s : x.to_proc.arity }
      expect_same([nothing, nil, 1, "a"]) { |x| nil === x ? x.to_a.size : x.to_s.size }
      expect_same([nothing, 1.0, 1, "a"]) { |x| (case x when 1 then x.to_s; when "a" then x.upcase; else "no" end) }
    end

    it "asks classes for an == of their own" do
      things = [PatternsSpec::All, Integer, :a, nil, 1, "a"]
      expect_same(things.each_index.to_a) { |i| x = things[i]; x == nil ? x.to_s : 7 }
      expect_same(things.each_index.to_a) { |i| x = things[i]; x != :a ? 7 : x.to_s }
      expect_same(things.each_index.to_a) { |i| x = things[i]; [1 == x, 1.5 === x, x == 1, (case x when 1 then x.to_s end)] }
      expect_same(things.each_index.to_a) { |i| x = things[i]; (case x; in 1 | 2 => y then y.to_s; else "no" end) }
    end

    it "binds names" do
      expect_same(mixed) do |x|
        case x
        in Integer | Float => n then n * 3
        in nil | false then 0
        in other then other
        end
      end
      expect_same(small) { |n| case n; in _ then n end }
      expect_same(small) { |n| n => m; m + 1 }
      expect_same(small) { |n| n => Integer => m; m + 1 }
    end

    it "pins" do
      limit = 3
      expect_same(small) { |n| case n; in ^limit then :same; in ^(limit + 2) then :more else :other end }
      expect_same(small) { |n| half = n / 2; case 1; in ^half then true else false end }
      expect_same(small) { |n| case [n, n / 2]; in [a, ^a] then a else -1 end }
      expect_same(small) { |n| case [n, n + limit - 3]; in [a, ^a] then a else -1 end }
    end

    it "guards" do
      expect_same(small) do |n|
        case n
        in Integer if n.even? then n / 2
        in m unless m > 4 then m * 10
        in m if m == 5 then m
        in _ then 0.5
        end
      end
    end

    it "asks with in" do
      expect_same(mixed) { |x| x in Integer }
      expect_same(mixed) { |x| (x in Integer | Float) ? x + 1 : 0 }
      expect_same(mixed) { |x| if x in Integer => n then n + 1 else :no end }
      expect_same(mixed) { |x| unless x in Integer | Float then 1 else x + 1 end }
      expect_same(mixed) { |x| (x in Integer) && x > 0 }
      expect_same(pairs) { |x| x in [Integer, 0..] }
    end

    it "does not look at what comes after a match" do
      expect_same(small) { |n| case n when 0, 10 / n then 1 else 2 end }
      expect_same(small) { |n| case n; in 0 | ^(10 / n) then 1 else 2 end }
    end
  end

  describe "arrays" do
    it "matches arrays made in the section" do
      expect_same(small) { |n| case [n, n + 1]; in [a, b] then a * b end }
      expect_same(small) { |n| case [n, n % 3]; in [0, _] then :zero; in [_, 0] then :three; in [a, b] then a - b end }
      expect_same(small) { |n| case [n, [n + 1, 2.5]]; in [Integer => a, [b, Float => c]] then a + (b * c) end }
      expect_same(small) { |n| case [1, n, 3]; in [first, *, last] then first + last + n end }
      expect_same(small) { |n| case [1, n, 3]; in [a, *rest] then rest.sum + a end }
      expect_same(small) { |n| case [n]; in [a, b] then 1; in [] then 2; in [a] then a end }
      expect_same(small) { |n| case [n, 2]; in a, b then a + b end }
      expect_same(small) { |n| case [n, 2]; in a, then a end }
      expect_same(small) { |n| case [n, 2]; in Array[a, b] then a + b end }
      expect_same(small) { |n| case [n, 2]; in Array(a, b) then a + b end }
      expect_same(small) { |n| [n, n + 1] => [a, b]; a + b }
      expect_same(small) { |n| sum = begin; [n, n + 1] => [a, b]; a + b; end; sum }
      expect_same(small) { |n| case [n, 1]; in [0, 1] | [1, _] | [Integer, 2] then 1 else 2 end }
    end

    it "matches arrays of the heap" do
      expect_same(pairs) { |pair| case pair; in [0, _] then :zero; in [a, b] then a * b end }
      expect_same(pairs) { |pair| case pair; in [a, b] if a > b then a; in [a, b] then b end }
      expect_same(ragged) do |array|
        case array
        in [] then 0
        in [a] then a
        in [1, *, 3] then 13
        in [a, b] then a + b
        in [a, *, b] then a * b
        end
      end
      expect_same([[1, [2, 3]], [4, [5]], [6, []]]) do |array|
        case array
        in [a, [b, c]] then a + b + c
        in [a, [b]] then a + b
        in [a, []] then a
        end
      end
    end

    it "knows what is no array" do
      expect_same([1, nil, 2.5]) { |x| case x; in [a] then a; in [] then 0 else 7 end }
      expect_same([1, [2], nil, [3, 4]]) { |x| case x; in [a] then a; in Integer => n then n * 10 else 0 end }
    end

    it "asks objects to deconstruct" do
      points = [PatternPoint.new(1, 2), PatternPoint.new(0, 5), PatternPoint.new(3, 0)]
      expect_same(points) { |p| case p; in [0, y] then y; in [x, 0] then x; in [x, y] then x * y end }
      expect_same(points) { |p| case p; in PatternPoint[x, y] then x + y end }
      expect_same([1, *points]) { |p| case p; in PatternPoint[x, _] then x; in Integer then 0 end }
    end

    it "matches arrays that grow" do
      expect_same(small) { |n| a = []; n.times { |i| a << i }; case a; in [] then -1; in [x] then x; in [x, *, y] then x + y end }
      expect_same(small) { |n| a = []; (n % 4).times { |i| a << i * 0.5 }; a in [0.0, _, Float] }
    end

    it "leaves names as Ruby does where a pattern fails half-way" do
      expect_same(small) { |n| case [n, 4]; in [a, 3] then 0; in _ then a + 1 end }
      expect_same(small) { |n| a = 9; case [n, 4]; in [a, 3] then 0; in [_, 4] if a > 2 then a else -a end }
    end

    it "stands in loops and methods" do
      expect_same(small) do |n|
        s = 0
        n.times do |i|
          case i
          in 0 then next
          in 1 | 2 => k then s += k
          in k if k > 6 then break
          in k then s -= k
          end
        end
        s
      end
      expect_same(small) { |n| i = n; i -= 1 while i in 3..9; i }
      expect_same(small) { |n| PatternPoint.kind(n) }
      expect_same(small) { |n| PatternPoint.fib(n) }
    end

    it "does not call a private deconstruct, nor take anything but an Array from it" do
      expect_same([PatternPrivate.new]) { |x| case x; in [a] then a end }
      expect_same([PatternOdd.new]) { |x| x in [a] }
    end

    it "matches objects by class" do
      vehicles = [World::Truck.new(3), World::Bicycle.new(2), World::Vehicle.new(9)]
      expect_same(vehicles) { |v| case v; in World::Truck | World::Bicycle => w then w.wheels; in World::Vehicle then 0 end }
      expect_same([*vehicles, nil]) { |v| case v; in nil then 0; in World::Vehicle => w then w.speed end }
    end
  end

  describe "no match" do
    it "raises NoMatchingPatternError with Ruby's message" do
      expect_same(small) { |n| case n; in 0 then 1; in 1.5 then 2 end }
      expect_same(small) { |n| n => String }
      expect_same(small) { |n| n => 0..2 }
      expect_same(small) { |n| n => 0 | 1 }
      expect_same(small) { |n| n => nil }
      expect_same(small) { |n| n => :a }
      expect_same([:a, :b]) { |s| s => :a }
      expect_same(small) { |n| limit = n / 2; n => ^limit }
      expect_same(small) { |n| case n; in Integer if n < 3 then n end }
      expect_same(small) { |n| case n; in Integer unless n > 3 then n end }
      expect_same(small) { |n| n => [a]; a }
      expect_same(small) { |n| [n, 1] => [a]; a }
      expect_same(small) { |n| [n, 1] => [a, *, b, c]; a }
      expect_same(small) { |n| [[n], 1] => [[0], 1]; 2 }
      expect_same(ragged) { |a| a => [x]; x }
      expect_same(ragged) { |a| a => [1, *, 3]; 2 }
      expect_same(ragged) { |a| case a; in [x] then x; in [x, y] then y end }
      expect_same(mixed) { |x| x => Integer | nil }
      expect_same(mixed) { |x| case x; in Integer then 1; in Float then 2 end }
      expect_same([1, :a]) { |x| case x; in Integer then 1; in Float then 2 end }
      expect_same([1, [2, [:a, nil]]]) { |x| case x; in Integer then 1; in Float then 2 end }
      expect_same([World::Point.new(1)]) { |x| case x; in Integer then 1; in Float then 2 end }
      expect_same(small) { |n| case [n, :a]; in [] then 1; in [_] then 2 end }
      expect_same([true, false]) { |x| x => true }
      expect_same([PatternPoint.new(1, 2)]) { |p| p => [1, 3] }
      expect_same([World::Point.new(1)]) { |p| p => Integer }
      expect_same([World::Point.new(1)]) { |p| p => [x] }
    end
  end
end

each_backend do
  it "finds items in arrays" do
    lists = [[1, 2, 42, 5], [], [42], [1, :a, 2.5, nil, :a], [7, 7, 43]]
    expect_same(lists) { |l| case l; in [*, 40..50 => x, *post] then [x, post]; else 0 end }
    expect_same(lists) { |l| case l; in [*pre, Symbol => s, Float | nil => f, *] then [pre, s, f]; in [*a] then a.size end }
    expect_same(lists) { |l| case l; in [*pre, a, b, *post] if a == b then [pre, post]; else -1 end }
    expect_same(lists) { |l| l in [*, 7, 43, *] }
    expect_same(lists) { |l| l => [*, 42, *rest]; rest }
    expect_same(lists) { |l| l => [*, _, _, *] }
    expect_same([1, 3]) { |n| case [n, 2, 3]; in [*a, 3, *b] then [a, b] end }
    expect_same([1, 3]) { |n| case [[n, :x], [2, :y]]; in [*, [Integer => k, :y], *] then k end }
    expect_same([1, 3]) { |n| [n, 2] => [*, 3, *]; 0 }
    expect_same([PatternPoint.new(1, 2)]) { |p| case p; in PatternPoint[*, 2, *] then 1 end }
    expect_same([2, 3]) do |n|
      rows = []
      n.times { |i| rows << [i, [i, i * 2]] }
      case rows
      in [*before, [1, [a, b]], *after] then [before, a + b, after.size]
      end
    end
    expect_same(lists) { |l| found = 0; 3.times { |i| case l; in [*, Integer => x, *] if x > i then found += x; else nil end }; found }
  end
end

# Takes itself apart.
class PatternPoint
  attr_reader :x, :y

  def initialize(x, y)
    @x = x
    @y = y
  end

  def deconstruct = [@x, @y]

  def self.kind(n)
    case n
    in 0 then return :zero
    in 1.. => k if k.even? then return k
    in _ then nil
    end
    :odd
  end

  def self.fib(n) = case n; in 0 | 1 then n; in _ then fib(n - 1) + fib(n - 2) end
end

class PatternPrivate
  private def deconstruct = [4]
end

class PatternOdd
  def deconstruct = 5
end

each_compiling_backend do
  it "tells the values of a NoMatchingPatternError, however many" do
    block = ->(x) { [x, x + 1, x + 2] }
    expect([1].pmap { |x| case block.(x); in [1, y, z] then y + z end }).to eq([5])
    expect_no_match("[2, 3, 4]: 1 === 2 does not return true") do
      [2].pmap { |x| case block.(x); in [1, y, z] then y + z end }
    end
  end

  it "raises what nothing matches where several patterns could" do
    pair = PatternsSpec::Pair
    # rubocop:disable Style/RedundantBegin
    tell = ->(error) { [error.class, error.message, error.message.encoding] }
    ["a\tb", "\xFF", "é".b, :"a b", :é, nil, 1.5, true, ["a"], [1, "é"], { a: 1 }, { "é" => ["\xFF"] }, [{ a: 1 }, 2],
     pair.new("é", 1), pair.new({ a: 1 }, [1])].each do |value|
      raising = [proc { |x| case x; in 12_345 then 1; in "zz" then 2; end },
                 proc { |x| y = [x, 1]; case y; in 12_345 then 1; in "zz" then 2; end }]
      raising.each do |block|
        told = %i[map pmap].map do |call|
          [value].public_send(call, &block)
        rescue NoMatchingPatternError => e
          tell.call(e)
        end
        expect(told[1]).to eq(told[0])
      end
      rescuing = proc do |x|
        y = [x, 1]
        [begin; case x; in 12_345 then 1; in "zz" then 2; end; rescue NoMatchingPatternError => e; e.message; end,
         begin; case y; in 12_345 then 1; in "zz" then 2; end; rescue NoMatchingPatternError => e; e.message; end]
      end
      told = [value].pmap(&rescuing).flatten
      expect([told, told.map(&:encoding)]).to eq([value].map(&rescuing).flatten.then { |all| [all, all.map(&:encoding)] })
    rescue Ikra::UnsupportedError => e
      expect(e.message).to match(/\[unsupported-(rescue-variable|pattern)\]/)
    end
    # rubocop:enable Style/RedundantBegin
  end

  it "refuses to tell an array of more objects than a failure can" do
    next if Ikra.backend == :ruby

    objects = Array.new(3) { Object.new }
    expect { [1].pmap { |_| case [objects[0], objects[1], objects[2]]; in 1 then 1; in 2 then 2; end } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-pattern\]/)
  end

  it "tells made Strings in a NoMatchingPatternError" do
    [["12", nil], [nil, "12"], ["a\u00e9\n", ""], [["x", 1], [:a, 2.5]]].each do |a, b|
      expect_no_match("#{a.inspect}: #{b.inspect} === #{a.inspect} does not return true") do
        [1].pmap { |x| case a; in ^b then x end }
      end
    end
    expect_no_match('"12": Integer === "12" does not return true') do
      [1].pmap { |x| case "#{x}2"; in Integer then x end }
    end
  end

  it "tells what the section has changed as it is by then" do
    pair = PatternsSpec::Pair
    item = pair.new("text".dup, 1)
    expect_no_match('#<struct PatternsSpec::Pair a="other", b=1>: Integer === "other" does not return true') do
      Ikra.section do
        item.a.replace("other")
        case item; in { a: Integer } then 0; end
      end
    end
    expect(item.a).to eq("text")
    items = Array.new(4) { |i| pair.new(i, 1) }
    expect_no_match("#<struct PatternsSpec::Pair a=3, b=2>: 0..2 === 3 does not return true") do
      items.peach do |x|
        x.b = 2
        x => { a: 0..2 }
      end
    end
    outer = pair.new(item, [1, 2])
    inner = '#<struct PatternsSpec::Pair a="text", b=3>'
    expect_no_match("#<struct PatternsSpec::Pair a=#{inner}, b=[1, 2]>: Integer === #{inner} does not return true") do
      Ikra.section do
        item.b = 3
        case outer; in { a: Integer } then 0; end
      end
    end
    list = [1, "text"]
    expect_no_match('[5, "text"]: [5, "text"] length mismatch (given 2, expected 1)') do
      Ikra.section do
        list[0] = 5
        list => [Integer]
      end
    end
  end

  it "tells which alternative was the last for a made String" do
    expect_no_match('"12": :a === "12" does not return true') { [1].pmap { |x| case "#{x}2"; in "c" | :a then 0; end } }
    expect_no_match('["12", nil]: "d" === "12" does not return true') do
      [1].pmap { |x| case ["#{x}2", nil]; in ["c" | "d", _] then 0; end }
    end
    expect_no_match('["12", 1]: "m" === "12" does not return true') do
      [1].pmap { |x| y = "m"; case ["#{x}2", x]; in [1..3 | ^y, _] then 0; end }
    end
    expect(["12", 5].pmap { |x| case x; in "c" | "12" then 1; in 4 | 5 then 2; end }).to eq([1, 2])
    next if Ikra.backend == :ruby

    expect { [1].pmap { |x| case "#{x}2"; in "c" | ^(x.to_s) then 0; end } }
      .to raise_error(Ikra::UnsupportedError, /\[unsupported-(pattern|string)\]/)
  end

  def expect_no_match(message, &)
    if Ikra.backend.to_s.start_with?("cuda")
      # A String that the GPU has made is lost with the launch.
      return expect(&).to raise_error { |error| expect([NoMatchingPatternError, Ikra::UnsupportedError]).to include(error.class) }
    end
    expect(&).to raise_error(NoMatchingPatternError, message)
  end
end
