# frozen_string_literal: true

module RandomPrograms
  # A piece of a program: text and smaller pieces, by turns. The tree is what the shrinker cuts at.
  #
  # Sorts: :expression (can be replaced by another), :statement, :body (statements, each of which can go), :list (parts
  # with a separator, each of which can go) and :fixed (stays as it is around its parts).
  class Node
    attr_reader :sort, :parts, :separator

    def initialize(sort, parts, separator = nil)
      @sort = sort
      @parts = parts
      @separator = separator
      freeze
    end

    def self.expression(*parts) = new(:expression, parts)
    def self.statement(*parts) = new(:statement, parts)
    def self.body(parts) = new(:body, parts)
    def self.list(parts, separator = ", ") = new(:list, parts, separator)
    def self.fixed(*parts) = new(:fixed, parts)
    # Parts that all stay, with commas.
    def self.commas(parts) = new(:fixed, parts.flat_map { |part| [part, ", "] }[0...-1])

    def to_s
      case sort
      when :body then parts.map { |part| part.to_s.gsub(/^(?=.)/, "  ") }.join("\n")
      when :list then parts.join(separator)
      else parts.join
      end
    end

    # Removable parts leave by their index.
    def without(range)
      Node.new(sort, parts.reject.with_index { |_, i| range.cover?(i) }, separator)
    end

    def with(index, part)
      Node.new(sort, parts.each_with_index.map { |old, i| i == index ? part : old }, separator)
    end

    # @return [Integer] number of nodes
    def size
      1 + parts.sum { |part| part.is_a?(Node) ? part.size : 0 }
    end
  end
end
