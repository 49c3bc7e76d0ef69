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

  it "leave the README at a page, with paragraphs of 80 words" do
    text = File.read(File.join(root, "README.md"), encoding: Encoding::UTF_8)
    expect(text.lines.size).to be <= 130
    paragraphs = text.gsub(/^```.*?^```/m, "").split(/\n\n|^- /)
    expect(paragraphs.select { |paragraph| paragraph.split.size > 80 }).to eq([])
  end

  it "tell of a release in 40 points" do
    text = File.read(File.join(root, "CHANGELOG.md"), encoding: Encoding::UTF_8)
    expect(text.split(/^## /).drop(1).map { |release| release.scan(/^- /).size }).to all(be_between(1, 40))
  end

  Dir[File.join(root, "README.md"), File.join(root, "docs/*.md")].each do |path|
    text = File.read(path, encoding: Encoding::UTF_8)
    text.scan(/^```ruby\n(.*?)^```/m) do |(block)|
      place = "#{path.delete_prefix("#{root}/")}:#{Regexp.last_match.pre_match.count("\n") + 1}"
      whole = block.start_with?("require \"ikra\"\n")
      minitest = block.include?("Minitest::Test")
      rspec = block.include?("RSpec.describe")

      it "run: #{place}" do
        skip "minitest cannot be loaded" if minitest && !run.call("require \"minitest\"").last.success?
        program = whole ? block : "require \"ikra\"\n#{world}\n#{prepared.call(block)}"
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
