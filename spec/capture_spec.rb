# frozen_string_literal: true

require "tempfile"

# From a block to its source: what can be compiled, what is refused and with which words, and what is read anew at each
# call.
each_compiling_backend do
  # Loads `text` from a file of its own and gives the value of its last expression, with the file's path.
  def load_text(text)
    file = Tempfile.create(["section", ".rb"])
    file.write(text)
    file.close
    @files = [*@files, file.path]
    [instance_eval_file(file.path), file.path]
  end

  def instance_eval_file(path)
    RubyVM::InstructionSequence.compile_file(path).eval
  end

  after { @files&.each { |path| FileUtils.rm_f(path) } }

  describe "a block" do
    it "may be a literal, braces or do" do
      expect([1, 2].pmap { |n| n + 1 }).to eq([2, 3])
      result = [1, 2].pmap do |n|
        n + 2
      end
      expect(result).to eq([3, 4])
    end

    it "may be &:name" do
      expect([1, 2].pmap(&:succ)).to eq([2, 3])
      expect([-1, 2].pmap(&:abs)).to eq([1, 2])
    end

    it "may be a lambda or a Proc made elsewhere" do
      twice = ->(n) { n * 2 }
      add = proc { |n| n + 1 }
      expect([1, 2].pmap(&twice)).to eq([2, 4])
      expect([1, 2].pmap(&add)).to eq([2, 3])
    end

    it "may stand in a line with others and behind characters of several bytes" do
      expect([[1, 2].pmap { |n| n + 1 }, "äöü", [1, 2].pmap { |n| n * 3 }]).to eq([[2, 3], "äöü", [3, 6]])
    end

    it "may use numbered parameters" do
      expect([1, 2].pmap { _1 + 1 }).to eq([2, 3])
    end

    it "is no Proc in C, and no Method that its receiver has not any more" do
      old = Class.new { def twice(n) = n * 2 }
      method = old.new.method(:twice)
      old.define_method(:twice) { |n| n * 3 }
      [method, ->(a, b, c) { a + b + c }.curry[1]].each do |block|
        expect { [1, 2].pmap(&block) }
          .to raise_error(Ikra::UnsupportedError, /no block literal.*hint: .*write \{ \|element\|/m)
      end
    end

    def later = 3

    it "calls a method where a variable of that name is assigned later" do
      block = proc { |n| n * later }
      later = 5
      expect([1, 2].pmap(&block)).to eq([3, 6])
      expect([1, 2].pmap { |n| n * later }).to eq([5, 10])
    end

    it "is not text that was not kept" do
      section = eval("proc { |n| n + 1 }", binding, "(typed)", 7) # rubocop:disable Style/EvalWithLocation
      expect { [1, 2].pmap(&section) }
        .to raise_error(Ikra::UnsupportedError, /\(typed\):7.* was not kept/)
    end

    it "may be text that gives to a variable around it, which another text may not have" do
      kept = RubyVM.keep_script_lines
      RubyVM.keep_script_lines = true
      text = "proc { |n| [n].each { |m| sum += m; other = m }; k = n; n + k }"
      around = lambda do
        sum = 1
        [eval(text, binding, "(typed)", 1), -> { sum }] # rubocop:disable Security/Eval
      end
      section, sum = around.call
      expect([1, 2].pmap(&section)).to eq([2, 4])
      expect(sum.call).to eq(4)
      # Where there is no such variable, it is one of the block.
      alone = eval(text, TOPLEVEL_BINDING.dup, "(typed)", 1) # rubocop:disable Security/Eval
      expect { [1].pmap(&alone) }.to raise_error(NoMethodError, /nil/)
      expect([1].pmap(&around.call.first)).to eq([2])
    ensure
      RubyVM.keep_script_lines = kept
    end

    it "may be text that was kept" do
      kept = RubyVM.keep_script_lines
      RubyVM.keep_script_lines = true
      section = eval("\nproc { |n|\n n + 1 }", binding, "(typed)", 100) # rubocop:disable Style/EvalWithLocation
      expect([1, 2].pmap(&section)).to eq([2, 3])
    ensure
      RubyVM.keep_script_lines = kept
    end
  end

  describe "a file" do
    it "that has moved on is refused by name and line" do
      section, path = load_text("\nproc { |n| n + 1 }\n")
      File.write(path, "# a new line\n\n\nproc { |n| n + 1 }\n")
      expect { [1].pmap(&section) }
        .to raise_error(Ikra::Error, /#{Regexp.escape(path)}:2: the file has changed since it was loaded/)
    end

    it "that has other code at the same place is refused" do
      section, path = load_text("proc { |n| n + 1 }\n")
      File.write(path, "proc { |n| n + 2 }\n")
      File.utime(Time.now + 1, Time.now + 1, path)
      expect { [1].pmap(&section) }.to raise_error(Ikra::Error, /has changed/)
    end

    # Ruby 3.4 takes such a method for shorter than it is.
    it "with endless methods that hand a block on is not" do
      relay = Shelf::Relay.new([1, 2, 3])
      expect_same([1, 2]) { |n| t = n; relay.all { |item| t += item }; t } # rubocop:disable Style/Semicolon
      expect_same([1, 2]) { |n| relay.both(n) { |item| item * n } }
    end

    it "that was only touched is not" do
      section, path = load_text("proc { |n| [n].each { |m| n += m }; n + 1 }\n")
      File.utime(Time.now + 1, Time.now + 1, path)
      expect([1].pmap(&section)).to eq([3])
    end

    it "that has another time than when it was replaced is seen to have changed" do
      section, path = load_text("proc { |n| n + 1 }\n")
      File.write("#{path}.new", "proc { |n| n + 2 }\n")
      File.utime(0, 0, "#{path}.new")
      File.rename("#{path}.new", path)
      expect { [1].pmap(&section) }.to raise_error(Ikra::Error, /has changed/)
    end

    it "that is edited or deleted behind the first section is known as it was loaded" do
      (one, other), path = load_text("def more_of_it(n) = n + 10\n[proc { |n| n + 1 }, proc { |n| more_of_it(n) }]\n")
      expect([1].pmap(&one)).to eq([2])
      File.write(path, "# another line\n\n[]\n")
      expect([1].pmap(&other)).to eq([11])
      expect([1.5].pmap(&other)).to eq([11.5])
      FileUtils.rm_f(path)
      expect([1, 2.5].pmap(&other)).to eq([11, 12.5])
    end

    it "that is loaded again is known twice" do
      one, path = load_text("proc { |n| n + 1 }\n")
      expect([1].pmap(&one)).to eq([2])
      File.write(path, "proc { |n| n + 2 }\n")
      other = instance_eval_file(path)
      expect([[1.5].pmap(&one), [1].pmap(&other), [1.5].pmap(&other)]).to eq([[2.5], [3], [3.5]])
    end

    it "may begin with a byte order mark" do
      section, = load_text("\u{feff}proc { |n| n + 1 }\n")
      expect([1, 2].pmap(&section)).to eq([2, 3])
    end

    it "of an encoding whose bytes are no UTF-8 is refused as such" do
      section, = load_text("# encoding: euc-jp\nproc { |n| \"\xC6\xFC\".size }\n".b)
      expect { [1].pmap(&section) }.to raise_error(Ikra::UnsupportedError, /in euc-jp \[unsupported-encoding\]/)
    end

    it "of another encoding has code, but no Strings" do
      section, = load_text("# encoding: us-ascii\nproc { |n| n + :abc.size }\n")
      expect([1, 2].pmap(&section)).to eq([4, 5])
      ["\"abc\"", "\"a\#{n}\"", "\"\""].each do |text|
        section, = load_text("# -*- coding: us-ascii -*-\nproc { |n| #{text} }\n")
        expect { [1].pmap(&section) }.to raise_error(Ikra::UnsupportedError, /at its top.*\[unsupported-encoding\]/)
      end
      section, = load_text("# encoding: us-ascii\nproc { |n| \"\\u00e9\" }\n")
      expect([1].pmap(&section)).to eq(["é"])
    end

    it "with characters of another encoding is refused" do
      section, path = load_text("# encoding: iso-8859-1\n# \xe9\nproc { |n| n + 1 }\n".b)
      expect { [1].pmap(&section) }
        .to raise_error(Ikra::UnsupportedError, /#{Regexp.escape(path)} is not written in UTF-8, but in iso-8859-1/)
    end

    it "that is gone is refused" do
      section, path = load_text("proc { |n| n + 1 }\n")
      FileUtils.rm_f(path)
      expect { [1].pmap(&section) }.to raise_error(Ikra::UnsupportedError, /was not kept/)
    end
  end

  describe "what a block sees" do
    it "is read anew at each call" do
      factor = 2
      scale = -> { [1, 2].pmap { |n| n * factor } }
      expect(scale.call).to eq([2, 4])
      factor = 3
      expect(scale.call).to eq([3, 6])
      factor = 0.5
      expect(scale.call).to eq([0.5, 1.0])
    end

    it "includes constants of the modules around it" do
      expect(Shelf::Box.new.widths([1])).to eq([111])
    end

    it "includes constants that change" do
      results = [1, 2].map do |value|
        stub_const("Shelf::HEIGHT", value)
        Shelf::Box.new.heights([10])
      end
      expect(results).to eq([[11], [12]])
    end

    it "does not include private constants of others" do
      expect { [1].pmap { |n| n + Shelf::SECRET } }.to raise_error(Ikra::UnsupportedError, /uninitialized-constant/)
    end

    it "includes methods that are defined anew" do
      calculator = Class.new { def self.name = "Calculator" }
      results = ["n + 1", "n + 2"].map do |body|
        source, = load_text("proc { |klass| klass.class_eval { def apply(n) = #{body} } }")
        Warnings.without { source.call(calculator) }
        object = calculator.new
        calls = [object].pmap { |c| c.apply(10) }
        calls + [object].pmap { |c| c.apply(20) }
      end
      expect(results).to eq([[11, 21], [12, 22]])
    end

    it "includes methods of a singleton class only where they make no difference" do
      point = World::Point.new(1)
      other = World::Point.new(2)
      def point.name = "one"
      expect([point, other].pmap { |p| p.x }).to eq([1, 2])
      def point.shift(_by) = nil
      expect { [point, other].peach { |p| p.shift(1) } }.to raise_error(Ikra::UnsupportedError, /singleton-methods/)
    end

    it "does not include what method_missing answers" do
      ghost = Class.new do
        def method_missing(_name) = 1
        def respond_to_missing?(*) = true
      end
      expect { [ghost.new].pmap { |g| g.anything } }.to raise_error(Ikra::UnsupportedError, /method-missing/)
      # It answers calls of private methods, too.
      expect { [ghost.new].pmap { |g| g.puts } }.to raise_error(Ikra::UnsupportedError, /method-missing/)
    end

    it "includes methods made with define_method" do
      klass = Class.new { define_method(:plus) { |n| n + 1 } }
      object = klass.new
      expect([1].pmap { |n| object.plus(n) }).to eq([2])
    end

    it "includes methods of modules and super" do
      expect([Shelf::Deep.new].pmap { |deep| deep.depth(1) }).to eq([1111])
    end

    it "includes methods of modules themselves" do
      expect([1].pmap { |n| Shelf.twice(n) }).to eq([2])
    end
  end
end

# Constants and methods at several depths.
module Shelf
  HEIGHT = 0
  WIDTH = 100
  SECRET = 1
  private_constant :SECRET

  def self.twice(n) = n * 2

  class Board
    WIDTH = 10 # Hidden by the one of Shelf, which stands around Box.
    DEPTH = 10

    def depth(n) = n + 1000
  end

  module Sides
    def depth(n) = super + 100
  end

  class Box < Board
    def widths(numbers)
      numbers.pmap { |n| n + WIDTH + DEPTH }
    end

    def heights(numbers)
      numbers.pmap { |n| n + HEIGHT }
    end
  end

  class Relay
    def initialize(items) = @items = items
    def each_item(&block) = @items.each(&block)
    def all(&block) = each_item(&block)
    def both(n, &block) = n + sum_of(&block)
    def sum_of(&block) = @items.sum(&block)
  end

  class Deep < Board
    include Sides

    def depth(n) = super + 10
  end
end
