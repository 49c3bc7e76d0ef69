# frozen_string_literal: true

require "timeout"

# Sections of several Ruby threads at once, and interrupts.
each_backend do
  it "runs in eight threads at once" do
    results = Array.new(8) do |i|
      Thread.new do
        points = Array.new(500) { |n| World::Point.new(n) }
        20.times { points.peach(5) { |point| point.shift(i) } }
        points.sum(&:x)
      end
    end.map(&:value)
    expect(results).to eq(Array.new(8) { |i| (0...500).sum + (500 * 100 * i) })
  end

  it "meets a new class in several threads at once" do
    20.times do |round|
      kind = Class.new(World::Point)
      results = Array.new(4) do |i|
        Thread.new do
          points = Array.new(30) { |n| kind.new(i, [n]) }
          points.each_cons(2) { |a, b| a.next = b }
          Thread.pass if round.odd?
          points.peach { |point| point.x = point.next ? point.next.y : 7 }
          points.each_cons(2).all? { |a, b| a.x.equal?(b.y) } && points.last.x == 7
        end
      end
      expect(results.map(&:value)).to eq([true] * 4)
    end
  end

  it "runs on the same objects from several threads without harm" do
    points = Array.new(200) { |n| World::Point.new(n) }
    threads = Array.new(4) { Thread.new { 20.times { points.peach { |point| point.y = point.x } } } }
    threads.each(&:join)
    expect(points.map(&:y)).to eq((0...200).to_a)
  end
end

each_compiling_backend do
  it "stops for another thread's exception, with nothing changed" do
    points = Array.new(64) { |n| World::Point.new(n) }
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    expect do
      Timeout.timeout(0.3) { points.peach((1 << 32) - 1) { |point| point.x = (point.x * 3) % 1_000_003 } }
    end.to raise_error(Timeout::Error)
    expect(Process.clock_gettime(Process::CLOCK_MONOTONIC) - started).to be < 5
    expect(points.map(&:x)).to eq((0...64).to_a)
  end

  it "goes on after a signal that a handler took" do
    points = Array.new(64) { |n| World::Point.new(n) }
    seen = 0
    previous = trap("USR1") { seen += 1 }
    sender = Thread.new do
      sleep(0.02)
      Process.kill("USR1", Process.pid)
    end
    points.peach(30_000) { |point| point.x = (point.x * 3) % 1_000_003 }
    sender.join
    expected = (0...64).map { |n| 30_000.times.inject(n) { |x, _| (x * 3) % 1_000_003 } }
    expect(points.map(&:x)).to eq(expected)
    expect(seen).to eq(1)
  ensure
    trap("USR1", previous || "DEFAULT")
  end

  it "lets other threads run meanwhile" do
    ticks = 0
    counter = Thread.new { loop { (ticks += 1) && sleep(0.001) } }
    points = Array.new(16) { |n| World::Point.new(n) }
    points.peach(3_000_000) { |point| point.x = (point.x * 3) % 1_000_003 }
    counter.kill
    expect(ticks).to be > 3
  end
end
