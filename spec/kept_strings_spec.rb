# frozen_string_literal: true

# Strings that elements make and keep where they are looked at again: in later ticks, by later kernels, by the driver,
# and in arrays that exist outside the section.
# rubocop:disable Style/Semicolon, Style/StringConcatenation, Style/RedundantInterpolation
module KeptStrings
  # Has texts.
  class Page
    attr_accessor :number, :name, :log, :lines, :other, :parts

    def initialize(number)
      @number = number
      @name = number.odd? ? "page #{number}" : "é" * number
      @log = nil
      @lines = []
      @other = nil
      @parts = []
    end

    def note(text) = @log = @log ? "#{@log}; #{text}" : text
  end

  # What several pages have.
  class Book
    attr_accessor :pages, :titles, :notes

    def initialize
      @pages = []
      @titles = ["first"]
      @notes = nil
    end
  end

  Tag = Struct.new(:text, :weight)
end

each_backend do |backend|
  def pages = Array.new(6) { |i| KeptStrings::Page.new(i) }

  # With encodings, and whether they are frozen.
  def texts_in(objects, known = {}.compare_by_identity)
    case objects
    when String then [objects, objects.encoding, objects.frozen?]
    when Array, Struct then known[objects] ? [] : (known[objects] = true) && objects.to_a.map { |x| texts_in(x, known) }
    when KeptStrings::Page, KeptStrings::Book
      return [] if known[objects]

      known[objects] = true
      objects.instance_variables.map { |name| [name, texts_in(objects.instance_variable_get(name), known)] }
    end
  end

  # The block is given pages and a book, and runs in Ruby and here.
  def expect_same_texts
    outcomes = [:ruby, Ikra.chosen].map do |backend|
      previous = Ikra.chosen
      Ikra.backend = backend
      world = [pages, KeptStrings::Book.new]
      world << yield(*world)
      [WholeObjects.of(world), texts_in(world)]
    ensure
      Ikra.backend = previous
    end
    expect(outcomes[1]).to eq(outcomes[0])
  end

  describe "in variables" do
    it "are kept by one tick and by several" do
      [1, 2, 5].each do |ticks|
        expect_same_texts { |all| all.peach(ticks) { |x| x.name = "p#{x.number}" } && nil }
        expect_same_texts { |all| all.peach(ticks) { |x| x.name += "+#{x.number}" } && nil }
        expect_same_texts { |all| all.peach(ticks) { |x| x.name = x.name.tr("a-e", "A-E").reverse } && nil }
        expect_same_texts { |all| all.peach(ticks) { |x| x.note("a" * x.number) if x.number != 2 } && nil }
        expect_same_texts { |all| all.peach(ticks) { |x| x.log = x.name.b; x.name = x.log.dup } && nil }
      end
    end

    it "are of all lengths" do
      expect_same_texts { |all| all.peach(20) { |x| x.log = "#{x.log}#{x.number}" } && nil }
      expect_same_texts { |all| all.peach(3) { |x| x.log = x.log ? x.log * x.number : "ab" } && nil }
      expect_same_texts { |all| all.peach(2) { |x| x.log = "" + x.name[9..].to_s } && nil }
    end

    it "are the same object wherever they are" do
      expect_same_texts do |all|
        all.peach(2) do |x|
          text = "t#{x.number}"
          x.name = x.log = text
          x.lines = [text, text, "t#{x.number}"]
        end
        all.map { |x| [x.name.equal?(x.log), x.lines[0].equal?(x.name), x.lines[2].equal?(x.name)] }
      end
      expect_same_texts do |all|
        all.peach(3) do |x|
          x.other = [x.name.equal?(x.log), x.name == x.log]
          x.log = x.number.odd? ? x.name : x.name.dup
        end && nil
      end
    end

    it "are frozen where the section has frozen them" do
      expect_same_texts do |all|
        all.peach(3) do |x|
          x.other = [x.name.frozen?, x.log.frozen?]
          x.name = x.number > 2 ? "n#{x.number}".freeze : "m#{x.number}"
          x.log = x.name.clone
        end && nil
      end
    end

    it "change while they are the element's own" do
      expect_same_texts do |all|
        all.peach(2) do |x|
          x.log = +"a"
          x.log << "b" << x.name
          text = x.log
          text.insert(1, "-").squeeze!
        end && nil
      end
    end

    it "are in arrays and objects" do
      expect_same_texts { |all| all.peach(3) { |x| x.lines += ["line #{x.number}"] } && nil }
      expect_same_texts do |all|
        all.peach(3) do |x|
          x.parts = x.parts.map { |tag| KeptStrings::Tag.new("#{tag.text}.", tag.weight + 1) }
          x.parts += [KeptStrings::Tag.new("tag of #{x.name}", 0)]
        end && nil
      end
      expect_same_texts { |all| all.peach(3) { |x| x.other = { x.number => [["deep #{x.name}"]] }.to_a } && nil }
    end

    it "are compared, searched and looked up later" do
      numbers = { "p0+" => 1, "p3+" => 2 }.freeze
      expect_same_texts do |all|
        all.peach(3) do |x|
          text = x.name
          x.other = [numbers[text], text.include?("3+"), text <=> "p3", text.sub("p", "q"), text[1..]] if x.log
          x.log = "p#{x.number}+"
          x.name = x.log
        end && nil
      end
    end

    it "are seen by others a tick later" do
      expect_same_texts do |all|
        all.each { |x| x.other = all[x.number - 1] }
        all.peach(4) { |x| x.number.odd? ? x.log = x.other.name : x.name = "#{x.name}<" } && nil
      end
    end

    it "are not there where an element fails" do
      all = pages
      before = texts_in(all)
      section = -> { all.peach(3) { |x| x.name = "n#{x.name}"; raise "no" if x.name == "nnpage 5" } }
      expect(&section).to raise_error(RuntimeError, "no")
      expect(texts_in(all)).to eq(before) unless backend == :ruby
    end
  end

  describe "in arrays that elements push to" do
    it "are there behind the call" do
      expect_same_texts { |all, book| all.peach { |x| book.titles << "title #{x.number}" } && nil }
      expect_same_texts { |all, book| all.peach(3) { |x| book.titles << x.name.swapcase if x.number.odd? } && nil }
      expect_same_texts { |all, book| all.peach(2) { |x| book.pages << ["#{x.number}", [x.name + "!"]] } && nil }
      expect_same_texts do |all, book|
        all.peach(2) do |x|
          page = KeptStrings::Page.new(x.number + 10)
          page.name = "new #{x.number}"
          page.note(x.name)
          book.pages << page
        end && nil
      end
    end
  end

  describe "in arrays that exist" do
    it "are stored by one tick and by several" do
      [1, 3].each do |ticks|
        expect_same_texts do |all, book|
          book.titles = [nil] * 6
          all.peach(ticks) { |x| book.titles[x.number] = "t#{x.number}" } && nil
        end
        expect_same_texts do |all, book|
          book.titles = all.map(&:name)
          all.peach(ticks) { |x| book.titles[x.number] = book.titles[x.number].reverse + "." if x.number != 3 } && nil
        end
        expect_same_texts do |all, book|
          book.titles = [0, 1.5, nil, "three", :four, "five"]
          all.peach(ticks) { |x| book.titles[x.number] = "#{book.titles[x.number]}!" unless x.number == 1 } && nil
        end
        expect_same_texts do |all|
          all.each { |x| x.lines = %w[a b] }
          all.peach(ticks) { |x| x.lines[-1] += x.lines[0] } && nil
        end
      end
    end

    it "are stored with what holds them" do
      expect_same_texts do |all, book|
        book.pages = [nil] * 6
        all.peach(2) do |x|
          page = KeptStrings::Page.new(x.number)
          book.pages[x.number] = page
          page.note(x.name)
          page.lines = [page.log, "#{page.name}?"]
        end && nil
      end
      expect_same_texts do |all, book|
        book.pages = [nil] * 6
        all.peach(2) { |x| book.pages[x.number] = [x.name, ["#{x.number}", x.number]] } && nil
      end
    end

    it "are the element's own while it runs" do
      expect_same_texts do |all, book|
        book.titles = [nil] * 6
        all.peach do |x|
          text = +"a"
          book.titles[x.number] = text
          text << x.name
          book.titles[x.number] << "-" << text.size.to_s
          x.log = book.titles[x.number].equal?(text)
          book.titles[x.number] = nil if x.number == 4
        end && nil
      end
    end

    it "are stored in order where elements touch one item" do
      Ikra.conflicts = :in_order
      expect_same_texts do |all, book|
        all.peach(2) { |x| book.titles[0] = book.titles[0] + x.number.to_s } && nil
      end
      expect_same_texts do |all, book|
        book.titles = all.map(&:name)
        all.peach(2) { |x| book.titles[(x.number + 1) % 6] = "#{book.titles[x.number]}>" } && nil
      end
    end

    it "are stored by methods, blocks and functions" do
      expect_same_texts do |all, book|
        book.titles = [nil] * 12
        store = ->(i, text) { book.titles[i] = text }
        all.peach { |x| 2.times { |i| store.call((x.number * 2) + i, "#{x.name}#{i}" * i) } } && nil
      end
      expect_same_texts do |all, book|
        book.titles = all.map(&:name)
        all.peach { |x| book.titles.fill(x.number, 1) { |i| "f#{i}" } if x.number > 3 } && nil
      end
      expect_same_texts do |all|
        all.each { |x| x.lines = %w[a b] }
        all.peach { |x| x.lines.map! { |line| line + x.name } } && nil
      end
    end

    it "are the base of later calls" do
      expect_same_texts do |all, book|
        book.titles = [nil] * 6
        Ikra.section do
          2.times do |step|
            all.peach do |x|
              next if x.number >= 3 + (step * 3)

              book.titles[x.number] = "#{book.titles[5 - x.number]}#{x.number}#{step}"
            end
          end
          long = book.titles.pselect { |title| title && title.size > 4 }
          [long, book.titles.pmap { |title| title ? title.size : 0 }, book.titles[2] == "30221"]
        end
      end
    end
  end

  describe "in variables of other objects" do
    it "are stored" do
      [1, 3].each do |ticks|
        expect_same_texts do |all|
          all.each { |x| x.other = all[x.number - 1] }
          all.peach(ticks) { |x| x.other.log = "from #{x.name}" } && nil
        end
        expect_same_texts do |all, book|
          all.peach(ticks) { |x| book.notes = ["note", x.name + "."] if x.number == 2 } && nil
        end
        expect_same_texts do |all|
          all.each { |x| x.other = all[(x.number / 2) * 2] }
          all.peach(ticks) do |x|
            next x.lines += ["own"] if x.number.even?

            x.other.log = "#{x.other.log}+#{x.number}"
          end && nil
        end
      end
    end

    it "are stored in order where others touch them" do
      Ikra.conflicts = :in_order
      expect_same_texts do |all|
        all.each { |x| x.other = all[x.number - 1] }
        all.peach(2) do |x|
          x.log = "own #{x.name}"
          x.other.log = "#{x.other.log}, #{x.log}"
        end && nil
      end
    end
  end

  describe "between parallel calls" do
    it "are what later calls look at" do
      expect_same_texts do |all|
        Ikra.section do
          all.peach { |x| x.name = "n#{x.number}" }
          all.peach { |x| x.log = "#{x.name}!" }
          all.pmap { |x| x.log + x.name }
        end
      end
      expect_same_texts do |all|
        Ikra.section do
          4.times { |step| all.peach { |x| x.log = "#{x.log}#{step}" } }
          all.psum { |x| x.log.size }
        end
      end
    end

    it "are given, selected, sorted and looked at by the code around" do
      expect_same_texts do |all|
        Ikra.section do
          names = all.pmap { |x| "#{x.number * 7 % 5}#{x.name}" }
          loud = names.pmap { |name| name.tr("a-z", "A-Z") }
          long = loud.pselect { |name| name.size > 3 }
          size = 0
          long.each { |name| size += name.bytesize }
          [names, loud, long, size, names.sort, names.include?("2page 1"), loud[1] == "2PAGE 1"]
        end
      end
    end

    it "are pushed, and are the base of later calls" do
      expect_same_texts do |all, book|
        Ikra.section do
          3.times do |step|
            all.peach { |x| book.titles << "#{step}: #{x.name}" if (x.number + step).odd? }
            all.peach { |x| x.note(book.titles[x.number]) if book.titles[x.number] }
          end
          book.titles.pmap { |title| title.size }
        end
      end
    end

    it "are in objects that are made" do
      expect_same_texts do |all|
        Ikra.section do
          tags = all.pmap { |x| KeptStrings::Tag.new("tag #{x.name}", x.number) }
          tags.peach { |tag| tag.text += "." }
          tags.pmap { |tag| tag.text.size + tag.weight }
          tags
        end
      end
    end
  end
end
# rubocop:enable Style/Semicolon, Style/StringConcatenation, Style/RedundantInterpolation
