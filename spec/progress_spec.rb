# frozen_string_literal: true

require "stringio"

# A terminal that keeps what it is shown.
class ProgressTerminal < StringIO
  def tty? = true
  def lines_shown = string.split(/[\r\n]+/).map(&:strip)
end

class ProgressCounter
  attr_accessor :value

  def initialize(value) = @value = value
  def turn(times) = times.times { |i| @value = ((@value * 31) + i) % 1_000_003 }
end

each_backend do |_backend|
  describe "progress:" do
    def on_terminal
      shown = ProgressTerminal.new
      before = $stderr
      $stderr = shown
      yield
      shown.lines_shown
    ensure
      $stderr = before
    end

    let(:counters) { Array.new(300) { |i| ProgressCounter.new(i) } }

    it "shows ticks, and elements where there is one" do
      shown = on_terminal { counters.peach(40, progress: true) { |c| c.turn(3) } }
      expect(shown.last).to match(%r{\Apeach 40/40 \|=+\| 100%})
      shown = on_terminal { counters.pmap(progress: "Turning") { |c| c.turn(3) } }
      expect(shown.last).to start_with("Turning #{"300/300" unless Ikra.backend == :ruby}")
      expect(on_terminal { 50.ptimes(progress: :numbers) { |i| i + 1 } }.last).to start_with("numbers")
    end

    it "gives what is given without it" do
      given = nil
      on_terminal { given = counters.pselect(progress: true) { |c| c.value.even? } }
      expect(given).to eq(counters.select { |c| c.value.even? })
      expect(on_terminal { [].peach(3, progress: true) { |x| x } }.last).to start_with("peach")
    end

    it "stays where it was when something is raised" do
      shown = on_terminal do
        expect { counters.peach(5, progress: true) { |c| 1 / (c.value - 20) } }.to raise_error(ZeroDivisionError)
      end
      expect(shown.last).not_to include("100%")
    end

    it "is not shown where there is no terminal, and takes true, false or a title" do
      expect { counters.peach(2, progress: true) { |c| c.turn(1) } }.not_to output.to_stderr
      expect(on_terminal { counters.peach(2, progress: false) { |c| c.turn(1) } }).to be_empty
      expect { counters.peach(2, progress: 3) { |c| c.turn(1) } }
        .to raise_error(TypeError, "progress must be true, false or a title, not Integer")
    end

    it "counts the iterations of a section's outermost loop" do
      all = counters
      shown = on_terminal do
        Ikra.section(progress: "ticks") do
          25.times do
            all.peach { |c| c.turn(2) }
            3.times { all.peach { |c| c.value += 1 } }
          end
        end
      end
      expect(shown.last).to start_with("ticks")
      expect(shown.last).to match(%r{\Aticks 25/25 \|=+\| 100%}) unless Ikra.backend == :ruby
    end

    it "is no matter to calls in a section or an element" do
      all = counters
      before = all.map(&:value)
      Ikra.section { all.peach(2, progress: true) { |c| c.value += 1 } }
      all.first(2).peach { |_| [1, 2].peach(2, progress: true) { |x| x } }
      expect(all.map(&:value)).to eq(before.map { |v| v + 2 })
    end
  end
end
