# frozen_string_literal: true

require "set"

module Traffic
  LIMITS = [30, 50, 70].freeze

  # A street: neighbours, lanes and a limit.
  class Street
    attr_reader :neighbors, :limit

    def initialize(limit, neighbors = [], *rest, name:, lanes: 2, **options, &block)
      @limit, @neighbors = limit, neighbors
      @name ||= name
      @lanes = lanes > 0 ? lanes : 1
      @options = { color: :red, "size" => 3, **options }
      rest.each_with_index { |item, index| @neighbors[index] = item unless item.nil? }
    end

    def next_street(random)
      return nil if @neighbors.empty?

      @neighbors[random % @neighbors.size]
    end

    def +(other) = Street.new(limit + other.limit, name: "#{@name}-#{other&.name}")

    class << self
      def build(*args, &) = new(*args, name: %w[a b].first, &)
    end
  end

  class Car < Actor
    MAX = 1_000.5e3

    def move(weather)
      slow = weather.rain? and @speed > LIMITS[-1]
      @speed -= 1 if slow && !stopped?
      case @speed
      when 0 then turn
      when 1..10, LIMITS.first
        @progress += @speed * 0.1
      when Integer, Float then @progress = -@progress
      else
        raise ArgumentError, <<~MESSAGE
          No such speed: #{@speed.inspect}
            at #{@street.limit} (#{1 + 2})
        MESSAGE
      end
      until @progress < @street.limit
        @progress -= @street.limit
        @street = @street.next_street(rand(2**31)) || break
      end
      begin
        @ticks = (@ticks || 0) + 1
      end while @ticks < 0x10
      super
    rescue ZeroDivisionError => e
      warn e.message
    ensure
      @done = true
    end

    private def turn
      for a, (b, *c) in @street.neighbors.map { [_1, [_1.limit, 2, 3]] }
        next if c.sum { it * b }.zero?

        yield a, b if block_given?
      end
    end
  end

  def self.run(actors, ticks: 100)
    total = 0
    weather = ->(day, (low, high) = [1, 2]; t) { t = low..high; t.include?(day) }
    ticks.times do |tick|
      actors.peach { |actor| actor.move(weather.(tick)) }
      actors.each_slice(2) { |(a, b), c| total += a&.speed.to_i ** 2 if a !~ /x#{b}y/i }
      x, @y, self.z, q[1], *r = *actors, :a, ?b, %i[c d]
      q[0] ||= x.foo += r.bar &&= 3 rescue nil
      case [x, 1] in [Integer => n, *] | { k: nil } if n > 1 then n end
      puts `date`, $stdin, @@count, 3r, 2i, __method__, __FILE__ unless defined?(x)
    end
    lambda(&:succ) << proc { |*, k: 1, **nil| k }
  end
end
