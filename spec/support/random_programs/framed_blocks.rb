# frozen_string_literal: true

require_relative "framed_texts"

module RandomPrograms
  # Blocks, lambdas and clauses that call what raises.
  module FramedBlocks # rubocop:disable Metrics/ModuleLength
    EACH = FramedTexts.list(<<~'RUBY')
      LIST.each { |i| V += R(i) }
      ---
      LIST.each do |i|
        V = ((V * 3) + R(i)) % 9973
      end
      ---
      LIST.reverse_each do |i|
        V += R(i)
      end
      ---
      LIST.each_with_index { |i, j| V += R((i % 50) + j) }
      ---
      LIST.each_with_index do |i, j|
        next if j == M

        V += R(i)
      end
      ---
      [N, 3, N + 2].each { V += R(_1) }
      ---
      LIST.each_slice(2) { |a| V += R(a[0]) }
      ---
      LIST.each_cons(2) do |i, j|
        V += R((i % 20) - (j % 9))
      end
      ---
      LIST.each.with_index(1) { |i, j| V += R((i % 20) * j) }
      ---
      LIST.each_entry { |i| V += R(i) }
      ---
      [[1, N], [N, 2]].each { |i, j| V += R(i + j) }
      ---
      LIST.each { |i| [i, N].each { |j| V += R(j) } }
      ---
      LIST.each do |i|
        break if i == M

        [N, 4].reverse_each { |j| V += R(j) }
      end
      ---
      V = LIST.each_with_object([]) { |i, all| all << R(i) }.size
    RUBY
    MAP = FramedTexts.list(<<~'RUBY')
      V = LIST.map { |i| R(i) }.sum
      ---
      V = LIST.map do |i|
        R(i)
      end.size
      ---
      V = LIST.select { |i| R(i).odd? }.size
      ---
      V = LIST.reject { |i| R(i) > 20 }.size
      ---
      V = LIST.flat_map { |i| [R(i), i] }.size
      ---
      V = LIST.filter_map { |i| R(i) if i != M }.size
      ---
      V = LIST.map.with_index { |i, j| R((i % 50) + j) }.last || 0
      ---
      V = LIST.partition { |i| R(i) > 9 }[0].size
      ---
      V = LIST.group_by { |i| R(i) % 3 }.size
      ---
      V = LIST.uniq { |i| R(i) }.size
      ---
      V = LIST.to_h { |i| [i, R(i)] }.size
      ---
      V = LIST.take_while { |i| R(i) > 3 }.size
      ---
      V = LIST.map { |i| [i, N].map { |j| R(j) }.sum }.sum
      ---
      V = LIST.each_with_index.map { |i, j| R((i % 50) + j) }.sum
      ---
      V = Array.new(3) { |i| R(i + N) }.sum
      ---
      V = LIST.map(&->(i) { R(i) }).sum
      ---
      V = LIST.map { R(_1) }.sum
      ---
      V = LIST.map(&Frames.method(:S)).sum
    RUBY
    FOLD = FramedTexts.list(<<~'RUBY')
      V = LIST.inject(N) { |s, i| (s + R(i)) % 97 }
      ---
      V = LIST.sum { |i| R(i) }
      ---
      V = LIST.sum do |i|
        j = i % 30
        R(j)
      end
      ---
      V = LIST.sort_by { |i| R(i) }.size
      ---
      V = LIST.sort_by { |i| -R(i) }.first == N ? 1 : 2
      ---
      V = LIST.min_by { |i| R(i) }.nil? ? 1 : 2
      ---
      V = LIST.max_by { |i| R(i) } == N ? 3 : 4
      ---
      V = LIST.count { |i| R(i) > 5 }
      ---
      V = LIST.find { |i| R(i) == M } ? 1 : 2
      ---
      V = LIST.all? { |i| R(i) } ? 1 : 2
      ---
      V = LIST.find_index { |i| R(i) > 7 } || 7
      ---
      V = LIST.sum(0.5) { |i| R(i) }.to_i
      ---
      V = [N, 2, 5].inject do |s, i|
        next s if i == M

        (s + R(i)) % 97
      end
      ---
      V = LIST.inject(0) { |s, i| s + [i, N].sum { |j| R(j) } }
    RUBY
    COUNT = FramedTexts.list(<<~'RUBY')
      (N % 6).times { |i| V += R(i) }
      ---
      3.times do |i|
        V += R(i + N)
      end
      ---
      1.upto(N % 6) { |i| V += R(i) }
      ---
      N.downto(N - 3) { |i| V += R(i) }
      ---
      0.step(N, 4) do |i|
        V += R(i)
      end
      ---
      1.step(by: 3, to: 9) { |i| V += R(i + N) }
      ---
      0.5.step(3.0, 0.75) { |i| V += R(i.to_i + N) }
      ---
      (N..N + 3).each { |i| V += R(i) }
      ---
      (1...N).step(5) { |i| V += R(i) }
      ---
      ((N - 2)..N).reverse_each { |i| V += R(i) }
      ---
      (N..N + 2).each_with_index { |i, j| V += R(i - j) }
      ---
      loop do
        V += R(V + N)
        break if V > 9
      end
      ---
      J = 0
      while J < 3
        J = J.succ
        V += R(J + N)
      end
      ---
      V = 3.times.map { |i| R(i + N) }.sum
      ---
      V = 1.upto(4).sum { |i| R(i * N) }
      ---
      2.times { |i| 1.upto(2) { |j| V += R(i + j + N) } }
    RUBY
    PAIRS = FramedTexts.list(<<~'RUBY')
      { 1 => N, N => 2 }.each { |k, w| V += R(k + w) }
      ---
      { 1 => N }.each do |pair|
        V += R(pair[1])
      end
      ---
      { 3 => N, 4 => 5 }.each_pair { |k, w| V += R(k * w) }
      ---
      V = { 1 => N, 2 => 7 }.map { |k, w| R(k + w) }.sum
      ---
      V = { a: N, b: 4 }.sum { |_, w| R(w) }
      ---
      V = { a: N, b: 4 }.select { |_, w| R(w) > 5 }.size
      ---
      V = { 1 => N, 6 => 2 }.count { |k, w| R(k - w) > 3 }
      ---
      V = { 1 => N }.transform_values { |w| R(w) }.size
      ---
      { 1 => N, 8 => 2 }.each_value { |w| V += R(w) }
      ---
      { N => 1, 5 => 2 }.each_key { |k| V += R(k) }
      ---
      { 1 => N }.each_with_index { |(k, w), i| V += R(k + w + i) }
      ---
      V = { 1 => N, 3 => 4 }.inject(0) { |s, (k, w)| s + R(k + w) }
      ---
      V = { 1 => 2 }.fetch(N) { |k| R(k) }
      ---
      V = Hash.new { |h, k| h[k] = R(k) }[N]
      ---
      V = { 1 => N }.merge({ 1 => 3 }) { |_, a, b| R(a + b) }[1]
      ---
      LIST.to_h { |i| [i % 5, i] }.each { |k, w| V += R((w % 9) + k) }
      ---
      V = { 2 => N, 1 => 4 }.sort_by { |k, w| R(k + w) }.size
      ---
      V = { 2 => N, 1 => 4 }.min_by { |_, w| R(w) }[0]
      ---
      V = { 2 => N }.to_h { |k, w| [k, R(w)] }.size
      ---
      V = { 2 => N }.filter_map { |k, w| R(w) if k }.size
      ---
      V = { 1 => N, 3 => 4 }.any? { |k, w| R(k + w) == M } ? 1 : 2
    RUBY
    LAMBDA = FramedTexts.list(<<~'RUBY')
      J = ->(i) { R(i) }
      V = J.call(N)
      ---
      J = ->(i) { R(i) }
      V = J.(N)
      ---
      V = lambda { |i| R(i) }.call(N)
      ---
      J = proc { |i| R(i) + 1 }
      V = J.yield(N)
      ---
      J = ->(i) do
        R(i)
      end
      V = [N, 2].map(&J).sum
      ---
      J = ->(i, j = R(i)) { i + j }
      V = J[N]
      ---
      J = ->(i) { ->(j) { R(i + j) } }
      V = J.(N).(2)
      ---
      V = N.then { |i| R(i) }
      ---
      N.tap { |i| V = R(i) }
      ---
      V = (->(i) { i + 1 } >> ->(i) { R(i) }).call(N)
      ---
      V = ->(i, j) { R(i + j) }.curry[N][3]
      ---
      V = Frames.method(:S).call(N)
      ---
      V = [N, 4].sum(&Frames.method(:S))
      ---
      J = proc do |i|
        next 3 if i == M

        R(i)
      end
      V = J.call(N)
      ---
      J = ->(i) { R(i) }
      V = 2.times.sum { |i| J.(i + N) }
      ---
      V = [->(i) { i }, ->(i) { R(i) }][N % 2].(N)
      ---
      V = { a: ->(i) { R(i) } }[:a].call(N)
    RUBY
    CLAUSES = FramedTexts.pairs(<<~'RUBY')
      ---
      begin
        raise "first" if N > M

        V = 1
      rescue RuntimeError
        V = R(N)
      end
      ---
      begin
        V = R(N)
      ensure
        V += R(N + 1)
      end
      ---
      V = (R(N) rescue R(N + 1))
      ---
      begin
        V = 2
      rescue
        V = 3
      else
        V = R(N)
      ensure
        V += 1
      end
      ---
      begin
        begin
          V = R(N)
        rescue ZeroDivisionError
          V = 4
        end
      rescue ArgumentError, IndexError
        V = R(N + 2)
      end
      ---
      begin
        V = R(N)
      rescue ArgumentError, RuntimeError
        raise IndexError, "again"
      end
      ---
      begin
        V = R(N)
      rescue ArgumentError, RuntimeError => J
        V = R(N + 3)
        raise J if V > 9
      end
      ---
      J = 0
      begin
        J = J.succ
        V = R(N + J)
      rescue StandardError
        retry if J < 3
        raise
      end
      ===
      def self.F(n)
        n + 1
      ensure
        R(n)
      end
      ---
      V = Frames.F(N)
      ===
      def self.F(n)
        R(n)
      rescue ArgumentError, IndexError
        R(n + 1)
      else
        3
      end
      ---
      V = Frames.F(N)
      ---
      V = [N, 3].sum { |i| Frames.F(i) }
      ===
      def self.F(n)
        [n, 4].each do |i|
          R(i)
        rescue ArgumentError, RuntimeError
          R(i + 1)
        end
        n
      end
      ---
      V = Frames.F(N)
    RUBY

    private

    def raised_in_each(depth) = framed_by([[nil, EACH]], depth)
    def raised_in_map(depth) = framed_by([[nil, MAP]], depth)
    def raised_in_fold(depth) = framed_by([[nil, FOLD]], depth)
    def raised_in_count(depth) = framed_by([[nil, COUNT]], depth)
    def raised_in_pairs(depth) = framed_by([[nil, PAIRS]], depth)
    def raised_in_lambda(depth) = framed_by([[nil, LAMBDA]], depth)
    def raised_in_clause(depth) = framed_by(CLAUSES, depth)
  end
end
