# frozen_string_literal: true

# Behaviour examples run once for each back-end: plain Ruby, which is the oracle, the CPU, and CUDA, on a GPU where
# there is one and emulated otherwise. IKRA_SPEC_BACKENDS=cpu,ruby chooses some of them.
emulator = File.join(__dir__, "support", "cuda_emulator")
HAS_GPU = Dir["/dev/nvidia[0-9]*"].any?
has_compiler = ENV["PATH"].split(File::PATH_SEPARATOR).any? { |folder| File.executable?(File.join(folder, "g++")) }
ENV["IKRA_CUDA_EMULATOR"] ||= emulator if !HAS_GPU && has_compiler && File.directory?(emulator)

# Examples compile what they look at, and leave the user's cache alone.
ENV["IKRA_CACHE"] ||= "0"
# Most is about what compiled code does with all elements, in processes of their own too: meanwhile_spec.rb is about the
# rest.
ENV["IKRA_MEANWHILE"] ||= "wait"
# What it says hangs on how busy the machine is: that is advice_spec.rb's.
ENV["IKRA_ADVISE"] ||= "0"

# Find patterns are experimental in Ruby 3.1.
Warning[:experimental] = false

require "ikra"
unless Ikra.const_get(:Native)::TESTING
  abort "The specs need an extension with what tests may do: run `rake spec`, or `rake compile:testing` before rspec"
end
Dir[File.join(__dir__, "support", "*.rb")].each { |file| require file }

# Back-ends and what examples do on them.
module Backends
  ALL = if ENV["IKRA_SPEC_BACKENDS"].to_s.empty?
          [:ruby, :cpu, ENV["IKRA_CUDA_EMULATOR"] ? :"cuda-emulated" : nil, HAS_GPU ? :cuda : nil].compact
        else
          ENV["IKRA_SPEC_BACKENDS"].split(",").map(&:to_sym)
        end
  # Those that compile.
  COMPILING = ALL - [:ruby]

  # Defines the examples in the block once for each back-end.
  def each_backend(backends = ALL, &block)
    group = is_a?(Class) ? self : RSpec
    backends.each do |backend|
      # By the place of the block, RSpec finds one of its examples again.
      group.describe "on #{backend}", caller: [block.source_location.join(":")] do
        around do |example|
          previous = Ikra.chosen
          Ikra.backend = backend
          example.run
        ensure
          Ikra.backend = previous
        end
        class_exec(backend, &block)
      end
    end
  end

  def each_compiling_backend(&block)
    each_backend(COMPILING, &block)
  end

  # Examples of a group that run on the CPU alone.
  def on_cpu
    around do |example|
      before = Ikra.chosen
      Ikra.backend = :cpu
      example.run
    ensure
      Ikra.backend = before
    end
  end
end

extend Backends # rubocop:disable Style/MixinUsage
RSpec.configure do |config|
  # Examples run in any company.
  conflicts = Ikra.conflicts
  meanwhile = Ikra.meanwhile
  config.after do
    Ikra.conflicts = conflicts
    Ikra.meanwhile = meanwhile
  end
  warned = Ikra.const_get(:Section).instance_variable_get(:@warned)
  config.before { warned.clear }
  config.extend Backends
  config.include SameAsRuby
  config.disable_monkey_patching!
  config.expect_with(:rspec) { |expectations| expectations.max_formatted_output_length = 2000 }
end
