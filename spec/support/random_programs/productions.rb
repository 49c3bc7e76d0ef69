# frozen_string_literal: true

require "set"
require_relative "generator"
require_relative "../redefined"

module RandomPrograms
  # The productions that write a program: methods of the generator and of what it includes.
  module Productions
    # @return [(Program, Array<Symbol>)]
    def self.of(seed)
      written = Set.new
      owners = Generator.ancestors.take_while { |owner| owner != Object }.to_set
      calls = TracePoint.new(:call) { |call| written << call.method_id if owners.include?(call.defined_class) }
      program = calls.enable { Generator.new(seed).program }
      written << :redefined if program.redefined
      [program, written.to_a]
    end
  end
end
