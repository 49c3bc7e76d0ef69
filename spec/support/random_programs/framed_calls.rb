# frozen_string_literal: true

require_relative "framed_texts"

module RandomPrograms
  # Methods of all kinds that call what raises, or the block that does.
  module FramedCalls # rubocop:disable Metrics/ModuleLength
    GIVEN = FramedTexts.list(<<~'RUBY')
      V = Frames.G(N) { |i| R(i) }
      ---
      V = Frames.G(N) do |i|
        j = i + 1
        R(j)
      end
      ---
      J = ->(i) { R(i) }
      V = Frames.G(N, &J)
      ---
      V = Frames.G(N, &Frames.method(:S))
      ---
      V = [N, 3].sum { |n| Frames.G(n) { |i| R(i + n) } }
    RUBY
    YIELDING = FramedTexts.pairs(<<~'RUBY', GIVEN)
      def self.G(n)
        yield(n) + 1
      end
      ===
      def self.G(n, &block) = block.call(n)
      ===
      def self.G(n, &block)
        block.(n) + 1
      end
      ===
      def self.G(n, &block)
        [n, 2].map(&block).sum
      end
      ===
      def self.F(n) = yield(n)
      def self.G(n, &block) = F(n, &block)
      ===
      def self.F(n)
        yield(n) + 2
      end

      def self.G(n)
        F(n) { |i| yield(i + 1) }
      end
      ===
      def self.F(n) = yield(n)

      def self.G(n, &block)
        n > 12 ? F(n, &block) : block.yield(n)
      end
      ===
      def self.G(n)
        return 5 unless block_given?

        3.times { |i| yield(n + i) }
        n
      end
      ===
      def self.F(n) = yield(n)
      def self.G(...) = F(...)
      ===
      def self.F(n, *) = yield(n)
      def self.G(*all, &block) = F(*all, &block)
    RUBY
    DEEP = FramedTexts.list(<<~'RUBY')
      V = Frames.F(N, 2)
      ---
      V = Frames.F(N, 3)
      ---
      V = [N, 2].sum { |i| Frames.F(i, 2) }
      ---
      V = Frames.F(N, N % 3)
    RUBY
    RECURSION = FramedTexts.pairs(<<~'RUBY', DEEP)
      def self.F(n, deep) = deep < 1 ? R(n) : F(n + 1, deep - 1)
      ===
      def self.F(n, deep)
        return R(n) if deep <= 0

        F(n + 3, deep - 1) + 1
      end
      ===
      def self.F(n, deep) = deep < 1 ? R(n) : G(n, deep - 1)

      def self.G(n, deep)
        F(n + 1, deep - 1)
      end
      ===
      def self.F(n, deep)
        return R(n) if deep < 1

        [1, 2].sum { |i| F(n + i, deep - 1) }
      end
      ===
      def self.F(n, deep)
        return R(n) if deep < 1

        F(n, deep - 1)
      rescue ZeroDivisionError
        deep
      end
    RUBY
    OF_OBJECT = FramedTexts.list(<<~'RUBY')
      V = Frames::C.new.F(N)
      ---
      V = [N, 3].sum { |i| Frames::C.new.F(i) }
      ---
      J = Frames::C.new
      V = J.F(N) + J.F(2)
    RUBY
    DEFINED = FramedTexts.pairs(<<~'RUBY', OF_OBJECT)
      class C
        define_method(:F) { |n| R(n) }
      end
      ===
      class C
        define_method(:F) do |n, m = 3|
          R(n) + m
        end
      end
      ===
      class C
        %i[F G].each { |name| define_method(name) { |n| R(n) } }
      end
      ===
      class C
        define_method(:G) { |n| R(n) }
        alias_method :F, :G
      end
      ===
      class C
        define_method(:F) { |n| [n, 2].sum { |i| R(i) } }
      end
      ===
      class C
        define_method(:F) { |n, &block| block.call(n) }
      end
      ---
      V = Frames::C.new.F(N) { |i| R(i) }
      ===
      class C
        define_singleton_method(:F) { |n| R(n) }
      end
      ---
      V = Frames::C.F(N)
    RUBY
    # A class with a method_missing, which no section calls.
    MISSING = FramedTexts.pairs(<<~'RUBY')
      class C
        def F(n) = R(n)
        def method_missing(name, *given) = name == :G ? R(given[0]) : super
        def respond_to_missing?(name, all = false) = name == :G || super
      end
      ---
      V = Frames::C.new.F(N)
      ---
      V = [N, 3].sum { |i| Frames::C.new.F(i) }
      ---
      J = Frames::C.new
      V = J.F(N) + J.F(2)
      ---
      V = N == 1_234_567_891 ? Frames::C.new.G(N) : Frames::C.new.F(N)
      ---
      V = Frames::C.new.F(N)
      Frames::C.new.send(:G, 5) if V == 1_234_567_891
      ---
      V = Frames::C.new.public_send(:F, N)
      ===
      class C
        def method_missing(name, *given)
          R(given.size)
        end
      end

      class D < C
        def F(n)
          R(n)
        end
      end
      ---
      V = Frames::D.new.F(N)
      ---
      V = [N, 4].sum { |i| Frames::D.new.F(i) }
      ---
      V = [Frames::C.new, Frames::D.new][1].then { |one| one.is_a?(Frames::D) ? one.F(N) : 3 }
    RUBY
    SENT = FramedTexts.pairs(<<~'RUBY')
      ---
      V = Frames.send(:S, N)
      ---
      V = Frames.public_send(:S, N)
      ---
      V = Frames.__send__(:S, N)
      ---
      V = Frames.send("S", N)
      ---
      V = [N, 3].sum { |i| Frames.send(:S, i) }
      ---
      V = N.send(:/, N - M)
      ---
      V = [3, 4].send(:fetch, N % 3)
      ---
      V = LIST.send(:map) { |i| R(i) }.size
      ---
      V = N.public_send(:then) { |i| R(i) }
      ---
      V = N.send(%i[/ %][N % 2], N - M)
      ===
      class C
        private

        def F(n) = R(n)
      end
      ---
      V = Frames::C.new.send(:F, N)
      ===
      def self.F(n = 3, **o) = R(n + o.size)
      ---
      V = Frames.send(:F, N, **{ a: 1 })
      ---
      J = { a: N }
      J[:b] = 2 if N > M
      V = Frames.public_send(:F, **J)
      ===
      def self.F(o = {}) = R(o.size) + o.merge!({ c: 1 }).size
      ---
      J = { a: N, b: 2 }
      V = Frames.send(:F, **J) + J.size
      ---
      J = {}
      J[:a] = 3 if N > M
      V = Frames.__send__(:F, **J) + J.size
    RUBY
    OF_STRUCT = FramedTexts.list(<<~'RUBY')
      V = Frames::C.new(N, 2).F(3)
      ---
      V = Frames::C.new(N, 1).total
      ---
      V = (Frames::C.new(N, 1) + Frames::C.new(2, 1)).a
      ---
      V = [Frames::C.new(N, 1), Frames::C.new(2, N)].sum(&:total)
      ---
      V = Frames::C.new(N, 1) > Frames::C.new(2, 2) ? 1 : 2
      ---
      V = "#{Frames::C.new(N, 2)}".size
      ---
      V = [Frames::C.new(N, 2), Frames::C.new(3, 2)].max.b
      ---
      Frames::C.new(N, 4).both { |i| V += R(i) }
    RUBY
    MEMBERS = <<~'RUBY'
      include Comparable

      def F(n) = R(n + a)

      def total
        a + R(b)
      end

      def <=>(other) = R(a) <=> R(other.a)
      def to_s = "<#{R(a)}>"

      def +(other)
        self.class.new(R(a + other.a), b)
      end

      def both
        yield a
        yield R(b)
      end
    RUBY
    STRUCTS = FramedTexts.pairs(<<~'RUBY', OF_STRUCT)
      C = Struct.new(:a, :b) do
      MEMBERS
      end
      ===
      class C < Struct.new(:a, :b)
      MEMBERS
      end
      ===
      class C
        attr_reader :a, :b

        def initialize(a, b)
          @a = a
          @b = b
        end

      MEMBERS
      end
    RUBY
    SUPER = FramedTexts.pairs(<<~'RUBY', OF_OBJECT)
      class D
        def F(n) = R(n)
      end

      class C < D
        def F(n) = super + 1
      end
      ===
      class D
        def F(n)
          R(n)
        end
      end

      class C < D
        def F(n)
          [1, 2].sum { |i| super(n + i) }
        end
      end
      ===
      class D
        def F(n) = R(n)
      end

      module G_
        def F(n)
          super(n + 1)
        end
      end

      class C < D
        prepend G_

        def F(n) = super
      end
      ===
      class D
        def F(n) = G(n)
      end

      class C < D
        def G(n)
          R(n)
        end

        def F(n)
          super
        rescue ZeroDivisionError
          4
        end
      end
      ===
      class D
        def F(n, m = 2)
          yield(n) + m
        end
      end

      class C < D
        def F(n) = super
      end
      ---
      V = Frames::C.new.F(N) { |i| R(i) }
      ===
      class D
        def self.F(n) = R(n)
      end

      class C < D
        def self.F(n) = super + 1
      end
      ---
      V = Frames::C.F(N)
    RUBY
    NEW = FramedTexts.pairs(<<~'RUBY')
      class C
        attr_reader :a

        def initialize(a)
          @a = R(a)
        end
      end
      ---
      V = Frames::C.new(N).a
      ---
      V = LIST.map { |i| Frames::C.new(i) }.size
      ---
      V = [N, 2].sum { |i| Frames::C.new(i).a }
      ===
      class D
        attr_reader :a

        def initialize(a)
          @a = R(a)
        end
      end

      class C < D
        def initialize(b)
          super(b + 1)
          @b = b
        end

        def self.of(n) = new(n)
      end
      ---
      V = Frames::C.of(N).a
      ---
      V = Frames::C.new(N).a
      ===
      C = Struct.new(:a) do
        def initialize(a)
          super(R(a))
        end
      end
      ---
      V = Frames::C.new(N).a
    RUBY

    private

    def raised_in_yield(depth) = framed_by(YIELDING, depth)
    def raised_in_recursion(depth) = framed_by(RECURSION, depth)
    def raised_by_defined(depth) = framed_by(DEFINED, depth)
    def raised_by_missing(depth) = framed_by(MISSING, depth)
    def raised_by_send(depth) = framed_by(SENT, depth)
    def raised_in_struct(depth) = framed_by(STRUCTS.map { |text, uses| [text.sub("MEMBERS", MEMBERS), uses] }, depth)
    def raised_through_super(depth) = framed_by(SUPER, depth)
    def raised_in_new(depth) = framed_by(NEW, depth)
  end
end
