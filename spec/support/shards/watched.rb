# frozen_string_literal: true

require "open3"
require "tempfile"

# A process that is told apart from one that works by what it says to a file: one that says nothing for too long is
# killed, with what it and its children wait for.
class Watched
  # RSpec's arguments by which a process says which example it runs to +file+.
  def self.formatters(file)
    ["--require", File.join(__dir__, "running.rb"), "--format", "progress", "--format", "Running", "--out", file]
  end

  # Runs +command+ with +examples+.
  #
  # @param command [Array<String>] RSpec
  # @param examples [Array<String>] ids of examples
  # @param patience [Numeric] seconds that an example may take
  # @return [Array(String, Process::Status, Hash)] all that it wrote, how it ended, and the seconds that examples took
  def self.run(command, examples, patience:)
    Tempfile.create("running") do |file|
      Open3.popen2e(*command, *formatters(file.path), *examples) do |input, output, thread|
        input.close
        reader = Thread.new { output.read }
        until thread.join(1)
          next if Time.now - file.mtime < patience

          hung = new(thread.pid, lines(file).last, patience).end_it
          # Where its report hangs, too.
          Process.kill(:KILL, thread.pid) unless thread.join(30)
        end
        took = lines(file).filter_map { |line| line.match(/\A(\S+) ([\d.e-]+)\z/)&.captures }
        return ["#{reader.value}#{hung}", thread.value, took.to_h.transform_values(&:to_f)]
      end
    end
  end

  def self.lines(file) = File.readlines(file.path, chomp: true)
  private_class_method :lines

  def initialize(process, example, patience)
    @process = process
    @example = example
    @patience = patience
  end

  # Has the process and its children end with a report of where they are, those that it waits for first.
  # @return [String] what each of their threads waited for
  def end_it
    processes = descendants(@process).reverse
    report = processes.map { |process| describe(process) }
    processes.each do |process|
      Process.kill(:SEGV, process)
      sleep 5
      Process.kill(:KILL, process) if process != @process
    rescue Errno::ESRCH
      next
    end
    "\n#{@example} ran for more than #{@patience} seconds\n#{report.join}"
  end

  private

  def descendants(process)
    children = Dir["/proc/#{process}/task/*/children"].flat_map { |file| File.read(file).split.map(&:to_i) }
    [process, *children.flat_map { |child| descendants(child) }]
  rescue Errno::ENOENT, Errno::ESRCH
    [process]
  end

  def describe(process)
    threads = Dir["/proc/#{process}/task/*"].map do |thread|
      "  #{%w[comm wchan syscall].map { |name| read("#{thread}/#{name}") }.join("  ")}\n"
    end
    "process #{process}: #{read("/proc/#{process}/cmdline").tr("\0", " ")[0, 300]}\n#{threads.join}"
  end

  def read(file)
    File.read(file).chomp
  rescue SystemCallError
    "?"
  end
end
