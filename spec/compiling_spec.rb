# frozen_string_literal: true

require "open3"
require "rbconfig"
require "timeout"

# Compiling takes long where a section is large. Nothing that happens meanwhile breaks the process.
each_compiling_backend do |backend|
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  # Interrupts new sections of such a text at so many moments of their compilation.
  # @return [Array<Float>] how long each took to hear it
  def latencies(moments)
    # The first one may have met something else on the machine.
    whole = Array.new(2) do
      section = LargeSections.new(yield)
      started = now
      section.call([1, 2, 30])
      now - started
    end.min
    Array.new(moments) do |moment|
      section = LargeSections.new(yield)
      interrupted_after(whole * (moment + 0.5) / moments) { section.call([1, 2, 30]) }
    end.compact
  end

  # @return [Float, nil] nil where the block had ended before
  def interrupted_after(seconds)
    sent = nil
    thread = Thread.current
    sender = Thread.new do
      sleep(seconds)
      sent = now
      thread.raise(IOError, "stop")
    end
    yield
    sender.kill.join
    nil
  rescue IOError
    now - sent
  end

  # What is compiled for an emulated card is kept, so each section has to be another one.
  numbers = Enumerator.produce(0, &:succ)
  sections = {
    "in inference" => [:cpu, -> { LargeSections.loops(300 + (numbers.next % 50)) }],
    "in passes and in Cranelift" => [:cpu, -> { LargeSections.conditions(1_000 + (numbers.next % 50)) }],
    "in the compiler of CUDA" => [:"cuda-emulated", -> { LargeSections.conditions(20 + numbers.next) }]
  }
  sections.each do |where, (of, text)|
    next unless of == backend

    it "hears an interrupt at any moment #{where}" do
      times = latencies(5, &text)
      expect(times.size).to be > 2
      # Mostly it takes 10 to 20 ms, and on a busy machine some of them longer.
      expect(times.sort[times.size / 2]).to be < 0.1
    end
  end

  it "runs a section that was interrupted while it was compiled" do
    section = LargeSections.new(LargeSections.blocks(9))
    interrupted_after(0.05) { section.call([1, 2, 30]) }
    expect(section.call([1, 2, 30])).to eq([3, 6, 90])
  end

  it "compiles on while a handler takes signals" do
    seen = 0
    previous = trap("USR1") { seen += 1 }
    sender = Thread.new { loop { sleep(0.005) && Process.kill("USR1", Process.pid) } }
    expect(LargeSections.new(LargeSections.blocks(11)).call([1, 2, 30])).to eq([3, 6, 90])
    sender.kill.join
    expect(seen).to be > 0
  ensure
    trap("USR1", previous || "DEFAULT")
  end

  it "refuses sections that are too large" do
    [14, 18].each do |levels|
      section = LargeSections.new(LargeSections.blocks(levels))
      started = now
      expect { section.call([1, 2, 30]) }.to raise_error(Ikra::UnsupportedError, /\[section-too-large\]/)
      expect(now - started).to be < 5
    end
  end

  it "compiles methods once, however many ways lead to them" do
    [14, 30, 100].each do |levels|
      section = LargeSections.new(LargeSections.calls(levels))
      started = now
      expect(section.call([1, 2, 30])).to eq([3, 6, 90])
      expect(now - started).to be < 5
    end
  end

  it "knows in a function what callers pass, where it hangs on that" do
    text = lambda do |levels|
      calls = Array.new(levels) do |i|
        "def level#{i}(x, op) = x < 1 ? level#{i + 1}(x, op) : level#{i + 1}(x, op)\n"
      end
      "#{calls.join}def level#{levels}(x, op) = x.public_send(op, 3)\n" \
        "->(xs) { xs.pmap { |x| level0(x, :*) + level0(x, :-) } }"
    end
    expect(LargeSections.new(text.call(9)).call([1, 2, 30])).to eq([1, 5, 117])
    expect(LargeSections.new(text.call(30)).call([1])).to eq([1])
  end

  it "takes back the memory of arrays that functions make in a loop" do
    text = LargeSections.calls(12, last: "[x, x + 1].select { |y| y > 0 }",
                                   block: "100_000.times { |i| x += level0(i).size }; x")
    expect(LargeSections.new(text).call([1, 2, 30])).to eq([200_000, 200_001, 200_029])
  end

  it "calls as deep as methods are nested, which is no recursion" do
    expect(LargeSections.new(LargeSections.chain(1_000)).call([1, 2, 30])).to eq([1_001, 1_002, 1_030])
  end

  def raised(text)
    LargeSections.new(text).call([1, 30])
  rescue StandardError => e
    lines = e.backtrace.grep(/large_section_/).map { |line| line[/:\d+:in .*/] }
    [e.class, e.message, lines.grep_v(%r{[#`](p?map|/)'})]
  end

  # The message, and the calls that led there.
  def same_error(text)
    expect(raised(text)).to eq(raised(text.sub("pmap", "map")))
  end

  it "names the callers of methods that many ways lead to" do
    far = "x < 20 ? x : raise(ArgumentError, \"far\")"
    same_error(LargeSections.calls(30, last: far))
    same_error(LargeSections.calls(30, last: far, block: "x < 2 ? level0(x) : level3(x)"))
    same_error(LargeSections.calls(30, last: "x < 20 ? x : x / (x - x)"))
    again = "begin; level0(x); rescue ZeroDivisionError; -1; rescue ArgumentError; raise; end"
    same_error(LargeSections.calls(30, last: far, block: again))
    same_error(LargeSections.calls(30, last: far, block: "begin; level0(x); ensure; x + 1; end"))
    rescued = LargeSections.calls(30, last: far, block: "begin; level0(x); rescue ArgumentError; -1; end")
    expect(LargeSections.new(rescued).call([1, 30])).to eq([1, -1])
  end

  it "names the line in a block that a built-in runs" do
    text = "def fails(x) = x < 20 ? x : raise(ArgumentError)\n" \
           "->(xs) { xs.pmap { |x|\n[x, 1].tap { |l| l << 2 }.each_with_index do |y, i|\nx += fails(y)\nend\nx } }"
    of_ikra, of_ruby = %w[pmap map].map { |method| raised(text.sub("pmap", method)).last.first(2) }
    expect(of_ikra.map { |line| line[/\d+/] }).to eq(of_ruby.map { |line| line[/\d+/] })
  end

  it "says where something fails that more ways lead to than there are numbers" do
    of_ikra, of_ruby = %w[pmap map].map do |method|
      raised(LargeSections.calls(100, last: "x < 20 ? x : raise(ArgumentError, \"far\")").sub("pmap", method))
    end
    expect(of_ikra.first(2)).to eq(of_ruby.first(2))
    expect(of_ikra.last.first).to eq(of_ruby.last.first)
    expect(of_ruby.last & of_ikra.last).to eq(of_ikra.last)
  end

  # Runs the text in a process of its own.
  # @return [Array] what it printed, and its status
  def in_ruby(text)
    library = File.expand_path("../lib", __dir__)
    support = File.expand_path("support/large_sections", __dir__)
    program = "require 'ikra'\nrequire #{support.dump}\nIkra.backend = #{Ikra.chosen.inspect}\n#{text}"
    Open3.capture2e(RbConfig.ruby, "-I#{library}", "-e", program)
  end

  it "exits and forks while what was interrupted is still being compiled" do
    printed, status = in_ruby(<<~RUBY)
      require "timeout"
      section = LargeSections.new(LargeSections.conditions(#{backend == :cpu ? 2_000 : 300}))
      begin
        Timeout.timeout(0.2) { section.call([1, 2, 30]) }
      rescue Timeout::Error
        puts "late"
      end
      Ikra.backend = :cpu
      section = LargeSections.new("->(xs) { xs.pmap { |x| x * 2 } }")
      child = fork { exit!(section.call([1, 2]) == [2, 4] ? 0 : 1) }
      puts Process.wait2(child).last.exitstatus
      at_exit { puts "exits" }
    RUBY
    expect(printed).to eq("late\n0\nexits\n")
    expect(status).to be_success
  end

  it "dies of a signal while it compiles" do
    _, status = in_ruby(<<~RUBY)
      section = LargeSections.new(LargeSections.conditions(#{backend == :cpu ? 2_000 : 300}))
      Thread.new { sleep(0.2) && Process.kill(:TERM, Process.pid) }
      section.call([1, 2, 30])
    RUBY
    expect(status.termsig).to eq(Signal.list["TERM"])
  end
end

RSpec.describe "Timeout around a section's first call" do
  it "is heard, whenever its time comes" do
    previous = Ikra.chosen
    Ikra.backend = :cpu
    points = Array.new(8) { |n| World::Point.new(n) }
    40.times do |i|
      # Another one each time, so that it is compiled.
      section = LargeSections.new(<<~RUBY)
        ->(points) { points.peach((1 << 32) - 1) { |point| point.x = (point.x * #{i + 3}) % 1_000_003 } }
      RUBY
      expect { Timeout.timeout(0.0002 * (i + 1)) { section.call(points) } }.to raise_error(Timeout::Error)
    end
    expect(points.map(&:x)).to eq((0...8).to_a)
  ensure
    Ikra.backend = previous
  end
end
