# frozen_string_literal: true

require "rspec/core"

# Writes which example runs: its id, once it starts, and with the seconds that it took, once it is done.
class Running
  RSpec::Core::Formatters.register self, :example_started, :example_finished

  def initialize(output)
    @output = output
    @output.sync = true
  end

  def example_started(notification)
    @output.puts notification.example.id
  end

  def example_finished(notification)
    @output.puts "#{notification.example.id} #{notification.example.execution_result.run_time}"
  end
end
