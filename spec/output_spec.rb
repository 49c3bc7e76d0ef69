# frozen_string_literal: true

require "stringio"
require "tempfile"

# rubocop:disable Style/Semicolon, Style/StderrPuts, Style/GlobalStdStream, Lint/Debugger, Lint/AmbiguousBlockAssociation
# What elements and drivers print is what Ruby would have printed, in its order and up to the same point.
module OutputSpec
  # Values of all kinds that texts are made of.
  VALUES = [0, 7, -3, 123_456_789].freeze

  class Dog
    attr_accessor :name, :age

    def initialize(name, age)
      @name = name
      @age = age
    end

    def to_s = "#{@name} (#{@age})"
    def inspect = "#<#{@name}>"

    def bark
      puts "#{@name}: wuff"
      @age += 1
    end

    def tell(out = $stdout)
      out.puts self
      out << @age << "\n"
    end

    def older(by)
      warn "#{@name} is too old" if @age > 2
      raise ArgumentError, "too old" if @age > 2

      @age += by
    rescue ArgumentError => e
      $stderr.puts "rescued: #{e.message}"
      0
    end
  end

  Cell = Struct.new(:value, :next_one)

  # A stream of the program's own.
  class Loud < StringIO
    def write(*texts) = super(*texts.map { |text| text.to_s.upcase })
  end

  # Ruby's answer, and what it has printed: to both streams, or to one where Ikra warns of conflicts.
  def printed(errors: true)
    out = $stdout
    err = $stderr
    both = StringIO.new
    $stdout = both
    $stderr = errors ? both : StringIO.new
    begin
      given = yield
    rescue StandardError => e
      given = [e.class, e.message]
    end
    [given, both.string]
  ensure
    $stdout = out
    $stderr = err
  end

  def expect_same_output(errors: true, &block)
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    expected = printed(errors:, &block)
    Ikra.backend = chosen
    actual = printed(errors:, &block)
    expect(actual).to eq(expected)
    expected.last
  ensure
    Ikra.backend = chosen
  end

  def dogs = %w[Rex Bello Hasso Waldi].each_with_index.map { |name, i| Dog.new(name, i) }
end

on_cpu = Backends::ALL.reject { |backend| backend.start_with?("cuda") }

