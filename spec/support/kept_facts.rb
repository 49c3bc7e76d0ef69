# frozen_string_literal: true

# What Ruby keeps of an exception beside class and message.
module KeptFacts
  ASKED = %i[key receiver matchee name args result tag value].freeze

  # By name: what it answers, or what it raises where it has been given none.
  def self.of(error)
    ASKED.select { |name| error.respond_to?(name) }.to_h do |name|
      [name, error.public_send(name)]
    rescue ArgumentError => e
      [name, e.class]
    end
  end

  # Those that it was raised for, the nearest first: class, first line of the message, what is kept, and where it was
  # raised.
  def self.causes(error)
    causes = []
    while (error = error.cause)
      message = error.message.lines.first&.chomp&.gsub(/0x\h+/, "0x")
      causes << [error.class, message, shown(error), error.backtrace&.first]
    end
    causes
  end

  # The same, for exceptions of two runs to be compared.
  def self.shown(error) = of(error).transform_values { |value| value.inspect.gsub(/0x\h+/, "0x") }
end
