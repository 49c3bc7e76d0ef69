# frozen_string_literal: true

# Blocks that change nothing, over so many elements that plain Ruby takes 5 to 100 ms for all: what a first call takes
# where Ruby begins with the elements, and where they wait for the code. With a name and a mode as arguments it is one
# process, that runs this once (`ruby`: with Ruby's own `map`) and prints what it took.
module PureCalls
  # A line of words, the same in each process.
  WORDS = %w[parallel section compiles blocks elements while ruby runs and goes on from there with what it has].freeze

  def self.text(number) = Array.new(12 + (number % 9)) { |i| WORDS[(number * (i + 3)) % WORDS.size] }.join(" ")

  # An order of a shop.
  Order = Struct.new(:number, :price, :pieces, :customer)

  def self.orders(count)
    Array.new(count) { |i| Order.new(i, 1.5 + (i % 37), 1 + (i % 5), WORDS[i % WORDS.size]) }
  end

  PROGRAMS = {
    "totals of orders" => [
      -> { orders(60_000) },
      proc { |order| (order.price * order.pieces * (order.pieces > 3 ? 0.9 : 1.0)).round(2) }
    ],
    "rows of text" => [
      -> { orders(8_000) },
      proc { |order| format("%06d;%s;%.2f;%d", order.number, order.customer.upcase, order.price, order.pieces) }
    ],
    "counts of words" => [-> { (0...3_000).map { |i| text(i) } },
                          proc { |line| line.split.tally.select { |_, count| count > 1 }.sort_by { |word, _| word } }],
    "edit distances" => [
      -> { (WORDS * 6).product(WORDS) },
      proc do |one, other|
        row = (0..other.size).to_a
        one.each_char.with_index(1) do |char, i|
          before = row[0]
          row[0] = i
          other.each_char.with_index(1) do |against, j|
            cost = char == against ? before : before + 1
            before = row[j]
            row[j] = [cost, row[j] + 1, row[j - 1] + 1].min
          end
        end
        row.last
      end
    ],
    "lengths of Collatz sequences" => [
      -> { (1..20_000).to_a },
      proc do |number|
        steps = 0
        until number == 1
          number = number.even? ? number / 2 : (number * 3) + 1
          steps += 1
        end
        steps
      end
    ],
    "calculators" => [
      -> { (1..8_000).map { |i| "#{i} 3 + 7 * #{i % 11} - 2 * 5 +" } },
      proc do |line|
        stack = []
        line.split.each do |word|
          stack << case word
                   when "+" then stack.pop + stack.pop
                   when "*" then stack.pop * stack.pop
                   when "-" then -stack.pop + stack.pop
                   else word.to_i
                   end
        end
        stack.last
      end
    ],
    "rows of a Hash each" => [
      -> { (0...3_000).map { |i| "id=#{i};name=#{WORDS[i % 16]};size=#{i % 7}" } },
      proc { |line| line.split(";").to_h { |pair| pair.split("=") } }
    ],
    "addresses" => [
      -> { (0...6_000).map { |i| "#{WORDS[i % 16]}.#{WORDS[i % 13]}@#{WORDS[i % 7]}.#{i.even? ? "org" : "x"}" } },
      proc { |address| address =~ /\A([\w.]+)@(\w+)\.(\w{2,})\z/ ? "#{$3}/#{$2}/#{$1}" : nil } # rubocop:disable Style/PerlBackrefs
    ],
    "a picture" => [
      -> { (0...2_000).to_a },
      proc do |i|
        x = ((i % 50) / 25.0) - 1.5
        y = ((i / 50) / 20.0) - 1.0
        a = b = 0.0
        (0...100).find { (a, b = ((a * a) - (b * b)) + x, (2 * a * b) + y) && (a * a) + (b * b) > 4 } || 100
      end
    ],
    "decimals" => [-> { (1..10_000).to_a }, proc { |n| [n.to_s, (n * 0.37).to_s, n.digits.sum] }]
  }.freeze

  CLOCKS = { wall: Process::CLOCK_MONOTONIC, cpu: Process::CLOCK_PROCESS_CPUTIME_ID,
             thread: Process::CLOCK_THREAD_CPUTIME_ID }.freeze
  # Of one element nearly all is inference.
  MODES = %w[ruby one meanwhile wait].freeze

  def self.measure(name, mode)
    base, block = PROGRAMS.fetch(name)
    base = base.call
    base = base.first(1) if mode == "one"
    now = -> { CLOCKS.transform_values { |clock| Process.clock_gettime(clock) } }
    before = now.call
    profile = mode == "ruby" ? base.map(&block) && nil : Ikra.profile { base.pmap(&block) }
    took = now.call.to_h { |clock, after| [clock, after - before[clock]] }
    { **took, ruby: profile ? profile[:ruby] : 0, waits: profile ? profile[:compile] + profile[:kernel] : 0 }
  end

  # That of some processes of its own in which the calling thread was fastest.
  def self.fastest(name, mode, rounds)
    # A process that finds on disk what another one has compiled makes no code.
    environment = { "IKRA_MEANWHILE" => mode == "wait" ? "wait" : "ruby", "IKRA_CACHE" => "0" }
    command = [environment, RbConfig.ruby, "-Ilib", __FILE__, name, mode]
    calls = Array.new(rounds) { JSON.parse(Measurement.output(*command, chdir: Measurement::ROOT)) }
    calls.min_by { |call| own(call) }
  end

  def self.own(call) = call["thread"] + call["waits"]

  def self.table(rounds)
    rows = PROGRAMS.keys.map do |name|
      calls = MODES.map { |mode| fastest(name, mode, rounds) }
      ruby, one, meanwhile, wait = calls.map { |call| own(call) }
      times = [ruby, one, meanwhile, wait, *calls.map { |call| call["wall"] }, calls[2]["cpu"], calls[3]["cpu"]]
      [name, *times.map { |seconds| format("%.1f", seconds * 1e3) }, format("%.2f", meanwhile / (ruby + one))]
    end
    modes = ["Ruby", "one element", "first call", "waiting"]
    head = ["", *modes, *modes.map { |mode| "wall: #{mode}" }, "CPU: first call", "waiting", "ratio"]
    Measurement.table([head, *rows])
  end
end

if $PROGRAM_NAME == __FILE__
  $LOAD_PATH.unshift(File.expand_path("../../lib", __dir__))
  require "json"
  require "ikra"
  Ikra.backend = :cpu
  puts JSON.generate(PureCalls.measure(*ARGV))
end
