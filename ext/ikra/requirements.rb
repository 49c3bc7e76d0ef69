# frozen_string_literal: true

require "open3"
require "rbconfig"

module Ikra
  # What it takes to build the extension: looked for before anything is compiled, and all of it at once.
  class Requirements
    # Where bindgen's clang-sys looks for libclang, besides what LIBCLANG_PATH and llvm-config name.
    FOLDERS = ["/usr/local/llvm*/lib*", "/usr/local/lib*{,/*,/*/*}", "/usr/lib*{,/*,/*/*}",
               "/usr/local/opt/llvm*/lib{,/llvm*/lib}", "/opt/homebrew/opt/llvm*/lib{,/llvm*/lib}",
               "/Library/Developer/CommandLineTools/usr/lib",
               "/Applications/Xcode*.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib"].freeze

    # @param config [Hash] as of RbConfig
    # @param environment [Hash, ENV] as of the process; its PATH has the commands
    # @param folders [Array<String>] patterns of folders that may hold libclang
    def initialize(config: RbConfig::CONFIG, environment: ENV, folders: FOLDERS, engine: RUBY_ENGINE)
      @config = config
      @environment = environment.to_h
      @folders = folders
      @engine = engine
    end

    # @return [Array<String>] what is missing, each with how to get it
    def missing
      return [unsupported] if unsupported

      [rust, headers, linker, make, libclang].compact
    end

    # Rust links musl into what it makes for it, which no extension of a dynamic Ruby may have twice.
    #
    # @return [Array<String>] flags for rustc
    def rustflags = musl? ? %w[-C target-feature=-crt-static] : []

    # @return [Boolean] is this a Linux with musl, such as Alpine?
    def musl? = @config["host_os"].include?("musl")

    private

    def unsupported
      system = @config["host_os"]
      return "Ikra runs on CRuby, and this is #{@engine}." unless @engine == "ruby"
      return if system.match?(/linux|darwin/) && @config["host_cpu"].match?(/x86_64|amd64|aarch64|arm64/)

      "Ikra runs on Linux and macOS, on x86-64 and arm64; this is #{system} on #{@config["host_cpu"]}."
    end

    def rust
      wanted = File.read(File.join(__dir__, "Cargo.toml"))[/^rust-version = "(.+)"/, 1]
      found = %w[cargo rustc].map { |command| output(command, "--version")&.slice(/\d+(\.\d+)+/) }
      return if found.all? { |version| version && Gem::Version.new(version) >= Gem::Version.new(wanted) }

      there = found.include?(nil) ? "cargo and rustc are not both in the PATH" : "this is Rust #{found.join(" and ")}"
      "Rust #{wanted} or newer (#{there}):\n    " \
        "curl --proto =https -sSf https://sh.rustup.rs | sh     or, where rustup is there: rustup update stable"
    end

    def headers
      return if File.exist?(File.join(@config["rubyhdrdir"].to_s, "ruby.h"))

      advice("The headers of Ruby", debian: "ruby-dev", alpine: "ruby-dev",
                                    macos: "a Ruby that is not the system's: brew install ruby")
    end

    def linker
      return if output("cc", "--version")

      advice("A C compiler, called cc", debian: "gcc libc6-dev", alpine: "gcc musl-dev",
                                        macos: "xcode-select --install")
    end

    # `gem install` calls it by this variable, too.
    def make
      return if [@environment["MAKE"], "make", "gmake"].compact.any? { |command| output(*command.split, "--version") }

      advice("make", debian: "make", alpine: "make", macos: "xcode-select --install")
    end

    def libclang
      named = [@environment["LIBCLANG_PATH"], output("llvm-config", "--libdir")&.strip].compact
      return if named.any? { |path| File.file?(path) || holds_libclang?(path) }
      return if Dir.glob(@folders).any? { |folder| holds_libclang?(folder) }

      advice("libclang, or its folder in LIBCLANG_PATH", debian: "libclang-dev", alpine: "clang-dev",
                                                         macos: "xcode-select --install")
    end

    def holds_libclang?(folder)
      Dir.glob("{libclang{,-[0-9]*}.so{,.*},libclang.dylib}", base: folder).any?
    end

    # How to get something, with the commands of this system alone.
    def advice(what, debian:, alpine:, macos:)
      how = if musl? then "Alpine: apk add #{alpine}"
            elsif @config["host_os"].include?("darwin") then "macOS: #{macos}"
            else
              "Debian and Ubuntu: sudo apt-get install #{debian}"
            end
      "#{what}:\n    #{how}"
    end

    # What a command prints; nil where it is not there or fails.
    def output(*command)
      text, status = Open3.capture2e(@environment, *command, unsetenv_others: true)
      text if status.success?
    rescue SystemCallError
      nil
    end
  end
end
