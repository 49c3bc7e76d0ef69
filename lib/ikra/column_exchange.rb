# frozen_string_literal: true

module Ikra
  # What columns have in common with arrays of numbers of others, as they lie in memory.
  class Column
    # Classes of Numo::NArray by type.
    NUMO = { float64: :DFloat, float32: :SFloat, int64: :Int64, int32: :Int32, bool: :Bit }.freeze
    private_constant :NUMO

    class << self
      # A column of the items of an array of the gem numo-narray, in their order.
      #
      # @param narray [Numo::NArray] of class DFloat, SFloat, Int64, Int32 or Bit
      # @return [Column]
      # @raise [TypeError] when it is of another class
      def from_numo(narray)
        type = NUMO.key(narray.class.name.delete_prefix("Numo::").to_sym)
        raise TypeError, "a column takes no #{narray.class}: cast it, as in Numo::DFloat.cast(…)" unless type

        # A Bit has eight items in a byte.
        narray = Numo::UInt8.cast(narray) if type == :bool
        narray.empty? ? new(0, type) : from_packed(narray.to_binary, type)
      end

      # A column of what is in an IO::Buffer (since Ruby 3.1).
      #
      # @param buffer [IO::Buffer]
      # @param type [Symbol] one of {TYPES}
      # @return [Column]
      def from_buffer(buffer, type)
        # An empty one has no memory to read.
        buffer.size.zero? ? new(0, type) : from_packed(buffer.get_string, type)
      end
    end

    # @return [Numo::NArray] of one dimension, with memory of its own: a DFloat, SFloat, Int64, Int32 or Bit
    # @raise [LoadError] when the gem numo-narray is not there
    def to_numo
      require "numo/narray"
      return Numo.const_get(NUMO.fetch(type)).zeros(0) if empty?
      return Numo::UInt8.from_binary(to_packed, [size]).ne(0) if type == :bool

      Numo.const_get(NUMO.fetch(type)).from_binary(to_packed, [size])
    end

    # @return [IO::Buffer] with memory of its own (since Ruby 3.1)
    def to_buffer
      buffer = IO::Buffer.new(size * BYTES.fetch(type))
      buffer.set_string(to_packed) unless empty?
      buffer
    end
  end
end
