# frozen_string_literal: true

require "English"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"

# The Ruby face: arguments, results, settings.
RSpec.describe Ikra do
  # Runs a program of its own and gives what it prints.
  def program(text, env = {})
    folder = File.expand_path("../lib", __dir__)
    output, = Open3.capture2e({ "IKRA_BACKEND" => nil, **env }, RbConfig.ruby, "-I", folder, "-e", text)
    output
  end

  around do |example|
    chosen = described_class.chosen
    fallback = described_class.fallback
    example.run
  ensure
    described_class.backend = chosen
    described_class.fallback = fallback
  end

  describe "Array" do
    it "gives self from peach, and new arrays from pmap and pselect" do
      numbers = [1, 2]
      expect(numbers.peach { |n| n }).to equal(numbers)
      expect(numbers.pmap { |n| n }).not_to equal(numbers)
      expect(numbers.pselect { |n| n }).not_to equal(numbers)
    end

    it "gives the same objects from pselect" do
      texts = [World::Point.new(1), World::Point.new(2)]
      expect(texts.pselect { |point| point.x > 1 }[0]).to equal(texts[1])
    end

    it "gives an Enumerator without a block, whose methods are parallel" do
      %i[peach pmap pselect].each { |name| expect([4].public_send(name).next).to eq(4) }
      expect { [1].peach(2) }.to raise_error(ArgumentError, /\Apeach needs a block; .*each_with_index\.peach/) { |error|
        expect(error.backtrace.first).to start_with("#{__FILE__}:#{__LINE__ - 1}:")
      }
    end

    it "wants an Integer number of ticks that is not negative" do
      expect { [1].peach(-1) { |n| n } }.to raise_error(ArgumentError, /negative/)
      expect { [1].peach(1.5) { |n| n } }.to raise_error(TypeError, /Integer/)
      expect { [1].peach(nil) { |n| n } }.to raise_error(TypeError)
      expect { [1].peach(2**64) { |n| n } }.to raise_error(ArgumentError)
    end

    it "does nothing in no ticks" do
      points = [World::Point.new(1)]
      expect(points.peach(0) { |point| point.foo }).to equal(points)
    end

    it "accepts a frozen array and a subclass of Array" do
      expect([1, 2].freeze.pmap { |n| n + 1 }).to eq([2, 3])
      expect(Class.new(Array).new([1, 2]).pmap { |n| n + 1 }).to eq([2, 3])
    end
  end

  describe ".backend" do
    it "is what will run" do
      described_class.backend = :auto
      expect(%i[cuda cpu]).to include(described_class.backend)
      described_class.backend = :ruby
      expect(described_class.backend).to eq(:ruby)
      described_class.backend = "cpu"
      expect(described_class.backend).to eq(:cpu)
    end

    it "is one that is known" do
      expect { described_class.backend = :opencl }
        .to raise_error(ArgumentError, /unknown back-end :opencl: choose one of :auto, :cuda, :cpu, :ruby/)
    end

    it "is one that can run" do
      output = program(<<~RUBY, "IKRA_CUDA_EMULATOR" => nil, "CUDA_VISIBLE_DEVICES" => "")
        require "ikra"
        begin
          Ikra.backend = :cuda
        rescue Ikra::DeviceError => e
          puts e.message
        end
        p Ikra.backend
      RUBY
      expect(output).to include("the back-end :cuda cannot run here").and end_with(":cpu\n")
    end

    it "is set by the environment" do
      expect(program('require "ikra"; p Ikra.backend', "IKRA_BACKEND" => "ruby")).to eq(":ruby\n")
    end
  end

  describe ".settings" do
    variables = { backend: %w[IKRA_BACKEND ruby], cache: %w[IKRA_CACHE 0], fallback: %w[IKRA_FALLBACK ruby],
                  conflicts: %w[IKRA_CONFLICTS raise], meanwhile: %w[IKRA_MEANWHILE ruby],
                  advise: %w[IKRA_ADVISE 1], threads: %w[IKRA_THREADS 3], kept_memory: %w[IKRA_KEPT_MEMORY 1024] }

    it "are what was set" do
      described_class.backend = :ruby
      described_class.fallback = :ruby
      expect(described_class.settings).to include(backend: :ruby, fallback: :ruby, threads: described_class.threads)
      expect(described_class.settings.keys).to eq(variables.keys)
    end

    it "have a variable of the environment each" do
      environment = variables.values.to_h
      output = program('require "ikra"; print Ikra.settings.values.join(" ")', environment)
      expect(output).to eq("ruby false ruby raise ruby true 3 1024")
    end

    it "are as they are without one where the variable is empty" do
      output = program('require "ikra"; print Ikra.chosen, Ikra.fallback', "IKRA_BACKEND" => "", "IKRA_FALLBACK" => "")
      expect(output).to eq("autoraise")
    end

    it "name the variable that holds what is none" do
      wrong = { "IKRA_BACKEND" => "gpu", "IKRA_FALLBACK" => "no", "IKRA_CONFLICTS" => "no", "IKRA_THREADS" => "many",
                "IKRA_KEPT_MEMORY" => "-1", "IKRA_SEED" => "x" }
      wrong.each do |name, text|
        expect(program('require "ikra"', name => text)).to match(/: #{name}: .*\(ArgumentError\)/), name
      end
    end

    it "include a seed in the environment" do
      text = 'require "ikra"; print [1, 2].pmap { |_| rand }'
      given = Array.new(2) { program(text, "IKRA_SEED" => "42", "IKRA_BACKEND" => "cpu") }
      expect(given.uniq.size).to eq(1)
    end
  end

  it "prints no warning when it is loaded with -w" do
    folder = File.expand_path("../lib", __dir__)
    output, = Open3.capture2e(RbConfig.ruby, "-w", "-I", folder, "-e", 'require "ikra"; require "ikra/refinements"')
    expect(output).to eq("")
  end

  describe "a method that takes no block" do
    blockless = { plazy: [], ptally: [], pfirst: [], ptake: [1], pdrop: [1], pinclude?: [1], pcompact: [],
                  pflatten: [], preverse: [], pshuffle: [] }
    stages = { compact: [], take: [1], drop: [1], reverse: [], shuffle: [], flatten: [], include?: [1], tally: [],
               first: [], to_a: [], plazy: [] }

    it "says so" do
      blockless.each do |name, arguments|
        expect { [1].public_send(name, *arguments) { |x| x } }
          .to raise_error(ArgumentError, "#{name} takes no block") { |error|
            expect(error.backtrace.first).to start_with("#{__FILE__}:#{__LINE__ - 2}:")
          }
        expect { [1].public_send(name, *arguments) }.not_to raise_error
      end
    end

    it "says so as a stage, too" do
      chains = [[1].plazy, [1].plazy.map { |x| x + 1 }.take(3)]
      chains.product(stages.to_a).each do |chain, (name, arguments)|
        expect { chain.public_send(name, *arguments) { |x| x } }.to raise_error(ArgumentError, "#{name} takes no block")
      end
    end

    it "is none that has one" do
      methods = Ikra::ParallelMethods.instance_methods(false).map { |name| Ikra::ParallelMethods.instance_method(name) }
      expect(methods.reject { |method| method.parameters.any? { |kind,| kind == :block } }).to be_empty
    end
  end

  describe ".fallback" do
    it "raises at first" do
      expect(described_class.fallback).to eq(:raise)
      expect { described_class.fallback = :later }.to raise_error(ArgumentError, /:raise or :ruby/)
    end

    it "runs in plain Ruby and says why, once for each place" do
      described_class.backend = :cpu
      described_class.fallback = :ruby
      section = -> { [1, 2].pmap { |n| n.hash } }
      warning = /#{Regexp.escape(__FILE__)}:#{__LINE__ - 1}.*pmap runs in plain Ruby/
      expect { expect(section.call).to eq([1.hash, 2.hash]) }.to output(warning).to_stderr
      expect { section.call }.not_to output.to_stderr
    end

    it "tries ever more rarely what was refused" do
      described_class.backend = :cpu
      described_class.fallback = :ruby
      tried = 0
      allow(described_class.const_get(:Native)).to receive(:run).and_wrap_original do |run, *arguments|
        tried += 1
        run.call(*arguments)
      end
      given = ->(all) { Warnings.without { all.pmap { |n| n.hash } } }
      expect(Array.new(32) { given.call([1]) }).to all(eq([1.hash]))
      expect(tried).to eq(5)
      # What runs is always tried.
      tried = 0
      doubled = ->(all) { all.pmap { |n| n + n } }
      Array.new(8) { doubled.call([1]) }
      expect(tried).to eq(8)
    end
  end

  each_compiling_backend do
    it "repeats random numbers from a seed" do
      draw = -> { Array.new(3) { [1, 2, 3].pmap { |_| rand } } }
      described_class.srand(42)
      first = draw.call
      expect(described_class.srand(42)).to eq(42)
      expect(draw.call).to eq(first)
      expect(first.flatten.uniq.size).to eq(9)
    end

    it "profiles" do
      profile = described_class.profile { 2.times { [1, 2].pmap { |n| n + 1 } } }
      expect(profile.sections).to eq(2)
      expect(profile[:backend]).to eq(described_class.backend)
      expect(profile[:kernel]).to be > 0.0
      expect(profile.to_h.keys).to eq([*Ikra::Profile::PHASES, :sections, :backend])
      expect(profile.to_s).to include("2 sections on").and include("write-back")
      expect(profile.inspect).to match(/\A#<Ikra::Profile 2 sections on \S+, \d+\.\d ms: (\w+ \d+\.\d(, )?)+>\z/)
    end

    it "tells which lines of the program compiling went to" do
      profile = described_class.profile do
        [1, 2].pmap do |n|
          text = "#{n};#{n}".split(";").join("-")
          text.size
        end
      end
      line = __LINE__ - 4
      expect(profile.lines.keys.first).to eq("#{__FILE__}:#{line}")
      expect(profile.lines.values.sum).to be_within(1e-6).of(1.0)
      long = Ikra::Profile.new({ infer: 0.02, lines: { "a.rb:3" => 1, "a.rb:4" => 3 }, parts: {}, sections: 1 })
      expect(long.to_s.lines.last).to eq("  compiled: a.rb:4 75 %, a.rb:3 25 %")
      short = Ikra::Profile.new({ infer: 0.002, lines: { "a.rb:3" => 1 }, parts: {}, sections: 1 })
      expect(short.to_s).not_to include("compiled")
    end

    it "profiles each block" do
      numbers = [1, 2, 3]
      first = __LINE__ + 2
      profile = described_class.profile do
        2.times { numbers.pmap { |n| n + 1 } }
        numbers.peach(5) { |n| n }
        described_class.section { numbers.peach { |n| n } }
      end
      rows = profile.rows.to_h { |row| [row.operation, row] }
      expect(rows.keys).to contain_exactly(:pmap, :peach, :section)
      expect(rows[:pmap].to_a.first(5)).to eq(["#{__FILE__}:#{first}", :pmap, 2, 6, 2])
      expect(rows[:peach].to_a.first(5)).to eq(["#{__FILE__}:#{first + 1}", :peach, 1, 3, 5])
      expect(rows[:section].to_a.values_at(2, 3, 4)).to eq([1, nil, nil])
      expect(rows[:pmap].backend).to eq(described_class.backend)
      expect(rows[:pmap].phases[:kernel]).to be_between(1e-9, rows[:pmap].seconds)
      expect(rows[:peach].to_s).to match(/:#{first + 1} peach: \d+\.\d ms, 1 call, 3 elements, 5 ticks\z/)
      expect(profile.to_s).to include(rows[:peach].to_s)
      expect(described_class.profile { nil }.rows).to eq([])
    end

    it "records profiles in profiles, and calls that raise" do
      inner = nil
      outer = described_class.profile do
        [1].pmap { |n| n }
        inner = described_class.profile { expect { [0].pmap { |n| 1 / n } }.to raise_error(ZeroDivisionError) }
      end
      expect([outer, inner].map { |profile| profile.rows.sum(&:calls) }).to eq([2, 1])
    end

    it "saves a trace for viewers of traces" do
      Dir.mktmpdir do |folder|
        path = described_class.profile { [1, 2].pmap { |n| n + 1 } }.save("#{folder}/trace.json")
        whole, *phases = JSON.parse(File.read(path)).fetch("traceEvents")
        expect(whole["name"]).to eq("pmap #{__FILE__}:#{__LINE__ - 2}")
        expect(whole["args"]).to eq("elements" => 2, "ticks" => 1, "backend" => described_class.backend.to_s)
        expect(phases.map { |phase| phase["name"] }).to include("read", "kernel")
        ends = whole["ts"] + whole["dur"]
        expect(phases.map { |phase| phase["ts"] }).to all(be_between(whole["ts"], ends))
        expect([whole, *phases].map { |span| span.values_at("ph", "pid", "tid") }.uniq.size).to eq(1)
      end
    end

    it "counts" do
      before = described_class.stats
      [1].pmap { |n| n }
      described_class.fallback = :ruby
      Warnings.without { [1].pmap { |n| n.hash } }
      after = described_class.stats
      expect(after.to_h { |what, count| [what, count - before[what]] })
        .to eq(sections: 2, plain: 1, unsupported: 1, conflicts: 0, given_up: 0)
      cells = Array.new(3) { World::Point.new(1.0) }
      Warnings.without { cells.peach { |cell| cells.first.x += cell.x } }
      expect(described_class.stats[:conflicts]).to eq(after[:conflicts] + 1)
    end

    it "explains" do
      points = [World::Point.new(1.0)]
      text = described_class.explain(points) { |point| point.x += 1 }.text
      expect(text).to include("@x of World::Point: Float (read, written: own row)").and include("add_f")
      expect(points[0].x).to eq(1.0)
    end

    it "explains what the driver does around the kernel" do
      total = 0
      text = described_class.explain([1, 2, 3], :pselect) { |n| (total += n) && n > 1 }.text
      driver = text[/^fn f\d+ "driver" .*?^}/m]
      expect(text).to match(/^driver f\d+$/)
      expect(driver.scan(/launch k0|compact|reduce \w+/)).to eq(["launch k0", "compact"])
      text = described_class.explain([1, 2, 3]) { |n| total += n }.text
      expect(text[/^fn f\d+ "driver" .*?^}/m].scan(/launch k0|compact|reduce \w+/)).to eq(["launch k0", "reduce add"])
    end

    it "explains the user's lines, each once, with the types of what stands in them" do
      points = [World::Point.new(1.0)]
      first = __LINE__ + 1
      explanation = described_class.explain(points) do |point|
        before = point.x
        point.x = [before, 2.0].max

        rounded = [before]
                  .map(&:round)
                  .sum
        # Not even this one is left out.
        point.x += rounded
      end
      lines = explanation.text[/\ATypes\n-+\n(.*?)\n\nColumns/m, 1].lines(chomp: true).last(10)
      expect(lines.map { |line| line[0, 5].to_i }).to eq([*first..first + 9])
      expect(lines.map { |line| line[/  # (.*:.*)/, 1] }).to eq(
        [nil,
         "before: Float, point: World::Point, point.x: Float",
         "point: World::Point, point.x: Float, [before, 2.0]: [Float, Float], [before, 2.0].max: Float, before: Float",
         nil,
         "rounded: Integer, [before]: [Float], before: Float",
         "….map(&:round): [Integer]",
         "….sum: Integer",
         nil,
         "point: World::Point, point.x: Float, rounded: Integer",
         nil]
      )
    end
  end

  it "profiles plain Ruby" do
    described_class.backend = :ruby
    profile = described_class.profile { [1].pmap { |n| n } }
    expect([profile.sections, profile.backend]).to eq([1, :ruby])
    expect(profile.rows.map { |row| row.to_a.first(5) }).to eq([["#{__FILE__}:#{__LINE__ - 2}", :pmap, 1, nil, nil]])
    expect(described_class.profile { nil }.inspect).to eq("#<Ikra::Profile 0 sections on nothing, 0.0 ms>")
  end

  it "explains a section, and what its own loops go through" do
    cells = Array.new(3) { |i| World::Point.new(i) }
    text = described_class.explain { 3.times { cells.peach { |cell| cell.x += 1 } } }.text
    expect(text).to include("launch k1", "@x of World::Point")
    expect(text).not_to include("goes through these by itself")
    text = described_class.explain { cells.peach { |cell| cell.x += 1 }.then { cells.sum { |cell| cell.x } } }.text
    expect(text).to match(/goes through these by itself.*: @x, elements of arrays k\d+\.$/)
  end

  it "explains only sections" do
    expect { described_class.explain([1]) }.to raise_error(ArgumentError)
    expect { described_class.explain([1], :sum) { |n| n } }.to raise_error(ArgumentError, /unknown operation :sum/)
  end

  it "has the methods as a refinement" do
    expect(program(<<~RUBY)).to eq("false\n[2, 3]\n[1, 2]\n{1=>2}\n4\n")
      require "ikra/refinements"
      p [].respond_to?(:pmap)
      eval("using Ikra::Refinements; Ikra.backend = :ruby; p [1, 2].pmap { |n| n + 1 }\n" \
           "p (0..1).pmap { |n| n + 1 }\n puts({ 1 => 2 }.pselect { |k, v| v > k }.inspect.delete(' '))\n" \
           "p 4.ptimes { |n| n }")
    RUBY
  end

  it "says so when it replaces the methods of another gem" do
    output = program(<<~RUBY)
      module Enumerable
        def pmap = map
      end
      require "ikra"
      Ikra.backend = :ruby
      p [1].pmap { |n| n + 1 }
    RUBY
    expect(output).to match(/ikra: Array#pmap was defined before \(-e:2\) and is replaced/).and end_with("[2]\n")
  end
end
