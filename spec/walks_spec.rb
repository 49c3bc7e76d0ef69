# frozen_string_literal: true

require "open3"

# Programs for which inference has ended too early once: one walk more must find nothing else (IKRA_TEST_WALKS).
RSpec.describe "The walks of inference" do
  programs = {
    # Nothing was rescued yet when #format was found to raise a TypeError.
    "what a function turns out to raise in a rescue" => <<~RUBY,
      table = {}
      Ikra.section do
        table[format("%<a>5s|%-4{b}|%<b>+d", a: nil, b: nil)] = [nil, nil]
      rescue TypeError
        table[:none] = [1]
      end
      p table
    RUBY
    "what it turns out to raise in a method in a rescue" => <<~RUBY,
      def text(nothing) = format("%<a>5s|%-4{b}|%<b>+d", a: nothing, b: nothing) + "text"
      table = {}
      Ikra.section do
        table[text(nil)] = [nil, nil]
      rescue TypeError
        table[:none] = [1]
      end
      p table
    RUBY
    "what it turns out to raise in an ensure" => <<~RUBY
      table = {}
      Ikra.section do
        table[:first] = [3]
      ensure
        begin
          table[format("%<a>5s|%-4{b}|%<b>+d", a: nil, b: nil)] = [nil, nil]
        rescue TypeError
          table[:none] = [1]
        end
      end
      p table
    RUBY
  }

  # In a process of its own, which looks at the variable once.
  def run(program, backend)
    command = [RbConfig.ruby, "-I#{File.expand_path("../lib", __dir__)}", "-rikra", "-e",
               "Ikra.backend = :#{backend}\n#{program}"]
    told, words, status = Open3.capture3({ "IKRA_TEST_WALKS" => "1" }, *command)
    expect(status).to be_success, words
    told
  end

  programs.each do |name, program|
    it "end when all is known: #{name}" do
      expect(run(program, :cpu)).to eq(run(program, :ruby))
    end
  end
end
