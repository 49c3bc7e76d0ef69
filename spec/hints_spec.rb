# frozen_string_literal: true

require "securerandom"
require "stringio"

# What a refusal says to write instead.
module Hints
  class Name < String; end

  class Numbered
    def to_s = 12
  end

  class Shop
    include Math

    attr_reader :hours, :rules, :list

    def initialize
      @hours = 9..17
      @rules = [->(x) { x > 1 }]
      @list = [3, 1, 2]
    end

    def allows?(number) = rules.all? { |rule| rule.call(number) }
    def visit(number, &block) = number.positive? ? visit(number - 1, &block) : yield(number)
    def root = sqrt(list[0])
    def table(number) = number * `ls`
    def named(number) = number.to_s.unicode_normalize.size
  end

  class Group
    include Enumerable

    def initialize(items) = @items = items
    def each(&block) = @items.each(&block)
  end

  RANGES = [:a..:c, :b..:d].freeze
  RULES = [->(x) { x + 1 }, ->(x) { x * 2 }].freeze
end

each_compiling_backend do
  let(:shops) { [Hints::Shop.new] }

  def refused(hint, &section) = expect(&section).to raise_error(Ikra::UnsupportedError, hint)

  it "is of methods that users call, and not of parts of these" do
    floats = (1.5..3.5)
    told = lambda do |slug, name, items = [1], &block|
      expect { items.pmap(&block) }.to raise_error(Ikra::UnsupportedError, /\d: `(Range#)?#{name}` .*\[#{slug}\]$/)
    end
    told.call("unsupported-argument", "fetch_values", [Time.now]) { |x| { 1 => 2 }.fetch_values(1, x) }
    told.call("unsupported-method", "encode") { |x| "a".encode(x, 1, 2) }
    told.call("unsupported-method", "minmax") { floats.minmax { |a, b| a <=> b } }
    told.call("unsupported-method", "to_a") { floats.to_a }
    message = "`Range##length` and `#encode`, `find_raw` or `each_with_index`, `#<Class:0x1>#to_s` or `a`"
    expect(InternalNames.in(message)).to eq(["Range##length", "#encode", "find_raw"])
  end

  it "is of what objects and arrays hold" do
    ranges = /a range in a section goes over numbers, Strings or Dates, not Symbol.*its ends are numbers/m
    refused(ranges) { Hints::RANGES.pmap { |range| range.include?(:b) } }
    refused(ranges) { [:b].pmap { |x| Hints::RANGES[0].include?(x) } }
    expect(shops.pmap { |shop| shop.allows?(3) }).to eq(shops.map { |shop| shop.allows?(3) })
    expect([1].pmap { |x| Hints::RULES[0].call(x) }).to eq([2])
  end

  it "is of methods that call themselves" do
    total = 0
    giving = /a method that calls itself is given a block that assigns a variable around the section.*as a stack/m
    refused(giving) { shops.pmap { |s| s.visit(3) { |n| total += n } } }
  end

  it "is of what modules give" do
    group = Hints::Group.new([1, 2])
    expect([1].pmap { |x| group.sum + x }).to eq([4])
    refused(/Math\.sqrt/) { shops.pmap(&:root) }
    random = Random.new(4)
    refused(/draw numbers with rand/) { [1].pmap { |x| random.bytes(x) } }
    refused(/time\.to_f/) { [Time.at(0)].pselect { |t| t > Time.at(2) } }
    refused(/time\.to_f/) { [Time.at(0)].pmap { |t| t.year } }
    word = /a+/
    refused(/ask it before the section/) { [1].pmap { |x| word.named_captures.size + x } }
    methods = [5.method(:+)]
    expect([1].pmap { |x| methods[0].call(x) }).to eq([6])
    reading = [method(:gets).to_proc]
    refused(/gets/) { [1].pmap { |x| reading[0].call(x) } }
    waiting = [->(a, b, c) { a + b + c }.curry[1]]
    refused(/only what is written in Ruby can be called/) { [1].pmap { |x| waiting[0].call(x) } }
  end

  it "is of arrays that would change" do
    grow = /index 4 is past the end of an array of 1.*\[array-growth\].*Array\.new\(5\)/m
    list = [0]
    refused(grow) do
      Ikra.section do
        Ikra.sync { list }
        list[4] = 1
      end
    end
    expect(list).to eq([0])
  end

  it "is of local variables around the section" do
    x = 5
    hint = /conflict over the variable `x`.*another name.*`\|…; x\|`.*`x \+= …`/m
    Ikra.conflicts = :raise
    expect do
      [1, 2].pmap do |y|
        x = y
        x * 2
      end
    end.to raise_error(Ikra::ConflictError, hint)
    expect { [1, 2].pmap { |y| x = (x * 2) + y } }.to raise_error(Ikra::ConflictError, hint)
    expect(x).to eq(5)
  ensure
    Ikra.conflicts = :in_order
  end

  it "is of sums whose value is used as well" do
    Ikra.conflicts = :raise
    total = 0
    expect { [1, 2].pmap { |x| total += x } }
      .to raise_error(Ikra::ConflictError, /conflict over the variable `total`.*in between is used here.*give\s+back/m)
    sums = [0, 0]
    [1, 1].peach { |x| sums[x] += 1 }
    expect { [1, 1].pmap { |x| sums[x] += 1 } }.to raise_error(Ikra::ConflictError) { |error|
      expect(error.message).to include("in between is used here")
      expect(error.message).not_to include("sums[i] += …")
    }
    counts = Hash.new(0)
    expect { [1, 1].peach { |x| counts[x] += 1 } }.to raise_error(Ikra::ConflictError, /pairs.*with pmap.*tally/m)
    text = +""
    expect { %w[a b].peach { |x| text << x } }.to raise_error(Ikra::ConflictError, /same String.*parts\.join/m)
    expect([sums, counts, text]).to eq([[0, 2], {}, ""])
  ensure
    Ikra.conflicts = :in_order
  end

  it "is of what the program has around the section" do
    refused(/gets or loses keys.*\[unsupported-hash\].*hash\.to_a\.each/m) do
      [1].pmap { |x| { x => 1 }.tap { |h| h.each { |k, v| h[k + 1] = v } } }
    end
    refused(/`Enumerator::Chain.new`.*`values << value`/m) { [1].pmap { |x| Enumerator::Chain.new([x]).to_a } }
    refused(/`Hints::Name#upcase`.*String\.new\(text\)/m) { [Hints::Name.new("a")].pmap(&:upcase) }
    refused(/`encode` with another encoding/m) { ["é"].pmap { |s| s.encode("UTF-16LE") } }
    refused(/`to_s` of Hints::Numbered gives Integer/) { [1].pmap { |_| "a#{Hints::Numbered.new}" } }
    refused(/ENV has methods of its own.*`level = ENV\["LEVEL"\]`/m) { [1].pmap { |x| ENV.fetch("X#{x}") } }
    refused(/SecureRandom\.hex.*ids = items\.map/m) { [1].pmap { |x| SecureRandom.hex(x) } }
    refused(/StringIO\.new.*text << part/m) { [1].pmap { |x| StringIO.new(x.to_s).string } }
    refused(/Thread\.new.*leave it out/m) { [1].pmap { |x| Thread.new { x }.value } }
    refused(/Mutex\.new.*leave the lock out/m) { [1].pmap { |x| Mutex.new.synchronize { x } } }
    refused(/encode it after the section/) { [1].pmap { |x| x.to_s.encode("UTF-16") } }
    refused(/caller.*take it before the section/m) { [1].pmap { |_x| caller } }
    refused(/Time\.now.*now = Time\.now\.to_f/m) { [1].pmap { |_x| Time.now } }
    refused(/File\.read.*text = File\.read\(path\)/m) { [1].pmap { |_x| File.read("a") } }
    refused(/File\.join.*folder/m) { [1].pmap { |x| File.join("a", x.to_s) } }
    refused(/sleep.*leave it out/m) { [1].pmap { |x| sleep x } }
    refused(/system.*run the command before/m) { [1].pmap { |_x| system("true") } }
    refused(/given = block_given\?/) { [1].pmap { |_x| block_given? } }
  end

  it "stands under the line, also where it is found as the section runs" do
    line = __LINE__ + 1
    expect { [1].pmap { |x| x.to_s.encode("UTF-16") } }.to raise_error(Ikra::UnsupportedError) { |error|
      told = error.diagnostics.first
      expect([told.line, told.place.text.strip]).to eq([line, File.readlines(__FILE__)[line - 1].strip])
      expect(told.hint).to include("after the section")
    }
    expect do
      shops.pmap do |shop|
        shop.missing
      rescue NoMethodError => e
        e.message
      end
    end.to raise_error(Ikra::UnsupportedError, /hints_spec.rb:\d+ raises a NoMethodError.*rescue NoMethodError/m)
  end

  it "is of other ways to write it" do
    refused(/write the code itself/) { [1].pmap { |x| binding } }
    refused(/1\.step\(7, 2\)/) { [1].pmap { |_x| 1.step(by: 2, to: 7).to_a } }
  end

  it "stands at the caller's line for a symbol as the block" do
    skip "the mode has a frame of its own" if GCModes.chosen
    place = "#{__FILE__}:#{__LINE__ + 1}"
    expect { [:a].pmap(&:hash) }.to raise_error(Ikra::UnsupportedError) { |error|
      expect(error.message).to start_with("#{place}: `Symbol#hash`").and include("    | &:hash\n    | ^^^")
    }
    expect { Ikra.explain([:a], :pmap, &:hash) }.to raise_error(Ikra::UnsupportedError, /\A#{__FILE__}:#{__LINE__}: /)
  end

  it "is said once of what stands in a called method" do
    place = Hints::Shop.instance_method(:table).source_location.join(":")
    expect { shops.pmap { |shop| shop.table(1) } }.to raise_error(Ikra::UnsupportedError) { |error|
      called = "  called at #{__FILE__}:#{__LINE__ - 1}:\n"
      expect(error.message).to start_with("#{place}: a parallel section cannot").and include(called)
      expect(error.message.scan("[unsupported-command]").size).to eq(1)
    }
    expect { shops.pmap { |shop| shop.named(1) } }.to raise_error(Ikra::UnsupportedError) { |error|
      expect(error.message.scan("hint:").size).to eq(1)
    }
  end

  it "names what a single object has of its own" do
    own = Hints::Shop.new
    def own.foo = 1
    refused(/an object of Hints::Shop has a singleton method `foo`/) { [own].pmap { |shop| shop.foo } }
    extended = Hints::Shop.new.extend(Comparable)
    refused(/an object of Hints::Shop has `clamp` from Comparable, by extend/) { [extended].pmap { |s| s.clamp(1, 2) } }
  end
end
