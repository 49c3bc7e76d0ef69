# frozen_string_literal: true

# Variables around a parallel call to which its elements assign what they make: Strings, arrays, objects. Elements that
# do so run in order; the variable ends as sequential Ruby leaves it.
module SharedVariables
  # A word, and how good it is.
  class Word
    attr_accessor :text, :score, :seen

    def initialize(text, score)
      @text = text
      @score = score
    end

    def better?(other) = other.nil? || @score > other.score
    def with(suffix) = Word.new(@text + suffix, @score)
  end

  Found = Struct.new(:word, :at)
end

each_compiling_backend do
  let(:words) do
    [["pear", 3], ["fig", 9], ["plum", 1], ["kiwi", 9], ["", -2]].map { |pair| SharedVariables::Word.new(*pair) }
  end

  def quietly
    Warning.define_singleton_method(:warn) { |*, **| nil }
    yield
  ensure
    Warning.singleton_class.remove_method(:warn)
  end

  it "hold a String of the last element that gave one" do
    last = nil
    quietly { words.peach { |word| last = "#{word.text}!" if word.score > 1 } }
    expect(last).to eq("kiwi!")
    longest = "ab"
    quietly { words.peach { |word| longest = word.text.upcase if word.text.size > longest.size } }
    expect(longest).to eq("PEAR")
  end

  it "hold arrays, with what they refer to" do
    best = nil
    quietly do
      words.peach { |word| best = [word, word.score, "no. #{word.score}"] if best.nil? || word.score > best[1] }
    end
    expect(best).to eq([words[1], 9, "no. 9"])
    expect(best[0]).to equal(words[1])
    halves = [1]
    quietly { [7, 8, 9].peach { |n| halves = n.divmod(2) + halves.first(2) } }
    expect(halves).to eq([4, 1, 4, 0])
  end

  it "hold objects, which are changed later, and one of which is one" do
    best = SharedVariables::Word.new("none", 0)
    quietly do
      words.peach do |word|
        best = word.with("+") if word.better?(best)
        best.score += 1
        word.seen = best
      end
    end
    expect(words.map { |word| [word.seen.text, word.seen.score] }.uniq).to eq([["pear+", 4], ["fig+", 13]])
    expect(words[1].seen).to equal(words[4].seen)
    expect(best).to equal(words[4].seen)
  end

  it "hold a Struct, nil or a number" do
    found = 3
    quietly do
      words.each_with_index.peach do |word, at|
        found = case at
                when 0 then SharedVariables::Found.new(word, at)
                when 1 then nil
                else found.nil? ? SharedVariables::Found.new(word.text * 2, -at) : found
                end
      end
    end
    expect(found).to eq(SharedVariables::Found.new("plumplum", -2))
  end

  it "are what they were if an element fails" do
    text = +"before"
    ones = [1, 2, 0, 4]
    run = -> { quietly { ones.peach { |n| text = (10 / n).to_s } } }
    expect(&run).to raise_error(ZeroDivisionError)
    expect(text).to eq("before")
  end

  it "are local variables of a section, which its code uses" do
    all = words
    seen = quietly do
      Ikra.section do
        log = []
        3.times do |tick|
          best = nil
          all.peach do |word|
            best = [word.text + tick.to_s, word.score + tick] if best.nil? || word.score > best[1] - tick
          end
          log << best
          all.peach { |word| word.seen = best }
          all.peach { |word| word.score = -word.score }
        end
        log
      end
    end
    expect(seen).to eq([["fig0", 9], ["1", 3], ["fig2", 11]])
    expect(words.map { |word| word.seen.equal?(seen[2]) }).to all(be(true))
  end

  it "are variables around a section" do
    title = "?"
    all = words
    lengths = quietly do
      Ikra.section do
        2.times.map do
          all.peach { |word| title = "#{word.text} #{title}"[0, 12] unless word.text.empty? }
          title.size
        end
      end
    end
    expect([title, lengths]).to eq(["kiwi plum fi", [12, 12]])
  end
end
