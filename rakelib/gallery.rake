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

desc "Draw the pictures of docs/gallery, by the examples (without building anything)"
task :gallery do
  GALLERY.each do |picture, (example, *options)|
    ruby "-Ilib", "examples/#{example}", *options, "--output", "docs/gallery/#{picture}"
  end
end
