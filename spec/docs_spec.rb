# frozen_string_literal: true

# docs/errors.md lists every error code that the sources can give.
RSpec.describe "docs/errors.md" do
  root = File.expand_path("..", __dir__)
  code = /"([a-z]+(?:-[a-z]+)+)"/

  # Where error codes stand in the sources: the table of what has no place in the AST, the arguments of the functions
  # that refuse, and messages that end with one in brackets.
  in_table = /^\s+[A-Z_]+ #{code}$/
  in_call = /(?:\brefuse_here\(|\brefuse\(|\brefusal\(|\bstop\(|\bDiagnostic::new\(|\bslug: )\s*#{code}/
  in_message = /\[([a-z]+(?:-[a-z]+)+)\]/

  sources = Dir[File.join(root, "{src,ext/ikra/src}/**/*.rs"), File.join(root, "lib/**/*.rb")]
  sources.reject! { |path| path.include?("/tests") }
  given = sources.flat_map do |path|
    # Without lines of comment.
    text = File.read(path, encoding: Encoding::UTF_8).gsub(%r{^\s*(?://|# ).*$}, "")
    patterns = path.end_with?("refusals.rs") ? [in_table] : [in_call, in_message]
    patterns.flat_map { |pattern| text.scan(pattern).flatten }
  end
  given = given.uniq.sort
  listed = File.read(File.join(root, "docs/errors.md"), encoding: Encoding::UTF_8).scan(/^\| `([a-z-]+)` \|/).flatten

  it "has found the error codes" do
    expect(given).to include("unsupported-hash", "captured-write", "unsupported-method", "changing-base", "no-source",
                             "method-object", "syntax-error", "uninitialized-constant")
  end

  it "lists every error code once" do
    expect(listed.tally.select { |_, count| count > 1 }).to be_empty
    expect(given - listed).to be_empty
  end

  it "lists no error code that is not given" do
    expect(listed - given).to be_empty
  end

  it "lists every exception of Ikra" do
    text = File.read(File.join(root, "docs/errors.md"), encoding: Encoding::UTF_8)
    exceptions = Ikra.constants.map { |name| Ikra.const_get(name) }.grep(Class).select { |c| c <= Exception }
    expect(exceptions.reject { |exception| text.include?("`#{exception.name}`") }).to be_empty
  end
end

RSpec.describe "docs/operations.md" do
  text = File.read(File.expand_path("../docs/operations.md", __dir__), encoding: Encoding::UTF_8)
  named = text.scan(/`(p[a-z_]+[?!]?)`/).flatten.uniq
  methods = [Ikra::ParallelMethods, *Ikra.const_get(:PARALLEL).map(&:last)].flat_map do |one|
    one.instance_methods(false)
  end

  it "has a row for every parallel method" do
    expect(methods.map(&:to_s) - named - %w[plazy pnew pcollect_concat ptransform_values! ptransform_keys!]).to be_empty
  end

  it "names none that there is not" do
    expect(named - methods.map(&:to_s) - %w[partition]).to be_empty
  end

  it "has the methods of a chain" do
    expect(%i[map select reject filter_map sum sort_by group_by tally first zip each_slice].all? do |name|
             Ikra::Chain.method_defined?(name)
           end)
      .to be(true)
  end
end
