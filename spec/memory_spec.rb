# frozen_string_literal: true

require "rbconfig"
require "tmpdir"

# Too little memory is an exception, before anything has changed, and memory does not grow.
each_compiling_backend do |backend|
  # Runs the text in a Ruby of its own, where IKRA is loaded and the back-end chosen; gives what it prints.
  def in_ruby(text, backend, environment = {})
    Dir.mktmpdir do |folder|
      file = File.join(folder, "program.rb")
      File.write(file, "require 'ikra'\nIkra.backend = '#{backend}'\n#{text}")
      library = File.expand_path("../lib", __dir__)
      IO.popen([environment, RbConfig.ruby, "-I#{library}", file, { err: %i[child out] }], &:read)
    end
  end

  it "raises NoMemoryError where there is too little memory on the host" do
    # Many cores' threads would take all that is left for heaps of their own.
    printed = in_ruby(<<~RUBY, backend, "MALLOC_ARENA_MAX" => "1")
      numbers = (1..2_000).to_a
      # So large that it starts the threads.
      Array.new(100_000, 1).peach { |n| 10.times { |i| i * n } }
      status = File.read("/proc/self/status")
      used = status[/VmSize:\\s+(\\d+)/, 1].to_i * 1024
      Process.setrlimit(:AS, used + (300 << 20))
      begin
        numbers.pmap { |n| Array.new(20_000) { |i| i * n } }
      rescue NoMemoryError, Ikra::DeviceError => e
        puts e.class, e.message
      end
      p numbers.pmap { |n| n + 1 } == numbers.map { |n| n + 1 }
    RUBY
    expect(printed).to match(/\ANoMemoryError\nfailed to allocate [\d.]+ [MG]iB for a parallel section\ntrue\n\z/)
  end

  if backend == :cpu
    # Each limit is met in another step: while objects are found, while columns are made, while changes are written.
    it "raises NoMemoryError wherever memory ends, and never ends the process" do
      # No memory to spare in the C library.
      printed = in_ruby(<<~RUBY, backend, "MALLOC_ARENA_MAX" => "1", "MALLOC_MMAP_THRESHOLD_" => "65536")
        class Dot
          attr_accessor :n, :half, :sum, :pair
          def initialize(n)
            @n = n
            @sum = 0
            @half = n * 0.5 if n.odd?
            @pair = [n, n + 1]
          end
        end
        dots = Array.new(100_000) { |i| Dot.new(i) }
        dots.shuffle!(random: Random.new(1))
        dots << dots.first
        run = lambda do |some|
          some.peach { |dot| dot.sum += dot.pair[1] + (dot.half || 1).to_i }
          some.pmap { |dot| dot.half }.size
        end
        2.times { run.call(dots.first(3000)) }
        GC.start
        outcomes = [*(0..40).map { |i| i / 2.0 }, 24, 256].map do |limit|
          child = fork do
            2.times { run.call(dots.first(3000)) }
            GC.start
            used = File.read("/proc/self/statm").split.first.to_i * 4096
            Process.setrlimit(:AS, used + (limit * (1 << 20)).to_i)
            run.call(dots)
            exit!(0)
          rescue NoMemoryError
            exit!(7)
          end
          status = Process.wait2(child).last
          status.exitstatus || status.to_s
        end
        p outcomes.uniq.sort_by(&:to_s)
      RUBY
      expect(printed).to eq("[0, 7]\n")
    end
  end
  if backend == :cpu
    # Most of them are met while a section is inferred, optimised or compiled.
    it "raises NoMemoryError wherever memory ends while a section is compiled, and goes on then" do
      support = File.expand_path("support/large_sections", __dir__)
      printed = in_ruby(<<~RUBY, backend, "MALLOC_ARENA_MAX" => "1", "MALLOC_MMAP_THRESHOLD_" => "65536")
        require #{support.dump}
        texts = [LargeSections.calls(10), LargeSections.loops(120), LargeSections.conditions(400)]
        outcomes = texts.flat_map do |text|
          Ikra.backend = :ruby
          expected = LargeSections.new(text).call([1, 2, 30])
          Ikra.backend = :cpu
          GC.start
          [16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 64, 72, 80, 96, 256].map do |limit|
            section = LargeSections.new(text)
            child = fork do
              # Ruby itself ends, with 1, where it has no room for an exception.
              GC.start
              used = File.read("/proc/self/statm").split.first.to_i * 4096
              most = Process.getrlimit(:AS).last
              Process.setrlimit(:AS, used + (limit << 20), most)
              exit!(section.call([1, 2, 30]) == expected ? 0 : 2)
            rescue NoMemoryError, Ikra::DeviceError
              # A DeviceError says that no more threads could be started.
              Process.setrlimit(:AS, most)
              exit!(section.call([1, 2, 30]) == expected ? 7 : 2)
            end
            status = Process.wait2(child).last
            status.exitstatus || status.to_s
          end
        end
        p (outcomes.uniq - [1]).sort_by(&:to_s)
      RUBY
      expect(printed.lines - ["[FATAL] failed to allocate memory\n"]).to eq(["[0, 7]\n"])
    end

    # The thread that parses has a heap of its own.
    it "raises NoMemoryError wherever memory ends while a long file is parsed, and goes on then" do
      support = File.expand_path("support/large_sections", __dir__)
      printed = in_ruby(<<~RUBY, backend)
        require #{support.dump}
        text = LargeSections.methods(2000)
        outcomes = [80, 90, 100, 110, 130, 150].map do |limit|
          section = LargeSections.new(text)
          child = fork do
            GC.start
            used = File.read("/proc/self/statm").split.first.to_i * 4096
            most = Process.getrlimit(:AS).last
            Process.setrlimit(:AS, used + (limit << 20), most)
            exit!(section.call([1, 2, 30]) == [5, 5, 5] ? 0 : 1)
          rescue NoMemoryError
            Process.setrlimit(:AS, most)
            exit!(section.call([1, 2, 30]) == [5, 5, 5] ? 7 : 1)
          end
          status = Process.wait2(child).last
          status.exitstatus || status.to_s
        end
        p outcomes - [0, 7]
      RUBY
      expect(printed).to eq("[]\n")
    end
  end

  it "lets go of what a section has made and nobody refers to any more, where Ruby has seen it in a sync" do
    printed = in_ruby(<<~RUBY, backend)
      class Thing
        attr_accessor :name
        def initialize(name) = @name = name
      end
      owner = Thing.new(nil)
      kept = []
      most = 0
      numbers = (1..500).to_a
      Ikra.section do
        60.times do |t|
          owner.name = numbers.pmap { |n| Thing.new("thing \#{n + t}") }
          Ikra.sync do
            kept << owner.name[t]
            most = [most, ObjectSpace.each_object(Thing).count].max
          end
        end
      end
      p most < 20_000, kept.map(&:name) == Array.new(60) { |t| "thing \#{1 + t + t}" }
    RUBY
    expect(printed).to eq("true\ntrue\n")
  end
  next unless backend == :"cuda-emulated"

  it "raises DeviceError with the sizes where there is too little memory on the GPU" do
    printed = in_ruby(<<~RUBY, backend, "IKRA_CUDA_EMULATOR_MEMORY" => (1 << 20).to_s)
      Point = Struct.new(:x)
      points = Array.new(100_000) { |i| Point.new(i * 1.0) }
      before = points.map(&:x)
      begin
        points.peach { |point| point.x += 1.0 }
      rescue Ikra::DeviceError => e
        puts e.message
      end
      p points.map(&:x) == before
      points.first(1000).peach { |point| point.x += 1.0 }
      p points.first(1000).map(&:x) == before.first(1000).map { |x| x + 1.0 }
    RUBY
    needs = /the section needs [\d.]+ MiB of memory on the GPU, and 1.0 MiB of its 1.0 MiB are free/
    expect(printed).to match(/\A#{needs}\ntrue\ntrue\n\z/)
  end
end

RSpec.describe "Ikra.kept_memory" do
  # Minor page faults of this process so far.
  def faults = File.read("/proc/self/stat").split(") ").last.split[7].to_i

  after do
    Ikra.kept_memory = nil
    Ikra.release_memory
  end

  let(:points) { Array.new(100_000) { |n| World::Point.new(n, n * 0.5) } }

  it "is used again by later sections, which touch no fresh memory" do
    Ikra.backend = :cpu
    kept = points
    5.times { kept.peach { |point| point.x += 1 } }
    GC.start
    GC.disable
    before = faults
    100.times { kept.peach { |point| point.x += 1 } }
    # One column that is fresh in each section would be 100 times 195 pages.
    expect(faults - before).to be < 3_000
    expect(kept.sum(&:x)).to eq((0...100_000).sum + (105 * 100_000))
  ensure
    GC.enable
    Ikra.backend = :auto
  end

  it "has a bound, and goes back on request" do
    expect(Ikra.kept_memory).to be > 1 << 20
    points.peach { |point| point.x += 1 }
    expect(Ikra.release_memory).to be > 100_000
    expect(Ikra.release_memory).to eq(0)
    Ikra.kept_memory = 0
    points.peach { |point| point.x += 1 }
    expect(Ikra.release_memory).to eq(0)
    Ikra.kept_memory = 3 << 20
    points.peach { |point| point.x += 1 }
    expect(Ikra.release_memory).to be_between(0, 3 << 20)
    [-1, 1.5, "1 MB", 1 << 62].each do |bytes|
      expect { Ikra.kept_memory = bytes }.to raise_error(ArgumentError, /kept_memory is a number of bytes or nil/)
    end
  end

  it "goes back after a while without a section" do
    Array.new(1_000_000, 1).pmap { |n| n + 1 }
    points.peach { |point| point.x += 1 }
    native = Ikra.const_get(:Native)
    200.times { native.kept.zero? ? break : sleep(0.2) }
    expect(native.kept).to eq(0)
  end

  it "is a forked child's own" do
    # A GPU cannot be used in one.
    Ikra.backend = :cpu
    numbers = Array.new(300_000) { |n| n }
    numbers.pmap { |n| n + 1 }
    read, write = IO.pipe
    child = fork do
      write.puts(numbers.pmap { |n| n + 1 }.sum, Ikra.release_memory)
      exit!(0)
    end
    Process.wait(child)
    write.close
    sum, released = read.read.split.map(&:to_i)
    expect([sum, released > 1 << 20]).to eq([numbers.sum + 300_000, true])
    expect(numbers.pmap { |n| n + 1 }.sum).to eq(numbers.sum + 300_000)
  end
end
