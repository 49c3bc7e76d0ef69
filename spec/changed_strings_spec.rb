# frozen_string_literal: true

require "set"

# Strings that were there before a section, which it changes.
# rubocop:disable Style/Semicolon, Style/StringConcatenation
module ChangedStrings
  # Holds Strings.
  class Note
    attr_accessor :name, :log, :parts, :other

    def initialize(name)
      @name = name
      @log = +""
      @parts = [+"x", +"é"]
      @other = nil
    end

    def write(text) = @log << text << "\n"
    def to_s = @name
  end

  Pair = Struct.new(:text, :number)
  SHARED = [+"x", +"y"] # rubocop:disable Style/MutableConstant
end

each_backend do |backend|
  def notes = %w[one two drei].map { |name| ChangedStrings::Note.new(+name) }

  # Everything that can be seen of it, which texts have their bytes and encoding in.
  def seen(value, known = {}.compare_by_identity)
    case value
    when String
      number = known[value] || known.size
      known[value] = number
      [value.dup.force_encoding("BINARY"), value.encoding.name, value.frozen?, number]
    when Array then value.map { |item| seen(item, known) }
    when Hash then value.map { |key, item| [key.dup, seen(item, known)] }
    when ChangedStrings::Note
      return [:known, known[value]] if known[value]

      known[value] = known.size
      value.instance_variables.map { |name| [name, seen(value.instance_variable_get(name), known)] }
    else value
    end
  end

  # The block is given notes and a String, and runs in Ruby and here.
  def expect_same_texts
    before = Ikra.chosen
    outcomes = [:ruby, before].map do |chosen|
      Ikra.backend = chosen
      world = [notes, +"shared"]
      held = [*world[0].map(&:name), world[1]]
      given = begin
        yield(*world)
      rescue StandardError => e
        # All or nothing is Ikra's.
        next [e.class, e.message]
      end
      seen([given, *world, *held])
    ensure
      Ikra.backend = before
    end
    expect(outcomes[1]).to eq(outcomes[0])
  end

  it "stay the objects that they are" do
    expect_same_texts { |all, _| all.peach(2) { |note| note.write(note.name) }; all.map(&:log) }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "!" } }
    expect_same_texts { |all, text| all.peach { |note| text << note.name << "," } }
    expect_same_texts { |all, _| all.map(&:name).peach { |name| name << name.size.to_s } }
    expect_same_texts { |all, text| [text, text].peach { |name| name << name.size.to_s; all[0].name.clear } }
    expect_same_texts { |all, _| all.peach { |note| note.other = note.name; note.name << "a"; note.other.upcase! } }
    expect_same_texts { |all, _| all.peach { |note| note.parts[1] << note.parts[0]; note.parts.each(&:reverse!) } }
    expect_same_texts { |all, _| hash = { a: { b: +"x" } }; all.peach { |note| hash.dig(:a, :b) << note.name }; hash }
    expect_same_texts { |all, _| all.peach { |note| ChangedStrings::SHARED[0] << note.name } && nil }
  end

  it "are changed by whatever changes one" do
    texts = ["", "abc", "Hello, wörld\n", "é" * 9, "  pad  ", "x" * 40, "aabbcc", "Foo9", "日本"]
    [
      -> { _1 << "ä" }, -> { _1 << 233 }, -> { _1.concat("a", _1, "b") }, -> { _1.prepend(_1, "é") },
      -> { _1.insert(-1, "z") }, -> { _1.insert(0, "zzzzzzzzz") }, -> { _1[0] = "yy" if _1.size > 1 },
      -> { _1[1, 2] = "" if _1.size > 1 }, -> { _1.replace("é" * 20) }, lambda(&:clear), lambda(&:upcase!),
      lambda(&:downcase!), lambda(&:capitalize!), lambda(&:swapcase!), lambda(&:reverse!), lambda(&:strip!),
      lambda(&:chomp!), lambda(&:chop!), lambda(&:squeeze!), -> { _1.tr!("a-c", "é") }, -> { _1.delete!("b") },
      -> { _1.sub!("b", "<\\0>") }, -> { _1.gsub!("a", "") }, -> { _1.slice!(0) }, -> { _1.slice!(0, 2) },
      -> { _1.setbyte(0, 65) if _1.size > 1 }, -> { _1.force_encoding("BINARY") }, -> { _1.next! if _1.ascii_only? },
      -> { _1.delete_prefix!("a") }, -> { _1.delete_suffix!("c") },
      ->(text) { text.each_char { |c| text << c if text.size < 30 } }
    ].each do |change|
      mine, theirs = [0, 1].map { texts.map(&:dup) }
      expected = theirs.map { |text| change.call(text).then { |given| given.equal?(text) ? :itself : given } }
      actual = mine.pmap { |text| change.call(text).then { |given| given.equal?(text) ? :itself : given } }
      expect([actual, seen(mine)]).to eq([expected, seen(theirs)])
    end
  end

  it "change in drivers, over ticks, and when the section has made them" do
    expect_same_texts do |all, _|
      Ikra.section { 3.times { |i| all.peach { |note| note.write(i.to_s) }; all[0].name << all[1].log } }
    end
    expect_same_texts do |all, _|
      Ikra.section do
        made = ChangedStrings::Note.new(+"new")
        all << made
        all.each { |note| note.write("a") }
        all.peach { |note| note.write("b"); note.name.upcase! }
        made.log << "end"
        nil
      end
    end
    expect_same_texts do |all, _|
      Ikra.section do
        born = all.pmap { |note| ChangedStrings::Note.new("new " + note.name) }
        2.times { born.peach { |note| note.write("p"); note.name << "x" } }
        all.concat(born) && nil
      end
    end
    expect_same_texts { |all, _| all.peach(3) { |note| note.log = "t" if note.log.empty?; note.log << "u" } }
    expect_same_texts do |all, text|
      Ikra.section { text << "x"; text += "y"; text << "z"; all.each { |note| text << note.name } }
      text
    end
  end

  it "are seen by syncs, which may change them, too" do
    shown = []
    world = [notes, notes]
    run = lambda do |all|
      Ikra.section do
        3.times do |i|
          all.peach { |note| note.write(i.to_s) }
          all[0].other = ChangedStrings::Note.new(+"made") if i == 0
          all[0].other.write("m")
          Ikra.sync { shown << all.map { |note| note.log.dup } << all[0].other.log.dup; all[1].log << "seen" }
        end
      end
    end
    run.call(world[0])
    expected = shown.dup
    shown.clear
    before = Ikra.chosen
    Ikra.backend = :ruby
    run.call(world[1])
    Ikra.backend = before
    expect([shown, seen(world[1])]).to eq([expected, seen(world[0])])
    all = notes
    failing = lambda do
      Ikra.section { 2.times { |i| all.peach { |note| note.write("a") }; Ikra.sync { raise "no" if i == 1 } } }
    end
    expect(&failing).to raise_error("no")
    expect(all.map(&:log)).to eq(["a\na\n"] * 3)
  end

  it "are other keys afterwards, and Hashes and Sets have copies" do
    expect_same_texts do |all, _|
      hash = {}
      all.peach { |note| hash[note.name] = 1; note.name << "?"; hash[note.name] = 2 }
      hash
    end
    expect_same_texts do |all, _|
      all.pmap { |note| made = { note.name => 1 }; note.name << "?"; [made.keys, made[note.name]] }
    end
    expect_same_texts { |all, _| all.pmap { |note| Set[note.name].tap { note.name << "?" }.include?("one") } }
    expect_same_texts { |all, _| all.pmap { |note| [note.name].group_by(&:itself).tap { note.name << "?" }.keys } }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "?"; [note.name, "one?"].uniq.size } }
    next if backend == :ruby

    all = notes
    looked_up = lambda do
      all.pmap do |note|
        found = { ChangedStrings::Pair.new(note.name, 1) => 1 }
        note.name << "?"
        found[ChangedStrings::Pair.new(note.name, 1)]
      end
    end
    expect(&looked_up).to raise_error(Ikra::UnsupportedError, /unsupported-key/)
    expect(all.map(&:name)).to eq(%w[one two drei])
  end

  it "are told by messages as they are then, and change not at all where something fails" do
    expect_same_texts { |all, _| all.pmap { |note| note.name << "?"; raise ArgumentError, note.name } }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "?"; raise "with #{note.name}" } }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "?"; Integer(note.name) } }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "?"; { "a" => 1 }.fetch(note.name) } }
    next if backend == :ruby

    all = notes
    expect { all.peach { |note| note.write("x"); raise "no" if note.name == "drei" } }.to raise_error("no")
    all[1].name.freeze
    expect { all.peach { |note| note.name << "x" } }.to raise_error(FrozenError, %(can't modify frozen String: "two"))
    all[1].name = "é".encode("ISO-8859-1")
    expect { all.peach { |note| note.name << "x" } }.to raise_error(Ikra::UnsupportedError, /unsupported-encoding/)
    expect(all.map { |note| [note.name.bytesize, note.log] }).to eq([[3, ""], [1, ""], [4, ""]])
  end

  it "are told to be frozen before or behind what else is wrong, as Ruby does" do
    faulty = { "<<" => ->(s, t) { s << t }, "concat" => ->(s, t) { s.concat(t) },
               "prepend" => ->(s, t) { s.prepend(t) },
               "tr!" => ->(s, t) { s.tr!(t, "a") }, "tr! to" => ->(s, t) { s.tr!("é", t) },
               "tr_s!" => ->(s, t) { s.tr_s!(t, "a") }, "delete!" => ->(s, t) { s.delete!(t) },
               "squeeze!" => ->(s, t) { s.squeeze!(t) }, "insert" => ->(s, t) { s.insert(0, t) },
               "squeeze! all" => ->(s, _) { s.squeeze! }, "sub!" => ->(s, t) { s.sub!("é", t) } }
    texts = ["", "a", "é", "é".b, "é\xff"].product(["a", "é", "é".b, "\xff", ""])
    faulty.each_value do |change|
      told = %i[map pmap].map do |call|
        texts.public_send(call) do |text, other|
          s = text.dup
          [change.call(s.freeze, other)]
        rescue FrozenError, ArgumentError, EncodingError => e
          e.class.name
        end
      end
      expect(told[1]).to eq(told[0])
    end
  end

  it "give a part that is all of it" do
    expect_same(%w[a éb]) { |text| s = text.dup; [s.slice!(s), s] }
  end

  it "are given by Symbols and others as Ruby gives them" do
    expect_same_texts { |all, _| all.pmap { |note| text = :abc.to_s; text << note.name; note.name << text; text } }
    expect_same_texts { |all, _| all.pmap { |note| note.name << "a"; :abc.name << "x" } }
    expect_same_texts { |all, _| all.pmap { |note| note.to_s << "x"; "#{note}" << "y"; note.name } } # rubocop:disable Style/RedundantInterpolation
    expect_same_texts do |all, _|
      all.pmap do |note|
        raise note.name
      rescue StandardError => e
        e.message << "!"
        note.name
      end
    end
    expect_same_texts { |all, _| all.pmap { |note| note.name << "new#{note.name}"; note.name.to_sym } }
  end

  it "must stay as they are while they are gone through" do
    expect_same_texts { |all, _| all.peach { |note| note.name.gsub!("e") { note.name << "w"; "d" } } }
    expect_same_texts { |all, _| all.pmap { |note| note.name.sub("e") { note.name << "w"; "d" } } }
    expect_same_texts { |all, _| all.peach { |note| note.name.force_encoding("BINARY") } }
    next unless %i[ruby cpu].include?(backend)

    expect_same_texts { |all, _| all.peach { |note| note.name.sub!(/e/) { note.name << "w"; "d" } } }
    expect_same_texts { |all, _| all.peach { |note| note.name.scan(/e/) { note.name << "w" } } }
    expect_same_texts { |all, _| all.pmap { |note| note.name.gsub(/e/) { note.name << "w"; "d" } } }
  end

  it "grow as far as need be" do
    expect_same_texts { |all, _| all.peach { |note| 3000.times { |i| note.log << "line #{i}\n" } } }
    expect_same_texts { |all, _| all.peach { |note| 8.times { note.name << note.name } } }
  end
end
# rubocop:enable Style/Semicolon, Style/StringConcatenation
