# frozen_string_literal: true

require "open3"
require "tmpdir"

# What a `rescue` asks of its exception: messages and classes, as Ruby has them.
# rubocop:disable Style/Semicolon, Style/RedundantInterpolation, Style/RescueStandardError, Style/RedundantBegin
# rubocop:disable Lint/LiteralInInterpolation, Lint/AmbiguousOperator, Style/ClassEqualityComparison
module RescuedMessages
  class Plain < StandardError; end
  class Other < Plain; end
  class Missing < KeyError; def more = 5; end
  class Unknown < NameError; end

  class Counted < KeyError
    def initialize(number) = super("number #{number}")
  end

  class Framed < StandardError
    def message = "<#{super}>"
  end

  class Default < StandardError
    def initialize(text = "by default") = super
  end
end

each_backend do |backend|
  # With encodings.
  def expect_texts(values, &block)
    expect_same(values, &block)
    told = ->(results) { results.flatten.grep(String).map { |text| [text.encoding, text.frozen?] } }
    expect(told.call(values.pmap(&block))).to eq(told.call(values.map(&block)))
  end

  def failing(number) = number < 2 ? raise(RescuedMessages::Plain, "number #{number}") : failing(number - 1) + 1
  def dividing(depth, number) = depth.zero? ? 10 / number : dividing(depth - 1, number) + 1

  it "are those of Ruby's own errors" do
    expect_texts([1, 0]) { |x| begin; 3 / x; rescue => e; e.message; end }
    expect_texts([1, 0]) { |x| begin; 3 % x; rescue ZeroDivisionError => e; [e.message, e.to_s]; end }
    expect_texts([0.0, 1.0, -0.0]) { |x| begin; (1 / x).to_i; rescue => e; e.message; end }
    expect_texts([nil, 1, 2.5]) { |x| begin; 1 + x; rescue => e; e.message; end }
    expect_texts([0, 2, -4]) { |x| begin; [1, 2].fetch(x); rescue => e; e.message; end }
    expect_texts([0, -1]) { |x| begin; [1, 2].first(x); rescue => e; e.message; end }
  end

  it "name classes" do
    expect_texts([1, 2]) { |x| begin; raise ArgumentError, "#{x.class} must"; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; raise "#{RescuedMessages::Plain} #{x}"; rescue => e; e.message; end }
    expect_texts([1, 2.5]) { |x| begin; raise RescuedMessages::Plain, "not #{x.class}"; rescue => e; "#{e}"; end }
  end

  it "are in US-ASCII, or in the encoding of the value, where no pattern matches" do
    expect_texts([1, 2]) { |x| begin; case x; in 2 then "2"; end; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; case "é#{x}"; in "2" then "2"; end; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; case [x, :é]; in [2, _] then "2"; end; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; x => 2; "2"; rescue => e; e.message; end }
  end

  it "tell texts that are no numbers, and keys that are not there" do
    expect_texts(%w[1 x 2z é] + ["", "a\nb"]) { |x| begin; Integer(x); rescue => e; e.message; end }
    expect_texts(%w[1 x 2z] + [""]) { |x| begin; Float(x); rescue ArgumentError => e; "bad: #{e.message}"; end }
    expect_texts(%w[1 x 2z]) { |x| begin; Integer("#{x}0"); rescue => e; e.message; end }
    # Before Ruby 3.2 such a message may go on with what was meant.
    next unless KeyError.instance_method(:to_s).owner == Exception

    hash = { 1 => 2, a: 3, "b" => 4, nil => 5 }
    expect_texts([1, :a, "b", nil, 2, :c, :"d e", "f", "é", 1.5, true]) do |x|
      begin; hash.fetch(x); rescue KeyError => e; e.message; end
    end
    expect_texts(%w[a b]) do |x|
      begin; { "a0" => 1 }.fetch("#{x}0"); rescue => e; [e.message, e.class == KeyError]; end
    end
  end

  # What libraries would add to them in some versions is left out.
  it "tell what has no such method, or no such name" do
    text = <<~RUBY
      require "ikra"
      class Plain
        def try = missing
        private def hidden = 1
      end
      class Named
        def self.name = "another"
      end
      tell = ->(values, &block) do
        all = [values.map(&block), values.pmap(&block).to_a]
        p all[0] == all[1] && all.map { |texts| texts.flatten.grep(String).map(&:encoding) }.uniq.size == 1 || all
      rescue Ikra::UnsupportedError => e
        p e.message.include?("is not known") ? :unknown : e
      end
      tell.call([nil, 1, true, false, 2.5]) { |x| x.missing rescue $!.message }
      tell.call([nil, 1, 2.5]) { |x| x + 1 rescue "\#{$!.class}: \#{$!.message}" }
      tell.call([1, 2]) { |x| begin; x.missing(3); rescue NameError => e; [e.message, e.name, e.args, e.receiver]; end }
      tell.call([1, 2]) { |x| begin; x.puts; rescue NoMethodError => e; [e.message, x.public_send(:puts)]; end rescue $!.message }
      tell.call([1, 2]) { |x| [Math.missing(x), x] rescue $!.message }
      tell.call([1, 2]) { |x| (Plain.missing = x) rescue $!.message }
      tell.call([1, 2]) { |x| nil.é rescue $!.message }
      tell.call([1, 2]) { |x| nil.foo rescue raise(ArgumentError, $!.message) rescue $!.message }
      # Of those that are inspected more is told.
      exit if RUBY_VERSION < "3.3"
      tell.call([1, 2]) { |x| [x.to_s.missing] rescue $!.message }
      tell.call([1, 2]) { |x| [[x].missing] rescue $!.message }
      tell.call([1, 2]) { |x| [{ a: x }.missing] rescue $!.message }
      tell.call([1, 2]) { |x| (1..x).missing rescue $!.message }
      tell.call([1, 2]) { |x| [Plain.new.hidden, x] rescue $!.message }
      tell.call([1, 2]) { |x| [Plain.new.try, x] rescue $!.message }
      tell.call([1, 2]) { |x| (2**70 * x).missing rescue $!.message }
      tell.call([1, 2]) { |x| begin; Plain.new.hidden(x); rescue NoMethodError => e; [e.message, e.args, e.name]; end }
      tell.call([1, 2]) { |x| [Named.new.missing, x] rescue $!.message }
      tell.call([1, 2]) { |x| [Named.missing, x] rescue $!.message }
    RUBY
    Dir.mktmpdir do |folder|
      File.write("#{folder}/told.rb", text)
      flags = ["--disable=error_highlight,did_you_mean", "-I#{File.expand_path("../lib", __dir__)}"]
      told, = Open3.capture2e({ "IKRA_BACKEND" => backend.to_s }, RbConfig.ruby, *flags, "#{folder}/told.rb")
      # Plain Ruby knows a class that tells another name.
      of_classes = (["true"] * 8) + ([backend == :ruby ? "true" : ":unknown"] * 2)
      expect(told.lines(chomp: true)).to eq((["true"] * 8) + (RUBY_VERSION >= "3.3" ? of_classes : []))
    end
  end

  it "tell them beside others" do
    expect_texts(["x", "0", nil, :a]) do |x|
      10 / Integer(x)
    rescue ArgumentError, TypeError, ZeroDivisionError => e
      "#{e.class}: #{e.message}"
    end
  end

  it "stand in texts" do
    expect_texts([0, 1]) { |x| begin; 1 / x; rescue => e; "oops: #{e}, #{e.message}"; end }
    expect_texts([0, 1]) { |x| begin; raise "no #{x}"; rescue => e; "#{e}"; end }
    expect_texts(%w[x 1]) do |x|
      begin; begin; Integer(x); rescue => e; raise IndexError, "<#{e}>"; end; rescue => e; e.to_s; end
    end
    # A GPU does not tell what it has made itself.
    next if Ikra.chosen.start_with?("cuda")

    expect_same(%w[x 1]) { |x| begin; Integer(x); rescue => e; raise IndexError, "<#{e}>"; end }
  end

  it "say of which class it is" do
    expect_same([0, 1, nil, -1]) do |x|
      x == -1 ? raise(RescuedMessages::Other) : 1 / x
    rescue => e
      [e.is_a?(ZeroDivisionError), e.is_a?(StandardError), e.is_a?(RescuedMessages::Plain),
       e.instance_of?(StandardError), e.is_a?(Comparable)]
    end
    expect_same([0]) { |x| begin; 1 / x; rescue => e; e.is_a?(3); end }
  end

  it "are those that it was raised with" do
    expect_texts([1, 0]) { |x| begin; raise "lit"; rescue => e; [e.message, x]; end }
    expect_texts([1, 0]) { |x| begin; raise +"text #{x}"; rescue => e; e.message; end }
    expect_texts([1, 0]) { |x| begin; raise "a #{x} b #{x * 1.5} #{:c} #{nil} #{x > 0}"; rescue => e; e.message; end }
    expect_texts(%w[a ä]) { |x| begin; raise ArgumentError, x; rescue => e; [e.message, e.message.equal?(x)]; end }
    expect_texts(%w[a ä]) { |x| begin; raise "#{x}"; rescue => e; [e.message, e.message.equal?(x)]; end }
    expect_texts(%w[a ä]) do |x|
      raise "#{x}#{x}!"
    rescue => e
      e.message << "z"
      [e.message, e.message.equal?(e.message)]
    end
    expect_texts([1, 0]) { |x| begin; raise; rescue => e; [e.message, e.class == RuntimeError, x]; end }
  end

  it "are names of classes where there is no other" do
    expect_texts([1, 0]) { |x| begin; raise RescuedMessages::Plain if x > 0; 1 / x; rescue => e; e.message; end }
    expect_texts([1]) do |x|
      raise IndexError if x == 1
    rescue => e
      e.message << "!"
      [e.message, e.message.equal?(e.message)]
    end
  end

  it "tell several errors apart" do
    expect_texts([0, 1, 2, 3, 4]) do |x|
      begin
        raise RescuedMessages::Other, "other" if x == 1
        raise ArgumentError if x == 2
        raise RescuedMessages::Plain, "x is #{x}" if x == 3

        [12 / x, dividing(2, x - 4)]
      rescue RescuedMessages::Plain => e
        ["plain #{e.message}", e.class == RescuedMessages::Other]
      rescue => e
        [e.message, e.class == ZeroDivisionError, e.class == ArgumentError]
      end
    end
  end

  it "are there behind functions, ensure, retry and another raise" do
    expect_texts([5, 1]) { |x| begin; failing(x); rescue => e; e.message; end }
    expect_texts([0, 1]) { |x| begin; dividing(3, x); rescue => e; [e.message, e.class == ZeroDivisionError]; end }
    expect_texts([0, 1]) do |x|
      text = +""
      begin
        begin; 1 / x; ensure; text << "ensured "; end
      rescue => e
        text << e.message
      end
      text
    end
    expect_texts([0, 1]) do |x|
      begin; 1 / x; rescue => e; raise RescuedMessages::Plain, "again: #{e.message}"; end
    rescue RescuedMessages::Plain => e
      e.message
    end
    expect_texts([0, 1]) do |x|
      tries = 0
      told = []
      begin
        raise "try #{tries}" if tries < 2 + x

        told
      rescue => e
        told << e.message
        tries += 1
        retry
      end
    end
    expect_texts([0, 1]) { |x| begin; 1 / x; rescue => e; [1, 2].map { |i| e.message + i.to_s }; end }
  end

  it "tell what is compared, converted and looked up" do
    expect_texts([1, 2]) { |x| begin; [x, "a"].sort; rescue => e; e.message; end }
    expect_texts([1, 2**62, -3]) { |x| begin; ["a", x].sort; rescue => e; e.message; end }
    expect_texts([1.5, -0.0]) { |x| begin; ["a", x].sort; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; x < "a"; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; x + [x]; rescue => e; e.message; end }
    expect_texts([1, 2]) { |_x| begin; 3.5 * "a"; rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; 10.digits(x - 2); rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; 1.clamp(x + 1, x); rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; { [1] => 1 }.fetch([x, "é"]); rescue => e; e.message; end }
    expect_texts(%w[a é]) { |x| begin; { "x" => 1 }.fetch(x * 62); rescue => e; e.message; end }
    expect_texts(%w[a é]) { |x| begin; { "x" => 1 }.fetch(x * 64); rescue => e; e.message; end }
    expect_texts([1, 2]) { |_x| begin; { x: 1 }.fetch(:é); rescue => e; e.message; end }
    expect_same(["a"]) { |x| { "x" => 1 }.fetch(x * 70) }
  end

  it "tell what is outside of a function's domain" do
    expect_texts([1, 2]) { |x| begin; Math.sqrt(-x); rescue => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; Math.log(-x, 2); rescue Math::DomainError => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; Integer.sqrt(-x); rescue Math::DomainError => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; Math.acos(x * 9); rescue Math::DomainError => e; "#{e} #{x}"; end }
  end

  it "are those of classes that keep more, too" do
    expect_texts([1, 2]) { |x| begin; raise NameError, "x#{x}" if x > 1; rescue NameError; x; end }
    expect_texts([1, 2]) { |_x| begin; raise RescuedMessages::Unknown, "x"; rescue => e; e.class.name; end }
    expect_texts([1, 2]) { |x| begin; raise Interrupt, "x#{x}"; rescue Interrupt => e; e.message; end }
    expect_texts([1, 2]) { |x| begin; raise SystemExit; rescue SystemExit; x; end }
    expect_texts([1, 2]) { |x| begin; raise Errno::ENOENT, "x"; rescue SystemCallError; x; end }
    expect_texts([1, 2]) { |x| begin; raise FrozenError, "x#{x}"; rescue => e; [e].map(&:message); end }
    expect_texts([1, 2]) { |x| begin; raise KeyError, "x#{x}"; rescue => e; e.inspect; end }
    expect_texts([1, 2]) { |x| begin; raise RescuedMessages::Missing, "x#{x}"; rescue => e; [e.more, e.message]; end }
    expect_texts([1, 2]) { |x| begin; raise RescuedMessages::Counted, x; rescue => e; [e.message, e.inspect]; end }
    expect_texts([1, 2]) { |_x| begin; raise RescuedMessages::Default; rescue => e; [e].map(&:message); end }
    expect_same([1, 2]) { |x| raise RescuedMessages::Counted, x }
    expect_same([1, 2]) { |x| error = RescuedMessages::Missing.new("x#{x}"); raise error }
  end

  it "of objects are Ruby's own, too" do
    expect_texts([1, 2]) { |x| begin; 1.clamp(x + 1, x); rescue => e; [e].map(&:message); end }
    expect_texts([1, 2]) { |_x| begin; [3, "a"].max; rescue => e; [e].map(&:message); end }
    expect_texts([1, 2]) { |_x| begin; [[3], 1.5].max; rescue => e; [e].map(&:message); end }
    expect_texts([0, 2]) { |x| begin; 1 / x; rescue => e; [e].map(&:inspect); end }
  end

  it "are apart from what to_s gives, where classes have a message of their own" do
    expect_texts([1, 2]) do |x|
      begin; raise RescuedMessages::Framed, "at #{x}"; rescue => e; [e.message, e.to_s, "#{e}"]; end
    end
  end

  it "are printed, and made Strings and parts of them" do
    expect_texts([1, 2]) do |x|
      begin; raise RescuedMessages::Plain, "at #{x}"; rescue => e; [String(e), [e, 1].join("-")]; end
    end
    # Elements that print run on the CPU only.
    next unless %i[cpu ruby].include?(Ikra.backend)

    expect { [1].peach { |x| begin; raise RescuedMessages::Plain, "at #{x}"; rescue => e; puts e; end } }
      .to output("at 1\n").to_stdout
  end

  it "are kept in objects" do
    things = Array.new(3) { |i| Struct.new(:number, :note).new(i, nil) }
    things.peach(2) do |thing|
      thing.note = (6 / thing.number).to_s
    rescue ZeroDivisionError => e
      thing.note = e.message
    end
    expect(things.map(&:note)).to eq(["divided by 0", "6", "3"])
  end
end
# rubocop:enable Style/Semicolon, Style/RedundantInterpolation, Style/RescueStandardError, Style/RedundantBegin
# rubocop:enable Lint/LiteralInInterpolation, Lint/AmbiguousOperator, Style/ClassEqualityComparison
