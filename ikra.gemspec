# frozen_string_literal: true

# The gem: the Ruby face, and the Rust sources that `gem install` builds the extension from.
Gem::Specification.new do |spec|
  spec.name = "ikra"
  spec.version = File.read(File.join(__dir__, "Cargo.toml"))[/^version = "(.+)"/, 1]
  spec.authors = ["Ikra contributors"]
  spec.summary = "Runs the blocks of array operations in parallel, on a GPU or on all CPU cores"
  spec.description = <<~TEXT
    Ikra adds peach, pmap and pselect to Array. They compile their block, and the methods it calls, while the program
    runs, and carry it out for all elements at once on an NVIDIA GPU or on all CPU cores, over the ordinary objects of
    the program. The result is that of sequential Ruby, or an error that names the place in the source. Runs on Linux
    and macOS, on x86-64 and arm64, with CRuby.
  TEXT
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  # ext/ikra/requirements.rb looks for these, and for one of the systems and processors that Ikra runs on.
  spec.requirements = ["Linux or macOS, x86-64 or arm64", "Rust 1.95 or newer", "libclang", "a C compiler"]
  spec.metadata = { "rubygems_mfa_required" => "true" }

  # Listed from the folder, so that the gem can be built without git. What a build leaves behind stays out.
  spec.files = Dir.chdir(__dir__) do
    patterns = ["lib/**/*.rb", "src/**/*", "ext/ikra/src/**/*", "ext/ikra/*.{rb,rs,toml}", "bin/ikra", "docs/**/*",
                "Cargo.{toml,lock}", "build.rs", "{README,ARCHITECTURE,CHANGELOG}.md", "LICENSE"]
    Dir[*patterns].select { |path| File.file?(path) }
  end
  spec.bindir = "bin"
  spec.executables = spec.files.grep("bin/ikra").map { |path| File.basename(path) }
  spec.extensions = ["ext/ikra/extconf.rb"]
  spec.require_paths = ["lib"]
end
