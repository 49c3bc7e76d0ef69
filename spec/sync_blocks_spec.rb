# frozen_string_literal: true

require "continuation"
require "timeout"

# What blocks of Ikra.sync do to the section around them: processes, continuations, singleton methods, signals.
each_compiling_backend do |backend|
  def points(count = 6) = Array.new(count) { |n| World::Point.new(n) }

  describe "a process that is forked in a block" do
    before { skip "a GPU cannot be used in a child" unless backend == :cpu }

    # What the section of the block gives in a child, and what the same gives there afterwards.
    def in_child
      reader, writer = IO.pipe
      child = nil
      begin
        result = yield(-> { child = fork })
      rescue Ikra::Error => e
        writer.puts("#{e.class}: #{e.message}") unless child
      end
      unless child
        writer.puts(yield(-> {}).inspect)
        writer.close
        exit!(0)
      end
      writer.close
      Timeout.timeout(20) { Process.wait(child) }
      [result, reader.read]
    end

    it "has an error in the child, and goes on in the parent" do
      all = points
      result, said = in_child do |action|
        Ikra.section do
          all.peach { |point| point.x += 1 }
          Ikra.sync { action.call }
          all.pmap { |point| point.x }
        end
      end
      expect(result).to eq([1, 2, 3, 4, 5, 6])
      expect(said).to match(/\AIkra::Error: .*a process was forked in the middle of a section.*\n(?:.*\n)+  hint: /)
      expect(said).to end_with("\n[2, 3, 4, 5, 6, 7]\n")
    end

    it "may do what it likes and leave" do
      all = points
      status = nil
      result = Ikra.section do
        all.peach { |point| point.x += 1 }
        Ikra.sync { status = Process.wait2(fork { exit!(all.sum(&:x)) }).last.exitstatus }
        all.pmap { |point| point.x + 1 }
      end
      expect([result, status]).to eq([[2, 3, 4, 5, 6, 7], 21])
    end
  end

  describe "a continuation that leads back into a block" do
    def taking(all, seen)
      Ikra.section do
        2.times do
          all.peach { |point| point.x += 1 }
          Ikra.sync { callcc { |continuation| seen << continuation } }
        end
        all.pmap { |point| point.x }
      end
    end

    it "raises when the section has ended, or gone on" do
      all = points
      seen = []
      tries = 0
      begin
        taking(all, seen)
        tries += 1
        seen[tries - 1].call if tries < 3
      rescue Ikra::Error => e
        expect(e.message).to match(/a continuation leads back into a section that has gone on since\n(?:.*\n)+  hint: /)
        tries += 1
        seen[1].call if tries < 3
      end
      expect(tries).to eq(3)
      expect(points.pmap { |point| point.x }).to eq([0, 1, 2, 3, 4, 5])
    end

    it "leaves the block that has taken it" do
      all = points
      seen = []
      Ikra.section do
        all.peach { |point| point.x += 1 }
        Ikra.sync { callcc { |continuation| continuation.call }; seen << all[0].x } # rubocop:disable Style/Semicolon
        all.peach { |point| point.x += 1 }
      end
      expect([seen, all.map(&:x)]).to eq([[1], [2, 3, 4, 5, 6, 7]])
    end
  end

  it "is the end of the section when objects have got singleton methods that it calls" do
    all = points
    section = lambda do |other|
      Ikra.section do
        first = all.pmap { |point| point.shift(0) }
        Ikra.sync { all[2].extend(other) }
        first + all.pmap { |point| point.shift(0) }
      end
    end
    expect(section.call(Module.new).size).to eq(12)
    more = Module.new { def shift(_) = 100 }
    from = /an object of .*Point has `shift` from .*changed-in-sync/
    expect { section.call(more) }.to raise_error(Ikra::UnsupportedError, from)
  end

  # Runs the section where a signal comes when Ruby looks at a key for the first, second … time, which it does while
  # results are written back; gives how many came.
  def each_signal
    (1..).each do |number|
      left = number
      look = SyncBlocksKey.instance_method(:hash)
      trace = TracePoint.new(:call) { (left -= 1).zero? && Thread.current.raise(Interrupt, "now") }
      error = raised { yield(->(&section) { trace.enable(target: look, &section) }) && raise(StopIteration) }
      return number - 1 if error.is_a?(StopIteration)

      expect(error).to be_a(Interrupt)
    end
  end

  it "writes all or nothing where a signal comes meanwhile" do
    states = Hash.new(0)
    keys = Array.new(4) { |n| SyncBlocksKey.new(n) }
    hash = objects = nil
    count = each_signal do |with_signal|
      hash = { keys[0] => 1, keys[1] => 1 }
      objects = points
      with_signal.call do
        Ikra.section do
          objects.each { |point| point.x += 1 }
          hash[keys[2]] = 5
          hash.delete(keys[0])
          true
        end
      end
    ensure
      states[[hash.size, objects.map(&:x), hash.values]] += 1
    end
    expect(count).to be > 1
    expect(states.keys - [[2, [0, 1, 2, 3, 4, 5], [1, 1]], [2, [1, 2, 3, 4, 5, 6], [1, 5]]]).to eq([])
  end

  it "writes again all that Ruby has seen, or nothing" do
    states = Hash.new(0)
    keys = Array.new(6) { |n| SyncBlocksKey.new(n) }
    objects = nil
    count = each_signal do |with_signal|
      objects = points(2)
      with_signal.call do
        Ikra.section do
          objects.each { |point| point.x = { keys[0] => 1 } }
          Ikra.sync { nil }
          objects.each do |point|
            point.x[keys[1]] = 2
            point.y = 7
          end
          true
        end
      end
    ensure
      states[objects.map { |point| [point.x.is_a?(Hash) ? point.x.size : 0, point.y] }] += 1
    end
    expect(count).to be > 1
    expect(states.keys - [[[0, 0]] * 2, [[1, 0]] * 2, [[2, 7]] * 2]).to eq([])
  end
end

# A key that says itself what it is.
class SyncBlocksKey
  attr_reader :n

  def initialize(n) = @n = n
  def eql?(other) = @n == other.n
  def hash = @n
end
