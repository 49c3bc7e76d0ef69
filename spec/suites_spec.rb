# frozen_string_literal: true

# Programs as they are found in suites of benchmarks, each as the body of a block.
module Suites
  class Permute
    def initialize
      @count = 0
      @v = nil
    end

    def benchmark(n)
      @count = 0
      @v = Array.new(n) { |i| i }
      permute(n)
      @count
    end

    def permute(n)
      @count += 1
      return if n == 0

      n1 = n - 1
      permute(n1)
      n1.downto(0) do |i|
        swap(n1, i)
        permute(n1)
        swap(n1, i)
      end
    end

    def swap(i, j)
      tmp = @v[i]
      @v[i] = @v[j]
      @v[j] = tmp
    end
  end

  class Queens
    def queens(n)
      @free_rows = Array.new(n, true)
      @free_maxs = Array.new(2 * n, true)
      @free_mins = Array.new(2 * n, true)
      @queen_rows = Array.new(n, -1)
      place(0, n)
    end

    def place(c, n)
      n.times do |r|
        next unless row_column(r, c, n)

        @queen_rows[r] = c
        set_row_column(r, c, n, false)
        return true if c == n - 1
        return true if place(c + 1, n)

        set_row_column(r, c, n, true)
      end
      false
    end

    def row_column(r, c, n) = @free_rows[r] && @free_maxs[c + r] && @free_mins[c - r + n - 1]

    def set_row_column(r, c, n, v)
      @free_rows[r] = v
      @free_maxs[c + r] = v
      @free_mins[c - r + n - 1] = v
    end

    def rows = @queen_rows
  end

  def self.solve_boards(n, board = [])
    return [board.dup] if board.size == n

    n.times.flat_map do |c|
      ok = board.each_with_index.all? { |q, r| q != c && (q - c).abs != board.size - r }
      ok ? solve_boards(n, [*board, c]) : []
    end
  end

  class Disk
    attr_reader :size
    attr_accessor :next

    def initialize(size)
      (@size = size
       @next = nil)
    end
  end

  class Towers
    def initialize
      @piles = nil
      @moves = 0
    end

    def run(n)
      @piles = Array.new(3, nil)
      build(0, n)
      @moves = 0
      move_disks(n, 0, 1)
      @moves
    end

    def push(disk, pile)
      top = @piles[pile]
      raise ArgumentError, "Cannot put a big disk on a smaller one" if !top.nil? && disk.size >= top.size

      disk.next = top
      @piles[pile] = disk
    end

    def pop(pile)
      top = @piles[pile]
      raise ArgumentError, "empty" if top.nil?

      @piles[pile] = top.next
      top.next = nil
      top
    end

    def move_top(from, to)
      push(pop(from), to)
      @moves += 1
    end

    def build(pile, disks) = disks.downto(0) { |i| push(Disk.new(i), pile) }

    def move_disks(disks, from, to)
      if disks == 1
        move_top(from, to)
      else
        other = 3 - from - to
        move_disks(disks - 1, from, other)
        move_top(from, to)
        move_disks(disks - 1, other, to)
      end
    end
  end

  class Element
    attr_accessor :val, :next

    def initialize(v)
      (@val = v
       @next = nil)
    end

    def length = @next.nil? ? 1 : 1 + @next.length
  end

  class ListBench
    def run(n) = tail(make(n), make(n / 2), make(n / 3))&.length

    def make(length)
      return nil if length == 0

      e = Element.new(length)
      e.next = make(length - 1)
      e
    end

    def shorter?(x, y)
      x_tail = x
      y_tail = y
      until y_tail.nil?
        return true if x_tail.nil?

        x_tail = x_tail.next
        y_tail = y_tail.next
      end
      false
    end

    def tail(x, y, z)
      if shorter?(y, x)
        tail(tail(x.next, y, z), tail(y.next, z, x), tail(z.next, x, y))
      else
        z
      end
    end
  end

  class Lcg
    def initialize(seed = 74_755) = @seed = seed
    def next = @seed = ((@seed * 1309) + 13_849) & 65_535
  end

  class Storage
    def initialize = @count = 0

    def run(depth)
      (@count = 0
       build(depth, Lcg.new)
       @count)
    end

    def build(depth, random)
      @count += 1
      if depth == 1
        Array.new((random.next % 10) + 1)
      else
        Array.new(4) { build(depth - 1, random) }
      end
    end
  end

  class Ball
    def initialize(random)
      @x = random.next % 500
      @y = random.next % 500
      @x_vel = (random.next % 300) - 150
      @y_vel = (random.next % 300) - 150
    end

    def bounce
      x_limit = 500
      y_limit = 500
      bounced = false
      @x += @x_vel
      @y += @y_vel
      if @x > x_limit then @x = x_limit
                           @x_vel = 0 - @x_vel.abs
                           bounced = true end
      if @x < 0 then @x = 0
                     @x_vel = @x_vel.abs
                     bounced = true end
      if @y > y_limit then @y = y_limit
                           @y_vel = 0 - @y_vel.abs
                           bounced = true end
      if @y < 0 then @y = 0
                     @y_vel = @y_vel.abs
                     bounced = true end
      bounced
    end
  end

  def self.bounce(n)
    random = Lcg.new
    balls = Array.new(100) { Ball.new(random) }
    bounces = 0
    n.times { balls.each { |ball| bounces += 1 if ball.bounce } }
    bounces
  end

  def self.item_check(tree)
    left, right = tree
    return 1 if left.nil?

    1 + item_check(left) + item_check(right)
  end

  def self.bottom_up(depth)
    return [nil, nil] if depth == 0

    depth -= 1
    [bottom_up(depth), bottom_up(depth)]
  end

  class Node
    attr_reader :left, :right

    def initialize(l, r)
      (@left = l
       @right = r)
    end

    def self.make(d) = d == 0 ? new(nil, nil) : new(make(d - 1), make(d - 1))
    def check = left ? 1 + left.check + right.check : 1
  end

  def self.quicksort(xs)
    return xs if xs.size <= 1

    pivot, *rest = xs
    left, right = rest.partition { |x| x < pivot }
    [*quicksort(left), pivot, *quicksort(right)]
  end

  def self.quicksort!(xs, lo = 0, hi = xs.size - 1)
    return xs if lo >= hi

    p = xs[(lo + hi) / 2]
    i = lo
    j = hi
    while i <= j
      i += 1 while xs[i] < p
      j -= 1 while xs[j] > p
      next unless i <= j

      xs[i], xs[j] = xs[j], xs[i]
      i += 1
      j -= 1
    end
    quicksort!(xs, lo, j)
    quicksort!(xs, i, hi)
    xs
  end

  def self.mergesort(xs)
    return xs if xs.size <= 1

    l, r = xs.each_slice((xs.size / 2.0).ceil).to_a
    merge(mergesort(l), mergesort(r))
  end

  def self.merge(l, r)
    return r if l.empty?
    return l if r.empty?

    l.first <= r.first ? [l.first] + merge(l.drop(1), r) : [r.first] + merge(l, r.drop(1))
  end
  C = Struct.new(:re, :im) do
    def +(other) = C.new(re + other.re, im + other.im)
    def -(other) = C.new(re - other.re, im - other.im)
    def *(other) = C.new((re * other.re) - (im * other.im), (re * other.im) + (im * other.re))
  end
  def self.fft(vec)
    return vec if vec.size <= 1

    even = Array.new(vec.size / 2) { |i| vec[2 * i] }
    odd = Array.new(vec.size / 2) { |i| vec[(2 * i) + 1] }
    fft_even = fft(even)
    fft_odd = fft(odd)
    n = vec.size
    half = Array.new(n / 2) do |k|
      t = C.new(Math.cos(-2 * Math::PI * k / n), Math.sin(-2 * Math::PI * k / n)) * fft_odd[k]
      [fft_even[k] + t, fft_even[k] - t]
    end
    half.map(&:first) + half.map(&:last)
  end

  def self.fft_values(vec)
    return vec if vec.size <= 1

    even_indices = vec.each_index.select { |i| i.even? }
    odd_indices = vec.each_index.select { |i| i.odd? }
    e = fft_values(vec.values_at(*even_indices))
    o = fft_values(vec.values_at(*odd_indices))
    e.zip(o).map { |a, b| a + b } + e.zip(o).map { |a, b| a - b }
  end

  class PQueue
    def initialize(&cmp)
      (@heap = []
       @cmp = cmp)
    end

    def size = @heap.size
    def empty? = @heap.empty?

    def push(x)
      @heap << x
      i = @heap.size - 1
      while i > 0 && less?(i, (i - 1) / 2)
        swap(i, (i - 1) / 2)
        i = (i - 1) / 2
      end
      self
    end

    def pop
      return nil if @heap.empty?

      swap(0, @heap.size - 1)
      top = @heap.pop
      sift(0)
      top
    end

    def less?(i, j) = @heap[i] < @heap[j]
    def swap(i, j) = (@heap[i], @heap[j] = @heap[j], @heap[i])

    def sift(i)
      loop do
        l = (2 * i) + 1
        break if l >= @heap.size

        l += 1 if l + 1 < @heap.size && less?(l + 1, l)
        break unless less?(l, i)

        swap(l, i)
        i = l
      end
    end
  end

  class PairQueue
    def initialize = @heap = []

    def push(prio, item)
      (@heap << [prio, item]
       @heap.sort_by! { |p, _| p }
       self)
    end

    def pop = @heap.shift
    def empty? = @heap.empty?
  end

  def self.dijkstra(n)
    dist = Array.new(n, nil)
    q = PairQueue.new
    q.push(0, 0)
    until q.empty?
      d, u = q.pop
      next if dist[u]

      dist[u] = d
      [[((u * 3) + 1) % n, 2], [(u + 1) % n, 5]].each { |v, w| q.push(d + w, v) unless dist[v] }
    end
    dist
  end

  class MT
    N = 624
    M = 397
    def initialize(seed)
      @mt = Array.new(N, 0)
      @mt[0] = seed
      (1...N).each { |i| @mt[i] = ((1_812_433_253 * (@mt[i - 1] ^ (@mt[i - 1] >> 30))) + i) & 0xffffffff }
      @index = N
    end

    def next
      twist if @index >= N
      y = @mt[@index]
      @index += 1
      y ^= y >> 11
      y ^= (y << 7) & 0x9d2c5680
      y ^= (y << 15) & 0xefc60000
      (y ^ (y >> 18)) & 0xffffffff
    end

    def twist
      N.times do |i|
        y = (@mt[i] & 0x80000000) + (@mt[(i + 1) % N] & 0x7fffffff)
        @mt[i] = @mt[(i + M) % N] ^ (y >> 1)
        @mt[i] ^= 0x9908b0df if y.odd?
      end
      @index = 0
    end
  end
