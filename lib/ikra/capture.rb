# frozen_string_literal: true

module Ikra
  using OwnMethods

  # What is typed at a console is in no file: Ruby is asked to keep it.
  RubyVM.keep_script_lines = true if defined?(IRB) || defined?(Pry)

  # Finds the source of a block or method, and tells when it is not the one that was loaded.
  #
  # @api private
  module Capture
    # Positions in InstructionSequence#to_a.
    MISC = 4
    LOCALS = 10
    PARAMETERS = 11
    INSTRUCTIONS = 13
    # What to_a begins with.
    MAGIC = "YARVInstructionSequence/SimpleDataFormat"

    # The instructions of so many texts are kept.
    MOST_TEXTS = 8

    @compiled = {}

    class << self
      # Called by the extension.
      #
      # @param iseq [RubyVM::InstructionSequence]
      # @return [Array] path, text, possible numbers of its first line, location, label, and of an eval
      #   the names of the code's own local variables; or message, nil
      # @raise [Ikra::Error] when the file is not what was loaded
      def source(iseq)
        OwnMethods.look(Recording.sections)
        location = Native.code_location(iseq) || iseq.to_a[MISC][:code_location]
        lines = iseq.script_lines
        path = iseq.absolute_path
        if (text = Delegation.text(iseq))
          first = location.first
          [iseq.path, text, [first], [first, 0, first + 2, 3], iseq.label]
        elsif lines && !path
          [iseq.path, lines.join, first_lines(lines.size, location), location, iseq.label, locals(iseq.to_a)]
        elsif (text = (path && whole(iseq, lines, location)) || given(iseq, location))
          [iseq.path, text, [1], location, iseq.label]
        else
          [missing(iseq), nil]
        end
      end

      # Can a file be another one than was loaded?
      def changed?(path) = FileTexts.changed?(path)

      # @raise [Ikra::Error]
      def raise_changed(path, line)
        raise Error, "#{path}:#{line}: the file has changed since it was loaded: " \
                     "load it again, or start the program anew"
      end

      # Calls the block with the code that stands in other code.
      def nested(value, &block)
        value.each do |inner|
          next unless inner.is_a?(Array)

          inner[0] == MAGIC ? yield(inner) : nested(inner, &block)
        end
      end

      # Only what is executed: no line numbers, labels or events, and no marks of a JIT compiler or of tracing.
      def instructions(list)
        list[INSTRUCTIONS].grep(Array).map do |name, *operands|
          name = name.to_s.sub(/\A(trace|zjit)_/, "")
          [name, *operands.map { |operand| operand(name, operand) }]
        end
      end

      private

      # The same with what it is given.
      def contents(list) = [list[LOCALS].grep(Symbol), parameters(list[PARAMETERS]), instructions(list)]

      # Where optional ones begin is a label.
      def parameters(all) = all.to_h { |kind, value| [kind, kind == :opt ? value.size : value] }

      # The text of a file.
      def whole(iseq, lines, location)
        lines ? FileTexts.without_bom(lines.join) : loaded(iseq, iseq.absolute_path, location)
      end

      # What Ikra has put together; or the program that was given with -e, if the code is part of it.
      def given(iseq, location)
        composed = Composition.text(iseq.path)
        return composed if composed

        text = CommandLine::GIVEN
        return unless iseq.path == CommandLine::PATH && text&.valid_encoding?

        text if compiled(nil, text, iseq)[location]&.include?(contents(iseq.to_a))
      end

      def missing(iseq)
        place = "#{iseq.path}:#{iseq.first_lineno}"
        return "the source of #{iseq.label} (#{place}) came from the standard input" if iseq.path == "-"

        "the source of #{iseq.label} (#{place}) was not kept"
      end

      # The names of local variables in code and in what stands in it.
      def locals(list)
        names = list[LOCALS].grep(Symbol).map(&:name)
        nested(list) { |inner| names |= locals(inner) }
        names
      end

      # An eval'd text may have been given any number for its first line.
      def first_lines(size, location)
        first, _, last, = location
        from = last - size + 1
        ((from.positive? ? from : 1)..first).to_a
      end

      # The text of a file that code was loaded from. Of a file that was changed it is the one that has the code's
      # instructions at its place.
      def loaded(iseq, path, location)
        there = nil
        text = FileTexts.find(path) do |known|
          same = contents(iseq.to_a)
          there = compiled(path, known, iseq)[location]
          there&.include?(same)
        end
        raise_changed(iseq.path, location[0]) if text && there && !there.include?(contents(iseq.to_a))
        text
      end

      # The instructions of all code in a text, by location; nothing when it cannot be compared.
      def compiled(path, text, iseq)
        key = [path, text.hash]
        known = @compiled.delete(key) || begin
          all = {}
          collect(silently { RubyVM::InstructionSequence.compile(text, iseq.path, path) }.to_a, all)
          all
        rescue SyntaxError
          {}
        end
        @compiled.shift while @compiled.size >= MOST_TEXTS
        @compiled[key] = known
      end

      # Compiling would warn a second time.
      def silently
        verbose = $VERBOSE
        $VERBOSE = nil
        yield
      ensure
        $VERBOSE = verbose
      end

      def collect(list, all)
        (all[list[MISC][:code_location]] ||= []) << contents(list)
        nested(list) { |inner| collect(inner, all) }
      end

      # A `super` that has run knows its method's name.
      def operand(name, operand)
        return contents(operand) if operand.is_a?(Array) && operand[0] == MAGIC

        name == "invokesuper" && operand.is_a?(Hash) ? operand.except(:mid) : operand
      end
    end
  end
  private_constant :Capture
end