RSpec.describe "output of elements" do
  include OutputSpec

  each_backend(on_cpu) do
    it "is in the order of the base" do
      text = expect_same_output { OutputSpec::VALUES.pmap { |x| puts x; x + 1 } }
      expect(text).to eq("0\n7\n-3\n123456789\n")
      many = (0...20_000).to_a
      expect_same_output { many.peach { |x| puts "#{x}: #{x * x}" if x % 3 == 0 } && nil }
    end

    it "is there where nothing more can be told of the exception" do
      [->(x) { (1..x).instance_variable_get("b") if x > 1 }, ->(x) { (1..x).nope("b") if x > 1 }].each do |failing|
        text = expect_same_output do
          [1, 2].pmap { |x| puts "a#{x}"; failing.call(x) }
        rescue NameError
          nil
        end
        expect(text).to eq("a1\na2\n")
      end
    end

    it "is what puts makes of all kinds of values" do
      expect_same_output do
        [1, 2].pmap do |x|
          puts
          puts nil, true, :symbol, 1.5, "text", "ends\n", ""
          puts [x, [x + 1, [nil, "a\n"]], []]
          puts []
          puts [[], x]
          puts({ a: x })
          puts x => 1
          puts [x].map { |y| [y] * 3 }
          puts x.to_s.chars
        end
      end
    end

    it "is what puts and pp make of what holds itself" do
      list = [1, "x"]
      list << list << [list, 2]
      hash = { a: 1 }
      hash[:me] = hash
      hash[:list] = [1, hash]
      expect_same_output do
        [1].pmap do |x|
          puts list, [[list], x]
          pp list
          pp hash
          pp [hash, x]
        end
      end
    end

    it "is what print, p, pp, printf, putc and display make of them" do
      expect_same_output do
        [1, 65].pmap do |x|
          print x, "-", nil, :a, [x, nil], "\n"
          a = p
          b = p x
          c = p x, "two\n", [nil, 1.0, :s, "é"]
          d = pp({ x => [x, "b"], "k" => nil })
          printf("%05d|%-4s|%.2f\n", x, "ab", x / 3.0)
          printf
          putc x
          putc "öl"
          x.display
          "text\n".display
          [a, b, c, d]
        end
      end
    end

    it "goes to the streams that there are" do
      expect_same_output do
        [1, 2].pmap do |x|
          $stdout.puts "out", x
          $stderr.puts "err"
          $stdout.print x, "\n"
          $stderr.printf("%d\n", x)
          printf($stderr, "%d!\n", x)
          $stdout << x << " and " << nil << "\n"
          warn "warned", x
          warn "ended\n"
          warn
          Kernel.puts "kernel"
          $stdout.flush
          $stdout.putc "x"
          [$stdout.write("abc", 1, "\n"), $stdout.puts, $stdout.print("a")]
        end
      end
    end

    it "is that of methods and objects" do
      expect_same_output { OutputSpec.instance_method(:dogs).bind_call(self).peach(&:bark).map(&:age) }
      expect_same_output { dogs.pmap { |dog| dog.tell; puts dog, [dog, [dog]]; p dog; dog.tell($stderr) } && nil }
    end

    it "is in the order of the ticks" do
      text = expect_same_output { dogs.peach(3) { |dog| puts "#{dog.name} #{dog.age += 1}" }.map(&:age) }
      expect(text.lines.size).to eq(12)
      expect_same_output { (0...3_000).to_a.peach(3) { |x| puts x if x % 100 == 7 } && nil }
    end

    it "ends where Ruby raises" do
      text = expect_same_output { [1, 2, 0, 4].pmap { |x| puts x; print "half "; puts 10 / x } }
      expect(text).to eq("1\nhalf 10\n2\nhalf 5\n0\nhalf ")
      expect_same_output { (0...5_000).to_a.pmap { |x| puts x; 1 / (x - 3_456) } }
      expect_same_output { dogs.peach(3) { |dog| puts dog.age; raise "old" if (dog.age += 1) > 4 } }
      mine = dogs
      expect(printed { mine.peach { |dog| dog.bark; raise "end" if dog.name == "Hasso" } }.last)
        .to eq("Rex: wuff\nBello: wuff\nHasso: wuff\n")
      expect(mine.map(&:age)).to eq([0, 1, 2, 3]) unless Ikra.backend == :ruby
    end

    it "comes from what rescues" do
      expect_same_output { dogs.pmap { |dog| dog.older(1) } }
      expect_same_output do
        [3, 0, 2].pmap do |x|
          12 / x
        rescue ZeroDivisionError => e
          warn "cannot: #{e.message}"
          nil
        ensure
          puts "done #{x}"
        end
      end
    end

    it "comes once from elements that conflict" do
      expect_same_output(errors: false) do
        cells = Array.new(5) { |i| OutputSpec::Cell.new(i) }
        cells.each_cons(2) { |a, b| a.next_one = b }
        Ikra.section { cells.peach { |cell| puts cell.value; cell.next_one.value += cell.value if cell.next_one } }
        cells.map(&:value)
      end
    end

    it "comes once from elements that begin again for want of memory" do
      expect_same_output do
        (1..30).to_a.pmap { |x| puts x; Array.new(x * 2_000) { |i| i * x }.sum }
      end
      expect_same_output { (1..20).to_a.pmap { |x| puts x; Array.new(x * 100) { |i| [i, x] } }.map(&:size) }
    end

    it "comes from an object that stands in the base several times" do
      expect_same_output { dog = OutputSpec::Dog.new("Rex", 0); [dog, dogs.first, dog].peach(2, &:bark).map(&:age) }
    end

    it "comes from all that runs blocks" do
      list = [5, 3, 8, 1]
      expect_same_output { list.pselect { |x| puts x; x > 2 } }
      expect_same_output { list.psum { |x| p x } }
      expect_same_output { list.pcount { |x| puts x; x.odd? } }
      expect_same_output { list.psort_by { |x| puts x; -x } }
      expect_same_output { list.pgroup_by { |x| puts x; x.odd? } }
      expect_same_output { 4.ptimes { |x| puts x } }
      expect_same_output { list.plazy.map { |x| puts x; x * 2 }.select { |x| puts "? #{x}"; x > 6 }.to_a }
      expect_same_output { list.plazy.map { |x| puts x; x * 2 }.sum }
      expect_same_output { { a: 1, b: 2 }.pmap { |key, value| puts key, value; p(key => value) } }
      expect_same_output { (1..3).each_slice(2).pmap { |items| puts items; items.sum } }
    end

    it "ends where a method stops" do
      list = (1..6_000).to_a
      expect_same_output { list.pfind { |x| puts x; x == 3 } }
      expect_same_output { list.pany? { |x| puts x; x > 2 } }
      expect_same_output { list.ptake_while { |x| puts x; x < 4 } }
      expect_same_output { list.plazy.map { |x| puts x; x * x }.first(2) }
      expect_same_output { list.pall? { |x| puts x; 10 / (3 - x) } }
    end

    it "has the encodings of its texts" do
      texts = ["ä", "ö\xff", "b".b, "\xff".b, "a".encode("US-ASCII")]
      expect_same_output { texts.pmap { |text| puts text; print text; p text; text.bytesize } }
    end

    it "goes to streams from around the section" do
      chosen = Ikra.chosen
      texts = [:ruby, chosen].map do |backend|
        Ikra.backend = backend
        log = StringIO.new
        [1, 2, 3].peach { |x| log.puts x, [x]; log << "#{x}\n"; log.print("a", x) }
        log.string
      end
      expect(texts.first).to eq(texts.last)
      Tempfile.create do |file|
        [1, 2, 3].peach { |x| file.puts x; STDERR.flush }
        file.rewind
        expect(file.read).to eq("1\n2\n3\n")
      end
    end

    it "follows methods of the program's own" do
      object = Class.new do
        def puts(text) = "told #{text}"
        def tell(x) = puts(x)
      end.new
      expect_same_output { [1, 2].pmap { |x| object.tell(x) } }
    end

    it "goes nowhere where warnings are off" do
      verbose = $VERBOSE
      $VERBOSE = nil
      expect_same_output { [1].pmap { |x| warn "no"; puts x } }
    ensure
      $VERBOSE = verbose
    end

    it "is that of an example with lines in between" do
      expect { [1, 2].peach { |x| puts "element #{x}" } }.to output("element 1\nelement 2\n").to_stdout
      expect { [1, 2].peach { |x| warn "element #{x}" } }.to output("element 1\nelement 2\n").to_stderr
    end
  end

  each_backend(on_cpu - [:ruby]) do
    def refused(pattern, &block)
      expect { printed_or_raised(&block) }.to raise_error(Ikra::UnsupportedError, pattern)
    end

    def printed_or_raised
      out = $stdout
      $stdout = StringIO.new
      yield
      $stdout.string
    ensure
      $stdout = out
    end

    it "is refused where Ruby would do something else" do
      refused(/uplevel/) { [1].pmap { |x| warn "a", uplevel: x } }
      refused(/`print` of `\$_`/) { [1].pmap { |x| print; x } }
      refused(/more than a line/) { [1].pmap { |x| pp [x.to_s * 100] } }
      refused(/more than a line/) { [1].pmap { |x| pp "a\nb #{x}" } }
      refused(/to_str/) { [Class.new { def to_str = "a" }.new].pmap { |x| puts x; 1 } }
    end

    it "is refused where the stream is the program's own, and Ruby prints it where that is chosen" do
      out = $stdout
      $stdout = loud = OutputSpec::Loud.new
      expect { [1].pmap { |x| puts "a#{x}" } }.to raise_error(Ikra::UnsupportedError, /a `write` of its own/)
      Ikra.fallback = :ruby
      err = $stderr
      $stderr = StringIO.new
      [1, 2].pmap { |x| puts "a#{x}" }
      expect(loud.string).to eq("A1\nA2\n")
    ensure
      $stdout = out
      $stderr = err if err
      Ikra.fallback = :raise
    end

    it "is written once where a section runs in plain Ruby after all" do
      Ikra.fallback = :ruby
      text = printed { [1, 2].pmap { |x| puts x; pp [x.to_s * 100] } }.last
      expect(text.lines.grep(/\A\d+$/)).to eq(%W[1\n 2\n])
    ensure
      Ikra.fallback = :raise
    end

    it "is limited" do
      ENV["IKRA_TEST_PRINTED"] = "10000"
      expect { printed_or_raised { (0...100).to_a.peach { |x| puts x } } }.not_to raise_error
      refused(/prints more than/) { (0...100).to_a.peach { |x| puts x.to_s * 1_000 } }
      refused(/prints more than/) { Ikra.section { 1_000.times { |x| puts x.to_s * 1_000 } } }
    ensure
      ENV.delete("IKRA_TEST_PRINTED")
    end

    it "leaves objects as they are where it cannot be written" do
      reader, writer = IO.pipe
      reader.close
      mine = dogs
      out = $stdout
      $stdout = writer
      writer.sync = true
      expect { mine.peach(&:bark) }.to raise_error(Errno::EPIPE)
      expect(mine.map(&:age)).to eq([0, 1, 2, 3])
    ensure
      $stdout = out
    end
  end

  each_backend(Backends::ALL - on_cpu) do
    it "is not there on a GPU" do
      expect { [1, 2].pmap { |x| puts x } }.to raise_error(Ikra::DeviceError, /on the CPU only \[output-on-gpu\]/)
    end
  end
