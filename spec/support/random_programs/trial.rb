# frozen_string_literal: true

require_relative "../kept_facts"
require "objspace"
require "stringio"
require "tempfile"
require_relative "../redefined"
require_relative "backtraces"
require_relative "bases"
require_relative "beginning_in_ruby"
require_relative "called_again"
require_relative "operations"
require_relative "outlining"
require_relative "outputs"
require_relative "section_trials"

module RandomPrograms
  # Runs a program in plain Ruby and in Ikra, over all elements; where one raises, again without it.
  class Trial # rubocop:disable Metrics/ClassLength
    include Backtraces
    include BeginningInRuby
    include CalledAgain
    include Outlining
    include SectionTrials
    include Outputs

    # What came of it: :passed, :refused (detail: the slug), :broken (nothing to compare with: too much for Ruby, its
    # answer hangs on a bug of Ruby's own) or a kind of failure, with what to show;
    # the productions that wrote it, if they are counted; and how many sections another process had compiled.
    Verdict = Struct.new(:kind, :detail, :rounds, :written, :kept) do
      def failure? = !%i[passed refused broken].include?(kind)

      # The same kind of failure, and where it is an internal error or a wrong error the same words but for names.
      def like?(other) = kind == other.kind && (!%i[internal refused].include?(kind) || words == other.words)
      def words = detail.to_s.lines.first.to_s.gsub(/\S*random_program\S*|\d+|`\w+'/, "")
    end
    MAXIMUM_ROUNDS = 8

    def self.run(program, backend) = new(program, backend).run

    # Runs it in Ruby alone, to see whether that comes to an end.
    def self.run_in_ruby(program) = new(program, :ruby).run_in_ruby

    def initialize(program, backend)
      @program = program
      @backend = backend
      @rounds = 0
      @kept = 0
    end

    # @return [Verdict]
    def run
      return run_alone if redefined.empty?

      Redefined.with(redefined) { run_alone }
    end

    # @return [Array] core methods that are others while it runs, as entries of Redefined::METHODS
    def redefined
      return [] unless section? || %i[peach pmap pselect].include?(@program.operation)

      Redefined.chosen(@program.seed)
    end

    # @return [Verdict]
    def run_alone
      load_program
      _, (elements,) = outcome { @home.world }
      return verdict(:broken, elements.inspect) unless elements.is_a?(Array)

      kept = elements.each_index.to_a
      found = nil
      while kept.any? && @rounds < MAXIMUM_ROUNDS
        @rounds += 1
        found, failed = round(kept)
        return found if found
        break if failed.nil? || section?

        # The rest without the ones that fail: one at a time, then all that raise in Ruby.
        kept.delete_at(failed)
        kept = kept.reject { |index| raises?(index) } if @rounds == 2
      end
      verdict(:passed, nil)
    rescue SyntaxError => e
      verdict(:broken, e.message)
    ensure
      unload
    end

    # @return [Verdict] passed
    def run_in_ruby
      load_program
      all = @home.world.first.each_index.to_a
      # A trial goes on without the elements that have failed.
      left = section? ? [] : [*all.map { |failed| all - [failed] }, all.reject { |index| raises?(index) }]
      [all, *left].each { |kept| in_ruby(kept) }
      verdict(:passed, nil)
    end

    private

    def verdict(kind, detail) = Verdict.new(kind, detail, @rounds, nil, @kept)

    def unload
      RandomPrograms.send(:remove_const, :Home) if RandomPrograms.const_defined?(:Home, false)
      File.unlink(@file.path) if @file
    end

    # What was compiled of it is found again where it has the same path.
    def file
      folder = ENV.fetch("IKRA_SPEC_PROGRAMS_FOLDER", nil)
      return Tempfile.new(["random_program_#{@program.seed}_", ".rb"]) unless folder

      File.open(File.join(folder, "random_program_#{@program.seed}.rb"), "w")
    end

    def load_program
      verbose = $VERBOSE
      $VERBOSE = nil
      @file = file
      @file.write(@program.source)
      @file.close
      load(@file.path)
      @home = Home
    ensure
      $VERBOSE = verbose
    end

    # @return [(Verdict, nil), (nil, Integer), (nil, nil)] the failure; or the index of the element that raised
    def round(kept)
      expected_state, expected, raised_at = in_ruby(kept)
      actual_state, actual, before = in_ikra(kept)
      return compare_errors(kept, expected, raised_at, actual, actual_state, before) if actual.first == :raised
      return other_output || other_later(kept) if [expected, expected_state] == [actual, actual_state]

      comparable(kept, expected) do
        next verdict(:missing_error, "Ruby: #{expected.inspect}\nIkra: #{actual.inspect}") if expected.first == :raised

        verdict(:different, difference([expected, expected_state], [actual, actual_state]))
      end
    end

    def in_ruby(kept)
      elements, leaves = @home.world
      base = elements.values_at(*kept)
      block = @home.block(leaves, elements)
      at = 0
      result = printing(:ruby) { outcome { sequential(base, block) { |i| at = i } } }
      return [Snapshot.of([elements, leaves]), result, at] if result.first == :raised

      result = left([result[1], elements, leaves], block)
      state = Snapshot.of([elements, leaves])
      printing(:again) { call_again(:ruby, base, [elements, leaves]) { sequential(base, block) { nil } } }
      [state, result, at]
    end

    # What there is afterwards, with the local variables around the block.
    def left(objects, block)
      around = block.binding
      Snapshot.of([*objects, around.local_variables.sort.map { |name| around.local_variable_get(name) }])
    end

    # What a program throws is what it comes to.
    def sequential(base, block, &)
      Ikra.backend = :ruby
      catch(:trial) { section? ? sequential_section(block, &) : sequential_call(base, block, &) }
    end

    def sequential_call(base, block)
      result = nil
      @program.ticks.times do
        at = -1
        result = Operations.in_ruby(@program.operation, Bases.collection(@program.collection, base)) do |*values|
          yield(at += 1)
          Redefined.on { block.call(*values) }
        end
      end
      result
    end

    def in_ikra(kept)
      elements, leaves = @home.world
      base = elements.values_at(*kept)
      block = @home.block(leaves, elements)
      before = left([elements, leaves], block)
      Ikra.backend = @backend
      result = printing(:ikra) { outcome { outlining { beginning_in_ruby(base.size) { in_section(base, block) } } } }
      return [left([elements, leaves], block), result, before] if result.first == :raised

      given = [Snapshot.of([elements, leaves]), left([result[1], elements, leaves], block), before]
      Ikra.backend = @backend
      printing(:again) { call_again(:ikra, base, [elements, leaves]) { given_by_section(base, block) } }
      given
    end

    def in_section(base, block)
      return given_by_section(base, block) unless ENV["IKRA_SPEC_PROGRAMS_FOLDER"]

      given = nil
      profile = Ikra.profile { given = outcome { given_by_section(base, block) } }
      @kept += profile.steps.dig("kept", "count") || profile.steps.dig("kept", :count) || 0
      given.first == :raised ? raise(given.last) : given.last
    end

    def given_by_section(base, block)
      catch(:trial) do
        next Ikra.section(&block) if section?

        collection = Bases.collection(@program.collection, base)
        Operations.in_ikra(@program.operation, collection, @program.ticks, block)
      end
    end

    def outcome
      [:given, yield]
    rescue Exception => e # rubocop:disable Lint/RescueException
      raise if e.is_a?(SignalException) || e.is_a?(SystemExit) || e.is_a?(NoMemoryError)

      [:raised, e]
    end

    def compare_errors(kept, expected, raised_at, actual, state, before)
      error = actual[1]
      raised = expected.first == :raised
      combined = raised && Operations.combined?(@program.operation, expected[1], raised_at, error)
      return if combined
      return verdict(:written, error.full_message) unless state == before || synced?
      return refused(error) if unsupported?(error)
      return verdict(:refused, "an Integer beyond 64 bits") if error.is_a?(Ikra::OverflowError)
      return refused(error) if refused_late?(error)
      return verdict(:refused, "would grow") if error.message.include?("[array-growth]")
      return verdict(:refused, "a Rational") if error.message.include?("a negative exponent gives a Rational")
      return verdict(:internal, error.full_message(highlight: false)) if error.instance_of?(Ikra::Error)

      element = section? ? 0 : Operations.element_of(error, raised_at)
      if raised && alike?(expected[1], error) && raised_at == element
        differs = other_backtrace(expected[1], error) unless error.is_a?(Ikra::Error)
        return comparable(kept, expected) { differs } if differs
        return inlined_alike(kept, error, raised_at) if outlined? && !begins_in_ruby?

        return other_output&.then { |differs| comparable(kept, expected) { differs } } || [nil, raised_at]
      end

      comparable(kept, expected) do
        verdict(:wrong_error,
                "Ruby: #{raised ? "#{text(expected[1])}, element #{raised_at}" : expected.inspect[0, 2000]}\n" \
                "Ikra: #{raised ? "#{text(error)}, element #{element}" : error.full_message(highlight: false)}")
      end
    end

    # Before it ran, or where an element came to it: then it says what.
    def unsupported?(error)
      return true if error.is_a?(Ikra::DeviceError) && error.message.include?("[output-on-gpu]")

      error.is_a?(Ikra::UnsupportedError) && (!error.is_a?(Ikra::ElementError) || error.message.match?(/\[[a-z-]+\]$/))
    end

    def refused(error)
      verdict(:refused, error.message[/\[([a-z-]+)\]/, 1] || error.message[0, 300])
    end

    # @yield makes the verdict where Ruby's answer is one to compare with
    def comparable(kept, expected)
      # How deep calls may be hangs on the machine, and on who calls.
      return verdict(:broken, "Ruby's stack is full") if expected.last.is_a?(SystemStackError)
      return verdict(:broken, "Ruby lost a break") if breaks_lost?(kept)

      yield
    end

    # In `if (2.times { break }) && nil` Ruby 3.1 does not find where the break goes, and raises.
    def breaks_lost?(kept)
      lost = false
      trace = TracePoint.new(:raise) do |point|
        error = point.raised_exception
        lost ||= error.is_a?(LocalJumpError) && error.message == "break from proc-closure"
      end
      trace.enable { outcome { in_ruby_again(kept) } }
      lost
    end

    def in_ruby_again(kept)
      elements, leaves = @home.world
      sequential(elements.values_at(*kept), @home.block(leaves, elements)) { nil }
    end

    def raises?(index) = outcome { in_ruby_again([index]) }.first == :raised

    # What a message of Ikra leaves out: more than two values, an array's items, an object that never was one.
    LEFT_OUT = { "…" => ".*", "an Array" => "\\[.*\\](:Array)?", "a Range" => ".*:Range" }.freeze
    # Where its class says itself what it is.
    OBJECT = /an instance of (?:\w+::)*(\w+)/

    # In which order a sort compares, and so what it finds first that cannot be compared, is the C library's choice;
    # min and max of an array literal ask another item than those of an array, if it is not of constants alone.
    UNSORTABLE = /\Acomparison of .* failed\z/

    def alike?(expected, actual)
      # A message of more values than an error carries is an error of Ikra's own, which names the class.
      return actual.message.start_with?("#{expected.class}: its message") if actual.is_a?(Ikra::UnsupportedError)

      return false unless expected.instance_of?(actual.class)
      return false unless [expected, actual].map { |error| named(error) }.uniq.size == 1

      says_alike?(expected, actual) && causes_alike?(expected, actual)
    end

    def says_alike?(expected, actual)
      texts = [expected, actual].map { |error| text(error).last }
      return true if vague?(expected, *texts)

      pattern = Regexp.escape(texts.last).gsub("\\ ", " ").gsub(OBJECT, ".*\\1")
      pattern = pattern.gsub(Regexp.union(LEFT_OUT.keys), LEFT_OUT)
      # Of an object that never was one it leaves out the members, too.
      members = "| [^>]*>" if texts.last.match?(OBJECT)
      texts.first.match?(/\A#{pattern}(:0x[^>]*>#{members})?\z/)
    end

    # What they were raised for. What an element of a section raises is not told what is handled around its call.
    def causes_alike?(expected, actual)
      expected, actual = [expected, actual].map(&:cause)
      return actual.nil? && (expected.nil? || section?) unless expected && actual

      expected.instance_of?(actual.class) && named(expected) == named(actual) && says_alike?(expected, actual) &&
        causes_alike?(expected, actual)
    end

    # What is compared of what Ruby keeps of an exception beside its message: all but objects. What elements raise
    # behind an Ikra.sync has no arguments: the section cannot begin anew to tell them.
    def named(error)
      kept = KeptFacts.of(error)
      [kept.keys, kept[:name], synced? ? nil : kept[:args]&.size, kept[:key].is_a?(Integer) && kept[:key]]
    end

    # A message shows arrays as they were before the section, which has changed none.
    def vague?(error, *texts)
      return texts.any? { |text| text.include?("[") } if error.is_a?(NoMatchingPatternError)

      texts.all?(UNSORTABLE)
    end

    def text(error)
      [error.class, error.message.lines.first.to_s.chomp.gsub(/0x\h+/, "0x")]
    end

    # What differs, and where.
    def difference(expected, actual, path = [])
      if expected.is_a?(Array) && actual.is_a?(Array) && expected.size == actual.size
        i = expected.each_index.find { |n| expected[n] != actual[n] }
        return difference(expected[i], actual[i], path + [i])
      end
      "At #{path.join(".")}\nRuby: #{expected.inspect[0, 1000]}\nIkra: #{actual.inspect[0, 1000]}"
    end
  end

  # A copy of a graph of objects that can be compared: Floats by their bits, objects by the order they are found in.
  module Snapshot
    def self.of(value, seen = {}.compare_by_identity)
      case value
      when Float then value.nan? ? :nan : [value].pack("G").unpack1("H*") + value.to_s
      when Integer, Symbol, nil, true, false, Module then value
      when Rational then [:rational, value.numerator, value.denominator]
      when Complex then [:complex, *value.rectangular.map { |part| of(part) }]
      when Random then [:random, Marshal.dump(value).sum]
      when Ikra::Column then [value.type, value.to_a.map { |item| of(item, seen) }]
      else
        known_as = identity(value)
        return [:again, seen[known_as]] if seen.key?(known_as)

        seen[known_as] = seen.size
        case value
        when Array then [*(:frozen if value.frozen?), *value.map { |item| of(item, seen) }]
        when String then [value.encoding.name, value.frozen?, value.b]
        when Hash
          [:hash, value.frozen?, of(value.default, seen),
           value.default_proc&.then { |block| [block.lambda?, block.source_location] },
           value.map { |pair| pair.map { |item| of(item, seen) } }]
        else of_object(value, seen)
        end
      end
    end

    # What it is known by. Of Strings that Ruby has interned, as keys of Hashes are, there is one of each. But where
    # it sweeps a dead one after it has interned another, Ruby 3.1 forgets that, too, and makes a third.
    def self.identity(value)
      return value unless value.instance_of?(String) && value.frozen?
      return value unless ObjectSpace.dump(value).include?('"fstring":true')

      :"#{value.encoding} #{value.b.inspect}"
    end

    def self.of_object(value, seen)
      return of_made(value, seen) if value.class.name.match?(/::Rec\d+\z/)

      state = value.instance_variables.sort.map { |name| [name, of(value.instance_variable_get(name), seen)] }
      state << value.to_a.map { |member| of(member, seen) } if value.is_a?(Struct)
      [value.class.name, state]
    end

    # An object that a section gives: as it is.
    def self.of_made(value, seen)
      state = value.instance_variables.map { |name| [name, of(value.instance_variable_get(name), seen)] }
      state << value.to_h.transform_values { |member| of(member, seen) } if value.respond_to?(:to_h)
      [value.class.name, value.frozen?, state]
    end
  end
end
