# frozen_string_literal: true

require "set"

# What Ikra's own methods are made of has names that a user cannot call: no message is to tell them.
module InternalNames
  SOURCES = File.expand_path("../../src/builtins", __dir__)

  # A class of a spec may have methods of its own by these names.
  METHODS = %i[instance_methods private_instance_methods].map { |name| Module.instance_method(name) }.freeze

  # @return [Set<String>] the names that no class or module of Ruby has, too
  def self.all
    @all ||= begin
      texts = Dir["#{SOURCES}/core/**/*.rb"].flat_map { |path| File.read(path).scan(/^  def __([a-z_0-9]+[?!=]?)/) }
      rules = Dir["#{SOURCES}/*.rs"].flat_map { |path| File.read(path).scan(/\("#([a-z_0-9]+[?!=]?)"/) }
      own = ObjectSpace.each_object(Module).flat_map do |m|
        METHODS.flat_map { |methods| methods.bind_call(m, false) }
      end
      (texts + rules).flatten.to_set - own.to_set(&:to_s)
    end
  end

  # @return [Array<String>] those that a message tells
  def self.in(message)
    told = message.scan(/`([^`'\n]+)[`']/).flatten
    told.select { |name| name.match?(/(\A|#)#[a-z]/) || all.include?(name[/[a-z_0-9]+[?!=]?\z/]) }
  end
end

# Of all errors of the specs.
module InternalNames
  # Keeps what messages tell that they are not to.
  module Told
    def initialize(message = nil, ...)
      InternalNames.told.concat(InternalNames.in(message.to_s))
      super
    end
  end

  def self.told = @told ||= []

  Ikra::UnsupportedError.prepend(Told)
  RSpec.configure do |config|
    config.after { expect(InternalNames.told.slice!(0..)).to be_empty, "a message names what users cannot call" }
  end
end
