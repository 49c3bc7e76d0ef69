# frozen_string_literal: true

require_relative "../ext/ikra/requirements"
require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# What `gem install` runs to build the extension.
RSpec.describe "ext/ikra/extconf.rb" do
  around { |example| Dir.mktmpdir { |folder| (@folder = folder) && example.run } }

  before do
    missing = Ikra::Requirements.new.missing
    skip "what the extension is built with is not here: #{missing.join(", ")}" if missing.any?
  end

  let(:place) { "ikra/#{RbConfig::CONFIG["ruby_version"]}" }

  # The Makefile that it writes, for a process with these variables.
  def makefile(environment = {})
    script = File.expand_path("../ext/ikra/extconf.rb", __dir__)
    environment = { "CARGO_TARGET_DIR" => nil, "RUSTFLAGS" => nil, **environment }
    text, status = Open3.capture2e(environment, RbConfig.ruby, script, chdir: @folder)
    expect(status).to be_success, text
    File.read(File.join(@folder, "Makefile"))
  end

  # A folder for GEM_PATH with a gem that writes into the Makefile what it is asked for.
  def gems(version)
    gems = File.join(@folder, "gems")
    library = File.join(gems, "gems/rb_sys-#{version}/lib/rb_sys")
    FileUtils.mkdir_p([library, File.join(gems, "specifications")])
    File.write(File.join(library, "mkmf.rb"), <<~'RUBY')
      Builder = Struct.new(:extra_cargo_args, :extra_rustflags, :auto_install_rust_toolchain)
      def create_rust_makefile(target)
        yield builder = Builder.new([], [], true)
        File.write("Makefile", "#{target} #{builder.to_a}")
      end
    RUBY
    File.write(File.join(gems, "specifications/rb_sys-#{version}.gemspec"), <<~RUBY)
      Gem::Specification.new { |s| s.name = "rb_sys"; s.version = "#{version}"; s.summary = s.author = "one" }
    RUBY
    gems
  end

  # Without what this machine may have. `gem install` takes GEM_PATH from the environment, and leaves GEM_HOME there.
  let(:none) { { "GEM_HOME" => @folder, "GEM_PATH" => @folder } }

  it "has cargo build what is locked, for this Ruby, and puts it into the folder with its name" do
    skip "rb_sys is among this Ruby's own gems" if Gem::Specification.find_all_by_name("rb_sys").any?
    text = makefile(none)
    expect(text).to include("cargo build --release --locked --package ikra-native", "RUBY=\"#{RbConfig.ruby}\"",
                            "$(RUBYARCHDIR)/#{place}/native.#{RbConfig::CONFIG["DLEXT"]}",
                            "rm -rf \"$(CARGO_TARGET_DIR)\"", "CARGO_TARGET_DIR = #{File.realpath(@folder)}/target")
  end

  it "keeps what cargo has built where the user says so" do
    skip "rb_sys is among this Ruby's own gems" if Gem::Specification.find_all_by_name("rb_sys").any?
    text = makefile({ **none, "CARGO_TARGET_DIR" => "/somewhere/else", "RUSTFLAGS" => "-C target-cpu=native" })
    expect(text).to include("CARGO_TARGET_DIR = /somewhere/else", "RUSTFLAGS=\"-C target-cpu=native")
    expect(text).not_to include("rm -rf")
  end

  it "leaves it to rb_sys where that gem is" do
    folder = gems("0.9.130")
    expect(makefile("GEM_HOME" => folder, "GEM_PATH" => folder))
      .to eq("#{place}/native #{[["--locked"], Ikra::Requirements.new.rustflags, false]}")
  end

  it "does not ask an rb_sys that is too old" do
    skip "rb_sys is among this Ruby's own gems" if Gem::Specification.find_all_by_name("rb_sys").any?
    folder = gems("0.9.60")
    expect(makefile("GEM_HOME" => folder, "GEM_PATH" => folder)).to include("cargo build")
  end
end
