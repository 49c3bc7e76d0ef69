# frozen_string_literal: true

# The gem: the Ruby face, and the Rust sources that `gem install` builds the extension from. `rake gem:native` makes of
# it one that has the extension in it.
Gem::Specification.new do |spec|
  # Where the project is at home: a release is built there, by a workflow that says so. A gem that is built elsewhere
  # claims no home.
  home = ENV.fetch("IKRA_HOME", nil)

  spec.name = "ikra"
  spec.version = File.read(File.join(__dir__, "Cargo.toml"))[/^version = "(.+)"/, 1]
  spec.authors = ["Ikra contributors"]
  spec.email = [ENV.fetch("IKRA_EMAIL", nil)].compact
  spec.homepage = home
  spec.summary = "Compiles blocks of Ruby and runs them in parallel, on all CPU cores or on a GPU"
  spec.description = <<~TEXT
    Ikra gives Ruby's collections parallel methods: peach, pmap, pselect, and one for every other method of Enumerable.
    They compile their block, and the methods that it calls, while the program runs, and run it for all elements at once
    on all CPU cores or on an NVIDIA GPU, over the ordinary objects of the program. Ikra.section does so for several such
    calls and the code around them. The result is the one of sequential Ruby, or an error that names the place in the
    source and changes nothing. For CRuby on Linux and macOS, on x86-64 and arm64.
  TEXT
  spec.license = "MIT"
  spec.required_ruby_version = ">= 3.1"
  # ext/ikra/requirements.rb looks for these, and for one of the systems and processors that Ikra runs on.
  spec.requirements = ["Linux or macOS, x86-64 or arm64", "Rust 1.95 or newer", "libclang", "a C compiler", "make"]
  spec.metadata = { "rubygems_mfa_required" => "true" }
  if home
    spec.metadata.merge!(
      "source_code_uri" => "#{home}/tree/v#{spec.version}",
      "changelog_uri" => "#{home}/blob/v#{spec.version}/CHANGELOG.md",
      "documentation_uri" => "https://rubydoc.info/gems/ikra/#{spec.version}",
      "bug_tracker_uri" => "#{home}/issues"
    )
  end

  # Listed from the folder, so that the gem can be built without git. What a build leaves behind stays out, and so do
  # tests.
  spec.files = Dir.chdir(__dir__) do
    patterns = ["lib/**/*.rb", "sig/**/*.rbs", "src/**/*", "ext/ikra/src/**/*", "ext/ikra/*.{rb,rs,toml}", "exe/*",
                "docs/**/*", "examples/**/*", "Cargo.{toml,lock}", "build.rs", "build/*.rs", "LICENSE",
                "{README,ARCHITECTURE,CHANGELOG,CODE_OF_CONDUCT,CONTRIBUTING,SECURITY}.md", ".yardopts"]
    Dir[*patterns].select { |path| File.file?(path) && !path.match?(%r{\A(src|ext)/.*(/|\b)tests(/|\.rs\z)}) }
  end
  spec.bindir = "exe"
  spec.executables = ["ikra"]
  spec.extensions = ["ext/ikra/extconf.rb"]
  spec.require_paths = ["lib"]
end
