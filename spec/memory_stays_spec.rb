# frozen_string_literal: true

require "rbconfig"
require "tmpdir"

# A section that is called again and again uses its memory again: a thousand calls touch hardly any page that the
# first ten have not, and the process does not grow. Ruby's own results are collected every ten calls. The C library
# keeps what they and small lists took, of which it gives a dozen pages back after each call otherwise; so what is
# counted is Ikra's large memory.
RSpec.describe "Memory of later calls" do
  before { skip "only where /proc tells of page faults" unless File.readable?("/proc/self/stat") }

  keeping = { "MALLOC_MMAP_THRESHOLD_" => "33554432", "MALLOC_TRIM_THRESHOLD_" => "1073741824" }
  sections = {
    "peach" => [keeping, "dots.peach { |dot| dot.c = dot.a + shift }"],
    "pmap" => [keeping, "dots.pmap { |dot| dot.a * 2.0 }"],
    "pmap of arrays" => [keeping, "pairs.pmap { |x, y| x * y }"],
    "pselect" => [keeping, "dots.pselect { |dot| dot.a < 10_000.0 }"],
    "an accumulator" => [keeping, "total = 0.0; dots.peach { |dot| total += dot.a }"],
    "a histogram" => [keeping, "numbers.peach { |n| bins[n % 100] += 1 }"]
  }

  def in_ruby(environment, section)
    Dir.mktmpdir do |folder|
      file = File.join(folder, "program.rb")
      File.write(file, <<~RUBY)
        require "ikra"
        Ikra.backend = :cpu
        class Dot
          attr_accessor :a, :b, :c
          def initialize(a, b)
            @a = a
            @b = b
            @c = 0.0
          end
        end
        dots = Array.new(20_000) { |i| Dot.new(i + 0.5, i * 0.25) }
        numbers = Array.new(20_000) { |i| i * 7 }
        pairs = Array.new(20_000) { |i| [i + 0.5, i * 0.25] }
        bins = [0] * 100
        shift = 0.0
        faults = -> { File.read("/proc/self/stat").rpartition(") ").last.split[7].to_i }
        resident = -> { File.read("/proc/self/status")[/VmRSS:\\s+(\\d+)/, 1].to_i }
        calls = lambda do |count|
          count.times do |i|
            shift += 1.0
            #{section}
            GC.start if i % 10 == 9
          end
        end
        calls.call(10)
        before = [faults.call, resident.call]
        calls.call(990)
        puts faults.call - before[0], resident.call - before[1]
      RUBY
      library = File.expand_path("../lib", __dir__)
      IO.popen([environment, RbConfig.ruby, "-I#{library}", file, { err: %i[child out] }], &:read)
    end
  end

  sections.each do |name, (environment, section)|
    it "is that of the first ones: #{name}" do
      printed = in_ruby(environment, section)
      expect(printed).to match(/\A\d+\n-?\d+\n\z/)
      faults, kilobytes = printed.split.map(&:to_i)
      # Three columns of 20,000 rows are 117 pages, for each of 990 calls.
      expect(faults).to be < 1_000
      expect(kilobytes).to be < 4096
    end
  end
end
