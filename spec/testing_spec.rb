# frozen_string_literal: true

require "ikra/rspec"
require "open3"
require "rbconfig"

# The matchers of `ikra/rspec` and the assertions of `ikra/minitest`.
module TestingSpec
  class Car
    attr_accessor :position, :next_one
    attr_reader :speed

    def initialize(speed)
      @speed = speed
      @position = 0.0
      @next_one = nil
    end

    def move(seconds) = @position += @speed * seconds
    def follow = @position = @next_one.position + 1.0
    def root = @root ||= Math.sqrt(@speed)
  end
end

RSpec.describe "ikra/rspec" do
  on_cpu

  let(:cars) { Array.new(5) { |i| TestingSpec::Car.new(i + 0.5) } }
  let(:weight) { 2.0 }
  let(:ring) { cars.each_with_index { |car, i| car.next_one = cars[i - 1] } }

  def failure
    yield
    nil
  rescue RSpec::Expectations::ExpectationNotMetError => e
    e.message
  end

  describe "agree_with_ruby" do
    it "holds where each back-end does what plain Ruby does, and leaves all as it was" do
      speeds = [1.0, 2.0]
      expect { speeds.map! { |speed| cars.peach(3) { |car| car.move(speed) }.size + speed } }.to agree_with_ruby
      expect(speeds).to eq([1.0, 2.0])
      expect(cars.map(&:position)).to eq([0.0] * 5)
      expect { cars.pmap { |car| car.speed / 0 } }.to agree_with_ruby
      expect { cars.pmap { |car| [car.speed.to_i / 0] } }.to agree_with_ruby
    end

    # Answers otherwise in parallel: what an element does hangs on the back-end.
    it "names the first variable that differs" do
      zero = -> { Ikra.backend == :ruby ? 0.0 : 0.0.-@ }
      told = failure { expect { cars[3].position = zero.call }.to agree_with_ruby }
      expect(told).to include("on :cpu returns differs")
      told = failure { expect { cars[3].position = zero.call and nil }.to agree_with_ruby }
      expect(told).to include("on :cpu cars[3].@position differs:\n  -0.0\ninstead of\n  0.0")
    end

    it "sees identity, frozenness, order, classes, output, exceptions and new variables" do
      list = ["a"]
      hash = { 1 => 2, 3 => 4 }
      other = ->(one, two) { Ikra.backend == :ruby ? one : two }
      differing = {
        "returns[1]" => -> { [list, other.call(list, list.dup)] },
        "returns differs:\n  frozen\ninstead of\n  not frozen" => -> { other.call("a".dup, "a") },
        "hash.keys[0]" => -> { (hash[1] = hash.delete(1) if Ikra.backend == :cpu) && nil },
        "returns differs:\n  1.0\ninstead of\n  1" => -> { other.call(1, 1.0) },
        "prints" => -> { puts other.call("a", "b") },
        "raises[1]" => -> { raise other.call("a", "b") },
        "@seen" => -> { (@seen = true if Ikra.backend == :cpu) && nil },
        "list.size" => -> { (list << "b" if Ikra.backend == :cpu) && nil }
      }
      differing.each do |what, block|
        expect(failure { expect(&block).to agree_with_ruby }).to include(what), what
      end
      expect(@seen).to be_nil
      expect(list).to eq(["a"])
    end

    it "compares messages, and not what Ruby quotes behind them" do
      expect { [nil].pmap { |x| x.foo } }.to agree_with_ruby
    end

    it "has one seed, back-ends that can be chosen, and a negation" do
      expect { cars.sum { rand } }.to agree_with_ruby.on(:cpu).with_seed(3)
      expect { Ikra.backend }.not_to agree_with_ruby
    end
  end

  describe "run_in_parallel" do
    it "holds where all is supported and no elements conflict" do
      expect { cars.peach { |car| car.move(1) } }.to run_in_parallel
      expect(failure { expect { cars.pmap { |car| car.speed + `ls` } }.to run_in_parallel })
        .to include("[unsupported-command]").and include("hint:")
      expect(failure { expect { ring.peach(&:follow) }.to run_in_parallel }).to include("conflict over @position")
      expect(failure { expect { cars.map(&:speed) }.to run_in_parallel }).to include("no section ran")
      expect { ring.peach(&:follow) }.not_to run_in_parallel
    end
  end

  describe "be_free_of_conflicts" do
    it "holds where no elements conflict" do
      expect { cars.peach { |car| car.move(1) } }.to be_free_of_conflicts
      expect(failure { expect { ring.peach(&:follow) }.to be_free_of_conflicts }).to include("Ikra::ConflictError")
      expect(Ikra.conflicts).to eq(:in_order)
    end
  end

  describe "compile_for" do
    it "holds where every section compiles for the back-end" do
      expect { cars.peach { |car| car.move(1) } }.to compile_for(:cpu)
      expect(failure { expect { cars.pmap { |car| car.speed + `ls` } }.to compile_for(:cpu) })
        .to include("[unsupported-command]")
    end

    it "skips the example where there is no such back-end" do
      allow(Ikra.const_get(:Native)).to receive(:missing).and_return("no GPU")
      expect { expect { cars.pmap(&:speed) }.to compile_for(:cuda) }
        .to raise_error(RSpec::Core::Pending::SkipDeclaredInExample) { |skip|
          expect(skip.argument).to match(/cannot compile here\nno GPU/)
        }
    end
  end

  describe "variables of an example" do
    it "run in a block, or are said to be asked for before" do
      @factor = 2.0
      expect { cars.pmap { |car| car.speed * @factor } }.to agree_with_ruby
      told = failure { expect { cars.pmap { |car| car.speed * weight } }.to agree_with_ruby }
      expect(told).to include("it is unsupported:").and include("hint: ask for what `let` gives before the section: " \
                                                                "weight = self.weight")
      mass = weight
      expect { cars.pmap { |car| car.speed * mass } }.to agree_with_ruby
    end
  end
