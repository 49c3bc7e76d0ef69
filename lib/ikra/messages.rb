# frozen_string_literal: true

module Ikra
  # What exceptions say. This is a file without {OwnMethods}: messages show values as the program has them shown.
  #
  # @api private
  module Failures
    # Methods of Ruby's own that are written in Ruby are told by some versions where they stand: `<internal:kernel>:90`.
    # Ruby is asked for that.
    module InternalFrames
      FAILING = proc { raise KeyError }
      CALLS = {
        "Kernel#tap" => -> { 1.tap(&FAILING) },
        "Kernel#then" => -> { 1.then(&FAILING) },
        "Kernel#yield_self" => -> { 1.yield_self(&FAILING) }, # rubocop:disable Style/ObjectThen
        "Kernel#loop" => -> { loop(&FAILING) },
        "Kernel#Integer" => -> { Integer("") },
        "Kernel#Float" => -> { Float("") },
        "Integer#times" => -> { 1.times(&FAILING) },
        "Integer#ceildiv" => -> { 1.ceildiv(0) },
        "Array#each" => -> { [1].each(&FAILING) },
        "Array#map" => -> { [1].map(&FAILING) },
        "Array#select" => -> { [1].select(&FAILING) },
        "Array#first" => -> { [1].first(-1) },
        "Array#last" => -> { [1].last(-1) },
        "Array#sample" => -> { [1].sample(-1) },
        "Array#pack" => -> { [1].pack("a") },
        "String#unpack" => -> { "".unpack("@9C") },
        "String#unpack1" => -> { "".unpack1("@9C") }
      }.freeze
      @frames = {}

      # @return [String, nil] the frame of a method with this label, where it has one of its own
      def self.of(label)
        return @frames[label] if @frames.key?(label)

        call = CALLS[label] || CALLS.find { |name, _| name.end_with?("##{label}") }&.last
        @frames[label] = call && asked(call)
      end

      def self.asked(call)
        call.call
        nil
      rescue StandardError => e
        # Not those that this was called through.
        own = e.backtrace[0, e.backtrace.size - caller.size]
        own.find { |frame| frame.start_with?("<internal:") && !frame.include?("require") }
      end
      private_class_method :asked
    end
    private_constant :InternalFrames

    # Ruby's own messages. Where Ruby can be made to say them, it is: they differ between versions.
    module Messages
      PLAIN = Kernel.instance_method(:to_s)
      PLAIN_MESSAGE = Exception.instance_method(:to_s)

      # What Ruby says where the block raises.
      def self.said
        yield
      rescue StandardError => e
        PLAIN_MESSAGE.bind_call(e)
      end

      # A class may define methods of these names.
      CLASS = Kernel.instance_method(:class)
      SINGLETON_CLASS = Kernel.instance_method(:singleton_class)
      PUBLIC_SEND = Kernel.instance_method(:public_send)
      INSTANCE_EVAL = BasicObject.instance_method(:instance_eval)
      PUBLIC = Module.instance_method(:public_method_defined?)
      PROTECTED = Module.instance_method(:protected_method_defined?)
      PRIVATE = Module.instance_method(:private_method_defined?)

      # Names are quoted in another way since 3.4, and receivers told by their class since 3.3.
      UNDEFINED = said { 1.public_send(:"no method of any Integer") }
      QUOTE = UNDEFINED[/['`]/]
      TELLS_CLASSES = UNDEFINED.end_with?("an instance of Integer")
      # Some versions put the function's name in quotes.
      DOMAIN = said { Math.sqrt(-1.0) }
      # What versions say in other words, and how the running one says it.
      ARGUMENTS = { "min argument must be smaller than max argument" => said { 1.clamp(2, 1) } }.freeze
      # Names that can be written down as a variable.
      PLAIN_NAME = /\A[[:lower:]_][[:alnum:]_]*\z/

      module_function

      def zero_division
        ZeroDivisionError.new(native("divided by 0"))
      end

      # @param missing [String] why: +"undefined"+, +"private"+, +"protected"+ or +"super"+
      def no_method(name, receiver, text, missing)
        if missing != "super"
          asked = ask(receiver, text, name, missing != "undefined") { PUBLIC_SEND.bind_call(receiver, name) }
          return asked if asked
        end
        what = missing == "super" ? "super: no superclass method" : "#{missing} method"
        called = %w[private protected].include?(missing) ? " called" : ""
        said = "#{what} #{quoted(name)}#{called} for #{text || described(receiver)}"
        NoMethodError.new(said, name.to_sym, [], **known(receiver, text))
      end

      def name_error(name, receiver, text)
        asked = PLAIN_NAME.match?(name) && ask(receiver, text, name, false) { INSTANCE_EVAL.bind_call(receiver, name) }
        return asked if asked

        NameError.new("undefined local variable or method #{quoted(name)} for #{text || described(receiver)}",
                      name.to_sym, **known(receiver, text))
      end

      # A receiver that is known by its text alone is not kept, rather than another one.
      def known(receiver, text) = text ? {} : { receiver: }

      # Ruby raises it as it is.
      def existing(exception) = exception

      # Leaves the section where a +catch+ waits.
      def uncaught_throw(tag, _text, value, _value_text, leaves: false)
        return UncaughtThrowError.new(tag, value, "uncaught throw %p") unless leaves

        throw tag, value
      rescue UncaughtThrowError => e
        e
      end

      def type_error(message) = TypeError.new(native(message))
      def argument_error(message) = ArgumentError.new(native(ARGUMENTS.fetch(message, message)))
      def type_error_about(before, operand, text, after) = TypeError.new(native(about(before, operand, text, after)))

      def argument_error_about(before, operand, text, after)
        ArgumentError.new(native(about(before, operand, text, after)))
      end

      # What Ruby's own methods say is in no encoding as long as it is ASCII.
      def native(text) = text.ascii_only? ? text.b : text

      # As MRI, which tells Integers of more than one word by their class.
      def about(before, operand, text, after)
        case operand
        when Integer then text ||= "Integer" if operand.bit_length > 62
        end
        "#{before}#{text || operand.inspect}#{after}"
      end

      def float_domain(float) = FloatDomainError.new(native(float.to_s))

      def float_index(float)
        [].at(float)
      rescue RangeError => e
        RangeError.new(e.message)
      end

      def math_domain(name)
        Integer.sqrt(-1) if name == "isqrt"
        Math::DomainError.new(DOMAIN.sub("sqrt", name))
      rescue Math::DomainError => e
        Math::DomainError.new(e.message)
      end

      def range(message) = OverflowError.new(message)
      def unsupported(message) = UnsupportedError.new(message)
      def stack_too_deep = SystemStackError.new("stack level too deep")

      def frozen(receiver)
        FrozenError.new(native("can't modify frozen #{CLASS.bind_call(receiver)}: #{receiver.inspect}"), receiver:)
      end

      # What the section has made is no object of Ruby's, so there is nothing to show.
      def frozen_made(klass)
        UnsupportedError.new("a #{klass} that the section has made and frozen is changed [changed-record]\n  " \
                             "hint: change a copy: dup")
      end

      def index_too_small(index, length)
        IndexError.new(native("index #{index} too small for array; minimum: #{-length}"))
      end

      def fetch_index(index, length)
        IndexError.new(native("index #{index} outside of array bounds: #{-length}...#{length}"))
      end

      def no_memory = Error.new("too little memory for the arrays made in the section")

      def array_growth(index, length)
        UnsupportedError.new("index #{index} is past the end of an array of #{length}, which the section finds " \
                             "after an Ikra.sync only: writing there would grow the array [array-growth]\n  hint: " \
                             "fill the array first, as Array.new(#{index + 1}) does, or push to it")
      end

      # @param by_ruby [Boolean] is it what one of Ruby's own methods says?
      # @param by_literal [Boolean] is it a literal that is frozen?
      # @param of_array [Boolean] are the parts, where there are several, what an array shows of its items?
      def raise(exception_class, parts, by_ruby, by_literal, of_array)
        return exception_class.new unless parts

        told = parts.map { |value, text, inspected| text || (inspected ? value.inspect : value.to_s) }
        return exception_class.new(listed(parts, told)) if of_array && told.size > 1
        return exception_class.new(by_literal ? -joined(told) : joined(told)) unless by_ruby

        made = exception_class.new(said_by(exception_class, told.join))
        keep_reason(made) if exception_class == LocalJumpError
        made
      end

      # That no block is given.
      def keep_reason(error)
        error.instance_variable_set(:@exit_value, nil)
        error.instance_variable_set(:@reason, :noreason)
      end

      # A String alone is given as it is, which may be frozen. Of several the first that is not in US-ASCII has the
      # encoding of all, as where a String is put together.
      def joined(texts)
        return texts.first if texts.one?

        message = texts.join
        written = texts.map(&:encoding).find { |encoding| encoding != Encoding::US_ASCII }
        written && message.ascii_only? ? message.force_encoding(written) : message
      end

      # As Array#inspect: of ASCII only it is in the encoding of the first item's text.
      def listed(parts, texts)
        message = texts.join
        first = texts.index { |text| text != "[" }
        return message unless message.ascii_only?

        message.force_encoding(parts[first][1] ? Encoding::US_ASCII : texts[first].encoding)
      end

      # A message of Ruby's own methods: ASCII only it is in US-ASCII where it tells names and patterns, else in none.
      def said_by(exception_class, message)
        return message unless message.ascii_only?

        names = [NameError, NoMatchingPatternError].any? { |told| exception_class <= told }
        message.force_encoding(names ? Encoding::US_ASCII : Encoding::BINARY)
      end

      # Has Ruby raise the error itself, where nothing else can happen, and takes its message: without what
      # error_highlight would add, which is our own line.
      def ask(receiver, text, name, is_private)
        return if text || there?(receiver, name, is_private)

        yield
        nil
      rescue NameError => e
        arguments = e.is_a?(NoMethodError) ? [[]] : []
        e.class.new(PLAIN_MESSAGE.bind_call(e), e.name, *arguments, receiver:) if e.name == name.to_sym
      end

      # The same without what error_highlight would add.
      def without_line(error)
        message = PLAIN_MESSAGE.bind_call(error)
        case error
        when NameError then error.class.new(message, error.name, receiver: error.receiver)
        when TypeError, ArgumentError then error.class.new(message)
        else error
        end
      end

      def there?(receiver, name, is_private)
        holder = case receiver
                 when Module then SINGLETON_CLASS.bind_call(receiver)
                 else CLASS.bind_call(receiver)
                 end
        PUBLIC.bind_call(holder, name) ||
          (!is_private && [PROTECTED, PRIVATE].any? { |defined| defined.bind_call(holder, name) })
      end

      def quoted(name) = "#{QUOTE}#{name}'"

      # A receiver as the messages of NoMethodError and NameError name it.
      def described(receiver)
        return inspected(receiver) unless TELLS_CLASSES
        return "main" if TOPLEVEL_BINDING.receiver.equal?(receiver)

        case receiver
        when nil, true, false then receiver.inspect
        when Class then "class #{receiver}"
        when Module then "module #{receiver}"
        else "an instance of #{CLASS.bind_call(receiver)}"
        end
      end

      def inspected(receiver)
        text = begin
          receiver.inspect
        rescue StandardError
          PLAIN.bind_call(receiver)
        end
        text.start_with?("#") ? text : "#{text}:#{CLASS.bind_call(receiver)}"
      end
      private_class_method :said, :ask, :there?, :described, :inspected, :native, :said_by, :joined, :listed
    end
  end
end
