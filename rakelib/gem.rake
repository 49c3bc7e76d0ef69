# frozen_string_literal: true

# The gems of a release, in pkg/: the source gem, which builds without a network, and one for each platform with the
# extension in it, which builds nothing.

require "fileutils"
require "json"
require "open3"
require "rbconfig"
require "rubygems/package"

# Makes a gem of ikra.gemspec from a folder that holds its files, and more.
class Packaging
  # Oldest version of glibc that a gem with the extension in it runs with: Debian 10's, RHEL 8's.
  GLIBC = Gem::Version.new("2.28")
  # A gem is no larger.
  LARGEST = 40 << 20
  # RubyGems' platforms, and Rust's targets for them. Those of macOS take a Mac, as Apple's linker and libraries do.
  TARGETS = { "x86_64-linux" => "x86_64-unknown-linux-gnu", "aarch64-linux" => "aarch64-unknown-linux-gnu",
              "x86_64-darwin" => "x86_64-apple-darwin", "arm64-darwin" => "aarch64-apple-darwin" }.freeze
  LICENCES = "THIRD-PARTY-LICENSES.txt"
  ROOT = File.expand_path("..", __dir__)
  # What cargo-deny is told: the targets whose crates the source gem needs, and the licences that crates may have.
  SOURCE_TARGETS, PERMISSIVE = %w[targets allow].map do |name|
    File.read(File.join(ROOT, "deny.toml"))[/^#{name} = \[(.*?)\]/m, 1].scan(/"(.+?)"/).flatten.freeze
  end

  attr_reader :spec

  def initialize(name)
    @spec = Gem::Specification.load(File.join(ROOT, "ikra.gemspec")).dup
    @stage = File.join(ROOT, "pkg", name)
    FileUtils.rm_rf(@stage)
    FileUtils.mkdir_p(@stage)
  end

  def path(*names) = File.join(@stage, *names)

  # Puts files of the project there.
  def take(files)
    files.each do |file|
      FileUtils.mkdir_p(File.dirname(path(file)))
      FileUtils.cp(File.join(ROOT, file), path(file))
    end
  end

  # Puts the licences of all crates there that are in the extension.
  def take_licences(targets)
    others = crates(targets).reject { |crate| permissive?(crate["license"]) }
    abort "crates with other licences: #{others.map { |crate| crate.slice("name", "license") }}" if others.any?
    texts = crates(targets).map do |crate|
      folder = File.dirname(crate["manifest_path"])
      files = Dir.glob("{LICEN[CS]E,COPYING,COPYRIGHT,NOTICE,UNLICENSE}*", File::FNM_CASEFOLD, base: folder)
      files = files.select { |file| File.file?(File.join(folder, file)) }.sort
      heading = "#{crate["name"]} #{crate["version"]} (#{crate["license"] || "see its text"})"
      [heading, "=" * heading.size, *files.map { |file| File.read(File.join(folder, file)).scrub.strip }].join("\n\n")
    end
    File.write(path(LICENCES), "Ikra's extension contains the following crates.\n\n\n#{texts.join("\n\n\n")}\n")
  end

  # The crates that the extension needs on some of the targets, without those of the project.
  def crates(targets)
    @crates ||= {}
    @crates[targets] ||= targets.flat_map { |target| crates_of(metadata(target)) }.uniq { |crate| crate["id"] }
                                .sort_by { |crate| [crate["name"], crate["version"]] }
  end

  # @return [String] the gem's file
  def build
    @spec.files = Dir.glob("**/*", File::FNM_DOTMATCH, base: @stage).select { |file| File.file?(path(file)) }.sort
    made = Dir.chdir(@stage) { Gem::Package.build(@spec) }
    gem = File.join(ROOT, "pkg", File.basename(made))
    FileUtils.mv(path(made), gem)
    size = File.size(gem)
    abort "#{gem} has #{size >> 20} MiB, more than #{LARGEST >> 20}" if size > LARGEST
    puts format("%<gem>s: %<size>.1f MiB", gem: gem.delete_prefix("#{ROOT}/"), size: size.fdiv(1 << 20))
    gem
  end

  private

  def metadata(target)
    text, status = Open3.capture2("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target,
                                  chdir: ROOT)
    abort "cargo metadata failed" unless status.success?
    JSON.parse(text)
  end

  # What is reached from the extension without dependencies of tests.
  def crates_of(metadata)
    nodes = metadata["resolve"]["nodes"].to_h { |node| [node["id"], node] }
    packages = metadata["packages"]
    waiting = packages.filter_map { |package| package["id"] if package["name"] == "ikra-native" }
    seen = []
    while (id = waiting.pop)
      seen << id
      waiting |= used(nodes.fetch(id)) - seen
    end
    packages.select { |package| package["source"] && seen.include?(package["id"]) }
  end

  # One of those that it leaves the choice of, and all of those that hold together.
  def permissive?(expression)
    return false unless expression

    all = expression.delete("()").split(" AND ")
    all.all? { |part| part.split(%r{ OR | ?/ ?}).any? { |one| PERMISSIVE.include?(one) } }
  end

  def used(node)
    node["deps"].filter_map { |dep| dep["pkg"] unless dep["dep_kinds"].all? { |kind| kind["kind"] == "dev" } }
  end
end

# Crates in a folder of the gem, which cargo reads instead of the registry.
module Vendoring
  # Crates that none of our platforms builds have to be there, as cargo resolves for all platforms; their text need not.
  STUB = { "files" => {} }.freeze
  CONFIG = <<~TOML
    [source.crates-io]
    replace-with = "vendored"

    [source.vendored]
    directory = "vendor/crates"
  TOML

  class << self
    def into(packaging)
      vendor = packaging.path("vendor", "crates")
      command = ["cargo", "vendor", "--locked", "--versioned-dirs", "--quiet", vendor]
      abort "cargo vendor failed" unless system(*command, chdir: Packaging::ROOT)
      needed = packaging.crates(Packaging::SOURCE_TARGETS).map { |crate| "#{crate["name"]}-#{crate["version"]}" }
      (Dir.children(vendor) - needed).each { |name| stub(File.join(vendor, name)) }
      # Some were packed by people who keep their files to themselves.
      FileUtils.chmod_R("a+rX", vendor)
      # cargo finds it from the folder of the extension, where `gem install` calls it.
      FileUtils.mkdir_p(packaging.path(".cargo"))
      File.write(packaging.path(".cargo", "config.toml"), CONFIG)
    end

    private

    # Leaves the manifest, and an empty library.
    def stub(folder)
      sum = JSON.parse(File.read(File.join(folder, ".cargo-checksum.json")))
      (Dir.children(folder) - %w[Cargo.toml]).each { |name| FileUtils.rm_rf(File.join(folder, name)) }
      manifest = File.read(File.join(folder, "Cargo.toml"))
      # Other targets of it name files that are gone.
      manifest = manifest.gsub(/^\[\[(bin|example|test|bench)\]\]\n(?:.*\n)*?(?=\[|\z)/, "")
      manifest = manifest.sub(/^build = .*$/, "build = false").sub(/^path = .*$/, 'path = "lib.rs"')
      File.write(File.join(folder, "Cargo.toml"), manifest)
      FileUtils.mkdir_p(File.join(folder, "src"))
      %w[lib.rs src/lib.rs].each { |name| File.write(File.join(folder, name), "") }
      File.write(File.join(folder, ".cargo-checksum.json"), JSON.generate(STUB.merge(sum.slice("package"))))
    end
  end
end

# A Ruby that the extension is built for.
class TargetRuby
  # What Debian calls the processors.
  ARCHITECTURES = { "x86_64" => "amd64", "aarch64" => "arm64" }.freeze
  # Prints the configuration of another platform's Ruby, which believes that it is run by that.
  FOREIGN = <<~'RUBY'
    module RbConfig
      RUBY_VERSION = File.read(ARGV[0])[/start_with\?\("(.+?)"\)/, 1]
    end
    load ARGV[0]
    print Marshal.dump(RbConfig::CONFIG)
  RUBY

  class << self
    # @param name [String] a series that bin/rubies gives (3.4), or the command of a Ruby of this platform
    def of(name, platform)
      return here(name) if name.include?("/")
      return here(RbConfig.ruby) if platform == own_platform && RbConfig::CONFIG["ruby_version"].start_with?("#{name}.")
      return here("#{folder(name)}/bin/ruby") if platform == own_platform

      foreign("#{name}-#{ARCHITECTURES.fetch(platform[/[^-]+/])}")
    end

    # As the gem of a platform is called, without the version of the system.
    def own_platform = [Gem::Platform.local.cpu, Gem::Platform.local.os].join("-")

    private

    def here(command)
      new(configuration(command, "-rrbconfig", "-e", "print Marshal.dump(RbConfig::CONFIG)"), command, {})
    end

    # rb-sys takes all that it asks of a configuration from these variables then.
    def foreign(name)
      path = Dir["#{folder(name)}/**/rbconfig.rb"].first
      config = configuration(RbConfig.ruby, "--disable-gems", "-e", FOREIGN, path)
      config["CROSS_COMPILING"] = "yes"
      new(config, path, config.transform_keys { |key| "RBCONFIG_#{key}" })
    end

    def configuration(*command)
      text, status = Open3.capture2(*command, binmode: true)
      abort "#{command.first} does not run" unless status.success?
      Marshal.load(text) # rubocop:disable Security/MarshalLoad
    end

    def folder(name)
      text, status = Open3.capture2(File.join(Packaging::ROOT, "bin/rubies"), name)
      abort "bin/rubies #{name} failed" unless status.success?
      text.chomp
    end
  end

  # What cargo needs to know, and what the files are called.
  attr_reader :environment

  def initialize(config, path, environment)
    @config = config
    @environment = { "RUBY" => path, **environment }
  end

  def abi = @config["ruby_version"]
  def file = "native.#{@config["DLEXT"]}"
  def to_s = "Ruby #{abi} (#{@environment["RUBY"]})"
end

# The extension for several Rubies; for Linux it is linked against an old glibc by zig.
class Binaries
  def initialize(target)
    @target = target
    @linux = target.include?("linux")
    check_tools
  end

  # @return [String] the extension for a Ruby
  def build(ruby)
    puts "building for #{ruby}"
    target_dir = File.join(Packaging::ROOT, "target", "gem")
    environment = { **ruby.environment, "CARGO_TARGET_DIR" => target_dir, "CARGO_PROFILE_RELEASE_STRIP" => "symbols" }
    command = @linux ? %W[zigbuild --target #{@target}.#{Packaging::GLIBC}] : %W[build --target #{@target}]
    command += %w[--release --locked --package ikra-native]
    abort "it cannot be built" unless system(environment, "cargo", *command, chdir: Packaging::ROOT)
    built = File.join(target_dir, @target, "release", "libnative.#{@linux ? "so" : "dylib"}")
    check(built) if @linux
    built
  end

  private

  def check_tools
    check_rust
    return unless @linux
    return if system("cargo", "zigbuild", "--help", out: File::NULL, err: File::NULL)

    abort <<~TEXT
      gem:native links with zig, against glibc #{Packaging::GLIBC}:
        cargo install --locked cargo-zigbuild
        pip install ziglang (with its python3 first in the PATH), or zig itself
    TEXT
  end

  def check_rust
    folder, status = Open3.capture2("rustc", "--print", "target-libdir", "--target", @target)
    return if status.success? && Dir["#{folder.chomp}/libstd-*"].any?

    abort "Rust's library for #{@target} is not there: rustup target add #{@target}, or beside Debian's rustc its " \
          "package libstd-rust-dev for that architecture"
  end

  # Which versions of glibc it asks for, at most the one that is said.
  def check(path)
    text, status = Open3.capture2("objdump", "-T", path)
    abort "objdump failed" unless status.success?
    newest = text.scan(/GLIBC_(\d[\d.]*)/).flatten.map { |version| Gem::Version.new(version) }.max
    size = File.size(path).fdiv(1 << 20)
    puts format("  it asks for glibc %<newest>s or newer, and has %<size>.1f MiB", newest:, size:)
    abort "that is newer than #{Packaging::GLIBC}" if newest > Packaging::GLIBC
  end
end

namespace :gem do
  desc "The source gem: its crates are in it, so that it builds without a network"
  task :source do
    packaging = Packaging.new("source")
    packaging.take(packaging.spec.files)
    Vendoring.into(packaging)
    packaging.take_licences(Packaging::SOURCE_TARGETS)
    packaging.build
  end

  desc "The gem with the extension in it, for a platform and Rubies: gem:native[x86_64-linux,3.1 3.3 3.4]"
  task :native, %i[platform rubies] do |_, given|
    platform = given[:platform] || TargetRuby.own_platform
    target = Packaging::TARGETS.fetch(platform) do
      abort "gem:native builds for #{Packaging::TARGETS.keys.join(", ")}, and #{platform} is none of these"
    end
    for_mac, on_mac = [platform, RUBY_PLATFORM].map { |name| name.include?("darwin") }
    abort "gem:native builds for #{platform} on a Mac" if for_mac && !on_mac
    binaries = Binaries.new(target)
    rubies = (given[:rubies] || RbConfig.ruby).split.map { |name| TargetRuby.of(name, platform) }

    packaging = Packaging.new(platform)
    spec = packaging.spec
    packaging.take(spec.files.grep_v(/\A(src|ext|Cargo|build)/))
    rubies.each do |ruby|
      FileUtils.mkdir_p(packaging.path("lib", "ikra", ruby.abi))
      FileUtils.cp(binaries.build(ruby), packaging.path("lib", "ikra", ruby.abi, ruby.file))
    end
    packaging.take_licences([target])
    versions = rubies.map { |ruby| Gem::Version.new(ruby.abi) }
    spec.platform = Gem::Platform.new(platform)
    spec.extensions = []
    spec.requirements = []
    spec.required_ruby_version = [">= #{versions.min.segments.first(2).join(".")}", "< #{versions.max.bump}.dev"]
    packaging.build
  end
end
