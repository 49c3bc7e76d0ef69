# frozen_string_literal: true

module Ikra
  # A bar of the gem ruby-progressbar on standard error.
  #
  # @api private
  class ProgressBar
    WITH_END = "%t %c/%C |%B| %p%% %e"
    WITHOUT_END = "%t %c %a"

    class << self
      # Shows one while the block runs, where that is asked for and there is a terminal.
      #
      # @param wanted [Boolean, String, Symbol, nil] or the title
      # @param operation [Symbol] the title otherwise
      # @yield [bar]
      # @yieldparam bar [ProgressBar, nil]
      def show(wanted, operation)
        title = title(wanted, operation)
        return yield(nil) unless title && $stderr.tty?

        bar = new(title)
        begin
          given = yield(bar)
          bar.finish
          given
        ensure
          bar.stop
        end
      end

      private

      def title(wanted, operation)
        case wanted
        when nil, false then nil
        when true then operation.to_s
        when String, Symbol then wanted.to_s
        else Section.refuse(TypeError, "progress must be true, false or a title, not #{wanted.class}")
        end
      end
    end

    def initialize(title)
      begin
        require "ruby-progressbar"
      rescue LoadError
        raise Error, "progress needs the gem ruby-progressbar: gem install ruby-progressbar"
      end
      @bar = ::ProgressBar.create(title:, total: nil, output: $stderr, format: WITHOUT_END)
    end

    # @return [Proc] takes how many elements are done, in all ticks, and shows ticks, if there are several
    def of_elements(size, ticks)
      tell(0, ticks == 1 ? size : ticks)
      return ->(done, _) { tell(done, size) } if ticks == 1

      ->(done, _) { tell(done / size, ticks) }
    end

    # @param done [Integer]
    # @param total [Integer, nil] of so many, if that is known
    def tell(done, total)
      if total != @bar.total
        # A section may begin again, and have several loops.
        @bar.progress = 0
        @bar.total = total
        @bar.format = total ? WITH_END : WITHOUT_END
      end
      @bar.progress = total ? [done, total].min : done
    end

    def finish = @bar.total && @bar.finish
    def stop = @bar.stop
  end
  private_constant :ProgressBar
end
