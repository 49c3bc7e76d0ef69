# frozen_string_literal: true

# Three blocks with a format each.
numbers = (1..20).to_a
numbers.pmap { |x| format("%05d", x) }
numbers.pmap { |x| format("%.2f of %d", x * 0.5, x) }
numbers.pmap { |x| format("<%-6s|%x>", x, x) }
