# frozen_string_literal: true

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"

# What one process has compiled is found by the next one, if it is the same there, and by nothing is an answer changed.
RSpec.describe "The cache" do
  around do |example|
    Dir.mktmpdir("ikra-cache") do |folder|
      @folder = folder
      example.run
    end
  end

  let(:cache) { File.join(@folder, "cache") }

  def path = File.join(@folder, "program.rb")

  # In a process of its own, after what `world` says: what the section gives, whether that is what Ruby gives, and which
  # steps it took.
  let(:prelude) { <<~RUBY }
    require "ikra"
    require "json"
    def tell(&section)
      Ikra.backend = :ruby
      expected = begin section.call rescue $!.class.name + $!.message end
      Ikra.backend = :cpu
      given = nil
      profile = Ikra.profile { given = begin section.call rescue $!.class.name + $!.message end }
      steps = profile.steps
      puts JSON.generate(
        given: given.inspect, same: expected.inspect.gsub(/0x\\h+/, "") == given.inspect.gsub(/0x\\h+/, ""), kept: steps.dig("kept", :count).to_i,
        walks: steps.dig("walks", :count).to_i, code: steps.dig("kept code", :count).to_i, emitted: steps.key?("emit")
      )
    end
  RUBY

  def write(program)
    File.write(File.join(@folder, "prelude.rb"), prelude)
    File.write(path, "require_relative 'prelude'\n#{program}")
  end

  def environment(variables)
    { "IKRA_CACHE" => "1", "IKRA_CACHE_DIR" => cache, "IKRA_BACKEND" => nil, **variables.transform_keys(&:to_s) }
  end

  def command = [RbConfig.ruby, "-I#{File.join(__dir__, "../lib")}", path]

  def run(variables = {})
    told, words, status = Open3.capture3(environment(variables), *command)
    expect(status).to be_success, words
    found = JSON.parse(told.lines.last, symbolize_names: true)
    expect(found[:same]).to be(true), told
    found
  end

  def files(suffix = "*") = Dir[File.join(cache, "*.#{suffix}")]

  let(:program) { <<~RUBY }
    class Car
      attr_reader :speed
      def initialize(speed) = @speed = speed
      def faster(by) = format("%06.2f", @speed * by)
    end
    cars = Array.new(30) { |i| Car.new(i.to_f) }
    tell { cars.pmap { |car| car.faster(2) + car.speed.to_s } }
  RUBY

  it "has what another process has compiled" do
    write(program)
    first = run
    expect(first).to include(kept: 0, emitted: true)
    expect(first[:walks]).to be > 0
    second = run
    expect(second).to include(kept: 1, walks: 0, emitted: false, given: first[:given])
    expect(second[:code]).to be > 0
    expect(File.stat(cache).mode & 0o077).to eq(0)
  end

  it "has a driver with its kernels, syncs and traps" do
    write(<<~RUBY)
      numbers = [1, 2, 3]
      tell do
        seen = []
        total = 0
        Ikra.section do
          3.times do |i|
            given = numbers.pmap { |n| n > 50 ? n.frozen_thing_without_a_name : n * i }
            total += given.sum
            Ikra.sync { seen << total }
          end
        end
        [seen, total]
      end
    RUBY
    run
    expect(run).to include(kept: 1, walks: 0, emitted: false)
  end

  it "has the tables of characters that another process has made" do
    write("tell { %w[größer π].pmap { |word| [word.upcase, word.inspect] } }")
    first = run
    tables = files("characters")
    expect(tables.size).to eq(2)
    kept = tables.to_h { |file| [file, File.binread(file)] }
    expect(run).to include(given: first[:given], kept: 1)
    expect(files("characters").to_h { |file| [file, File.binread(file)] }).to eq(kept)
    tables.each { |file| File.write(file, "no table") }
    expect(run).to include(given: first[:given])
    expect(files("characters").to_h { |file| [file, File.binread(file)] }).to eq(kept)
  end

  it "is turned off" do
    write(program)
    run(IKRA_CACHE: "0")
    expect(files).to be_empty
    expect(Ikra.cache?).to be(false)
    expect { Ikra.cache = :yes }.to raise_error(ArgumentError, "cache is true or false, not :yes")
    run
    expect(run(IKRA_CACHE: "0")).to include(kept: 0, code: 0)
  end

  it "serves processes that run at once" do
    write(program)
    2.times do
      outputs = Array.new(4) { Thread.new { Open3.capture2(environment({}), *command).first } }.map(&:value)
      expect(outputs.map { |told| JSON.parse(told)["given"] }.uniq.size).to eq(1)
    end
    expect(run).to include(kept: 1)
  end

  it "survives processes that are killed while they write" do
    write(program)
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    run(IKRA_CACHE: "0")
    took = Process.clock_gettime(Process::CLOCK_MONOTONIC) - took
    10.times do |i|
      child = spawn(environment({}), *command, out: File::NULL, err: File::NULL)
      sleep(took * (0.55 + (0.05 * i)))
      Process.kill(:KILL, child)
      Process.wait(child)
    end
    run
    expect(run).to include(kept: 1)
  end

  it "ignores and replaces what is damaged" do
    write(program)
    run
    whole = files.to_h { |file| [file, File.binread(file)] }
    damages = [->(bytes) { bytes[0, bytes.size / 2] }, ->(_) { "" }, ->(bytes) { "#{bytes} " },
               ->(bytes) { bytes.dup.tap { |all| all.setbyte(all.size / 3, all.getbyte(all.size / 3) ^ 4) } }]
    damages.each do |damage|
      whole.each { |file, bytes| File.binwrite(file, damage.call(bytes)) }
      expect(run).to include(kept: 0, code: 0)
      expect(files.to_h { |file| [file, File.binread(file).size] }).to eq(whole.transform_values(&:size))
      expect(run).to include(kept: 1)
    end
    # One in the place of another.
    one, other = files("code").first(2)
    FileUtils.cp(one, other)
    expect(run).to include(kept: 1, emitted: true)
  end

  it "uses no folder that others own or can write, and none that is none" do
    write(program)
    run
    File.chmod(0o777, cache)
    expect(run).to include(kept: 0, code: 0)
    File.chmod(0o700, cache)
    expect(run).to include(kept: 1)
    if Process.uid.zero?
      File.chown(12_345, nil, cache)
      expect(run).to include(kept: 0, code: 0)
    end
    ["/proc/nothing", path].each { |folder| expect(run(IKRA_CACHE_DIR: folder)).to include(kept: 0, code: 0) }
  end

  it "has code for the processor alone that it was compiled for" do
    write(program)
    run
    expect(run(IKRA_TEST_ISA: "1")).to include(code: 0, emitted: true)
    expect(run(IKRA_TEST_ISA: "1")).to include(kept: 1, emitted: false)
    expect(run).to include(kept: 1, emitted: false)
  end

  it "knows by the text of a file whether a method is the same" do
    write(program)
    run
    write(program.sub("%06.2f", "%07.3f"))
    expect(run).to include(kept: 0)
    write(program)
    expect(run).to include(kept: 1)
    # That of another file.
    File.write(File.join(@folder, "other.rb"), "class Car\n  def faster(by) = by.to_s\nend\n")
    write(program.sub("cars =", "require_relative 'other'\ncars ="))
    first = run
    expect(run).to include(kept: 1, given: first[:given])
    File.write(File.join(@folder, "other.rb"), "class Car\n  def faster(by) = (by + 1).to_s\nend\n")
    changed = run
    expect(changed).to include(kept: 0)
    expect(changed[:given]).not_to eq(first[:given])
    File.write(File.join(@folder, "other.rb"), "# A line more.\nclass Car\n  def faster(by) = (by + 1).to_s\nend\n")
    expect(run).to include(kept: 0, given: changed[:given])
  end

  # One text, to which the world around it is another one each time.
  let(:worlds) { <<~RUBY }
    WORLD = ENV.fetch("WORLD")
    module Loud
      def name = super.upcase
    end
    class Thing
      attr_accessor :value, :other
      def initialize(value) = (@value, @other = value, nil)
      def name = "thing"
      def kind = LIMIT.is_a?(Integer) ? :whole : :broken
    end
    class Special < Thing
      def name = "special"
    end
    Pair = Struct.new(:left, :right, keyword_init: WORLD == "keywords" || nil)
    LIMIT = { "float" => 2.5, "nil" => nil, "text" => "2" }.fetch(WORLD, 2)
    KINDS = WORLD == "fewer" ? %i[a b] : %i[a b c]
    $level = WORLD == "global" ? 1.5 : 1
    Thing.prepend(Loud) if WORLD == "prepended"
    Integer.class_eval { def succ = self + 10 } if WORLD == "redefined"
    Integer.class_eval { def abs = 7 } if WORLD == "redefined_c"
    String.class_eval { alias_method :size, :bytesize } if WORLD == "aliased"
    String.class_eval { def +(other) = "plus" } if WORLD == "plus"
    Thing.class_eval { private :kind } if WORLD == "private"
    Thing.class_eval { undef_method :kind } if WORLD == "undefined"
    Thing.class_eval { def method_missing(name, *) = :missing; def respond_to_missing?(*) = true } if WORLD == "missing"
    klass = WORLD == "subclass" ? Special : Thing
    step = { "captured" => 1.5, "large" => 2**40, "nothing" => nil }.fetch(WORLD, 3)
    values = { "floats" => ->(i) { i * 1.5 }, "texts" => ->(i) { "t" + i.to_s }, "mixed" => ->(i) { i.even? ? i : nil },
               "wide" => ->(i) { i + 2**33 } }.fetch(WORLD, ->(i) { i })
    things = Array.new(12) { |i| klass.new(values.call(i)) }
    things[3] = Special.new(5) if WORLD == "two_classes"
    things.each { |thing| thing.other = thing } if WORLD == "cyclic"
    things.each(&:freeze) if WORLD == "frozen"
    things[2].define_singleton_method(:name) { "own" } if WORLD == "singleton"
    table = WORLD == "default" ? Hash.new(9) : {}
    table[1] = WORLD == "hash" ? 2.0 : 2
    tables = WORLD == "identity" ? table.compare_by_identity : table
    pattern = WORLD == "pattern" ? /(\\w)(\\w)/ : /(\\w)/
    by = WORLD == "proc" ? proc { |x| x } : ->(x) { x }
    tell do
      things.pmap do |thing|
        next [thing.name, KINDS.size, $level] if thing.value.is_a?(String)
        value = thing.value.nil? ? 0 : thing.value
        thing.value = value unless thing.value.nil?
        step_now = step.nil? ? 0 : step
        [thing.name + "é".size.to_s, thing.name.size, thing.kind, value + step_now, by.call(value).to_s, 3.succ, -5.abs,
         LIMIT.nil? ? 0 : LIMIT, KINDS.include?(:c), $level, tables[1], tables[4], thing.other.nil?,
         thing.name =~ pattern, $2, thing.instance_of?(Thing)]
      end
    end
  RUBY

  it "answers as Ruby does, however the world differs" do
    write(worlds)
    names = %w[
      plain float nil text keywords fewer global prepended redefined redefined_c aliased plus private undefined missing
      subclass captured large nothing floats texts mixed wide two_classes cyclic frozen singleton default hash identity
      pattern proc
    ]
    # In the order of their names and back, so that each has others before it, and more of them than are kept.
    (names + names.reverse).each do |world|
      told, words, status = Open3.capture3(environment(WORLD: world), *command)
      expect(status).to be_success, words
      found = JSON.parse(told.lines.last, symbolize_names: true)
      # What is no answer of Ruby's is a refusal.
      refused = found[:given].match?(/Ikra::UnsupportedError/)
      expect(found[:same] || refused).to be(true), "#{world}: #{told}"
      again = JSON.parse(Open3.capture2(environment(WORLD: world), *command).first, symbolize_names: true)
      expect(again[:given].gsub(/0x\h+/, "")).to eq(found[:given].gsub(/0x\h+/, "")), world
      expect(again[:kept]).to eq(1), world unless refused || found[:given].match?(/Error/)
    end
  end

  it "is told of and cleared by ikra" do
    write(program)
    run
    ikra = [RbConfig.ruby, File.join(__dir__, "../exe/ikra")]
    told, = Open3.capture2(environment({}), *ikra, "cache")
    expect(told).to match(/\Acache: #{Regexp.escape(cache)}, #{files.size} files, \d+ KB\n  1 sections, \d+ KB\n/)
    told, = Open3.capture2(environment({}), *ikra, "doctor")
    expect(told).to include("cache: #{cache}, #{files.size} files")
    told, = Open3.capture2(environment({}), *ikra, "cache", "clear")
    expect(told).to match(/\A\d+ files removed\n\z/)
    expect(files).to be_empty
    told, = Open3.capture2(environment({ IKRA_CACHE_DIR: "", XDG_CACHE_HOME: "here", HOME: "" }), *ikra, "cache")
    expect(told).to start_with("cache: missing: no folder; set IKRA_CACHE_DIR\n")
  end
end
