# frozen_string_literal: true

# Every built-in method of the tables gives what Ruby gives, on values where that is hard: class for class and bit for
# bit (Math on a GPU: within 2 units in the last place), Integers of any size, and with Ruby's exceptions.
RSpec.describe "Ruby's methods" do
  # docs/ruby.md is made from the tables.
  it "are all here" do
    text = File.read(File.join(__dir__, "..", "docs", "ruby.md"))
    missing = Parity::OWNERS.flat_map do |owner|
      section = text[/^## #{Regexp.escape(owner)}\n(.*?)(?=^## |\z)/m, 1]
      section.scan(/^\| `(.+?)` \| runs/).map { |name| [owner, name.first.gsub("\\|", "|")] }
    end
    missing -= Parity::ROWS.map { |row| [row.owner, row.name] }
    # What is printed, output_spec.rb compares.
    missing -= [%w[Kernel display]]
    missing.select! { |owner, name| Parity.method?(owner, name) }
    expect(missing).to eq([])
  end

  each_compiling_backend do |backend|
    # Everything on the CPU, where compiling takes no time; an expression for each kind of receiver elsewhere. To a hard
    # garbage collector numbers are much the same.
    every = if GCModes.chosen then 12
            else
              backend == :cpu ? 1 : 4
            end
    Parity::ROWS.group_by { |row| [row.owner, row.name] }.each do |(owner, method), rows|
      chosen = every == 1 ? rows : rows.uniq(&:receivers)
      chosen = chosen.reject(&:pattern?) unless backend == :cpu
      it "#{owner} #{method}" do
        differences = chosen.flat_map { |row| Parity.differences(row, every:) }
        told = "#{differences.size} differences:\n#{differences.first(12).join("\n")}"
        expect(differences).to be_empty, -> { told }
      end
    end
  end
end
