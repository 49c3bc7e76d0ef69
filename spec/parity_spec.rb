# frozen_string_literal: true

# Every built-in method of the tables gives what Ruby gives, on values where that is hard: class for class and bit for
# bit (Math on a card: within 2 units in the last place), with Ruby's exceptions, and an error where the result would
# need more than 64 bits.
RSpec.describe "Ruby's methods" do
  around do |example|
    previous = Ikra.chosen
    Ikra.backend = :cpu
    example.run
  ensure
    Ikra.backend = previous
  end

  # docs/ruby.md is made from the tables.
  it "are all here" do
    text = File.read(File.join(__dir__, "..", "docs", "ruby.md"))
    missing = Parity::OWNERS.flat_map do |owner|
      section = text[/^## #{Regexp.escape(owner)}\n(.*?)(?=^## |\z)/m, 1]
      section.scan(/^\| `(.+?)` \| runs/).map { |name| [owner, name.first.gsub("\\|", "|")] }
    end
    missing -= Parity::ROWS.map { |row| [row.owner, row.method] }
    expect(missing).to eq([])
  end

  Parity::ROWS.group_by { |row| [row.owner, row.method] }.each do |(owner, method), rows|
    it "#{owner} #{method}" do
      differences = rows.flat_map { |row| Parity.differences(row) }
      expect(differences.size).to eq(0), -> { "#{differences.size} differences:\n#{differences.first(12).join("\n")}" }
    end
  end
end
