# frozen_string_literal: true

require "rspec/expectations"
require_relative "testing"

module Ikra
  module Testing
    # Says what to do with a `let` that a block calls: RSpec keeps its value in a way that no section runs.
    module Lets
      OF_RSPEC = %r{/rspec-(?:core|support)-[^/]+/lib/}
      private_constant :OF_RSPEC

      # @api private
      def located(error)
        told = super
        return told unless told.is_a?(UnsupportedError)

        reason = told.diagnostics.first
        call = reason.calls.last
        return told unless reason.path&.match?(OF_RSPEC) && call&.columns

        name = call.text[(call.columns.begin - 1)..(call.columns.end - 1)]
        hint = "hint: ask for what `let` gives before the section: #{name} = self.#{name}"
        told.exception(told.message.sub(/^  hint: .*\z/m, "  #{hint}")).tap { |e| e.set_backtrace(told.backtrace) }
      end
    end
    Ikra.const_get(:Section).singleton_class.prepend(Lets)
  end
end

# Matchers for blocks with parallel calls in them:
#
#   require "ikra/rspec"
#
#   it "moves cars as plain Ruby does" do
#     expect { cars.peach(10) { |car| car.move(0.5) } }.to agree_with_ruby
#   end
#
# agree_with_ruby::       does the block do on each back-end what it does in plain Ruby? It runs once on each, over deep
#                         copies of the variables around it, of those of the example and of what `let` gives, with one
#                         seed. The failure names the first variable that differs. +agree_with_ruby.on(:cpu)+ chooses
#                         back-ends, +.with_seed(42)+ the seed.
# run_in_parallel::       is all of it supported, and does no element conflict with another?
# be_free_of_conflicts::  does no element conflict with another?
# compile_for(:cuda)::    can it be compiled for that back-end? Where the back-end is not there, the example is skipped.
RSpec::Matchers.define :agree_with_ruby do
  chain(:on) { |*backends| @backends = backends }
  chain(:with_seed) { |seed| @seed = seed }

  match do |block|
    options = { backends: @backends, seed: @seed }.compact
    @told = Ikra::Testing.disagreement(block, **options)
    @told.nil?
  end

  failure_message { "expected the block to do what plain Ruby does, but #{@told}" }
  failure_message_when_negated { "expected the block not to do what plain Ruby does, but it does" }
  supports_block_expectations
end

RSpec::Matchers.define :run_in_parallel do
  match { |block| (@told = Ikra::Testing.not_parallel(block)).nil? }
  failure_message { "expected the block to run in parallel, but:\n#{@told}" }
  failure_message_when_negated { "expected the block not to run in parallel, but it does" }
  supports_block_expectations
end

RSpec::Matchers.define :be_free_of_conflicts do
  match { |block| (@told = Ikra::Testing.conflict(block)).nil? }
  failure_message { "expected the block to be free of conflicts, but:\n#{@told}" }
  failure_message_when_negated { "expected elements to conflict, but they do not" }
  supports_block_expectations
end

RSpec::Matchers.define :compile_for do |backend|
  match do |block|
    @told = Ikra::Testing.not_compiled(block, backend)
    @told.nil?
  rescue Ikra::DeviceError => e
    raise RSpec::Core::Pending::SkipDeclaredInExample, e.message
  end
  failure_message { "expected the block to compile for #{backend.inspect}, but:\n#{@told}" }
  failure_message_when_negated { "expected the block not to compile for #{backend.inspect}, but it does" }
  supports_block_expectations
end
