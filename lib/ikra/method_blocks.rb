# frozen_string_literal: true

require "objspace"

module Ikra
  using OwnMethods

  # The block that `define_method` made a method of. A Method object does not tell, nor do its copies as procs; but it
  # refers to the entry in the table of methods, and that to the block.
  #
  # @api private
  module MethodBlocks
    REACHABLE = ObjectSpace.method(:reachable_objects_from)
    private_constant :REACHABLE

    # Called by the extension.
    #
    # @param method [UnboundMethod]
    # @return [Proc, nil]
    def self.of(method)
      entries = REACHABLE.call(method).grep(ObjectSpace::InternalObjectWrapper)
      blocks = entries.flat_map { |entry| REACHABLE.call(entry) || [] }.grep(Proc)
      blocks.first if blocks.size == 1
    end
  end
  private_constant :MethodBlocks
end
