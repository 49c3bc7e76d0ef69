# frozen_string_literal: true

# The pictures of docs/gallery, each by an example. Those in pixels take the gem chunky_png.
GALLERY = {
  "town.svg" => %w[city.rb],
  "epidemic.svg" => %w[epidemic.rb],
  "flock.svg" => %w[flock.rb --birds 700 --steps 300],
  "heat.svg" => %w[heat.rb --pieces 200],
  "kmeans.svg" => %w[kmeans.rb --points 1500],
  "barnes_hut.svg" => %w[barnes_hut.rb --bodies 1200 --steps 120],
  "mandelbrot.png" => %w[mandelbrot.rb --width 600],
  "ray_tracer.png" => %w[ray_tracer.rb --width 480]
}.freeze

# The first table of docs/benchmarks.md as a picture, with its machine and date.
def draw_benchmark
  require_relative "../examples/pictures/bars"
  text = File.read("docs/benchmarks.md", encoding: Encoding::UTF_8)[/^## On the CPU\n\n(.*?)^The two columns/m, 1]
  caption, table = text.split("\n\n", 2)
  bars = table.scan(/^\| (.+?) \| ([\d.]+) ms \|/).map do |name, milliseconds|
    [name.delete("`"), milliseconds.to_f, name.start_with?("Ikra")]
  end
  lines = caption.delete("`").tr("\n", " ").scan(/\S.{0,104}(?=\s|\z)/)
  Bars.new("Traffic simulation, 20,480 actors, 1,000 ticks", lines, bars).to_svg.save("docs/gallery/benchmark.svg")
end

desc "Draw the pictures of docs/gallery, by the examples (without building anything)"
task :gallery do
  GALLERY.each do |picture, (example, *options)|
    ruby "-Ilib", "examples/#{example}", *options, "--output", "docs/gallery/#{picture}"
  end
  draw_benchmark
end
