# frozen_string_literal: true

require "etc"
require "open3"
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

each_compiling_backend do |backend|
  # Interrupts a section that would never end, and measures how long it takes to stop.
  def expect_to_stop(with, interrupt)
    points = Array.new(64) { |n| World::Point.new(n) }
    # RSpec has a handler of its own for one, and who started this may have it ignore another.
    previous = %w[INT TERM HUP].to_h { |signal| [signal, trap(signal, "DEFAULT")] }
    times = Array.new(3) do
      sent = nil
      thread = Thread.current
      Thread.new { sleep(0.03) && (sent = now) && interrupt.call(thread) }
      expect { yield points }.to raise_error(with)
      now - sent
    end
    # It takes 10 to 30 ms; a busy machine takes longer, and a section that hears nothing never stops.
    expect(times.min).to be < 1
    expect(points.map(&:x)).to eq((0...64).to_a)
  ensure
    previous.each { |signal, handler| trap(signal, handler || "DEFAULT") }
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # Ways to interrupt. The thread that sends a signal ends at once, so nobody is left who waits for signals.
  {
    "SIGINT" => [Interrupt, ->(_) { Process.kill(:INT, Process.pid) }],
    "SIGTERM" => [SignalException, ->(_) { Process.kill(:TERM, Process.pid) }],
    "SIGHUP" => [SignalException, ->(_) { Process.kill(:HUP, Process.pid) }],
    "another thread's exception" => [IOError, ->(thread) { thread.raise(IOError, "stop") }]
  }.each do |what, (error, interrupt)|
    it "stops for #{what}, with nothing changed" do
      expect_to_stop(error, interrupt) do |points|
        points.peach((1 << 32) - 1) { |point| point.x = (point.x * 3) % 1_000_003 }
      end
    end

    it "leaves a loop that never ends for #{what}" do
      expect_to_stop(error, interrupt) do |points|
        points.first(1).peach { |point| point.x = (point.x + 1) % 7 while point.y.zero? }
      end
    end
  end

  it "stops for a signal from outside" do
    pid = Process.pid
    expect_to_stop(Interrupt, ->(_) { system("kill", "-INT", pid.to_s) }) do |points|
      points.peach((1 << 32) - 1) { |point| point.x = (point.x * 3) % 1_000_003 }
    end
  end

  it "stops for Timeout" do
    points = Array.new(64) { |n| World::Point.new(n) }
    started = now
    expect do
      Timeout.timeout(0.1) { points.peach((1 << 32) - 1) { |point| point.x = (point.x * 3) % 1_000_003 } }
    end.to raise_error(Timeout::Error)
    expect(now - started).to be < 2
    expect(points.map(&:x)).to eq((0...64).to_a)
  end

  it "hears signals while other threads run sections too" do
    endless = ->(points) { points.peach((1 << 32) - 1) { |point| point.x = (point.x * 3) % 1_000_003 } }
    other = Thread.new { endless.call([World::Point.new(1)]) }
    # So that it is the first to have a GPU.
    sleep(0.05)
    expect_to_stop(Interrupt, ->(_) { Process.kill(:INT, Process.pid) }, &endless)
    other.kill.join
  end

  it "comes to an end although signals that a handler takes keep coming" do
    points = Array.new(64) { |n| World::Point.new(n) }
    seen = 0
    previous = trap("USR1") { seen += 1 }
    sender = Thread.new { loop { sleep(0.005) && Process.kill("USR1", Process.pid) } }
    points.peach(300_000) { |point| point.x = (point.x * 3) % 1_000_003 }
    sender.kill.join
    power = 3.pow(300_000, 1_000_003)
    expect(points.map(&:x)).to eq((0...64).map { |n| n * power % 1_000_003 })
    expect(seen).to be > 0
  ensure
    trap("USR1", previous || "DEFAULT")
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

  it "draws other random numbers in each forked child, as Ruby does" do
    skip "a GPU cannot be used there" unless backend == :cpu
    draw = -> { [1, 2].pmap { |_| rand }.inspect }
    Ikra.srand(42)
    draw.call
    children = Array.new(3) { in_child { draw.call } }
    own = draw.call
    expect([own, *children].uniq.size).to eq(4)
    Ikra.srand(42)
    draw.call
    expect(draw.call).to eq(own)
  end

  it "runs in a forked child" do
    numbers = (1..3000).to_a
    section = -> { numbers.pmap { |n| 50.times.sum { |i| n * i } } }
    expected = section.call
    # A thread that is in the middle of a section does not go along.
    busy = Thread.new { loop { section.call } }
    sleep(0.01)
    answers = Array.new(3) { in_child { section.call == expected } }
    expect(answers).to all(eq(backend == :cpu ? "true" : "Ikra::DeviceError: was in use when this process was forked"))
    busy.kill.join
    expect(section.call).to eq(expected)
  end

  it "takes the CPU in a forked child where a GPU was in use, if it may choose" do
    numbers = (1..3000).to_a
    Ikra.backend = :cuda if HAS_GPU
    numbers.peach(100) { |n| n + 1 }
    Ikra.backend = :auto
    expect(in_child { Ikra.backend }).to eq("cpu")
    expect(in_child { numbers.peach(1000) { |n| n + 1 } == numbers }).to eq("true")
  end

  # What the block gives in a child, as text.
  def in_child
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      writer.write(yield)
      writer.close
    rescue Ikra::Error => e
      writer.write("#{e.class}: #{e.message[/was in use when this process was forked/]}")
      writer.close
    ensure
      exit!
    end
    writer.close
    reader.read
  ensure
    reader.close
    Process.wait(pid)
  end

  it "is refused in a Ractor" do
    [1].pmap { |n| n + 1 }
    # `take` until Ruby 3.4.
    wait = Ractor.method_defined?(:value) ? :value : :take
    errors = hush_ractors do
      Array.new(2) { raised { Ractor.new { [1].pmap { |n| n + 1 } }.public_send(wait) }.cause }
    end
    expect(errors).to all(be_a(Ikra::Error))
    expect(errors.map(&:message)).to all(include("main Ractor"))
    expect([1].pmap { |n| n + 1 }).to eq([2])
  end

  # Ractors are experimental, and tell of errors.
  def hush_ractors
    kept = [Warning[:experimental], Thread.report_on_exception]
    Warning[:experimental] = Thread.report_on_exception = false
    yield
  ensure
    Warning[:experimental], Thread.report_on_exception = kept
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