end

RSpec.describe "output of sections" do
  include OutputSpec

  each_backend do
    it "is that of their drivers, with loops and objects" do
      expect_same_output do
        list = dogs
        Ikra.section do
          puts "begin"
          3.times do |i|
            list.peach { |dog| dog.age += 1 }
            puts "#{i}: #{list.psum(&:age)}"
            p list.first.age, i
          end
          $stderr.puts "end", [1, [2]]
          list.pmap(&:age)
        end
      end
    end

    it "ends where the driver raises" do
      expect_same_output do
        list = dogs
        Ikra.section do
          puts "before"
          list.peach { |dog| dog.age += 1 }
          puts list.psum(&:age)
          raise "here"
        end
      end
    end

    it "is written before what an Ikra.sync prints" do
      text = expect_same_output do
        list = dogs
        Ikra.section do
          puts "one"
          list.peach { |dog| dog.age += 1 }
          Ikra.sync { puts "two #{list.first.age}" }
          puts "three"
          2.times do |i|
            puts "four #{i}"
            Ikra.sync { puts "five" }
          end
          puts "six"
        end
      end
      expect(text.lines.map { |line| line[/\w+/] }).to eq(%w[one two three four five four five six])
    end

    it "has what was printed before an Ikra.sync when it fails later" do
      text = expect_same_output do
        list = dogs
        Ikra.section do
          puts "one"
          Ikra.sync { puts "two" }
          puts "three"
          list.peach { |dog| dog.age = 10 / dog.age }
          puts "never"
        end
      end
      expect(text).to eq("one\ntwo\nthree\n")
    end
  end

  each_backend(on_cpu) do
    it "stands between that of their launches" do
      expect_same_output do
        list = dogs
        Ikra.section do
          2.times do |i|
            puts "round #{i}"
            list.peach(&:bark)
            puts "then"
            list.pselect { |dog| puts "? #{dog.name}"; dog.age > 2 }.peach { |dog| puts "! #{dog.name}" }
          end
        end
      end
    end

    it "comes once from what conflicts after an Ikra.sync" do
      expect_same_output(errors: false) do
        cells = Array.new(4) { |i| OutputSpec::Cell.new(i) }
        cells.each_cons(2) { |a, b| a.next_one = b }
        Ikra.section do
          cells.peach { |cell| puts cell.value }
          Ikra.sync { puts "sync" }
          cells.peach { |cell| puts cell.value; cell.next_one.value += cell.value if cell.next_one }
          puts "end"
        end
        cells.map(&:value)
      end
    end

    it "comes from elements that make things in several rounds" do
      expect_same_output do
        list = dogs
        list += [list[1], list[0]]
        found = []
        Ikra.section { list.peach { |dog| puts dog.name; found << OutputSpec::Dog.new("#{dog.name} II", dog.age) } }
        found.map(&:to_s)
      end
    end
  end
