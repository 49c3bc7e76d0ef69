# frozen_string_literal: true

module RandomPrograms
  # An Ikra::Column: the type of its items as the generator names it, and the Column's own.
  ColumnType = Struct.new(:items, :type)

  # Columns that the block captures: reads and writes of their items, and what Array's methods give for them.
  module Columns
    TYPES = { float64: :float, float32: :float, int64: :int, int32: :int, bool: :bool }.freeze
    LENGTH = 7
    # What is a whole number, a number of the column's sort, or true or false.
    MEASURES = [".size", ".length", ".count { |y| y == y }", ".each_index.sum", ".to_a.size"].freeze
    OF_NUMBERS = [".sum", ".min", ".max", ".first", ".last", ".inject { |a, b| a > b ? a : b }", ".sort.first",
                  ".minmax[1]", ".reverse_each.first(1)[0]", ".each_slice(3).map { |s| s[0] }.max", ".to_a[2]"].freeze
    QUESTIONS = [".empty?", ".any? { |y| y }", ".include?(%s)", ".all? { |y| y == %s }", ".none?"].freeze

    # Some are seen twice: the second name is that of a view.
    def captured_columns
      between(1, 2).times.flat_map do
        type, items = pick(TYPES.to_a)
        name = declare_column(type)
        values = Array.new(LENGTH) { column_text(type, items) }
        made = Node.fixed("#{name} = Ikra::Column.from_a([#{values.join(", ")}], :#{type})")
        next [made] unless chance(0.4)

        [made, Node.fixed("#{declare_column(type)} = #{name}[#{pick(%w[1.. 0..4 2..5 3..])}]")]
      end
    end

    def declare_column(type)
      fresh("c").tap { |name| @outside << [name, ColumnType.new(TYPES.fetch(type), type)] }
    end

    def column_text(type, items)
      type == :int32 ? between(-99, 99).to_s : constant_text(items)
    end

    def columns(items = nil)
      found = scope.variables.select { |variable| variable.declared.is_a?(ColumnType) }
      items ? found.select { |variable| variable.declared.items == items } : found
    end

    # An item, or what is made of all.
    def of_column(types, type, depth)
      return of_whole_column(type) if chance(favoured?(:item_or_other) ? 0.05 : 0.35)

      column = pick(columns(type))
      return unless column

      at = expression([:int], depth)
      return e(column.name, "[", at, "]") if types.include?(:nil) && chance(0.5)

      # A view of three items is the shortest.
      case between(0, 2, item_or_other: 2)
      when 0 then e(column.name, "[", at, " % 3]")
      when 1 then e(column.name, ".fetch(", at, " % 3 - 3)")
      else item_or_other(column, at, type)
      end
    end

    def item_or_other(column, at, type)
      return e("!", column.name, "[", at, "].nil?") if type == :bool

      e("(", column.name, "[", at, "] || ", expression([type], 0), ")")
    end

    def of_whole_column(type)
      case type
      when :int, :float
        column = pick(columns(type))
        return e(column.name, pick(OF_NUMBERS)) if column && chance(0.6)

        any = pick(columns)
        e(any.name, pick(MEASURES)) if any && type == :int
      when :bool
        any = pick(columns)
        any && e(any.name, format(pick(QUESTIONS), constant_text(any.declared.items)))
      end
    end

    def write_column(depth)
      column = pick(columns)
      return unless column

      item = expression([column.declared.items], depth)
      item = e("(", item, " % 65_537)") if column.declared.type == :int32 && !chance(@ill)
      at = e(expression([:int], depth), chance(@ill) ? " % 9" : " % 3")
      return Node.statement(column.name, "[", at, "] += ", item) if column.declared.type == :float64 && chance(0.4)

      Node.statement(column.name, "[", at, "] = ", item)
    end
  end
end
