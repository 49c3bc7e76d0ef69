# frozen_string_literal: true

require "open3"
require "rbconfig"
require "tempfile"

# Every Ruby block of README.md and docs/ runs, does what its comments say, and says nothing that it does not.
RSpec.describe "the Ruby blocks of the documents" do
  root = File.expand_path("..", __dir__)
  world = File.read(File.join(root, "spec/support/documents/world.rb"))
  codes = File.read(File.join(root, "docs/errors.md"), encoding: Encoding::UTF_8).scan(/^\| `([a-z-]+)` \|/).flatten

  # `expression # => value` compares, and `expression # error-code` has to be unsupported.
  compared = /^( *)(\S.*?) +# => (.+)$/
  refused = /^( *)(\S.*?) +# (#{Regexp.union(codes)})$/
  prepared = lambda do |block|
    block.gsub(compared, '\1(\2).then { |it_is| it_is == (\3) or abort "not so: " + it_is.inspect }')
         .gsub(refused, "\\1begin; \\2; abort 'it is supported'; rescue Ikra::UnsupportedError => e; " \
                        "e.diagnostics.first.code == '\\3' or abort e.message; end")
  end

  run = lambda do |program|
    Tempfile.create(["block", ".rb"]) do |file|
      file.write(program)
      file.close
      environment = { "IKRA_BACKEND" => "cpu", "IKRA_CONFLICTS" => nil, "IKRA_FALLBACK" => nil }
      Open3.capture2e(environment, RbConfig.ruby, "-I", File.join(root, "lib"), file.path, chdir: root)
    end
  end

  it "leave the README at a page" do
    expect(File.readlines(File.join(root, "README.md")).size).to be <= 130
  end

  # Lists of all methods, errors and figures are no guides.
  it "stand between paragraphs of 80 words" do
    guides = Dir[File.join(root, "docs/*.md")].grep_v(%r{/(ruby|errors|benchmarks|operations)\.md})
    long = [File.join(root, "README.md"), *guides].flat_map do |path|
      text = File.read(path, encoding: Encoding::UTF_8)
      text.gsub(/^```.*?^```/m, "").split(/\n\n|^(?:- |\|)/).select { |paragraph| paragraph.split.size > 80 }
    end
    expect(long).to eq([])
  end

  it "tell of a release in 40 points" do
    text = File.read(File.join(root, "CHANGELOG.md"), encoding: Encoding::UTF_8)
    expect(text.split(/^## /).drop(1).map { |release| release.scan(/^- /).size }).to all(be_between(1, 40))
  end

  # Rows of `have`, `instead`, and why, with the error code at the end.
  describe "what compatibility.md says to write instead" do
    text = File.read(File.join(root, "docs/compatibility.md"), encoding: Encoding::UTF_8)
    rows = text.scan(/^\| (`+)(.+?)\1 \| `(.+?)` \| .*`([a-z-]+)` \|$/)
               .map { |_, have, instead, code| [have, instead].map { |side| side.gsub("\\|", "|") } << code }
    # Each in a lambda, so that they share no new variables, and each told in a line.
    told = lambda do |sides, backend|
      lines = sides.map do |side|
        "tell.(->() { #{side} })"
      end
      tell = <<~RUBY
        %w[json securerandom set].each { |library| require library }
        Ikra.backend = :#{backend}
        tell = lambda do |row|
          puts row.call.inspect.gsub(/0x\\h+/, "0x")
        rescue Ikra::UnsupportedError => e
          puts e.diagnostics.first.code
        rescue StandardError => e
          puts [e.class, e.message].inspect
        end
      RUBY
      output, status = run.call("require \"ikra\"\n#{world}\n#{tell}#{lines.join("\n")}\n")
      expect(status).to be_success, output
      output.lines(chomp: true)
    end

    it "has rows" do
      expect(rows.size).to eq(text.scan(/^\| `/).size).and(be > 30)
    end

    it "is needed: the other is unsupported, with the code that is said" do
      sides = rows.map(&:first)
      expect(sides.zip(instance_exec(sides, :cpu, &told))).to eq(sides.zip(rows.map(&:last)))
    end

    it "returns what it does in plain Ruby" do
      sides = rows.map { |row| row[1] }
      actual, expected = %i[cpu ruby].map { |backend| instance_exec(sides, backend, &told) }
      expect(sides.zip(actual)).to eq(sides.zip(expected))
    end
  end

  Dir[File.join(root, "README.md"), File.join(root, "docs/*.md")].each do |path|
    text = File.read(path, encoding: Encoding::UTF_8)
    text.scan(/^```ruby\n(.*?)^```/m) do |(block)|
      place = "#{path.delete_prefix("#{root}/")}:#{Regexp.last_match.pre_match.count("\n") + 1}"
      whole = block.start_with?("require \"ikra\"\n")
      libraries = block.scan(/^require "((?!ikra)[^"]+)"$/).flatten
      rspec = block.include?("RSpec.describe")

      it "run: #{place}" do
        missing = libraries.reject { |library| run.call("require \"logger\"; require \"#{library}\"").last.success? }
        skip "not there: #{missing.join(", ")}" if missing.any?
        program = whole ? block : "require \"ikra\"\n#{world}\n#{prepared.call(block)}"
        minitest = libraries.include?("minitest")
        program += "\nMinitest.autorun\n" if minitest
        program = "require \"rspec/core\"\n#{program}\nexit RSpec::Core::Runner.run([])\n" if rspec
        output, status = run.call(program)
        expect(status).to be_success, output
        expect(output).not_to include("runs in plain Ruby")
        expect(output).to match(/^\d+ times as fast$/) if whole
        expect(output).to include("0 failures") if minitest || rspec
      end
    end
  end
end
