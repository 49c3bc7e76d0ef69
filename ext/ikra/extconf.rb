# frozen_string_literal: true

# Run by `gem install`: writes a Makefile that has cargo build the extension, and puts it where `require "ikra/native"`
# finds it, in a folder with the name of this Ruby. In a checkout `rake compile` does that instead.

require "rbconfig"
require_relative "requirements"

config = RbConfig::CONFIG
requirements = Ikra::Requirements.new
missing = requirements.missing
abort "The extension of Ikra cannot be built here. It needs:\n\n- #{missing.join("\n- ")}\n" if missing.any?

begin
  gem "rb_sys", ">= 0.9.87"
  require "mkmf"
  require "rb_sys/mkmf"
rescue LoadError
  # The Makefile below needs nothing but cargo.
end

# The gem rb_sys, where it is there, knows the variables of those who build for other platforms.
if respond_to?(:create_rust_makefile, true)
  create_rust_makefile("ikra/#{config["ruby_version"]}/native") do |builder|
    builder.extra_cargo_args = ["--locked"]
    builder.extra_rustflags = requirements.rustflags
    builder.auto_install_rust_toolchain = false
  end
  exit
end

manifest = File.expand_path("Cargo.toml", __dir__)
library = config["host_os"].include?("darwin") ? "libnative.dylib" : "libnative.so"

# CARGO_TARGET_DIR, where it is set, keeps what cargo built for the next time; otherwise the several hundred megabytes
# are in the way once the extension is installed.
kept = ENV.fetch("CARGO_TARGET_DIR", nil)
target = kept || File.expand_path("target")

flags = [ENV.fetch("RUSTFLAGS", nil), *requirements.rustflags].compact.join(" ")

File.write("Makefile", <<~MAKEFILE)
  sitearchdir = #{config["sitearchdir"]}
  RUBYARCHDIR = $(sitearchdir)
  CARGO_TARGET_DIR = #{target}
  LIBRARY = $(CARGO_TARGET_DIR)/release/#{library}

  all:
  \t#{"RUSTFLAGS=\"#{flags}\" " unless flags.empty?}RUBY="#{RbConfig.ruby}" CARGO_TARGET_DIR="$(CARGO_TARGET_DIR)" \\
  \t  cargo build --release --locked --package ikra-native --manifest-path "#{manifest}"

  install: all
  \tmkdir -p "$(DESTDIR)$(RUBYARCHDIR)/ikra/#{config["ruby_version"]}"
  \tcp "$(LIBRARY)" "$(DESTDIR)$(RUBYARCHDIR)/ikra/#{config["ruby_version"]}/native.#{config["DLEXT"]}"
  \t#{kept ? "@:" : "rm -rf \"$(CARGO_TARGET_DIR)\""}

  clean:
  \t@:

  .PHONY: all install clean
MAKEFILE
