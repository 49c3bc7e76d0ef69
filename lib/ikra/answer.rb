# frozen_string_literal: true

module Ikra
  # What stands for the value of the user's block while an `each` of the user's yields the elements, before the block
  # has run: whoever asks it anything is told that it cannot be known. An `each` may give it back as its own value
  # (+Section+ gives the block's value then), or do nothing with it.
  #
  # What only asks whether it is true asks no method. So the code of the `each` is looked at, too, where it has one
  # (+OwnEach+).
  #
  # @api private
  class Answer < BasicObject
    # Where a thread notes that one was asked: `each` may have rescued what that has raised.
    ASKED = :ikra_answer_asked
    ROW = ::Kernel.instance_method(:instance_variable_get)
    private_constant :ASKED, :ROW

    # They would have an answer.
    %i[! == != equal? instance_eval instance_exec].each do |name|
      define_method(name) { |*| ::Ikra.const_get(:Answer).refuse }
    end

    def method_missing(*) = ::Ikra.const_get(:Answer).refuse # rubocop:disable Style/MissingRespondToMissing

    class << self
      # Goes through a collection with a block that gives such values.
      #
      # @param own [OwnEach]
      # @yield to do so
      # @raise [UnsupportedError] where its `each` uses them
      def to_each(own)
        refuse if own.answers == :used
        before = ::Thread.current[ASKED]
        ::Thread.current[ASKED] = false
        begin
          items = yield
          refuse if ::Thread.current[ASKED]
          items
        ensure
          ::Thread.current[ASKED] = before
        end
      end

      # Which element's value is it, if it is one?
      #
      # @return [Integer, nil]
      def row(value) = self === value ? ROW.bind_call(value, :@row) : nil # rubocop:disable Style/CaseEquality

      # @raise [UnsupportedError]
      def refuse
        ::Thread.current[ASKED] = true
        Collections.refuse("the `each` of the collection uses what its block gives, and is gone through before " \
                           "the block runs [each-answers]",
                           "call each; or go through an Array: to_a.peach")
      end
    end
  end
  private_constant :Answer
end
