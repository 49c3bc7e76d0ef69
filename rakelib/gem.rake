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
  # RubyGems' platforms, and Rust's targets for them. Others take a Ruby of that platform, whose configuration rb-sys
  # reads: a runner of it, or an image of rake-compiler-dock.
  TARGETS = { "x86_64-linux" => "x86_64-unknown-linux-gnu" }.freeze
  # The targets whose crates the source gem needs.
  SOURCE_TARGETS = %w[x86_64-unknown-linux-gnu x86_64-unknown-linux-musl aarch64-unknown-linux-gnu
                      aarch64-unknown-linux-musl x86_64-apple-darwin aarch64-apple-darwin].freeze
  # The licences that crates may have: they ask for no more than to be named.
  PERMISSIVE = ["MIT", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-3-Clause", "ISC", "Zlib", "Unlicense",
                "Unicode-3.0"].freeze
  LICENCES = "THIRD-PARTY-LICENSES.txt"
  ROOT = File.expand_path("..", __dir__)

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

# The extension for several Rubies, linked against an old glibc by zig.
module Binaries
  class << self
    def check_tools
      return if system("cargo", "zigbuild", "--help", out: File::NULL, err: File::NULL)

      abort <<~TEXT
        gem:native links with zig, against glibc #{Packaging::GLIBC}:
          cargo install --locked cargo-zigbuild
          pip install ziglang (with its python3 first in the PATH), or zig itself
      TEXT
    end

    # @param rubies [Array<String>] commands
    # @return [Hash{String => String}] the extension by the name of Ruby's ABI, such as 3.4.0
    def build(target, rubies)
      rubies.to_h do |ruby|
        abi = ruby_tells(ruby, "ruby_version")
        puts "building for Ruby #{abi} (#{ruby})"
        environment = { "RUBY" => ruby, "CARGO_TARGET_DIR" => File.join(Packaging::ROOT, "target", "gem") }
        command = %W[cargo zigbuild --release --locked --package ikra-native --target #{target}.#{Packaging::GLIBC}]
        abort "it cannot be built" unless system(environment, *command, chdir: Packaging::ROOT)
        built = File.join(environment["CARGO_TARGET_DIR"], target, "release", "libnative.so")
        kept = "#{built}.#{abi}"
        FileUtils.cp(built, kept)
        abort "strip failed" unless system("strip", "--strip-unneeded", kept)
        check(kept)
        [abi, kept]
      end
    end

    # Which versions of glibc it asks for, at most the one that is said.
    def check(path)
      text, status = Open3.capture2("objdump", "-T", path)
      abort "objdump failed" unless status.success?
      newest = text.scan(/GLIBC_(\d[\d.]*)/).flatten.map { |version| Gem::Version.new(version) }.max
      puts "  it asks for glibc #{newest} or newer, and has #{File.size(path) >> 20} MiB"
      abort "that is newer than #{Packaging::GLIBC}" if newest > Packaging::GLIBC
    end

    private

    def ruby_tells(ruby, key)
      text, status = Open3.capture2(ruby, "-rrbconfig", "-e", "print RbConfig::CONFIG[#{key.inspect}]")
      abort "#{ruby} does not run" unless status.success?
      text
    end
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
    platform = given[:platform] || "x86_64-linux"
    target = Packaging::TARGETS.fetch(platform) do
      abort "gem:native builds for #{Packaging::TARGETS.keys.join(", ")} here. #{platform} takes a Ruby of that " \
            "platform: run it on a machine or in an image of it"
    end
    Binaries.check_tools
    own = RbConfig::CONFIG["ruby_version"][/\A\d+\.\d+/]
    names = (given[:rubies] || own).split
    rubies = names.map { |name| name == own ? RbConfig.ruby : "#{`bin/rubies #{name}`.chomp}/bin/ruby" }
    extensions = Binaries.build(target, rubies)

    packaging = Packaging.new(platform)
    spec = packaging.spec
    packaging.take(spec.files.grep_v(/\A(src|ext|Cargo|build)/))
    extensions.each do |abi, path|
      FileUtils.mkdir_p(packaging.path("lib", "ikra", abi))
      FileUtils.cp(path, packaging.path("lib", "ikra", abi, "native.so"))
    end
    packaging.take_licences([target])
    versions = extensions.keys.map { |abi| Gem::Version.new(abi) }
    spec.platform = Gem::Platform.new(platform)
    spec.extensions = []
    spec.requirements = []
    spec.required_ruby_version = [">= #{versions.min.segments.first(2).join(".")}", "< #{versions.max.bump}.dev"]
    packaging.build
  end
end
