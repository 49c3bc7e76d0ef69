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

  # The same, for exceptions of two runs to be compared.
  def self.shown(error) = of(error).transform_values { |value| value.inspect.gsub(/0x\h+/, "0x") }
end
