# frozen_string_literal: true

# The traffic simulation on a GPU: the time in kernels, as a ratio to a kernel written by hand (traffic.cu, which needs
# nvcc), for actors in order of class and mixed. Also how long NVRTC takes to compile the section, with no cache.
#
#   rake bench:gpu        ruby -Ilib benchmark/gpu.rb --ticks 1000000

require "optparse"
require "tmpdir"
require_relative "measurement"

options = { ticks: 100_000, rounds: 5 }
OptionParser.new do |parser|
  parser.on("--ticks N", Integer, "(#{options[:ticks]})")
  parser.on("--rounds N", Integer, "(#{options[:rounds]})")
end.parse!(into: options)

nvcc = [ENV.fetch("CUDA_PATH", nil), "/usr/local/cuda"].compact.map { |folder| File.join(folder, "bin/nvcc") }
                                                       .find { |path| File.executable?(path) } || "nvcc"
by_hand = Measurement.compile("traffic.cu", nvcc, "-O3", "-arch=native", "-fmad=false")
arguments = ["--backend", "cuda", "--ticks", options[:ticks]]

# A process of its own, whose cache of compiled kernels is empty.
cold = Dir.mktmpdir do |cache|
  Measurement.ruby(*arguments, environment: { "IKRA_CACHE_DIR" => cache, "XDG_CACHE_HOME" => cache })
end

rows = { "sorted" => [], "shuffled" => ["--shuffle"] }.map do |order, flag|
  rounds = Array.new(options[:rounds]) do
    anchor = Measurement.output(by_hand, options[:ticks].to_s, order)
    ours = Measurement.ruby(*arguments, *flag)
    Measurement.same!(anchor[/sum.*\n.*\n/], ours[:checksum])
    # The second call, like the second run of the anchor, goes on where the first one ended.
    [anchor[/second (.*)/, 1].to_f, ours[:second][:phases][:kernel], ours[:second][:seconds]]
  end
  anchor, kernel, everything = rounds.transpose.map { |seconds| Measurement.median(seconds) }
  ratio = Measurement.median(rounds.map { |hand, ikra, _| ikra / hand })
  times = [anchor, kernel].map { |seconds| format("%.1f ns", seconds * 1e9 / options[:ticks]) }
  [order, *times, format("%.3f", ratio), format("%.1f ms", everything * 1e3)]
end

puts "#{options[:ticks]} ticks of 16384 pedestrians and 4096 cars on 500 streets",
     "medians of #{options[:rounds]} rounds", "",
     Measurement.table([["", "by hand, a tick", "Ikra, a tick", "kernel ratio", "Ikra, everything"], *rows]), "",
     format("compiled in %.0f ms by NVRTC with an empty cache", cold[:first][:phases][:compile] * 1e3)