end

RSpec.describe "Ikra.debug" do
  each_backend do
    it "runs a block in plain Ruby, on a copy" do
      dog = OutputSpec::Dog.new(+"Rex", 1)
      given = Ikra.debug(dog) do |x|
        x.age += 1
        x.name << "!"
        [x.age, x.name, Ikra.backend, x.equal?(dog), binding.local_variable_get(:x).age]
      end
      expect(given).to eq([2, "Rex!", :ruby, false, 2])
      expect([dog.age, dog.name]).to eq([1, "Rex"])
      expect(Ikra.backend).not_to eq(:ruby) unless Ikra.chosen == :ruby
    end

    it "copies what an element holds, as what it is" do
      shared = [1, [2]]
      cell = OutputSpec::Cell.new(shared, nil)
      cell.next_one = cell
      hash = { shared => cell, "key" => [shared].freeze }
      Ikra.debug(hash, cell) do |h, c|
        expect(h.keys.first).to eq([1, [2]])
        expect(h[[1, [2]]]).to equal(c)
        expect(c.next_one).to equal(c)
        expect(h["key"].first).to equal(c.value)
        expect(h["key"]).to be_frozen
        c.value << 3
      end
      expect(shared).to eq([1, [2]])
      deep = (1..50_000).inject(nil) { |rest, i| OutputSpec::Cell.new(i, rest) }
      expect(Ikra.debug(deep) { |x| x.next_one.next_one.value }).to eq(49_998)
      expect(Ikra.debug($stdout, Dir, 3, ->(x) { x }) { |*all| all.first(3) }).to eq([$stdout, Dir, 3])
      expect { Ikra.debug(1) }.to raise_error(ArgumentError, /needs the block/)
    end
  end

  each_compiling_backend do
    it "is what the refusal of a debugger tells of" do
      expect { [1].pmap { |x| binding.irb; x } }
        .to raise_error(Ikra::UnsupportedError, /`binding` cannot run.*Ikra\.debug\(element\)/m)
      expect { [1].pmap { |x| debugger; x } }
        .to raise_error(Ikra::UnsupportedError, /`debugger` cannot run.*Ikra\.debug\(element\)/m)
    end
  end
end
# rubocop:enable Style/Semicolon, Style/StderrPuts, Style/GlobalStdStream, Lint/Debugger, Lint/AmbiguousBlockAssociation
