# frozen_string_literal: true

require "ikra/refinements"

# Refinements are seen where the code stands, which a section does not look at: such code is refused.
module Refined
  module Doubling
    refine Integer do
      def +(other) = super(other) * 2
    end
  end

  module Before
    def self.add(base) = base.pmap { |x| x + 1 }
  end

  module After
    using Doubling
    def self.add(base) = base.pmap { |x| x + 1 }
    def self.sum(x) = x + 1
  end

  # What is used in a module ends with it.
  module Outside
    def self.add(base) = base.pmap { |x| x + 1 }
  end

  module WithIkra
    using Ikra::Refinements
    def self.add(base) = base.pmap { |x| x + 1 }
    def self.succ(base) = base.pmap(&:succ)
  end
end

each_backend do
  it "runs where none is active" do
    expect(Refined::Before.add([1, 2])).to eq([2, 3])
    expect(Refined::Outside.add([1, 2])).to eq([2, 3])
    expect(Refined::WithIkra.add([1, 2])).to eq([2, 3])
  end
end

each_compiling_backend do
  it "refuses blocks and methods where one is active" do
    refused = raise_error(Ikra::UnsupportedError, /\[active-refinement\]/)
    expect { Refined::After.add([1, 2]) }.to refused
    expect { [1, 2].pmap { |x| Refined::After.sum(x) } }.to refused
  end

  it "says what to write instead of &:name where one is active" do
    told = /&:name \[no-source\]\n(?:.*\n)+  hint: write \{ \|element\| element.name \}/
    refused = raise_error(Ikra::UnsupportedError, told)
    expect { Refined::WithIkra.succ([1, 2]) }.to refused
  end
end
