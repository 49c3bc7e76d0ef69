# frozen_string_literal: true

require "rspec/core"

# Writes which example runs: its id, once it starts.
class Running
  RSpec::Core::Formatters.register self, :example_started

  def initialize(output)
    @output = output
    @output.sync = true
  end

  def example_started(notification)
    @output.puts notification.example.id
  end
end
