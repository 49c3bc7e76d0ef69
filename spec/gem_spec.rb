# frozen_string_literal: true

require "json"
require "open3"
require "pathname"
require "rbconfig"

# What the gem says of itself and holds.
RSpec.describe "what people find who come to the project" do
  folder = File.expand_path("..", __dir__)

  it "asks in each form for what `ikra doctor --json` prints" do
    begin
      require "yaml"
    rescue LoadError
      skip "this Ruby was built without YAML"
    end
    forms = Dir["#{folder}/.github/ISSUE_TEMPLATE/*.yml"] - ["#{folder}/.github/ISSUE_TEMPLATE/config.yml"]
    expect(forms.size).to eq(3)
    forms.each do |path|
      fields = YAML.safe_load(File.read(path)).fetch("body")
      expect(fields.map { |field| field["attributes"]["label"] }).to include("What `ikra doctor --json` prints"), path
      expect(fields.map { |field| field["id"] }.uniq.size).to eq(fields.size), path
    end
  end

  # The steps of a workflow, as text.
  steps = lambda do |name|
    require "yaml"
    YAML.safe_load(File.read("#{folder}/.github/workflows/#{name}.yml"), aliases: true).fetch("jobs")
        .transform_values { |job| job["steps"].filter_map { |step| step["run"] }.join("\n") }
  end

  it "checks in CI what bin/test checks, on the Rubies and with the Rust that the project names" do
    begin
      jobs = steps.call("ci")
    rescue LoadError
      skip "this Ruby was built without YAML"
    end
    expect(jobs["checks"].lines.last).to eq(".ci/run")
    expect(File.read("#{folder}/.ci/run")).to include("exec bin/test")
    text = File.read("#{folder}/.github/workflows/ci.yml")
    expect(text).to include(%(RUST: "#{File.read("#{folder}/Cargo.toml")[/^rust-version = "(.+)"/, 1]}"))
    expect(text).to include(%(ruby: ["3.1", "3.2", "3.3", "3.4", "4.0"]))
  end

  it "has workflows whose files and tasks are there" do
    begin
      text = [*steps.call("ci").values, *steps.call("release").values].join("\n")
    rescue LoadError
      skip "this Ruby was built without YAML"
    end
    tasks = Dir["#{folder}/{Rakefile,rakelib/*.rake}"].map { |path| File.read(path) }.join
    called = text.scan(/^rake "?([a-z:]+)/).flatten.uniq
    expect(called).to contain_exactly("compile:testing", "gem:source", "gem:native")
    expect(called.map { |name| name.split(":").last }).to all(satisfy { |name| tasks.match?(/task[ (]:#{name}\b/) })
    files = text.scan(%r{(?:ruby |^)((?:\.ci|bin|exe|spec)/[\w./-]+)}).flatten
    expect(files).to include("bin/check-examples", "exe/ikra")
    expect(files).to all(satisfy { |path| File.exist?(File.join(folder, path)) })
  end

  it "has links between its documents that lead somewhere" do
    paths = Dir["#{folder}/*.md", "#{folder}/docs/*.md"]
    broken = paths.flat_map do |path|
      text = File.read(path, encoding: Encoding::UTF_8).gsub(/^```.*?^```/m, "").gsub(/`[^`\n]*`/, "")
      links = text.scan(/\]\(([^)#\s]+)(?:#[^)]*)?\)/).flatten.grep_v(/\Ahttps?:/)
      links.reject { |link| File.exist?(File.expand_path(link, File.dirname(path))) }.map { |link| "#{path}: #{link}" }
    end
    expect(broken).to eq([])
  end
end

RSpec.describe Gem::Specification do
  root = File.expand_path("..", __dir__)
  let(:spec) { described_class.load(File.join(root, "ikra.gemspec")) }

  # What a process with these variables is told. Rubygems keeps what it has loaded.
  told = lambda do |environment|
    program = "s = Gem::Specification.load('ikra.gemspec'); print JSON.dump([s.homepage, s.email, s.metadata])"
    text, status = Open3.capture2(environment, RbConfig.ruby, "-rjson", "-e", program, chdir: root)
    expect(status).to be_success
    JSON.parse(text)
  end

  it "says where the project is at home, where it is built there" do
    environment = { "IKRA_HOME" => "https://forge.test/ikra/ikra", "IKRA_EMAIL" => "someone@forge.test" }
    homepage, email, metadata = instance_exec(environment, &told)
    uris = %w[source_code_uri changelog_uri documentation_uri bug_tracker_uri]
    expect(metadata.slice(*uris).values.size).to eq(4)
    expect([homepage, *metadata.slice(*uris).values]).to all(match(%r{\Ahttps://\S+\z}))
    expect(metadata["bug_tracker_uri"]).to eq("https://forge.test/ikra/ikra/issues")
    expect(email).to eq(["someone@forge.test"])
  end

  it "claims no home elsewhere" do
    expect(instance_exec({ "IKRA_HOME" => nil, "IKRA_EMAIL" => nil }, &told))
      .to eq([nil, [], { "rubygems_mfa_required" => "true" }])
  end

  it "describes what there is" do
    expect(spec.description).to include("peach", "pmap", "pselect", "Ikra.section")
    expect(spec.version.to_s).to eq(Ikra::VERSION)
    expect(File.read(File.join(root, "ext/ikra/Cargo.toml"))).to include("version = \"#{Ikra::VERSION}\"")
  end

  it "has the command, the examples and what documents it" do
    expect(spec.executables).to eq(["ikra"])
    expect(spec.files).to include("exe/ikra", "lib/ikra/cli.rb", "examples/traffic.rb", "examples/data/ATTRIBUTION.md",
                                  "docs/ruby.md", ".yardopts", "README.md", "CHANGELOG.md", "LICENSE")
  end

  it "has no tests, nothing of developers and nothing that a build leaves behind" do
    expect(spec.files.grep(%r{\A(spec|bin|benchmark|target|tmp)/|(/|\b)tests(/|\.rs\z)|native\.|\.svg\z})
             .grep_v(%r{\Adocs/})).to be_empty
  end

  it "leaves out no file that a Rust file of it declares" do
    declared = spec.files.grep(%r{\A(src|ext)/.*\.rs\z}).flat_map do |path|
      text = File.read(File.join(root, path)).gsub(/#\[cfg\(.*test.*\)\]\s+(pub(\(\w+\))? )?mod \w+;/, "")
      folder = File.basename(path).match?(/\A(mod|lib|build)\.rs\z/) ? File.dirname(path) : path.delete_suffix(".rs")
      text.scan(/^(?:#\[path = "(.+)"\]\s+)?(?:pub(?:\(\w+\))? )?mod (\w+);/).map do |given, name|
        given ? [File.join(File.dirname(path), given)] : ["#{folder}/#{name}.rs", "#{folder}/#{name}/mod.rs"]
      end
    end
    missing = declared.reject { |names| (names.map { |name| Pathname(name).cleanpath.to_s } & spec.files).any? }
    expect(missing).to be_empty
  end

  it "has options for YARD that name files which are there" do
    named = File.readlines(File.join(root, ".yardopts"), chomp: true).grep_v(/\A-/)
    expect(named.select { |pattern| Dir[File.join(root, pattern)].empty? }).to be_empty
  end

  it "writes pictures of examples to tmp/, which git does not keep" do
    texts = Dir[File.join(root, "examples/**/*.rb")].map { |path| File.read(path) }
    named = texts.flat_map { |text| text.scan(%r{[\w/]+\.(?:svg|pgm|png)\b}) }
    expect(named).not_to be_empty
    expect(named).to all(start_with("tmp/"))
    expect(File.readlines(File.join(root, ".gitignore"), chomp: true)).to include("/tmp/")
    expect(Dir[File.join(root, "*.{svg,png,pgm}")]).to be_empty
  end
end
