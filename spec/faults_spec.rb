# frozen_string_literal: true

# All or nothing: each thing that can fail is made to fail, one after the other. Each time the section raises, no object
# has changed, and the next section works.
each_compiling_backend do
  # Blocks of new literals each time, so that they are compiled each time.
  around do |example|
    kept = RubyVM.keep_script_lines
    RubyVM.keep_script_lines = true
    example.run
  ensure
    RubyVM.keep_script_lines = kept
    native.fail_at(0)
  end

  let(:native) { Ikra.const_get(:Native) }

  # Runs the section of `text` again and again, where the first, second … thing fails, until none is left to fail.
  # @return [Integer] how many things there were
  def each_fault(sign, text, make)
    (1..).each do |number|
      world = make.call
      section = eval(text) # rubocop:disable Security/Eval
      before = deep_snapshot(*world)
      error = failing(sign * number) { section.call(*world) }
      return number - 1 unless error

      expect(error).to be_a(Ikra::Error)
      expect(error.message).to match(/was made to (fail|panic)/)
      expect(deep_snapshot(*world)).to eq(before)
      expect([number].pmap { |n| n + 1 }).to eq([number + 1])
      raise "so many things to fail?" if number > 500
    end
  end

  # @return [Exception, nil] what the block raises
  def failing(number)
    native.fail_at(number)
    yield
    nil
  rescue StandardError => e
    e
  ensure
    native.fail_at(0)
  end

  # Points with variables that are not set, Floats and Integers on the heap, arrays that share their memory.
  points = lambda do
    shared = Array.new(30) { |i| i * 1.0 }
    points = Array.new(600) { |i| World::Point.new(i, i.even? ? 1e-300 : 2**62) }
    points.each_with_index do |point, i|
      point.next = points[i - 1] if i % 3 == 0
      point.x = [i, shared.first(20)] if i % 50 == 0
    end
    [points, points.map { |point| World::Node.new(point, shared.first(25)) }]
  end

  {
    "arrays that get longer and shorter" => [
      "lambda { |all| all.peach { |g| g.items << 1e-300 << g.n; g.items.shift; all[0].later << [g, 2**62 + g.n] } }",
      -> { [Array.new(20) { |i| FaultsGrowing.new(i) }.each { |g| g.later = [g.n] }] }
    ],
    "Strings that change" => [
      "lambda { |texts, all| texts.peach { |text| text << ('x' * 30); text.upcase! }; all[0] << texts[0] }",
      -> { [Array.new(20) { |i| "text #{i}" }, [+"é"]] }
    ],
    "writes of all kinds" => ["lambda { |points, nodes| nodes.peach(2) { |node|
       point = node.value
       point.next = point unless point.next
       point.y = point.y * 3.0
       node.links[0] = 1e-300 + node.links[1]
     } }", points],
    "a result and captured variables" => ["lambda { |points, _|
       total = 0
       last = nil
       found = nil
       begin
         points.pmap { |point| total += 1; last = point; found ||= point.next; [point.y, 2**62 + 1] }
       rescue StandardError
         raise 'changed a variable' unless total == 0 && last.nil? && found.nil?
         raise
       end
     }", points],
    # What was written at once, before anything failed.
    "writes in place beside others" => [
      "lambda { |all| all.peach { |g| g.n += 1; g.x *= 0.5; g.items[1] = g.n; g.later = 1e-300; g.flag = true } }",
      -> { [Array.new(400) { |i| FaultsGrowing.new(i) }] }
    ],
    "what elements make, give and keep" => [
      "lambda { |all| all.pmap { |g| g.later = FaultsGrowing.new(g.n); g.items = [g.later, 1]; [g.items, g.later] } }",
      -> { [Array.new(8) { |i| FaultsGrowing.new(i) }] }
    ],
    "a selection" => ["lambda { |points, _| points.pselect { |point| point.y > 1.0 && (point.y = 1) } }", points],
    "Hashes that change" => [
      "lambda { |hashes| hashes.peach { |h| h[1] = 1e-300; h.delete(2) } }",
      -> { [Array.new(40) { |i| { i => 1.5, 2 => "a" } }] }
    ],
    "members of Structs" => [
      "lambda { |pairs| pairs.peach { |pair| pair.left, pair.right = pair.right, pair.left } }",
      -> { [Array.new(40) { |i| FaultsPair.new(i * 1e-300, [i]) }] }
    ]
  }.each do |what, (text, make)|
    it "changes nothing when something fails: #{what}" do
      hush { expect(each_fault(1, text, make)).to be > 8 }
    end

    it "changes nothing when something panics: #{what}" do
      hush { expect(each_fault(-1, text, make)).to be > 8 }
    end
  end

  made_and_seen = "lambda { |all, states| Ikra.section {
    3.times { |t|
      all.peach { |g| g.items << t * 1e-300; g.later = FaultsGrowing.new(g.n) if t == 0; g.later.x += 1e-300 }
      all.peach { |g| g.later.items << g.n; g.later.flag = t }
      Ikra.sync { states << told(all); all[0].later.n += 1; states << told(all) }
    }
  } }"

  def told(all) = all.map { |g| [g.n, g.x, g.items.dup, g.flag, *(told([g.later]) if g.later)] }

  it "leaves all as it was at the last sync when something fails" do
    make = -> { Array.new(6) { |i| FaultsGrowing.new(i) } }
    states = [told(make.call)]
    backend = Ikra.backend
    Ikra.backend = :ruby
    eval(made_and_seen).call(make.call, states) # rubocop:disable Security/Eval
    Ikra.backend = backend
    hush do
      count = (1..).each do |number|
        all = make.call
        seen = [told(all)]
        section = eval(made_and_seen) # rubocop:disable Security/Eval
        error = failing(number) { section.call(all, seen) }
        break number unless error

        # Before its block or behind it.
        expect(error.message).to match(/was made to fail/)
        expect(seen).to eq(states.first(seen.size))
        expect(states[seen.size - 1, 2]).to include(told(all))
      end
      expect(count).to be > 20
    end
  end

  # Rust tells of panics on the standard error.
  def hush
    kept = $stderr.dup
    $stderr.reopen(File::NULL)
    yield
  ensure
    $stderr.reopen(kept)
  end
end

FaultsPair = Struct.new(:left, :right)

# Some variables are not set at first.
class FaultsGrowing
  attr_accessor :n, :x, :items, :later, :flag

  def initialize(n)
    @n = n
    @x = n * 1.5
    @items = [n, n + 0.5]
    @flag = false if n.odd?
  end
end
