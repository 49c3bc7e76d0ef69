# frozen_string_literal: true

require "ikra/cli"
require "ikra/doctor"
require "json"
require "open3"
require "rbconfig"

# The command `ikra`.
RSpec.describe Ikra::CLI do
  # What it prints for people who asked, for those who asked wrongly, and its exit status.
  def ikra(*arguments, **environment)
    environment = { "IKRA_BACKEND" => nil, **environment.transform_keys(&:to_s) }
    out, err, status = Open3.capture3(environment, RbConfig.ruby, File.expand_path("../exe/ikra", __dir__), *arguments)
    [out, err, status.exitstatus]
  end

  it "prints help and version where that was asked for" do
    out, err, status = ikra("--help")
    expect([err, status]).to eq(["", 0])
    expect(out).to start_with("usage: ikra COMMAND").and include("doctor").and include("--version")
    expect(ikra("--version")).to eq(["ikra #{Ikra::VERSION}\n", "", 0])
    expect(ikra("doctor", "--help").first).to start_with("usage: ikra doctor [--json]")
  end

  it "says on standard error what is wrong with the arguments" do
    [[], %w[cure], %w[--cure], %w[doctor --cure], %w[doctor who]].each do |arguments|
      out, err, status = ikra(*arguments)
      expect([out, status]).to eq(["", 2]), arguments.inspect
      expect(err).to include("usage: ikra")
      expect(err).to include(arguments.last.delete_prefix("--")) if arguments.any?
    end
  end

  it "has a method for each command" do
    expect(described_class::COMMANDS.keys.map(&:to_sym) - described_class.public_instance_methods(false)).to be_empty
  end

  describe "example" do
    names = Dir[File.expand_path("../examples/*.rb", __dir__)].map { |path| File.basename(path, ".rb") }.sort

    it "lists what is there, each in a line" do
      out, err, status = ikra("example", "list")
      expect([err, status]).to eq(["", 0])
      expect(out.lines.map { |line| line[/\A  (\w+) +\S/, 1] }).to eq(names)
    end

    it "runs one, with its options and its exit status" do
      out, err, status = ikra("example", "run", "heat", "--pieces", "20", "--steps", "10", "--backend", "cpu")
      expect([out.lines.first, err, status]).to eq(["10 steps\n", "", 0])
      expect(ikra("example", "run", "heat", "--help").first).to include("--pieces")
      expect(ikra("example", "run", "heat", "--nonsense").last).to eq(1)
    end

    it "says which there are where there is none of that name" do
      [[], %w[run], %w[run nope], %w[list heat], %w[run ../heat]].each do |wrong|
        out, err, status = ikra("example", *wrong)
        expect([out, status]).to eq(["", 2]), wrong.inspect
        expect(err).to include("usage: ikra example list | run NAME").and include("heat")
      end
    end
  end

  describe "doctor" do
    without_gpu = { IKRA_CUDA_EMULATOR: nil, CUDA_VISIBLE_DEVICES: "", IKRA_BACKEND: "cpu" }

    it "begins with the verdict, and says each thing once" do
      out, err, status = ikra("doctor", **without_gpu, IKRA_THREADS: "3")
      expect([err, status]).to eq(["", 0])
      expect(out.lines.first).to match(/\AOK: sections run on 3 CPU cores; /)
      expect(out.lines.drop(1)).to all(start_with("  ")).and match(out.lines.drop(1).uniq)
      reasons = out.scan(/missing: (.*)/).flatten
      expect(reasons).to match_array(reasons.uniq)
      expect(out).to include("threads 3").and include("cache: ")
    end

    it "says it as JSON" do
      out, err, status = ikra("doctor", "--json", **without_gpu, IKRA_THREADS: "1")
      expect([err, status]).to eq(["", 0])
      told = JSON.parse(out)
      expect(told).to include("ok" => true, "ikra" => Ikra::VERSION, "ruby" => RUBY_DESCRIPTION, "failure" => nil)
      expect(told["verdict"]).to start_with("OK: sections run on 1 CPU core; ")
      expect(told["settings"]).to include("backend" => "cpu", "threads" => 1)
      expect(told["cuda"].keys).to eq(%w[driver compiler gpu])
      expect(told["cuda"].values.map(&:size)).to all(eq(1))
    end

    it "fails where no section runs, with the reason" do
      out, _, status = ikra("doctor", **without_gpu, IKRA_BACKEND: "opencl")
      expect(status).to eq(1)
      expect(out).to match(/\ANOT OK: no section runs here\n  ArgumentError: IKRA_BACKEND: unknown back-end :opencl/)
      out, _, status = ikra("doctor", "--json", **without_gpu, IKRA_THREADS: "none")
      expect([status, JSON.parse(out)["ok"]]).to eq([1, false])
    end

    it "fails where the extension is not there" do
      program = "require 'rbconfig'; RbConfig::CONFIG['ruby_version'] = '0.0'; " \
                "require 'ikra/cli'; exit Ikra::CLI.new.run(%w[doctor])"
      out, status = Open3.capture2(RbConfig.ruby, "-I", File.expand_path("../lib", __dir__), "-e", program)
      expect(status.exitstatus).to eq(1)
      expect(out).to match(/\ANOT OK.*LoadError.*rake compile/m)
    end

    it "is there for programs" do
      doctor = Ikra.doctor
      expect(doctor).to be_ok
      expect(doctor.to_s).to start_with(doctor.verdict)
      expect(JSON.parse(doctor.to_json)).to include("verdict" => doctor.verdict)
    end
  end
end
