# frozen_string_literal: true

require "ikra/cli"
require "json"
require "open3"
require "rbconfig"
require "tmpdir"

# `Ikra.check` and `ikra check`: what of parallel calls is unsupported, from the source alone.
RSpec.describe "Ikra.check" do
  root = File.expand_path("..", __dir__)

  # A file of that text.
  def file(text, name = "checked.rb")
    Dir.mktmpdir do |folder|
      path = File.join(folder, name)
      File.write(path, text)
      yield path
    end
  end

  def checked(text) = Ikra.check("a.rb", source: text)

  # Line, code, and whether it is known only that some element may come there.
  def told(text) = checked(text).map { |found| [found.line, found.code, found.if_reached?] }

  # What running the file says.
  def refused(path)
    load(path, true)
    []
  rescue Ikra::UnsupportedError => e
    e.diagnostics
  end

  describe "of what runs" do
    files = Dir["{examples,spec/golden/programs,spec/support/random_programs,benchmark}/**/*.rb", base: root].sort

    it "has programs" do
      expect(files.size).to be > 30
    end

    files.each do |path|
      it "finds nothing in #{path}" do
        expect(Ikra.check(File.join(root, path)).map(&:to_s)).to eq([])
      end
    end

    %w[README.md docs/*.md].flat_map { |pattern| Dir[pattern, base: root] }.each do |path|
      blocks = File.read(File.join(root, path), encoding: Encoding::UTF_8).scan(/^```ruby\n(.*?)^```/m).flatten
      codes = /# ([a-z]+(?:-[a-z]+)+)(?:,.*)?$/
      # What no element comes to, and what is rescued.
      said = /File\.read\("errors\.txt"\)|`hostname`/
      next if blocks.empty?

      it "finds nothing in the blocks of #{path} but what they say" do
        blocks.each do |block|
          lines = block.lines
          found = checked(block).reject { |one| one.place.text.match?(said) }
          found.map! { |one| [lines[one.line - 1][codes, 1], one.code] }
          expect(found.map(&:first)).to eq(found.map(&:last)), block
        end
      end
    end
  end

  # Each in a block of a parallel call; what stands in the lines behind `__` is in front of it.
  kinds = {
    "methods of classes in C" => ["File.read(x)", "IO.readlines(x)", "Dir.glob(x)", "Process.pid",
                                  "Process.clock_gettime(1)", "Time.now", "GC.start", "ObjectSpace.garbage_collect",
                                  "Signal.trap(x) { }",
                                  "Kernel.sleep(x)", "Marshal.dump(x)", "::File.exist?(x)",
                                  "Encoding.default_external", "Time.at(x)"],
    "new of these" => ["Thread.new { }", "Mutex.new", "Queue.new", "Fiber.new { }", "File.new(x)"],
    "libraries" => ["JSON.parse(x)", "JSON.generate([x])", "YAML.load(x)", "SecureRandom.hex", "StringIO.new",
                    "StringScanner.new(x)", "Pathname.new(x)", "Date.today", "Etc.getlogin", "TCPSocket.new(x, 1)",
                    "Zlib.crc32(x)"],
    "functions of Kernel" => ["gets", "sleep", "sleep(x)", "system(x)", "exec(x)", "spawn(x)", "fork", "exit", "exit!",
                              "abort", "abort(x)", "at_exit { }", "trap(x) { }", "require(x)", "require_relative(x)",
                              "load(x)", "caller", "open(x)", "readline", "readlines", "select([x])", "test(1, x)",
                              "srand(x)", "syscall(x)"],
    "functions that need the running program" => ["binding", "eval(\"1\")", "instance_eval(\"1\")", "binding.irb",
                                                  "debugger", "block_given?"],
    "syntax" => ["`ls`", "BEGIN_NOW = 1", "redo", "def go = 1", "alias a b", "undef a", "class << x; end",
                 "$VERBOSE = x", "$stdin.gets", "break", "break x", "return", "return x",
                 "/\#{x}/o", ":\"\\xff\#{x}\""]
  }
  # A Ruby may be built without some of them.
  libraries = %w[json yaml securerandom stringio strscan pathname date etc socket zlib].select do |name|
    require name
    true
  rescue LoadError
    false
  end

  kinds.each do |kind, codes|
    describe kind do
      codes.each do |code|
        it "tells #{code} as running does" do
          constant = code[/\A[A-Z]\w*(?=\.)/]
          skip "no #{constant} here" if constant && !Object.const_defined?(constant)

          text = "#{libraries.map { |name| "require \"#{name}\"\n" }.join}items = [1]\n" \
                 "items.pmap { |x|\n  y = x\n  #{code}\n  y\n}\n"
          file(text) do |path|
            found = Ikra.check(path)
            error = refused(path)
            expect(error).not_to be_empty
            place = ->(one) { [one.code, one.path, one.line, one.columns, one.message, one.hint, one.calls] }
            expect(found.map(&place)).to eq(error.map(&place))
            calls = found.map { |one| one.parallel_call.values_at(:name, :line) }
            expect(calls.uniq).to eq([[:pmap, libraries.size + 2]])
          end
        end
      end
    end
  end

  # Every function of Kernel and every method of a class in C that is told is one that no section has.
  it "tells nothing of Ruby's own that runs" do
    name = Module.instance_method(:name)
    names = ObjectSpace.each_object(Module).map { |one| name.bind_call(one) }.compact.grep_v(/Ikra|RSpec|#</)
    calls = names.select { |name| Ikra.const_get(:Check).module(name) }.flat_map do |name|
      # Those that would end this process if they ran are known not to.
      Object.const_get(name).singleton_methods(false).grep(/\A\w+[?!]?\z/).map { |method| "#{name}.#{method}" }
    end
    calls += Kernel.private_instance_methods(false).grep(/\A[a-z]\w+[?!]?\z/).map(&:to_s)
    calls.sort!
    methods = calls.each_with_index.map { |call, i| "def run#{i}(items) = items.pmap { |x| #{call}; x }\n" }
    file("class CheckedCalls\n#{methods.join}end\n") do |path|
      found = Ikra.check(path).map { |one| one.line - 2 }
      expect(found.size).to be > 200
      load(path)
      runs = found.uniq.reject do |number|
        CheckedCalls.new.public_send(:"run#{number}", [1])
        false
      rescue Ikra::UnsupportedError
        true
      end
      expect(runs.map { |number| calls[number] }).to eq([])
    end
  ensure
    Object.send(:remove_const, :CheckedCalls)
  end

  it "tells nothing of `defined?` that runs" do
    asked = %w[@x @y x self Math Nix Math.sin Math.nix go nix nil true 1 [1] (1) (@x) x+1 x=2 @x=2]
    file("xs.pmap do |x|\n#{asked.map { |what| "  defined?(#{what})\n" }.join}end\n") do |path|
      told = Ikra.check(path).map { |one| asked[one.line - 2] }
      runs = told.select do |what|
        file("class AskedOf\n  def run(xs) = xs.pmap { |x| defined?(#{what}) }\nend\n") { |one| load(one) }
        AskedOf.new.run([1])
      rescue Ikra::UnsupportedError
        false
      end
      expect([told & %w[@x (@x)], runs]).to eq([[], []])
    end
  ensure
    Object.send(:remove_const, :AskedOf) if Object.const_defined?(:AskedOf)
  end

  describe "methods with sections" do
    arguments = { /grep_v/ => "(String)", /grep/ => "(Integer)", /slice\z|cons\z/ => "(2)",
                  /with_object\z|\Apzip/ => "([])" }

    it "are those whose block is compiled" do
      none = %i[pcompact pdrop pfirst pflatten pinclude? plazy pmember? pnew preverse pshuffle pstencil ptake ptally]
      (Ikra.const_get(:Check).methods_with_sections - none).each do |name|
        given = arguments.find { |pattern, _| name.match?(pattern) }&.last
        base = name.match?(/transform|pair|key|value|to_h/) ? "{ 1 => 2, 3 => 4 }" : "[2, 1, 3]"
        base = "2" if name == :ptimes
        text = "#{base}.#{name}#{given} { |x, y|\n  File.read(x)\n  x\n}\n"
        file(text) { |path| expect(refused(path).map(&:line)).to eq(Ikra.check(path).map(&:line)).and(eq([2])), text }
      end
    end

    it "are stages and ends of chains, and what goes on with a parallel method" do
      names = Ikra.const_get(:Check).send(:names)
      without = %w[compact drop entries flatten first force include? member? reverse shuffle take tally to_a]
      blocks = (names[3] - without).map { |name| ".plazy.select { |x| x }.#{name}#{"(0)" if name.match?(/\Agrep/)}" }
      (blocks + names[1].map { |name| ".pmap.#{name}#{"([])" if name.end_with?("object")}" }).each do |call|
        given = call.sub("grep(0)", "grep(Integer)").sub("grep_v(0)", "grep_v(String)")
        text = "[2, 1, 3]#{given} { |x, y|\n  File.read(x)\n  x\n}.then { |all| all.respond_to?(:to_a) && all.to_a }\n"
        file(text) { |path| expect(refused(path).map(&:line)).to eq(Ikra.check(path).map(&:line)).and(eq([2])), text }
      end
    end
  end

  it "looks into the methods that a block calls" do
    text = <<~RUBY
      class Car
        def initialize(name) = @name = name
        def go = wait
        def wait
          sleep 1
        end

        def self.made(name) = new(name)
        def stop(name) = name.tap { |it_is| File.delete(it_is) }
      end

      def help = gets
      cars = [Car.new("a")]
      cars.pmap { |car| car.go }
      cars.pmap do |car|
        help
        Car.made("b").stop("c")
      end
    RUBY
    expect(told(text)).to eq([[5, "unsupported-method", true], [12, "unsupported-method", true],
                              [9, "unsupported-method", true]].sort_by { |line, *| line == 5 ? 0 : line })
    first = checked(text).first
    expect(first.calls.map { |call| [call.line, call.columns] }).to eq([[14, 23..24]])
    expect(first.parallel_call).to include(name: :pmap, path: "a.rb", line: 14, columns: [6, 9])
    file("require \"ikra\"\n#{text}") do |path|
      expect(refused(path).map { |one| [one.line, one.calls[0].line, one.calls[0].columns] }).to eq([[6, 15, 23..24]])
    end
  end

  it "knows what a file requires by its place" do
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, "car.rb"), "class Car\n  def go = File.read(\"a\")\n  def gets = 1\nend\n")
      File.write(path = File.join(folder, "run.rb"), "require_relative \"car\"\n[1].pmap { |x| gets; x.go }\n")
      expect(Ikra.check(path).map { |one| [one.path, one.line] }).to eq([[File.join(folder, "car.rb"), 2]])
      File.write(path, "require_relative \"other\"\n[1].pmap { |x| gets; x.go }\n")
      expect(Ikra.check(path)).to eq([])
    end
  end

  it "tells what some elements may come to with the same code" do
    text = ->(last) { "[0, #{last}].pmap { |x|\n  x > 1 ? File.read(\"a\") : x\n}\n" }
    [1, 2].each { |last| expect(told(text.call(last))).to eq([[2, "unsupported-method", true]]) }
    file(text.call(1)) { |path| expect(refused(path)).to eq([]) }
    file(text.call(2)) do |path|
      expect(refused(path).map { |one| [one.line, one.code] }).to eq([[2, "unsupported-method"]])
    end
  end

  it "tells nothing of what may be somebody else's" do
    ["def gets = 1\nxs.pmap { gets }", "xs.pmap { |x| x.gets }", "describe(1) { xs.pmap { gets } }",
     "class Car < Vehicle\n  def go = xs.pmap { sleep }\nend",
     "class Car\n  include Go\n  def go = xs.pmap { sleep }\nend",
     "class Deck < Array\n  def go = pmap { select { |x| x } }\nend", "File = 1\nxs.pmap { File.read(1) }",
     "class A\n  def read = gets\nend\nxs.pmap { |x| x.read }", "xs.pmap { |x| x.instance_eval { gets } }",
     "class A\n  def wait = gets\nend\nclass B\n  def wait = 1\nend\nxs.pmap { |x| x.wait }",
     "def pmap = yield\npmap { gets }", "xs.map { gets }", "xs.pmap(&:gets)", "Ikra.section { Ikra.sync { gets } }",
     "xs.plazy.map { 1 }.to_a.map { gets }", "class_eval \"def gets = 1\"\nxs.pmap { gets }",
     "Ikra.debug(1) { gets }", "xs.pmap { foo { return 1 } }", "xs.pmap { -> { return 1 } }",
     "xs.pmap { while true do break end }"].each { |text| expect(told(text)).to eq([]), text }
  end

  it "runs no method of the program's own" do
    Ikra.const_get(:Check).instance_variable_set(:@names, nil)
    called = []
    asked = Module.new do
      %i[name singleton_class? public_instance_methods instance_method const_get const_defined? hash ==].each do |name|
        define_method(name) { |*| called << name }
      end
    end
    own = Class.new.tap { |one| one.singleton_class.prepend(asked) }
    stub_const("CheckedCar", own)
    expect(told("xs.pmap { CheckedCar.go; gets }")).to eq([[1, "unsupported-method", false]])
    expect(called).to eq([])
  end

  it "tells the characters, also where some take several bytes or lines" do
    found = checked("xs.pmap { \"é\"; [`c`,\n  `a\nb`] }")
    expect(found.map { |one| [one.line, one.columns, one.end_line, one.end_column] })
      .to eq([[1, 17..19, 1, 19], [2, 3..4, 3, 2]])
  end

  it "says that a file is missing, is not Ruby, or is in another encoding" do
    expect { Ikra.check("/no/such.rb") }.to raise_error(Errno::ENOENT)
    expect { checked("xs.pmap { |x|") }.to raise_error(Ikra::UnsupportedError, /a.rb:1: .*\[syntax-error\]/)
    latin = "# encoding: iso-8859-1\nxs.pmap { \"\xe9\" }".b
    expect(checked(latin).map(&:code)).to eq(["unsupported-encoding"])
    expect(checked(latin.sub("pmap", "map"))).to eq([])
  end

  describe "ikra check" do
    def ikra(*arguments)
      out, err, status = Open3.capture3(RbConfig.ruby, File.expand_path("../exe/ikra", __dir__), "check", *arguments)
      [out, err, status.exitstatus]
    end

    it "says what it has found, as the error would" do
      file("xs.pmap { |x|\n  x ? gets : `c`\n}\n") do |path|
        out, err, status = ikra(path)
        expect([err, status]).to eq(["", 1])
        parts = out.split("\n\n")
        expect(parts[0].lines(chomp: true)).to eq(
          ["#{path}:2: `Object#gets` cannot run in a section [unsupported-method]", "  2 |   x ? gets : `c`",
           "    |       ^^^^",
           "  in pmap at #{path}:1, unsupported if reached",
           "  hint: read before the section, as in `lines = readlines`, and let the block use the variable"]
        )
        expect(parts[1]).to start_with("#{path}:2: a parallel section cannot run a command")
        expect(parts[2]).to eq("1 file checked, 2 places are unsupported\n")
      end
    end

    it "has it as JSON" do
      file("xs.pmap { |x|\n  gets\n}\n") do |path|
        out, err, status = ikra("--format", "json", path)
        expect([err, status]).to eq(["", 1])
        line = "xs.pmap { |x|"
        expect(JSON.parse(out)).to match(
          [{ "code" => "unsupported-method", "path" => path, "line" => 2, "columns" => [3, 6], "column" => 3,
             "end_line" => 2, "end_column" => 6, "text" => "  gets",
             "message" => "`Object#gets` cannot run in a section",
             "hint" => /\Aread before/, "calls" => [], "if_reached" => false,
             "parallel_call" => { "name" => "pmap", "path" => path, "line" => 1, "columns" => [4, 7],
                                  "text" => line } }]
        )
        out, err, status = ikra("--format", "json", File.join(__dir__, "../examples/heat.rb"))
        expect([JSON.parse(out), err, status]).to eq([[], "", 0])
      end
    end

    it "takes folders, and ends with 0, 1 or 2" do
      nothing = /\A\d+ files checked, nothing unsupported found\n\z/
      expect(ikra(File.join(__dir__, "../examples"))).to match([nothing, "", 0])
      file("xs.pmap {") do |path|
        out, err, status = ikra(path, "/no/such.rb")
        expect([out, status]).to match([/\A#{path}:1: .*\[syntax-error\]/, 2])
        expect(err).to eq("ikra: /no/such.rb: No such file or directory\n")
        expect(JSON.parse(ikra("--format", "json", path).first).map { |one| one["code"] }).to eq(["syntax-error"])
      end
      expect(ikra.last).to eq(2)
      expect(ikra("--format", "xml", "a.rb").last).to eq(2)
    end
  end
end
