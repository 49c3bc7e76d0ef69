# frozen_string_literal: true

# Shapes told apart by patterns.
Circle = Struct.new(:radius)
Rectangle = Struct.new(:width, :height)
shapes = Array.new(20) { |i| i.even? ? Circle.new(i) : Rectangle.new(i, i + 1) }
shapes.pmap do |shape|
  case shape
  in Circle[0] then :point
  in Circle[radius] if radius > 10 then [:large, radius]
  in { radius: } then [:circle, radius * 2]
  in Rectangle[width:, height:] then [:rectangle, width * height]
  end
end
