# frozen_string_literal: true

require "open3"
require "tempfile"

# Core methods that somebody has redefined: Ruby's answer, or an error that names the method. Each runs in a process of
# its own, since a Ruby in which `Integer#+` was redefined once is slower for good.
each_compiling_backend do |backend|
  library = File.join(__dir__, "..", "lib")
  # Those that MRI has fast paths for, and what built-ins call most.
  basic = {
    Integer: %w[+ - * / % <=> < [] succ hash !],
    Float: %w[+ * <=> == to_s],
    String: %w[+ == <=> hash eql? size],
    Symbol: %w[== <=> to_proc to_s],
    Array: %w[[] == <=> each size + hash to_a first deconstruct eql?],
    Hash: %w[[] == each size key?],
    Range: %w[each === size],
    NilClass: %w[to_a to_s ! nil?],
    Kernel: %w[is_a? nil?],
    Enumerable: %w[map to_a],
    Comparable: %w[<],
    Module: %w[===],
    Struct: %w[==],
    Method: %w[to_proc]
  }

  run = lambda do |*names|
    file = File.join(__dir__, "support", "redefined", "run.rb")
    output, status = Open3.capture2e(RbConfig.ruby, "-I#{library}", file, backend.to_s, *names)
    lines = output.lines(chomp: true).grep_v(/: \d+ of \d+ refused\z/)
    status.success? ? lines : lines + ["failed: #{status}"]
  end

  # What a program prints.
  def printed(backend, text)
    library = File.join(__dir__, "..", "lib")
    Tempfile.create(["redefined", ".rb"]) do |file|
      file.write(text)
      file.close
      Open3.capture2e({ "IKRA_BACKEND" => backend.to_s }, RbConfig.ruby, "-I#{library}", "-rikra", file.path)[0]
    end
  end

  # Emulated GPUs compile too slowly for all.
  (backend == :cpu ? basic : { Integer: %w[+ <=>] }).each do |of, names|
    describe of do
      it "gives Ruby's answers, or says so, with #{names.join(", ")} redefined" do
        expect(run.call(*names.map { |name| "#{of}##{name}" })).to eq []
      end
    end
  end

  it "counts by Ruby's own methods in built-ins, and calls what the program names" do
    expect(printed(backend, <<~RUBY)).to eq "[[206, 6, [2], 206, 3], [103, 1]]\n"
      class Integer
        alias plus +
        def +(other) = plus(other).plus(100)
      end
      list = [1, 2, 3]
      given = [1].pmap { |_| [list.inject(:+), list.sum, list.each_index.select { |i| list[i] == 3 }, list.inject { |a, b| a + b }, list.size] }
      given.concat([1].pmap { |x| [x + 2, list.first] })
      p given
    RUBY
  end

  it "names the method and the place where Ruby would call one that is another" do
    text = <<~RUBY
      class Integer
        alias order <=>
        def <=>(other) = -order(other)
      end
      list = [1, 2, 3]
      begin
        [1].pmap { |x| list.max }
      rescue Ikra::UnsupportedError => e
        puts e.message
      end
      p [3, 1, 2].pmap { |x| x <=> 2 }
    RUBY
    said = printed(backend, text)
    expect(said).to include "`max` calls `Integer#<=>`, which has been redefined", ".rb:7", "[redefined-method]"
    expect(said).to end_with "[-1, 1, 0]\n"
  end

  [["class Array; def initialize(n = 0) = n.times { |i| self << i }; end", "Array.new(n)"],
   ["class Hash; def initialize(*) = (super(); self[:x] = 1); end", "Hash.new(n)"],
   ["class String; alias old initialize; def initialize(s = '') = old(s + '!'); end", 'String.new("a")'],
   ["class Range; alias old initialize; def initialize(a, b, *e) = old(a, b + 1, *e); end", "Range.new(1, n).to_a"],
   ["class Regexp; alias old initialize; def initialize(s, *a) = old(s + '+', *a); end", '"aaa"[Regexp.new("a")]'],
   ["class Hash; def initialize_copy(o) = (super; self[:copied] = 1); end", "{ a: n }.dup"],
   ["class Array; def initialize_copy(o) = (super; self << 7); end", "[n].clone"],
   ["class Set; alias old add; def add(x) = old(x + 1); end", "(Set[n] | [9]).to_a"],
   ["class Set; def initialize_dup(o) = (super; add(77)); end", "(Set[n] | [2]).to_a"],
   ["class Integer; def to_str = 'S'; end", '[n, 2].join("-")'],
   ["class Integer; def to_str = 'S'; end", '"a" + n'],
   ["class Complex; def +(other) = 7; end", "[2 + 1i, [1i, 2i].inject(:+), 1i + n]"],
   ["class Rational; def +(other) = 7; end", "[[1r, 2r].sum, n + 1r, 1r + n]"]].each do |definition, expression|
    it "gives Ruby's answer to #{expression} after #{definition}, or says so" do
      said = printed(backend, <<~RUBY)
        require "set"
        #{definition}
        plain = [1].map { |n| #{expression} }
        p (begin
          [1].pmap { |n| #{expression} } == plain
        rescue Ikra::UnsupportedError => e
          e.message.match?(/\\[redefined-method\\]|which has `to_str`/)
        end)
      RUBY
      expect(said).to eq "true\n"
    end
  end

  it "follows the order of the elements where what they put together is another's" do
    expect(printed(backend, <<~RUBY)).to eq "[true, true]\n"
      class Integer
        alias plus +
        def +(other) = plus(other).plus(plus(other).odd? ? 7 : 0)
      end
      values = (0...1000).to_a
      expected = 0
      values.each { |x| expected += x }
      sum = 0
      refused = begin
        values.peach { |x| sum += x }
        nil
      rescue Ikra::UnsupportedError => e
        e.message
      end
      p [refused ? refused.include?("Integer#+") : sum == expected, true]
    RUBY
  end

  it "takes what is added to core classes, and modules that are prepended to them" do
    expect(printed(backend, <<~RUBY)).to eq "[[6, 9, \"<3>\", 12], [2, 3, \"<1>\", 4], [4, 6, \"<2>\", 8]]\n"
      class Integer
        def double = self * 2
      end
      class Array
        def total = inject { |a, b| a + b }
      end
      module Shown
        def to_s = "<" + super + ">"
      end
      Integer.prepend(Shown)
      p [3, 1, 2].pmap { |x| [x.double, [x, x, x].total, "\#{x}", [x, x, x, x].sum] }
    RUBY
  end

  it "is told where methods are undefined or removed" do
    expect(printed(backend, <<~RUBY)).to eq "[[true, 6]]\nNoMethodError\n"
      class Integer
        undef_method :succ
        undef_method :times
      end
      p [2].pmap { |x| [[1, 2, 3].include?(x), [1, 2, 3].each_slice(2).map(&:sum).sum] }
      begin
        [1].pmap { |x| x.succ }
      rescue NoMethodError => e
        puts e.class
      end
    RUBY
  end

  it "sees a method redefined between two calls, and Ruby's own again" do
    expect(printed(backend, <<~RUBY)).to eq "[[3], [103], [3]]\n"
      class Integer
        alias plus +
      end
      block = ->(x) { x + 2 }
      given = [[1].pmap(&block)]
      class Integer
        def +(other) = plus(other).plus(100)
      end
      given << [1].pmap(&block)
      class Integer
        alias + plus
      end
      given << [1].pmap(&block)
      p given
    RUBY
  end

  # What Ikra's own Ruby would go wrong by, from the first call on.
  {
    "class Array; alias old each; def each(&block) = old { |x| block.call(x * 10) }; end" =>
      ["[[1, 3]].pmap { |a| a.sum }", "[4]"],
    "class Hash; def []=(key, value); store(key, value.to_s); end; end" =>
      ["[1].pmap { |n| h = {}; h[:a] = n; h.to_a }", "[[[:a, \"1\"]]]"],
    "class Hash; alias own []; def [](key) = [own(key)]; end" => ["[1].pmap { |n| { a: n }[:a] }", "[[1]]"],
    "class Integer; alias plus +; def +(other) = plus(other).plus(100); end" => ["[1, 2].psum { |x| x }", "3"],
    "class Integer; alias minus -; def -(other) = minus(other).minus(100); end" => ["[5].pmap { |n| n - 1 }", "[-96]"],
    "class String; def initialize_copy(other) = (super; self << 'C'); end" => ["[1].pmap { |n| n + 1 }", "[2]"],
    "class Array; def empty? = :e; def first(*) = :f; def join(*) = :j; def hash = 4; end" =>
      ["[[2]].pmap { |a| [a.empty?, a.first, a.join] }", "[[:e, :f, :j]]"],
    "class Object; def self.new(*) = :mine; end; class Car; end" => ["[2].pmap { |n| [Car.new] }", "[[:mine]]"],
    "class Random; def initialize(seed, more) = (super(seed); @more = more); attr_reader :more; end" =>
      ["[4].pmap { |n| r = Random.new(n, 5); [r.more, r.rand(100) == 46] }", "[[5, true]]"],
    "class Integer; def <=>(other) = 7; end" => ["[[1, 3]].pmap { |a| a.max }", /`Integer#<=>`.*\[redefined-method\]/],
    "class Hash; def default(key = nil) = 88; end" => ["[1].pmap { |n| { a: n }[:b] }",
                                                       /`Hash#default`.*\[redefined-method\]/],
    "class Integer; def to_str = 'S'; end" =>
      ["[1].pmap { |n| [n, 2].join('-') }", /`join` calls `Integer#to_str`.*\[redefined-method\]/],
    "class Symbol; def to_str = 'S'; end" => ["[:a].pmap { |x| 'b' + x }", /which has `to_str`/],
    "class NilClass; def to_a = [7]; end" => ["[nil].pmap { |a| [*a, 1] }", /`NilClass#to_a`.*\[redefined-method\]/]
  }.each do |definition, (text, answer)|
    next unless backend == :cpu

    it "runs #{text} behind #{definition}" do
      expect(printed(backend, "#{definition}\nbegin\n  puts (#{text}).inspect\n" \
                              "rescue Ikra::UnsupportedError => e\n  puts e.message\nend\n"))
        .to match(answer.is_a?(Regexp) ? answer : /\A#{Regexp.escape(answer)}\n\z/)
    end
  end
end