end

each_backend do
  numbers = [1, 2, 3, 5]

  it "permutes" do
    expect_same(numbers) { |n| Suites::Permute.new.benchmark(n) }
  end

  it "places queens" do
    expect_same([1, 4, 6, 8]) { |n| Suites::Queens.new.queens(n) }
    expect_same([4, 6]) do |n|
      q = Suites::Queens.new
      q.queens(n)
      q.rows
    end
    expect_same([1, 4, 5, 6]) { |n| Suites.solve_boards(n) }
  end

  it "moves towers" do
    expect_same(numbers) { |n| Suites::Towers.new.run(n) }
  end

  it "makes lists" do
    expect_same(numbers) { |n| Suites::ListBench.new.run((n * 2) + 1) }
  end

  it "makes trees of arrays" do
    expect_same(numbers) { |n| Suites::Storage.new.run(n) }
  end

  it "bounces balls" do
    expect_same(numbers) { |n| Suites.bounce(n) }
  end

  it "makes binary trees" do
    expect_same(numbers) { |n| Suites.item_check(Suites.bottom_up(n)) }
    expect_same(numbers) { |n| Suites::Node.make(n).check }
  end

  it "sorts" do
    expect_same(numbers) do |n|
      r = Suites::Lcg.new(n)
      Suites.quicksort(Array.new(10 * n) { r.next % 100 })
    end
    expect_same(numbers) do |n|
      r = Suites::Lcg.new(n)
      Suites.quicksort!(Array.new(10 * n) { r.next % 100 })
    end
    expect_same(numbers) do |n|
      r = Suites::Lcg.new(n)
      Suites.mergesort(Array.new(10 * n) { r.next % 100 })
    end
  end

  it "transforms" do
    skip "sines of a GPU differ in the last place" if Ikra.backend == :cuda
    expect_same(numbers) do |n|
      Suites.fft(Array.new(1 << n) do |i|
                   Suites::C.new(i.to_f, 0.0)
                 end).map { |c| [c.re, c.im] }
    end
    expect_same(numbers) { |n| Suites.fft_values(Array.new(1 << n) { |i| i * n }) }
  end

  it "has priority queues" do
    expect_same(numbers) do |n|
      q = Suites::PQueue.new
      r = Suites::Lcg.new(n)
      20.times do
        q.push(r.next % 100)
      end
      a = []
      a << q.pop until q.empty?
      a
    end
    expect_same(numbers) { |n| Suites.dijkstra(n + 6) }
  end

  it "makes numbers" do
    expect_same(numbers) do |n|
      m = Suites::MT.new(5489 + n)
      Array.new(3) { m.next }
    end
  end
end
