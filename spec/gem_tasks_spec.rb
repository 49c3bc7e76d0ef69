# frozen_string_literal: true

require "fileutils"
require "rake"
require "rbconfig"
require "tmpdir"

# The Rubies that rakelib/gem.rake builds for.
RSpec.describe "gem:native" do
  before do
    next if Object.const_defined?(:TargetRuby)

    application = Rake.application
    Rake.application = Rake::Application.new
    Rake.load_rakefile(File.expand_path("../rakelib/gem.rake", __dir__))
  ensure
    Rake.application = application if application
  end

  let(:rubies) { Object.const_get(:TargetRuby) }

  it "asks a Ruby of this platform itself" do
    ruby = rubies.of(RbConfig.ruby, "x86_64-linux")
    expect(ruby.environment).to eq("RUBY" => RbConfig.ruby)
    expect([ruby.abi, ruby.file]).to eq([RbConfig::CONFIG["ruby_version"], "native.#{RbConfig::CONFIG["DLEXT"]}"])
  end

  # That of this Ruby, with other names.
  def configuration
    path = $LOADED_FEATURES.grep(%r{/rbconfig\.rb\z}).first
    File.read(path, encoding: Encoding::BINARY).gsub(RUBY_VERSION[/\A\d+\.\d+/], "9.8")
        .sub(/(CONFIG\["DLEXT"\] = ).*/, '\1"other"')
  end

  it "reads the configuration of one of another platform, which it cannot run, and gives it to rb-sys" do
    Dir.mktmpdir do |folder|
      FileUtils.mkdir_p("#{folder}/lib")
      File.binwrite("#{folder}/lib/rbconfig.rb", configuration)
      allow(rubies).to receive(:folder).with("9.8-arm64").and_return(folder)
      allow(rubies).to receive(:own_platform).and_return("x86_64-linux")
      ruby = rubies.of("9.8", "aarch64-linux")
      expect([ruby.abi, ruby.file]).to eq(["9.8.0", "native.other"])
      expect(ruby.environment).to include("RUBY" => "#{folder}/lib/rbconfig.rb", "RBCONFIG_CROSS_COMPILING" => "yes",
                                          "RBCONFIG_ruby_version" => "9.8.0")
    end
  end
end