end

RSpec.describe "ikra/minitest" do
  it "has the same as assertions" do
    loads = system(RbConfig.ruby, "-e", "require 'minitest'", out: File::NULL, err: File::NULL)
    skip "minitest cannot be loaded" unless loads
    program = <<~RUBY
      require "minitest"
      require "ikra/minitest"
      class ATest < Minitest::Test
        def setup = @numbers = [1, 2, 3]
        def test_agrees = assert_agrees_with_ruby { @numbers.pmap { |n| n + 1 } }
        def test_parallel = assert_runs_in_parallel { @numbers.pmap { |n| n + 1 } }
        def test_free = assert_free_of_conflicts { @numbers.pmap { |n| n + 1 } }
        def test_compiles = assert_compiles_for(:cpu) { @numbers.pmap { |n| n + 1 } }
        def test_missing = assert_compiles_for(:nowhere) { @numbers.pmap { |n| n + 1 } }
        def test_refused
          told = assert_raises(Minitest::Assertion) { assert_runs_in_parallel { @numbers.pmap { |n| n + `ls` } } }
          assert_includes told.message, "unsupported-command"
          told = assert_raises(Minitest::Assertion) { assert_agrees_with_ruby { Ikra.backend } }
          assert_includes told.message, "on :cpu returns differs"
        end
      end
      Minitest.autorun
    RUBY
    Dir.mktmpdir do |folder|
      File.write("#{folder}/a_test.rb", program)
      environment = { "IKRA_BACKEND" => "cpu" }
      lib = File.expand_path("../lib", __dir__)
      output, status = Open3.capture2e(environment, RbConfig.ruby, "-I", lib, "#{folder}/a_test.rb", "--verbose")
      expect(status).to be_success, output
      expect(output).to include("6 runs").and include("0 failures, 0 errors, 1 skips")
    end
  end
end
