# frozen_string_literal: true

require "timeout"
require "tmpdir"
require_relative "../kept_facts"

module MethodFuzzer
  # Runs some calls in Ruby, then all of them as one section, and tells which have another outcome.
  class Trial
    SECONDS = 0.3
    # What a section may say instead of an answer.
    UNSUPPORTED = [Ikra::UnsupportedError, Ikra::OverflowError].freeze

    # @return [Hash{Symbol => Integer}] how many agreed, were unsupported, had no answer in Ruby
    attr_reader :counts
    # @return [Array<String>] what differs
    attr_reader :failures

    def initialize(calls, backend)
      @backend = backend
      @counts = Hash.new(0)
      @failures = []
      @expected = calls.to_h { |call| in_ruby(call) }
      @counts[:without_answer] += @expected.count { |_, outcome| outcome.nil? }
      @calls = @expected.compact.keys
    end

    def run
      Dir.mktmpdir("ikra-methods") do |folder|
        @folder = folder
        try(@calls) if @calls.any?
      end
      self
    end

    private

    # The call and what Ruby gives, unless it takes too long or too much memory. No section gives an Enumerator: there
    # the call is to give its items, or its size.
    def in_ruby(call)
      outcome = Timeout.timeout(SECONDS) { told { evaluate(call) } }
      return [call, outcome] unless outcome.first == "Enumerator"

      # With more arguments than it takes it raises when it goes on only.
      takes = call.name.match?(/slice|cons|ation|cycle|step|to\z/) ? 1 : 0
      is_size = call.arguments.size <= takes && (call.to_s.sum % 3).zero?
      in_ruby(Call.new(*call.to_a[..-2], is_size ? ".size" : ".to_a"))
    rescue Timeout::Error, NoMemoryError, SyntaxError
      [call, nil]
    end

    def evaluate(call)
      code = [*call.outside(0), "result = begin", call.inside(0), "end",
              "[result, [#{call.changed(0).join(", ")}]]"].join("\n")
      Values.module_eval(code)
    end

    # A section takes more memory than Ruby, and may be told that there is none.
    def in_section(&call)
      told(&call)
    rescue NoMemoryError => e
      e
    end

    # A value with its class, and the exception with its class and message.
    def told
      result, changed = yield
      [Show.of(result), Show.of(changed)]
    rescue *UNSUPPORTED => e
      e
    rescue StandardError, SystemStackError => e
      [:raised, e.class, plain(e), kept(e)]
    end

    # Without what error_highlight and did_you_mean add, and without the receiver, which some Rubies show in a
    # NoMethodError. MRI has two ways to say that nil is no Integer.
    def plain(error)
      message = error.message.lines.first.to_s.chomp.gsub(/0x\h+/, "0x")
      error.is_a?(NameError) ? message.sub(/ for .*/, "") : message.sub("from nil to integer", "of nil into Integer")
    end

    # MRI itself does not tell all arguments of what it calls.
    def kept(error) = KeptFacts.of(error).except(:args).transform_values { |value| Show.of(value) }.merge(named(error))

    # A name that was a String is a Symbol where there is one, which hangs on what else the process has run.
    def named(error) = error.is_a?(NameError) && error.name ? { name: error.name.to_s } : {}

    # Has the section judged, and again without the calls that it is refused for, or in halves where those are not told.
    def try(calls)
      runner = load_section(calls)
      calls.each_with_index do |call, i|
        actual = in_section { runner.call(i) }
        refused = i.zero? && actual.is_a?(Ikra::UnsupportedError) ? refused_calls(actual, calls) : []
        next judge(call, actual) if refused.empty?
        return split(calls) if refused.include?(nil) && calls.size > 1

        refused = calls if refused.include?(nil)
        @counts[:unsupported] += refused.size
        rest = calls - refused
        return rest.any? ? try(rest) : nil
      end
    end

    def split(calls) = calls.each_slice((calls.size + 1) / 2) { |part| try(part) }

    # What is said before a section runs has places with lines of its source under them.
    def refused_calls(error, calls)
      lines = error.message.scan(/^#{Regexp.escape(@path)}:(\d+): .*\[[a-z-]+\]$/)
      lines.map { |(line)| line.to_i < @first ? nil : calls[line.to_i - @first] }.uniq
    end

    def judge(call, actual)
      expected = @expected[call]
      return @counts[:agreed] += 1 if actual == expected || leaves_less?(actual, expected)
      return @counts[:unsupported] += 1 if refused?(actual, expected)

      @failures << "#{call}: Ruby #{expected.inspect}, Ikra #{actual.inspect}"
    end

    # Some objects cannot be in what leaves a section.
    STAYING = /\A(?:MatchData|Enumerator)/

    def leaves_less?(actual, expected)
      return false unless [actual, expected].all? { |told| told.is_a?(Array) && told.first == :raised }

      return false unless actual.take(3) == expected.take(3)

      expected.last.all? { |name, shown| actual.last[name] == shown || shown.match?(STAYING) }
    end

    # README says how much a section may take: less than Ruby, but where Ruby raises something else, too.
    def refused?(actual, expected)
      return true if actual.is_a?(Exception) && !actual.is_a?(NoMemoryError)

      is_too_much = actual.is_a?(Exception) || (actual[1] == Ikra::Error && actual[2].include?("take more than 1 GiB"))
      is_too_much && expected.first != :raised
    end

    # A lambda that carries out the call of a number, and gives what it gives and what was changed.
    def load_section(calls)
      outside = calls.each_with_index.flat_map { |call, i| call.outside(i) }
      changed = calls.each_with_index.map { |call, i| "when #{i} then [#{call.changed(i).join(", ")}]" }
      lines = calls.each_with_index.map { |call, i| "when #{i} then (#{call.inside(i)})" }
      head = ["module MethodFuzzer::Values", "def self.section", *outside, "lambda do |number|",
              "result = [number].pmap do |i|", "case i"]
      @first = head.size + 1
      tail = ["end", "end.first", "[result, case number", *changed, "end]", "end", "end", "end"]
      text = [*head, *lines, *tail].join("\n")
      # A section is compiled from its source.
      @path = File.join(@folder, "calls#{Dir.children(@folder).size}.rb")
      File.write(@path, text)
      File.utime(0, 0, @path)
      Ikra.backend = @backend
      load(@path)
      Values.section
    end
  end

  # Values as text that says all of them.
  module Show
    # Ruby writes longer ones for minutes, which nothing interrupts.
    MOST_BITS = 1 << 20

    def self.of(value)
      case value
      when ->(it) { it.is_a?(Integer) && it.bit_length > MOST_BITS } then "an Integer of #{value.bit_length} bits"
      when Float then "#{value}#{" #{[value].pack("G").unpack1("H*")}" unless value.nan?}"
      # Objects of two worlds have two addresses.
      when String then "#{value.inspect.gsub(/0x\h{16}/, "0x")} #{value.encoding}"
      when Array then list(value)
      when Hash then "{#{value.map { |k, v| "#{of(k)} => #{of(v)}" }.join(", ")}}"
      when Struct then "#{value.class}(#{of(value.to_a)})"
      when Range then "(#{of(value.begin)}#{value.exclude_end? ? "..." : ".."}#{of(value.end)})"
      when Set then "Set#{list(value.to_a)}"
      when Integer, Symbol, nil, true, false, Module then value.inspect
      else value.class.to_s
      end
    end

    def self.list(items) = "[#{items.map { |item| of(item) }.join(", ")}]"
  end
end
