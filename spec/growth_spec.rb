# frozen_string_literal: true

# Classes, Symbols, literals and texts that are gone are forgotten.
RSpec.describe "what comes and goes" do
  around do |example|
    previous = Ikra.chosen
    kept = RubyVM.keep_script_lines
    Ikra.backend = :cpu
    RubyVM.keep_script_lines = true
    example.run
  ensure
    Ikra.backend = previous
    RubyVM.keep_script_lines = kept
  end

  # A class with a method, a section in another of its methods, and an instance that holds a Symbol made just now: all
  # of them hold each other, and nothing else holds them.
  def come_and_go(number)
    klass = Class.new { attr_reader :name }
    klass.class_eval(<<~RUBY, "made", 1) # rubocop:disable Style
      def initialize(name) = @name = name
      def plus(n) = n + #{number}
      def run(n) = [n].pmap { |x| plus(x) }
    RUBY
    object = klass.new(:"name_#{number}_#{rand(1 << 60)}")
    raise "a wrong sum" unless object.run(1) == [1 + number]
    return unless (number % 10).zero?

    # One literal of this file that meets ever new classes.
    raise "a wrong Symbol" unless [object].pmap { |o| o.name }.first.equal?(object.name)
  end

  def counts
    # The machine stack may hold some of the last.
    4.times { GC.start }
    handles = Ikra.const_get(:Native)::Handle
    { classes: ObjectSpace.each_object(Class).count, handles: ObjectSpace.each_object(handles).count,
      symbols: Symbol.all_symbols.size, symbol_objects: ObjectSpace.count_objects[:T_SYMBOL],
      memory: File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i / 1024 }
  end

  # What the block gives in a process of its own, which has none of the threads that other examples have left.
  def in_child
    reader, writer = IO.pipe(binmode: true)
    child = fork do
      writer.write(Marshal.dump(yield))
      exit!(0)
    end
    writer.close
    Marshal.load(reader.read) # rubocop:disable Security/MarshalLoad
  ensure
    Process.wait(child)
  end

  it "leaves nothing behind, be it 10,000 times" do
    skip "no /proc here" unless File.readable?("/proc/self/status")
    grown = in_child do
      1_000.times { |i| come_and_go(i) }
      before = counts
      10_000.times { |i| come_and_go(i) }
      after = counts
      after.to_h { |what, count| [what, count - before[what]] }
    end
    # Ruby 3.1 keeps some hundred classes in a table of the methods that were called last. What is written into memory
    # that was the parent's counts, too.
    expect(grown).to include(classes: be < 1_000, handles: be < 1_000, symbols: be < 1_000, symbol_objects: be < 1_000,
                             memory: be < 512)
  end

  it "leaves no Symbols behind that a section has read, returned or compared" do
    names = ->(i) { Array.new(1_000) { |k| :"read_#{i}_#{k}_#{rand(1 << 60)}" } }
    sections = lambda do |i|
      made = names.call(i)
      raise "wrong Symbols" unless made.pmap { |name| name }.zip(made).all? { |a, b| a.equal?(b) }
      raise "a wrong order" unless made.pmap { |name| name <=> :read } == made.map { |name| name <=> :read }

      nil
    end
    2.times(&sections)
    before = counts
    10.times(&sections)
    # The machine stack may hold those of the last round, of ten.
    expect(counts[:symbol_objects] - before[:symbol_objects]).to be < 2_500
  end

  it "bounds what is kept of blocks such as &:name, of warnings and of texts that were compared" do
    names = Array.new(300) { |i| :"method_#{i}" }
    klass = Class.new { names.each { |name| class_eval("def #{name} = 1", "made", 1) } } # rubocop:disable Style
    object = klass.new
    before = counts[:handles]
    names.each { |name| expect([object].pmap(&name)).to eq([1]) }
    expect([object].pmap(&names.last)).to eq([1])
    expect(counts[:handles] - before).to be < 150

    section = Ikra.const_get(:Section)
    warned = section.instance_variable_get(:@warned)
    allow(section).to receive(:warn)
    Ikra.fallback = :ruby
    1_100.times { |i| eval("[1].pmap { |n| n.hash }", binding, "place#{i}", 1) } # rubocop:disable Style
    expect(section).to have_received(:warn).exactly(1_100).times
    expect(warned.size).to be <= 1_000
  ensure
    Ikra.fallback = :raise
  end
end
