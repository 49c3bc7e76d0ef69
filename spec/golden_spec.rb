# frozen_string_literal: true

require "json"
require "open3"
require "tmpdir"
require_relative "golden/rows"

# What first calls cost, counted: a change of the compiler shows in this table. UPDATE=1 writes it anew.
#
# It is for one Ruby and one instruction set, since core methods and code differ. Each program has a process of its own.
module Golden
  FOLDER = File.join(__dir__, "golden")
  TABLE = File.join(FOLDER, "costs.txt")
  RUNNER = File.expand_path("../benchmark/first_call/run.rb", __dir__)
  COLUMNS = ["walks", "expressions", "of the last walk", "statements", "functions", "instructions", "bytes"].freeze

  module_function

  def counted?
    RUBY_VERSION.start_with?("3.1.") && RbConfig::CONFIG["host_cpu"] == "x86_64" && Ikra.const_get(:Native)::TESTING
  end

  # Lines of the table, one for each first call.
  def table
    Dir.mktmpdir do |folder|
      made = Rows::ALL.map { |name, text| File.join(folder, "#{name}.rb").tap { |file| File.write(file, text.call) } }
      calls = in_parallel(Dir[File.join(FOLDER, "programs/*.rb")] + made) { |file| calls_of(file) }.flatten
      align([["", *COLUMNS], *calls.map { |call| row(call) }])
    end
  end

  def calls_of(file)
    environment = { "IKRA_TEST_ISA" => "1", "IKRA_THREADS" => "1" }
    command = [RbConfig.ruby, "-W0", "-I#{File.expand_path("../lib", __dir__)}", RUNNER, "cpu", file]
    told, words, status = Open3.capture3(environment, *command)
    raise "#{file}: #{words}" unless status.success?

    JSON.parse(told)
  end

  def row(call)
    return [call["name"], "refused: #{call["refused"]}"] if call["refused"]

    steps = call["steps"]
    code = steps.select { |name,| name.start_with?("code: ") }.values
    count = ->(name) { steps.dig(name, "count") || 0 }
    [call["name"], *["walks", "expressions", "in the last walk", "pass: verify"].map(&count), code.size,
     code.sum { |one| one["count"] }, count.call("machine code")].map(&:to_s)
  end

  def in_parallel(files)
    queue = Queue.new(files.each_with_index)
    results = Array.new(files.size)
    threads = Array.new(Etc.nprocessors) do
      Thread.new do
        until queue.empty?
          file, i = queue.pop(true)
          results[i] = yield file
        end
      rescue ThreadError
        nil
      end
    end
    threads.each(&:join)
    results
  end

  def align(rows)
    widths = rows.select { |row| row.size > 2 }.transpose.map { |column| column.map(&:size).max }
    rows.map do |name, *rest|
      [name.ljust(widths.first), *rest.each_with_index.map { |text, i| text.rjust(widths[i + 1]) }].join("  ").rstrip
    end
  end
end

RSpec.describe "first calls" do
  it "cost what the table says" do
    skip "counted on Ruby 3.1, x86-64 and a testing build" unless Golden.counted?

    lines = Golden.table
    File.write(Golden::TABLE, "#{lines.join("\n")}\n") if ENV["UPDATE"]
    expect(lines).to eq(File.readlines(Golden::TABLE, chomp: true)), lambda {
      known = File.readlines(Golden::TABLE, chomp: true)
      changed = lines.zip(known).reject { |now, before| now == before }
      "what first calls cost has changed: look at it, and write it anew with UPDATE=1 rspec spec/golden_spec.rb\n" \
        "#{changed.map { |now, before| "- #{before}\n+ #{now}" }.join("\n")}"
    }
  end
end
