# frozen_string_literal: true

module Ikra
  # The first elements of a section that changes nothing, in plain Ruby, while machine code is made for it: compiled
  # code goes on from the element that is reached. What elements raise is Ruby's own, as none after it has been run.
  # What only compiled code refuses, as the +pack+ of an Integer beyond 64 bits, Ruby does not raise.
  #
  # With +Ikra.meanwhile+ as +:ruby+, a section on the CPU whose block changes nothing that was there before, prints
  # nothing, draws no random numbers and has neither syncs nor traps does not wait for its code: it is being made on a
  # thread (+background::Beside+), one such at a time in a process, and the extension gives a +Native::InTheMaking+
  # instead of a result.
  #
  # Then Ruby calls the block, element by element, with the arguments that compiled code would get, and looks every 64
  # elements or 50 µs whether the code is there. It goes on as a section over the rest: its elements are read anew, as
  # the block or another thread may have done something. Elements keep their numbers there (+JobOrder::first+): columns
  # by element begin where the rest does, and the code is given addresses that lie before them. What Ruby gave and what
  # the section gave are put together in the form that was asked for, so operations such as +psum+ see no difference;
  # where the code that fits the rest is one for more, which changes something, the call begins anew without Ruby, as
  # what that has run changed nothing; those that end at a hit (+pfind+) end at it in Ruby.
  #
  # What Ruby raises is marked with the element and left alone. Code that nobody waits for is finished and kept in its
  # version (+Version::pending+), until that is dropped. An element that comes to a parallel call waits for the code
  # after all; +$~+ is put back when Ruby has run elements. Not begun so are +Ikra.section+, +peach+ and +ptimes+,
  # +Ikra::Column+s, whose results are columns, blocks that give lambdas, what has no element that comes to its end (its
  # program lacks what is left for that), and the GPU.
  #
  # It is no default, as one program would do now this and now that: what compiled code refuses only with an element's
  # data (the +pack+ of an Integer beyond 64 bits), what exceptions know (+KeyError#key+), and whether keys of +tally+
  # are frozen, hang on whether Ruby or compiled code came to the element. It becomes one when there is no such
  # difference left.
  #
  # @api private
  class Meanwhile
    # So many seconds pass at most before it is looked whether the code is there, but for those of one element.
    PATIENCE = 5e-5
    # So many elements run between two looks at most.
    MOST = 64
    # The progress is told so often, in seconds.
    TOLD = 0.1

    PART = Array.instance_method(:[])
    IS_LAMBDA = Proc.instance_method(:lambda?)
    BINDING = Proc.instance_method(:binding)
    # What reads and sets the last match of the method that a block stands in.
    LAST_MATCH = "[-> { $~ }, ->(match) { $~ = match }]"

    class << self
      # May Ruby begin with the elements of such a section, if it is to?
      def suits?(base, block)
        return true unless IS_LAMBDA.bind_call(block)

        # It would have to take its only argument apart, as blocks do.
        _, _, takes_apart = base.form
        !takes_apart
      end

      # After so many elements code is there: only specs say that.
      def elements_in_specs
        count = ENV.fetch("IKRA_TEST_MEANWHILE", nil) if Native::TESTING
        Integer(count) if count
      end
    end

    # @param base [Base, ArrayBase]
    # @param call [Call]
    # @param block [Proc]
    def initialize(base, call, block)
      @base = base
      @call = call
      @block = block
      _, @arguments, = base.form || [nil, [0]]
      @columns = base.form ? base.columns : [base.columns]
      @size = base.size
      @at = 0
      @given = selection? ? @columns.map { [] } : []
      # Nothing is to be seen in what elements give.
      @keeps_all = call.output == :values && call.form != :flat && call.ending.nil?
      @expected = Meanwhile.elements_in_specs
      @told = now
    end

    # @param making [Native::InTheMaking]
    # @yield as the section's block
    # @return [Object] what the section gives
    def run(making, &block)
      @settings = [Ikra.chosen, Ikra.conflicts]
      loop do
        waits = in_ruby { go_on(making, &block) }
        return result if @at >= @size

        rest = rest(!waits)
        case rest
        when Native::InTheMaking then making = rest
        when false then return anew
        else return joined(rest)
        end
      end
    end

    private

    def selection? = @call.output == :selection && @call.form == :arrays

    # The rest of the elements, as a section.
    def rest(meanwhile)
      base = @base.rest(@at)
      return joined_nothing if base.empty?

      Native.run(base.columns, base.form, @call.told(meanwhile, @at), Written.block(@block), *@settings)
    end

    # The code that fits the rest is said to change something: it is one for more, or another thread has changed what
    # it depends on. What Ruby has run has changed nothing, so it was never run.
    def anew
      Native.run(@base.columns, @base.form, @call.how, Written.block(@block), *@settings)
    end

    # There is less than there was.
    def joined_nothing
      case @call.output
      when :selection then @call.form == :arrays ? @columns.map { [] } : []
      when :nothing then nil
      else []
      end
    end

    # Gives whether the next element has to wait for the code.
    def in_ruby
      start = now
      before = Thread.current[Section::WITHIN]
      running = Object.new
      Thread.current[Section::WITHIN] = running
      matches = last_matches
      catch(running) do
        yield
        return false
      end
      true
    rescue Exception => e # rubocop:disable Lint/RescueException
      Failures.placed(e, (@call.part || 0) + @at, 0) unless foreign?(e)
      Failures.raise_as_it_is(e, Failures.cause(e))
    ensure
      Thread.current[Section::WITHIN] = before
      matches&.each { |set, match| set.call(match) }
      Native.profile_meanwhile(now - start)
    end

    # A section leaves them as they are.
    def last_matches
      (@call.blocks || [@block]).filter_map do |block|
        get, set = BINDING.bind_call(block).eval(LAST_MATCH)
        [set, get.call]
      rescue ArgumentError
        # It has no frame.
      end
    end

    # Is it not the element's?
    def foreign?(error)
      others = [SignalException, SystemExit]
      others << ::Timeout::Error if defined?(::Timeout::Error)
      others.any? { |type| error.is_a?(type) }
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    # Runs elements until the code is there, or none is left.
    def go_on(making, &block)
      count = 1
      while @at < @size && !ready?(making)
        start = now
        count = [count, @expected - @at].min if @expected && @expected > @at
        return @size = @at if elements(count, &block).zero?

        took = now - start
        count = took > PATIENCE ? 1 : [count * 2, MOST].min
        tell(start)
      end
    end

    def ready?(making)
      return making.ready? unless @expected
      return false if @at < @expected

      sleep(0.0005) until making.ready?
      true
    end

    def tell(time)
      return if @call.progress.nil? || time < @told + TOLD

      @told = time
      @call.progress.call(@at, @size)
    end

    # Runs so many elements; gives how many there were.
    def elements(count, &block)
      count = [count, @size - @at].min
      columns = @columns.map { |column| part(column, count) }
      count = columns.map(&:size).min
      items = columns[@arguments.first] if @arguments.size == 1 && @arguments.first.is_a?(Integer)
      return keep_all(items, count, &block) if items && @keeps_all

      take_all(items, columns, count, &block)
    end

    # Where each is given an item, and what it gives is all that is wanted.
    def keep_all(items, count)
      row = 0
      while row < count
        @given << yield(items[row])
        row += 1
        @at += 1
      end
      count
    end

    # Where they are given items, or what is made of the columns.
    def take_all(items, columns, count)
      row = 0
      while row < count
        value = items ? yield(items[row]) : yield(*values(@arguments, columns, row))
        take(value, columns, row)
        row += 1
        @at += 1
        return @size = @call.ended = @at if @call.ending&.call(value)
      end
      count
    end

    def part(column, count)
      return Array.new(count) { |row| column[@at + row] } if column.is_a?(Series)

      PART.bind_call(column, @at, count) || []
    end

    def values(arguments, columns, row)
      arguments.map { |part| part.is_a?(Array) ? values(part, columns, row) : columns[part][row] }
    end

    # What the block has given for an element.
    def take(value, columns, row)
      case @call.output
      when :values then take_value(value)
      when :kept then @given << value unless Dropped.equal?(value)
      when :selection
        return unless value
        return @given << @at unless selection?

        @given.each_with_index { |items, column| items << columns[column][row] }
      end
    end

    def take_value(value)
      array = Array.try_convert(value) if @call.form == :flat
      array ? @given.concat(array) : @given << value
    end

    # In the form in which a section gives it.
    def result
      return if @call.output == :nothing
      return @given if %i[arrays flat].include?(@call.form)
      return Native.rows(@given) if @call.form == :rows

      Native.values(@given) || @given
    end

    # With what compiled code has given for the rest.
    def joined(rest)
      case @call.output
      when :nothing then return rest
      when :selection
        return @given.zip(rest).map { |items, others| items.concat(others) } if selection?

        rest = rest.to_a.map { |row| row + @at }
      end
      @given.concat(rest.to_a)
      result
    end
  end
  private_constant :Meanwhile
end
