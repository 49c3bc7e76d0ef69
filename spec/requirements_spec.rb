# frozen_string_literal: true

require_relative "../ext/ikra/requirements"
require "tmpdir"

# What `gem install` looks for before it compiles anything.
RSpec.describe Ikra::Requirements do
  around { |example| Dir.mktmpdir { |folder| (@folder = folder) && example.run } }

  # A folder for PATH with commands that print something.
  def commands(**texts)
    texts.each do |name, text|
      path = File.join(@folder, name.to_s)
      File.write(path, "#!/bin/sh\necho '#{text}'\n")
      File.chmod(0o755, path)
    end
    { "PATH" => @folder }
  end

  def missing(environment, folders: ["#{@folder}/llvm*"], config: {}, **others)
    File.write(File.join(@folder, "ruby.h"), "")
    config = { "host_os" => "linux-gnu", "host_cpu" => "x86_64", "rubyhdrdir" => @folder, **config }
    described_class.new(config:, environment:, folders:, **others).missing
  end

  let(:complete) do
    commands(cargo: "cargo 2.0.0 (abc 2030-01-01)", rustc: "rustc 2.0.0", cc: "cc 14", make: "GNU Make 4.3")
  end

  def libclang(name)
    Dir.mkdir(File.join(@folder, "llvm-14"))
    File.write(File.join(@folder, "llvm-14", name), "")
  end

  it "is nothing where all is there" do
    libclang("libclang-14.so.1")
    expect(missing(complete)).to eq([])
  end

  it "names everything that is missing at once, with how to get it" do
    texts = missing({ "PATH" => "/nowhere" }, config: { "rubyhdrdir" => "/nowhere" })
    expect(texts.map { |text| text[/\A[^:(]+/] })
      .to match(["Rust 1.95 or newer ", "The headers of Ruby", "A C compiler, called cc", "make", /libclang/])
    expect(texts[0]).to include("rustup.rs")
    expect(texts[1..]).to all(include("apt-get install"))
  end

  it "are told in the commands of the system" do
    nowhere = ->(system) { missing({ "PATH" => "/nowhere" }, config: { "host_os" => system })[1..] }
    expect(nowhere.call("linux-musl")).to all(match(/:\n    Alpine: apk add [a-z -]+\z/))
    expect(nowhere.call("linux-gnu")).to all(match(/:\n    Debian and Ubuntu: sudo apt-get install [a-z0-9 -]+\z/))
    expect(nowhere.call("darwin23")).to all(match(/:\n    macOS: [a-z -]+\z/))
  end

  it "are make, by any of its names" do
    libclang("libclang.so")
    without = { **complete, "PATH" => complete["PATH"] }
    File.delete("#{@folder}/make")
    expect(missing(without)).to match([/\Amake:\n    .*apt-get install make\z/])
    commands("my-make": "Make 1")
    expect(missing({ **without, "MAKE" => "my-make -j2" })).to eq([])
    expect(missing({ **without, **commands(gmake: "GNU Make 4.3") })).to eq([])
  end

  it "have rustc link no musl into the extension" do
    flags = ->(system) { described_class.new(config: { "host_os" => system, "host_cpu" => "x86_64" }).rustflags }
    expect(flags.call("linux-musl")).to eq(%w[-C target-feature=-crt-static])
    expect(flags.call("linux-gnu")).to eq([])
  end

  it "are a Rust that is new enough" do
    libclang("libclang.so")
    old = commands(cargo: "cargo 1.63.0", rustc: "rustc 1.63.0", cc: "cc 14", make: "GNU Make 4.3")
    expect(missing(old)).to match([/\ARust 1\.95 or newer \(this is Rust 1\.63\.0 and 1\.63\.0\)/])
  end

  it "include libclang, which llvm-config or LIBCLANG_PATH may name" do
    libclang("libclang.dylib")
    expect(missing(complete, folders: [])).to match([/LIBCLANG_PATH/])
    expect(missing({ **complete, "LIBCLANG_PATH" => "#{@folder}/llvm-14" }, folders: [])).to eq([])
    expect(missing({ **complete, "LIBCLANG_PATH" => "#{@folder}/llvm-14/libclang.dylib" }, folders: [])).to eq([])
    expect(missing({ **complete, **commands("llvm-config": "#{@folder}/llvm-14") }, folders: [])).to eq([])
  end

  it "does not take another library of LLVM's for it" do
    libclang("libclang-cpp.so.14")
    expect(missing(complete)).to match([/LIBCLANG_PATH/])
  end

  it "say which systems Ikra runs on" do
    expect(missing(complete, config: { "host_os" => "mingw32" })).to match([/\AIkra runs on Linux and macOS.*mingw32/])
    expect(missing(complete, config: { "host_cpu" => "riscv64" })).to match([/x86-64 and arm64.*riscv64/])
    expect(missing(complete, engine: "jruby")).to eq(["Ikra runs on CRuby, and this is jruby."])
  end

  it "are what the gemspec and the README say" do
    rust = File.read("#{__dir__}/../ext/ikra/Cargo.toml")[/^rust-version = "(.+)"/, 1]
    expect(File.read("#{__dir__}/../Cargo.toml")).to include("rust-version = \"#{rust}\"")
    %w[ikra.gemspec README.md bin/setup].each do |path|
      expect(File.read("#{__dir__}/../#{path}")).to include("Rust #{rust} or newer"), path
    end
  end
end
