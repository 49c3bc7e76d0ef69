# frozen_string_literal: true

require "set"

module Ikra
  module Testing
    # Compares two graphs of objects: values, classes, order, identity and frozenness, Floats bit for bit.
    #
    # @api private
    class Comparison
      # Where they differ first.
      Difference = Struct.new(:path, :expected, :actual)

      # So much of a value is shown.
      SHOWN = 200
      CLASS = Kernel.instance_method(:class)
      EQUAL = BasicObject.instance_method(:equal?)
      FROZEN = Kernel.instance_method(:frozen?)
      VARIABLES = Kernel.instance_method(:instance_variables)
      GET = Kernel.instance_method(:instance_variable_get)
      private_constant :SHOWN, :CLASS, :EQUAL, :FROZEN, :VARIABLES, :GET

      # @param expected [Hash{Symbol => Object}] values by name
      # @param actual [Hash{Symbol => Object}]
      def initialize(expected, actual)
        @expected = expected
        @actual = actual
      end

      # @return [Difference, nil]
      def difference
        @partners = {}.compare_by_identity
        @found = nil
        # First in, first out: what is nearest to a variable is told first.
        @waiting = []
        (@expected.keys | @actual.keys).each do |name|
          compare(name.to_s, @expected.fetch(name) { Absent }, @actual.fetch(name) { Absent })
        end
        look_into(*@waiting.shift) until @found || @waiting.empty?
        @found
      end

      # What is not there.
      Absent = Module.new
      private_constant :Absent

      private

      def compare(path, expected, actual)
        return if @found
        return differ(path, expected, actual) unless CLASS.bind_call(expected) == CLASS.bind_call(actual)
        return if value?(expected) ? same_value?(expected, actual) : partner?(path, expected, actual)

        differ(path, expected, actual) unless @found
      end

      # Values have no identity that counts.
      def value?(object)
        case object
        when Numeric, Symbol, nil, true, false, Module, Range, Regexp, Proc, Method, IO then true
        else false
        end
      end

      def same_value?(expected, actual)
        case expected
        when Float then [expected].pack("G") == [actual].pack("G") || (expected.nan? && actual.nan?)
        when Module, Proc, Method, IO then EQUAL.bind_call(expected, actual)
        else expected.eql?(actual)
        end
      end

      # Objects are two names of one where they are so in plain Ruby.
      def partner?(path, expected, actual)
        known, at = @partners[expected]
        if known
          EQUAL.bind_call(known, actual) or
            differ_in(path, "the same object as #{at}", "another one: #{show(actual)}")
          return true
        end

        @partners[expected] = [actual, path]
        if FROZEN.bind_call(expected) != FROZEN.bind_call(actual)
          states = [expected, actual].map { |object| FROZEN.bind_call(object) ? "frozen" : "not frozen" }
          differ_in(path, *states)
        end
        @waiting << [path, expected, actual]
        true
      end

      def look_into(path, expected, actual)
        case expected
        when String then strings(path, expected, actual)
        when Array then lists(path, expected, actual)
        when Hash then hashes(path, expected, actual)
        when Struct then members(path, expected, actual)
        when Set then lists("#{path}.to_a", expected.to_a, actual.to_a)
        when Column, TupleColumn then lists(path, expected.to_a, actual.to_a)
        when Random then differ(path, expected, actual) unless expected == actual
        when Exception then compare("#{path}.message", expected.message, actual.message)
        end
        variables(path, expected, actual)
      end

      def strings(path, expected, actual)
        same = expected == actual && expected.encoding == actual.encoding
        differ(path, expected, actual) unless same
      end

      def lists(path, expected, actual)
        [expected.size, actual.size].min.times { |at| compare("#{path}[#{at}]", expected[at], actual[at]) }
        differ_in("#{path}.size", expected.size, actual.size) if expected.size != actual.size
      end

      def hashes(path, expected, actual)
        lists("#{path}.keys", expected.keys, actual.keys)
        expected.keys.zip(expected.values, actual.values).each do |key, one, other|
          compare("#{path}[#{show(key)}]", one, other)
        end
        compare("#{path}.default", expected.default, actual.default)
      end

      def members(path, expected, actual)
        expected.members.each { |name| compare("#{path}.#{name}", expected[name], actual[name]) }
      end

      def variables(path, expected, actual)
        names = [expected, actual].map { |object| VARIABLES.bind_call(object) }
        (names[0] | names[1]).each do |name|
          compare("#{path}.#{name}", GET.bind_call(expected, name), GET.bind_call(actual, name))
        end
      end

      def differ(path, expected, actual) = differ_in(path, show(expected), show(actual))

      def differ_in(path, expected, actual)
        return if @found

        @found = Difference.new(path, expected, actual)
      end

      def show(object)
        return "not there" if EQUAL.bind_call(object, Absent)

        text = object.inspect
        text.size > SHOWN ? "#{text[0, SHOWN]}…" : text
      end
    end
  end
end
