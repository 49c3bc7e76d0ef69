# frozen_string_literal: true

require_relative "failures"
require_relative "messages"

module Ikra
  # What Ruby keeps of exceptions that the section has made as objects: message, backtrace, cause, and what classes keep
  # besides.
  #
  # @api private
  module Completion
    INITIALIZE = Exception.instance_method(:initialize)
    NO_METHOD = NoMethodError.instance_method(:initialize)
    NAME = NameError.instance_method(:initialize)
    UNCAUGHT = UncaughtThrowError.instance_method(:initialize)
    OWN_INITIALIZE = [KeyError, FrozenError, NoMatchingPatternKeyError].to_h do |of|
      [of, of.instance_method(:initialize)]
    end
    # Of classes that keep more than the message, which a text alone says.
    OWN_TEXTS = [SystemExit, SystemCallError, Interrupt].to_h { |of| [of, of.instance_method(:initialize)] }
    NAME_OF = NameError.instance_method(:name)
    RECEIVER = NameError.instance_method(:receiver)
    FROZEN_RECEIVER = FrozenError.instance_method(:receiver)
    ARGUMENTS = NoMethodError.instance_method(:args)

    # Gives one that the section has made its message and, where it was raised, its backtrace.
    #
    # @param kept [Array] of those that keep more than a message: key or name, receiver, arguments, whether key and
    #   receiver are there
    # @param cause [Exception, nil]
    def self.complete(exception, message, frames, kept, cause)
      if kept.empty?
        initialize_of_text(exception, message)
      else
        initialize_keeping(exception, message, kept)
      end
      raised_for(exception, frames, cause) if frames
    end

    # The same of one that a failure tells.
    #
    # @param told [Array(Symbol, Array)] a method of Messages, and its arguments
    def self.complete_as(exception, told, frames, kept, cause)
      kind, details = told
      made = Failures::Messages.public_send(kind, *details)
      message = Failures::Messages::PLAIN_MESSAGE.bind_call(made)
      kept.last(2).any? ? initialize_keeping(exception, message, kept) : initialize_as(exception, made, message)
      raised_for(exception, frames, cause) if frames
    end

    def self.initialize_as(exception, made, message)
      case exception
      when NameError
        arguments = ARGUMENTS.bind_call(made) if exception.is_a?(NoMethodError)
        receiver, has_receiver = receiver_of(made, RECEIVER)
        kept = [NAME_OF.bind_call(made), receiver, arguments, true, has_receiver]
        initialize_keeping(exception, message, kept)
      when FrozenError
        receiver, has_receiver = receiver_of(made, FROZEN_RECEIVER)
        initialize_keeping(exception, message, [nil, receiver, nil, false, has_receiver])
      when SystemCallError
        # Before the text it says what its number stands for.
        number = Failures::Messages::PLAIN_MESSAGE.bind_call(SystemCallError.new(nil, made.errno))
        initialize_of_text(exception, (message.delete_prefix("#{number} - ") unless message == number))
      else
        initialize_of_text(exception, message)
      end
    end

    # As `raise` makes one of a text, or of nothing.
    def self.initialize_of_text(exception, text)
      _, own = OWN_TEXTS.find { |of, _| exception.is_a?(of) }
      (own || INITIALIZE).bind_call(exception, *(text.nil? ? [] : [text]))
    end

    def self.receiver_of(made, asked)
      [asked.bind_call(made), true]
    rescue ArgumentError
      [nil, false]
    end

    # It has been raised while its cause was being handled: the one around the section, if there is no other.
    def self.raised_for(exception, frames, cause)
      Failures::SET_BACKTRACE.bind_call(exception, Failures.backtrace(frames))
      cause ||= $! unless Native.noted(exception, :without_cause) # rubocop:disable Style/SpecialGlobalVars
      return unless cause

      # Nothing else gives an exception a cause.
      begin
        Failures.raise_as_it_is(exception, cause)
      rescue Exception => e # rubocop:disable Lint/RescueException
        raise unless e.equal?(exception)
      end
    end

    # Gives a NameError of which all but the message is known the one that Ruby makes.
    #
    # @param missing [String] why there is no such method
    def self.tell(exception, missing)
      return tell_frozen(exception) if exception.is_a?(FrozenError)

      name = NAME_OF.bind_call(exception)
      receiver = RECEIVER.bind_call(exception)
      told = if exception.is_a?(NoMethodError)
               arguments = ARGUMENTS.bind_call(exception)
               Failures::Messages.no_method(name.to_s, receiver, nil, missing)
             else
               Failures::Messages.name_error(name.to_s, receiver, nil)
             end
      backtrace = Failures::BACKTRACE.bind_call(exception)
      kept = [name, receiver, arguments, true, true]
      initialize_keeping(exception, Failures::Messages::PLAIN_MESSAGE.bind_call(told), kept)
      Failures::SET_BACKTRACE.bind_call(exception, backtrace) if backtrace
    end

    # The same of a FrozenError, of which the receiver is known.
    def self.tell_frozen(exception)
      receiver = FROZEN_RECEIVER.bind_call(exception)
      backtrace = Failures::BACKTRACE.bind_call(exception)
      message = Failures::Messages::PLAIN_MESSAGE.bind_call(Failures::Messages.frozen(receiver))
      initialize_keeping(exception, message, [nil, receiver, nil, false, true])
      Failures::SET_BACKTRACE.bind_call(exception, backtrace) if backtrace
    end

    # As Ruby's own methods make such exceptions.
    def self.initialize_keeping(exception, message, kept)
      subject, receiver, arguments, has_subject, has_receiver = kept
      receiver_name = exception.is_a?(NoMatchingPatternKeyError) ? :matchee : :receiver
      given = has_receiver ? { receiver_name => receiver } : {}
      case exception
      when NoMethodError
        NO_METHOD.bind_call(exception, message, subject, arguments, **given)
      when NameError
        NAME.bind_call(exception, message, subject, **given)
      when UncaughtThrowError
        UNCAUGHT.bind_call(exception, subject, receiver, "uncaught throw %p")
      else
        given[:key] = subject if has_subject
        _, own = OWN_INITIALIZE.find { |of, _| exception.is_a?(of) }
        own.bind_call(exception, *message.nil? ? [] : [message], **given)
      end
    end
    private_class_method :initialize_as, :tell_frozen, :receiver_of, :raised_for, :initialize_keeping
  end
  private_constant :Completion
end