RSpec.describe "Ikra.threads" do
  after { Ikra.threads = nil }

  it "is what the process may use, or what was set" do
    expect(Ikra.threads).to be >= 1
    usual = Ikra.threads
    Ikra.threads = 3
    expect(Ikra.threads).to eq(3)
    Ikra.threads = nil
    expect(Ikra.threads).to eq(usual)
    [0, -1, 513, 1.5, "2"].each do |count|
      expect { Ikra.threads = count }.to raise_error(ArgumentError, /threads is an Integer from 1 to 512 or nil/)
    end
  end

  it "are all at work soon in a first call of a few elements that take long" do
    told = File.exist?("/proc/self/schedstat")
    skip "needs two cores, and Linux to tell what threads did" unless told && Etc.nprocessors > 1

    program = <<~'RUBY'
      Ikra.threads = 2
      Array.new(20) { |i| i + 0.5 }.pmap { |x| 300_000.times { |i| x = (x * 0.999) + i }; x }
      tasks = Dir["/proc/self/task/*"].select { |task| File.read("#{task}/comm").match?(/^ikra-\d/) }
      puts tasks.sum { |task| File.read("#{task}/schedstat").to_i }
    RUBY
    library = File.expand_path("../lib", __dir__)
    command = [{ "IKRA_BACKEND" => "cpu" }, RbConfig.ruby, "-I#{library}", "-rikra", "-e", program]
    output, = Open3.capture2e(*command)
    # Nanoseconds: all but the first of twenty elements.
    expect(Integer(output, 10)).to be > 1_000_000
  end

  it "changes no result" do
    [1, 2, 16, 3].each do |count|
      Ikra.threads = count
      points = Array.new(5_000) { |n| World::Point.new(n) }
      points.peach(3) { |point| point.shift(2) }
      expect(points.sum(&:x)).to eq((0...5_000).sum + (5_000 * 6))
    end
  end
end
