# frozen_string_literal: true

# Which back-end :auto takes. The GPU is emulated, and slow.
RSpec.describe "Ikra.backend = :auto", if: ENV.fetch("IKRA_CUDA_EMULATOR", nil) do
  around do |example|
    ENV["IKRA_TEST_AUTO"] = "cuda-emulated"
    Ikra.backend = :auto
    example.run
  ensure
    ENV.delete("IKRA_TEST_AUTO")
    Ikra.backend = :cpu
  end

  let(:numbers) { Array.new(4_096) { |i| i } }

  # Calls the section until it has run on the GPU; gives the back-ends of all calls.
  def backends(most, &section)
    Array.new(most) do
      backend = Ikra.profile(&section)[:backend]
      sleep(0.05)
      backend
    end
  end

  it "tries the GPU when its code is ready, and gives the same everywhere" do
    results = []
    used = backends(80) do
      results << numbers.pmap { |n| (0...400).sum { |i| (i * n) % 7 } }
    end
    expect(used).to include(:cuda)
    expect(results.uniq.size).to eq(1)
  end

  it "begins again on the GPU what lasts long on the CPU" do
    section = -> { numbers.pmap { |n| (0...100_000).sum { |i| (i * n) % 11 } }.first(20) }
    result = nil
    profile = Ikra.profile { result = section.call }
    expect(profile[:backend]).to eq(:cuda)
    expect(result).to eq(Array.new(20) { |n| (0...100_000).sum { |i| (i * n) % 11 } })
  end

  it "begins a section of several calls again on the GPU, or takes it there the next time" do
    all = numbers
    section = lambda do |turns|
      Ikra.section do
        found = 0
        turns.times { found += all.pmap { |n| (0...2_000).sum { |i| (i * n) % 11 } }.sum }
        found
      end
    end
    one = all.sum { |n| (0...2_000).sum { |i| (i * n) % 11 } }
    profile = Ikra.profile { expect(section.call(400)).to eq(one * 400) }
    expect(profile[:backend]).to eq(:cuda)
    few = numbers.first(100)
    expect(backends(5) { Ikra.section { 50.times { few.peach { |n| n + 1 } } } }.uniq).to eq([:cpu])
  end

  it "leaves what is cheap, or has few elements, on the CPU" do
    expect(backends(10) { numbers.pmap { |n| n + 1 } }.uniq).to eq([:cpu])
    expect(backends(10) { [1, 2, 3].pmap { |n| (0...100_000).sum { |i| (i * n) % 11 } } }.uniq).to eq([:cpu])
  end

  it "does on the CPU what the GPU has no memory for, and says so once" do
    ENV["IKRA_CUDA_EMULATOR_MEMORY"] = "1000"
    used = nil
    told = /choice_spec.rb:\d+:.*pmap runs on the CPU from now on.*\n.* of memory on the GPU/
    expect { used = backends(40) { numbers.pmap { |n| (0...500).sum { |i| (i * n) % 5 } } } }.to output(told).to_stderr
    expect(used.uniq).to eq([:cpu])
  ensure
    ENV.delete("IKRA_CUDA_EMULATOR_MEMORY")
  end
end
