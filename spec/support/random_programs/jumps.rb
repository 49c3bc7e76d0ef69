# frozen_string_literal: true

require_relative "frames"

module RandomPrograms
  # `ensure` around loops that raise, `throw` out of nested blocks, default values that are set later, and objects that
  # are shown: written as the texts of Frames are.
  module Jumps # rubocop:disable Metrics/ModuleLength
    include Frames

    LOGGED = FramedTexts.list(<<~'RUBY')
      J = []
      begin
        V = Frames.F(N, J)
      rescue StandardError
        V = 1
      ensure
        V += J.sum + J.size
      end
      ---
      J = []
      V = Frames.F(N, J) + J.size
      ---
      J = [3]
      V = ((Frames.F(N, J) rescue 8) + J.sum) % 997
    RUBY
    ENSURED = FramedTexts.pairs(<<~'RUBY', LOGGED)
      def self.F(n, log)
        3.times do |i|
          log << R(n + i)
        ensure
          log << 100
        end
        7
      ensure
        log << 200
      end
      ===
      def self.F(n, log)
        [n, 2, 3].each do |i|
          begin
            log << R(i)
          rescue ZeroDivisionError, ArgumentError
            log << 1
          ensure
            log << 2
          end
        end
        log.size
      ensure
        log << n
      end
      ===
      def self.F(n, log)
        i = 0
        while i < 4
          i = i.succ
          begin
            log << R(n + i)
          ensure
            log << i
          end
        end
        i
      ensure
        log.push(5, 6)
      end
      ===
      def self.F(n, log)
        log << [n, 4].sum { |i| R(i) }
        1
      rescue RuntimeError
        log << 50
        2
      else
        3
      ensure
        [1, 2].each { |i| log << i }
      end
      ===
      def self.G(n, log)
        yield(n)
      ensure
        log << 9
      end

      def self.F(n, log)
        2.times { |i| G(n + i, log) { |m| log << R(m) } }
        4
      ensure
        log << 30
      end
      ===
      ---
      J = []
      begin
        LIST.each do |i|
          J << R(i)
        ensure
          J << 1
        end
      ensure
        V = J.sum + J.size
      end
      ---
      J = []
      begin
        [N, 2].map { |i| [i, 3].each { |j| J << R(j) } }
      rescue StandardError
        J << 7
      ensure
        V = J.sum
      end
    RUBY
    THROWN = FramedTexts.pairs(<<~'RUBY')
      ---
      V = catch(:done) do
        LIST.each { |i| [i, N].map { |j| throw :done, j % 7 if j > M } }
        3
      end
      ---
      V = catch(:out) { [N, 5].each { |i| 2.times { |j| throw :out, i + j if R(i) > 9 } } && 4 }
      ---
      V = catch(:out) do
        catch(:in) do
          LIST.each { |i| throw(i > M ? :out : :in, i % 9) }
          1
        end + 1
      end
      ---
      V = catch(:out) do
        J = 5
        begin
          { 1 => N, 2 => 9 }.each { |k, w| throw :out, k if w > 8 }
          J
        ensure
          J = 6
        end
      end
      ---
      J = ->(i) { throw :done, i + 1 if i > M }
      V = catch(:done) { [N, 3].each { |i| J.(i) } && 2 }
      ---
      V = catch(:done) { LIST.sum { |i| i == M ? throw(:done, 5) : R(i) } }
      ---
      V = catch(:done) { throw :done if N > 12
      3 } || 8
      ---
      2.times { |i| V += catch(:next) { [N, 1].each { |j| throw :next, j if j > i } && 7 } }
      ===
      def self.F(n)
        [n, 2].each { |i| throw :done, i if R(i) > 9 }
        n
      end
      ---
      V = catch(:done) { Frames.F(N) }
      ---
      V = catch(:done) { [3, N].map { |i| Frames.F(i) }.sum }
      ---
      V = catch(:other) { catch(:done) { Frames.F(N) } + 1 }
      ---
      V = catch(:all) { [N, 3].each { |i| throw :all, [i, [N]] if i > 2 }; [] }.flatten.sum
      ---
      V = catch(:all) { throw :all, { a: N, b: [N, 1] } if N > M; { b: [] } }[:b].size
      ===
      def self.G(n, &block) = [n, 4].each(&block)

      def self.F(n)
        catch(:found) { G(n) { |i| throw :found, i if i > R(i) } && 6 }
      end
      ---
      V = Frames.F(N)
      ===
      def self.F(n, log)
        [n, 3].each do |i|
          throw :done, i if i > R(n)
        ensure
          log << i
        end
        2
      ensure
        log << 9
      end
      ---
      J = []
      V = catch(:done) { Frames.F(N, J) } + J.sum
    RUBY
    DEFAULTS = FramedTexts.list(<<~'RUBY')
      J = { 1 => N }
      J.default = N if TEST
      V = J[N] || 7
      ---
      J = Hash.new(3)
      J.default = 8 if TEST
      V = J[N] + J[1]
      ---
      J = Hash.new { |h, k| h[k] = k + 1 }
      J.default = 4 if TEST
      V = J[N]
      ---
      J = LIST.tally
      J.default = 0 if TEST
      V = (J[N] || 5) + J.size
      ---
      J = Hash.new(1)
      J.default = [N] if TEST
      V = J[N].is_a?(Array) && J[5] << 2 ? J[6].size : J[4]
      ---
      J = Hash.new { |_, k| k }
      V = J.dup.then { |w| w.default_proc = nil if TEST; w[N] || 2 } + J[3] + (J.merge({ 7 => 1 }).default || 5)
      ---
      J = { a: 1 }
      V = J[:b] || 2
      J.default = nil if TEST
      V += J.default || 3
    RUBY
    SHOWN = FramedTexts.list(<<~'RUBY')
      V = Frames::C.new(N, [1, nil]).inspect.size
      ---
      V = [Frames::C.new(N, :a), 2].inspect.size
      ---
      V = Frames::C.new(Frames::C.new(1, N), "x").to_s.size
      ---
      V = "#{{ a: Frames::C.new(N, 2.5) }}".size
      ---
      V = Frames::C.new("é", nil).inspect.sum % 97 + N
      ---
      V = [[Frames::C.new(N, 1..2)]].to_s.size
      ---
      V = Frames::C.new(1, N).then { |c| c.inspect == c.dup.inspect ? c.to_s.size : 2 }
    RUBY
    SHOWING = FramedTexts.pairs(<<~'RUBY', SHOWN)
      C = Struct.new(:a, :b)
      ===
      class C < Struct.new(:a, :b); end
      ===
      C = Struct.new(:a, :b) do
        def inspect = "<#{a}>"
      end
      ===
      class C
        def initialize(a, b)
          @a = a
          @b = b
        end

        def inspect = "<#{@a.inspect} #{@b.inspect}>"
        def to_s = inspect.dup
      end
      ===
      C = Struct.new(:a, :b, keyword_init: true)
      ---
      V = Frames::C.new(a: N, b: "q").inspect.size
    RUBY

    def ensured_loop(depth) = scope.loops > 1 || depth <= 0 ? nil : framed_by(ENSURED, depth)
    def thrown(depth) = scope.loops > 1 || depth <= 0 ? nil : framed_by(THROWN, depth)
    def shown_object(depth) = depth <= 0 ? nil : framed_by(SHOWING, depth)

    def default_set(depth)
      return if depth <= 0

      test = pick(["N > M", "N == 1_234_567_891", "true"])
      framed_by([[nil, DEFAULTS.map { |text| text.gsub("TEST", test) }]], depth)
    end
  end
end
