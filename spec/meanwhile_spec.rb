# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tempfile"
require "timeout"

# Sections that change nothing begin in plain Ruby while machine code is made, which goes on from the element reached.
RSpec.describe Ikra do
  around do |example|
    chosen = described_class.chosen
    described_class.backend = :cpu
    example.run
  ensure
    described_class.backend = chosen
    ENV.delete("IKRA_TEST_MEANWHILE")
  end

  # A lambda that the text is of, compiled by nobody yet.
  def fresh(text)
    Tempfile.create(["meanwhile", ".rb"]) do |file|
      file.write("# frozen_string_literal: true\n$fresh = #{text}\n")
      file.flush
      load file.path
      # Its text is looked for when it is called.
      yield $fresh # rubocop:disable Style/GlobalVars
    end
  end

  # What it gives where code is there after so many elements: nil: as soon as it is.
  def after(count, text, *arguments)
    described_class.meanwhile = :ruby
    ENV["IKRA_TEST_MEANWHILE"] = count&.to_s
    fresh(text) { |section| section.call(*arguments) }
  ensure
    described_class.meanwhile = :wait
    ENV.delete("IKRA_TEST_MEANWHILE")
  end

  # What plain Ruby gives.
  def in_ruby(text, *arguments)
    described_class.backend = :ruby
    fresh(text) { |section| section.call(*arguments) }
  ensure
    described_class.backend = :cpu
  end

  def outcome
    value = yield
    [:given, value.instance_of?(Array) ? value.map { |one| [one.class, one] } : [value.class, value]]
  rescue StandardError => e
    [:raised, e.class, e.message.lines.first]
  end

  def expect_the_same(text, *arguments, size: 9)
    expected = outcome { in_ruby(text, *arguments) }
    (0..size).each do |count|
      found = outcome { after(count, text, *arguments) }
      expect(found).to eq(expected), "after #{count}: #{found.inspect} instead of #{expected.inspect}\n#{text}"
    end
  end

  numbers = [3, 1, 4, 1.5, 9, 2, 6, 5]
  words = %w[one two three four five six seven eight]
  pairs = words.zip(numbers).to_h
  points = Array.new(8) { |i| World::Point.new(i, i * 2.5) }

  {
    numbers => ["pmap { |n| n * 2 }", "pselect { |n| n > 2 }", "preject { |n| n > 2 }", "psum { |n| n * 0.1 }", "psum",
                "pinject { |a, b| a + b }", "pmap { |n| n }.size", "pmin_by { |n| -n }", "pmax_by(2) { |n| n % 4 }",
                "psort_by { |n| -n }", "ppartition { |n| n > 3 }", "pgroup_by { |n| n > 3 }", "pcount { |n| n > 3 }",
                "pflat_map { |n| n > 3 ? [n, [n]] : n }", "pfilter_map { |n| n + 1 if n > 3 }", "pany? { |n| n == 9 }",
                "pall? { |n| n < 9 }", "pnone? { |n| n > 9 }", "pone? { |n| n == 9 }", "pfind { |n| n > 3 }",
                "pfind_index { |n| n > 8 }", "ptake_while { |n| n < 9 }", "pdrop_while { |n| n < 9 }",
                "puniq { |n| n.to_i }", "pmap.with_index(3) { |n, i| n * i }", "each_with_index.pmap { |n, i| [i, n] }",
                "each_with_index.pselect { |n, i| n > i }", "each_slice(3).pmap { |all| all.sum }",
                "each_cons(2).pmap { |a, b| a - b }", "peach { |n| n + 1 }.size",
                "plazy.map { |n| n + 1 }.select { |n| n > 2 }.to_a", "plazy.map { |n| n + 1 }.first(3)",
                "plazy.select { |n| n > 2 }.with_index.map { |n, i| n + i }.to_a", "pto_h { |n| [n, -n] }.to_a",
                "pmap { |n| [1, 2, 3].map { |m| m * n } }", "pmap { |n| { n => [n.to_s] } }",
                "pmap { |n| numbers.count { |m| m < n } }",
                "pstencil([-1, 0, 1], outside: 0) { |a, b, c| a + b + c }", "pmap(&:to_s)", "pmap(&->(n) { n + 1 })",
                "pmap { |n| next 0 if n > 4\n n }", "pmap { |n| 10 / (n.to_i - 2) }", "pmap { |n| n.foo }",
                "pmap { |n| raise ArgumentError, n.to_s if n == 6\n n }", "pany? { |n| raise if n == 2\n n == 9 }",
                "pmap { |n| [n].fetch(n == 9 ? 1 : 0) }", "pmap { |n| -> { return n }.call + 1 }"],
    pairs => ["pmap { |k, v| [v, k] }", "pselect { |k, v| v > 2 }.to_a", "preject { |k, v| v > 2 }.to_a",
              "pmap { |pair| pair.size }", "pmap(&->(k, v) { k.size + v })", "pcount { |k, v| k.size > v }",
              "pto_h { |k, v| [v, k] }.to_a", "psum { |k, v| v }", "pmin_by { |k, v| v }",
              "pfilter_map { |k, v| k if v > 2 }",
              "each_with_index.pmap { |(k, v), i| [k, v * i] }", "pfind { |k, v| v > 3 }", "pany? { |k, v| v > 8 }"],
    (0...8) => ["pmap { |i| i * i }", "pselect(&:even?)", "psum { |i| i * 0.5 }", "pmap { |i| numbers[i] }",
                "pmap { |i| [i, i.to_s] }", "preject { |i| i % 3 == 0 }", "pfind { |i| i > 4 }",
                "pmap { |i| [numbers[i], numbers[i - 1], numbers[(i + 1) % 8]] }", "pmap { |i| 5 / (i - 6) }",
                "each_with_index.pmap { |i, j| i - j }", "pmap { |i| numbers.fetch(i + 2) }", "pall? { |i| i < 5 }"],
    (5..12) => ["pmap { |i| i * i }", "pselect(&:even?)", "pmap { |i| 5 / (i - 11) }"],
    2.step(9, 2) => ["pmap { |i| i * i }"],
    8 => ["ptimes { |i| 5 / (i - 9) }", "ptimes { |i| 5 / (i - 6) }"],
    words => ["pmap { |w| w.upcase }", "pmap { |w| w =~ /e/ ? $~[0] + w : 'none' }", "pgroup_by { |w| w.size }",
              "pmap { |w| w.each_char.map { |c| c.ord }.sum }", "pmax_by { |w| w.size }", "pmap { |w| w.to_sym }"],
    points => ["pmap { |p| p.x + p.y }", "pselect { |p| p.x > 3 }.size", "pmap { |p| World::Point.new(p.y, p.x).x }",
               "psort_by { |p| -p.x }.map(&:x)", "pmap { |p| p.x > 5 ? nil.x : p.y }"]
  }.each do |base, calls|
    calls.each do |call|
      it "gives of #{base.class}##{call.inspect} what Ruby gives, wherever code goes on" do
        expect_the_same("->(base, numbers) { base.#{call} }", base, numbers)
      end
    end
  end

  it "gives what Ruby gives where nothing is yielded" do
    all = Class.new do
      include Enumerable

      def each
        yield
        yield
        yield
      end
    end.new
    expect_the_same("->(all) { all.pmap { |n| n.inspect } }", all, size: 5)
  end

  it "gives of grids what Ruby gives" do
    expect_the_same("-> { Ikra.grid(3, 4) { |y, x| y * 10 + x } }", size: 13)
  end

  it "gives the same objects and new ones as Ruby does" do
    shared = [1, 2]
    text = "->(all, shared) { all.pmap { |s| [s, shared, 'written', [s], s.dup, :a] } }"
    words = Array.new(6) { |i| "word #{i}" }
    8.times do |count|
      given = after(count, text, words, shared)
      expect(given.map { |one,| one.object_id }).to eq(words.map(&:object_id))
      expect(given.map { |one| one[1] }).to all(equal(shared))
      expect(given.map { |one| one[2].frozen? }.uniq).to eq([true])
      expect(given.map { |one| one[2].object_id }.uniq.size).to eq(1)
      expect(given.map { |one| one[3].object_id }.uniq.size).to eq(6)
      expect(given.map { |one| one[4].object_id }.uniq.size).to eq(6)
    end
  end

  it "does not begin in Ruby where something is changed, printed or drawn" do
    ["->(all) { all.peach { |p| p.x = 1 } }", "->(all) { all.pmap { |p| rand } }",
     "->(all) { all.pmap { |p| puts p.x } }", "->(all) { sum = 0; all.peach { |p| sum += p.x } }",
     "->(all) { all.pmap { |p| p.x > 100 ? Thread.new : 1 } }",
     "->(all) { Ikra.section { all.pmap { |p| p.x } } }"].each do |text|
      all = Array.new(5) { |i| World::Point.new(i, i) }
      profile = described_class.profile { expect { after(3, text, all) }.to output(/.*/).to_stdout }
      expect(profile[:ruby]).to eq(0), text
    end
  end

  it "does not begin in Ruby where a name that comes as it runs says what is called" do
    list = []
    text = "->(list) { [1, 2].pselect { |x| x.public_send(%i[itself succ][x % 2]); list << [x, 3].minmax; 3 + nil } }"
    [0, 1, 2].each { |count| expect { after(count, text, list) }.to raise_error(StandardError) }
    expect(list).to eq([])
  end

  it "changes nothing where all elements fail" do
    %w[pmap pselect peach].each do |name|
      list = [0]
      text = "->(all, list) { all.#{name} { |n| list << n; nowhere } }"
      expect { after(2, text, [1, 2, 3], list) }.to raise_error(NameError)
      expect(list).to eq([0]), name
    end
  end

  it "tells of the elements that raise, and by whom they were run" do
    text = "->(all) { all.pmap { |n| 10 / (n - 5) } }"
    [2, 7].each do |count|
      expect { after(count, text, [1, 2, 3, 4, 5, 6, 7, 8]) }.to raise_error(ZeroDivisionError) { |e|
        expect(e).to be_a(Ikra::ElementError)
        expect(e.element_index).to eq(4)
        expect(e.tick).to eq(0)
        expect(e.backtrace.first).to match(/meanwhile.*:2:in/)
        expect(e.backtrace.grep(%r{lib/ikra/})).to be_empty
      }
    end
  end

  it "names the user's lines only where stages are put together" do
    text = "->(all) { all.plazy.map { |n| n + 0 }.select { |n| 1 / n > 0 }.sum }"
    expect { after(5, text, [1, 0]) }.to raise_error(ZeroDivisionError) { |e|
      expect(e.backtrace.join).not_to include("(ikra")
      expect(e.element_index).to eq(1)
    }
  end

  it "leaves $~ as it was" do
    [0, 2, 9].each do |count|
      expect(after(count, <<~'RUBY', %w[a1 b2 c3])).to eq([%w[1 2 3], "x"])
        ->(all) do
          "xyz" =~ /x/
          given = all.pmap { |s| s =~ /\d/ ? $~[0] : nil }
          [given, $~[0]]
        end
      RUBY
      expect(after(count, <<~'RUBY', %w[a1 b2 c3])).to eq([%w[1 2 3], "x"])
        ->(all) do
          "xyz" =~ /x/
          given = all.plazy.select { |s| s =~ /\w/ }.map { |s| s =~ /\d/ ? $~[0] : nil }.to_a
          [given, $~[0]]
        end
      RUBY
    end
  end

  it "keeps the code for the next call, and says what it has run in Ruby" do
    described_class.meanwhile = :ruby
    fresh("->(all) { all.pmap { |n| n.to_s + 'x' } }") do |section|
      first = described_class.profile { expect(section.call([1, 2])).to eq(%w[1x 2x]) }
      expect(first[:sections]).to eq(1)
      expect(first[:ruby]).to be > 0
      given = nil
      later = nil
      100.times do
        later = described_class.profile { given = section.call([1, 2, 3]) }
        expect(given).to eq(%w[1x 2x 3x])
        break if later[:ruby].zero?

        sleep 0.02
      end
      expect([later[:ruby], later[:sections], later.backend]).to eq([0, 1, :cpu])
    end
  end

  it "runs an endless element only as long as code is not there" do
    # Compiled code is asked for an interrupt, too.
    text = "-> { [1].pmap { |n| n = -n while n < 2\n n } }"
    [nil, 0].each do |count|
      expect { Timeout.timeout(0.3) { after(count, text) } }.to raise_error(Timeout::Error)
    end
  end

  it "ends where an interrupt is raised, and can be called again" do
    described_class.meanwhile = :ruby
    fresh("->(all, n) { all.pmap { |m| i = m\n n.times { |k| i = (i * 7 + k) % 1001 }\n i } }") do |section|
      error = Class.new(StandardError)
      main = Thread.current
      ENV["IKRA_TEST_MEANWHILE"] = "1000000"
      thrower = Thread.new do
        sleep 0.05
        main.raise(error)
      end
      expect { section.call((1..1000).to_a, 10_000) }.to raise_error(error)
      thrower.join
      ENV.delete("IKRA_TEST_MEANWHILE")
      expected = [1, 2].map { |m| 3.times.inject(m) { |i, k| ((i * 7) + k) % 1001 } }
      expect(section.call([1, 2], 3)).to eq(expected)
    end
  end

  it "gives several threads what Ruby gives, of one version" do
    described_class.meanwhile = :ruby
    fresh("->(all) { all.pmap { |n| (1..n).sum { |m| m * 0.5 } } }") do |section|
      all = (1..200).to_a
      expected = all.map { |n| (1..n).sum { |m| m * 0.5 } }
      given = Array.new(4) { Thread.new { Array.new(5) { section.call(all) } } }.flat_map(&:value)
      expect(given).to all(eq(expected))
    end
  end

  it "sees what another thread changes before compiled code goes on" do
    text = <<~RUBY
      ->(all, other) do
        all.pmap { |p| p.x.nil? ? -1 : p.x + 1 }.tap { other.call }
      end
    RUBY
    all = Array.new(20) { |i| World::Point.new(i, 0) }
    done = false
    changer = Thread.new do
      until done
        all.last.x = [7, nil, 2.5].sample
        sleep 0.002
      end
    end
    20.times do |count|
      given = after(count, text, all, -> {})
      expect(given[0, 19]).to eq((1..19).to_a)
      expect([8, -1, 3.5]).to include(given.last).or include(20)
    end
  ensure
    done = true
    changer&.join
  end

  it "leaves elements with parallel calls to compiled code" do
    expect_the_same("->(all) { all.pmap { |n| [n, 2].pmap { |m| m * n }.sum } }", [1, 2, 3], size: 4)
    expect_the_same("->(all) { all.pmap { |n| n > 2 ? [n].psum { |m| m * 0.1 } : n } }", [1, 2, 3, 4], size: 5)
    given = after(2, "->(all) { all.pmap { |s| [s].pgrep(/\\d/) { $~[0] } } }", %w[a1 b2 c3])
    expect(given).to eq([["1"], ["2"], ["3"]])
  end

  it "lets an element end a method around it" do
    text = "->(all) { all.each { |n| [n].pmap { |m| m + 1 } }; all.pmap { |n| catch(:x) { throw :x, n } } }"
    expect_the_same(text, [1, 2, 3], size: 4)
  end

  it "ends with the process, which may fork meanwhile" do
    program = <<~'RUBY'
      require "ikra"
      Ikra.backend = :cpu
      section = ->(all) { all.pmap { |n| format("%05d %s", n, [n, n.to_s].inspect) } }
      p section.call([1, 2]) == ["00001 [1, \"1\"]", "00002 [2, \"2\"]"]
      child = fork { p section.call([3]) == ["00003 [3, \"3\"]"]; p section.call((1..5000).to_a).size }
      Process.wait(child)
      p $?.success?
      other = ->(all) { all.pmap { |n| n.to_s.tr("0-9", "a-j").center(20) } }
      p other.call([1]).size
    RUBY
    folder = File.join(__dir__, "../lib")
    Tempfile.create(["forking", ".rb"]) do |file|
      file.write(program)
      file.flush
      command = [{ "IKRA_MEANWHILE" => "ruby" }, RbConfig.ruby, "-I", folder, file.path]
      output, status = Timeout.timeout(60) { Open3.capture2e(*command) }
      expect(output).to eq("true\ntrue\n5000\ntrue\n1\n")
      expect(status).to be_success
    end
  end

  it "is a setting" do
    expect { described_class.meanwhile = :later }.to raise_error(ArgumentError, /:ruby or :wait/)
    described_class.meanwhile = "ruby"
    expect(described_class.meanwhile).to eq(:ruby)
  end

  it "lets Integers have no end, as Ruby does" do
    text = "->(all) { all.pmap { |n| n * 4_000_000_000_000_000_000 } }"
    [1, 3].each { |count| expect(after(count, text, [1, 2, 3])).to eq([1, 2, 3].map { |n| n * (4 * (10**18)) }) }
  end
end
