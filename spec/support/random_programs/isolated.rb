# frozen_string_literal: true

require "io/wait"

module RandomPrograms
  # Runs things in a process of their own, so that one that crashes, or never ends, is found out.
  module Isolated
    # @param items [Array]
    # @param limit [Numeric] seconds for one item
    # @param stop [Proc, nil] is told each verdict; true ends it
    # @return [Array<Trial::Verdict>] verdicts of the first items: all of them unless one crashed, which comes last
    def self.stream(items, limit:, stop: nil, &block)
      reader, writer = IO.pipe(binmode: true)
      child = fork { work(items, reader, writer, stop, &block) }
      writer.close
      verdicts = []
      until verdicts.size == items.size || (stop && verdicts.any? && stop.call(verdicts.last))
        verdict = read(reader, limit)
        verdicts << (verdict.is_a?(Symbol) ? lost(verdict, child) : verdict)
        break if verdict.is_a?(Symbol)
      end
      verdicts
    ensure
      reader&.close
      finish(child)
    end

    def self.work(items, reader, writer, stop)
      reader.close
      # A compiler's words about a program that it cannot compile.
      [$stdout, $stderr].each { |stream| stream.reopen(File::NULL) } unless ENV["IKRA_FUZZ_OUTPUT"]
      items.each do |item|
        verdict = yield item
        Marshal.dump(verdict, writer)
        writer.flush
        break if stop&.call(verdict)
      end
      exit!(0)
    end

    # @return [Trial::Verdict, :crashed, :hanging]
    def self.read(reader, limit)
      return :hanging unless reader.wait_readable(limit)

      Marshal.load(reader) # rubocop:disable Security/MarshalLoad
    rescue EOFError
      :crashed
    end

    def self.lost(kind, child)
      Process.kill(:KILL, child)
      Trial::Verdict.new(kind, "the process #{kind == :crashed ? "ended" : "did not come to an end"}", 0)
    rescue Errno::ESRCH
      Trial::Verdict.new(kind, "the process ended", 0)
    end

    def self.finish(child)
      Process.kill(:KILL, child)
      Process.wait(child)
    rescue Errno::ESRCH, Errno::ECHILD
      nil
    end
    private_class_method :work, :read, :lost, :finish
  end
end
