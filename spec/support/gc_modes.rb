# frozen_string_literal: true

# The suite under a hard garbage collector, chosen with IKRA_SPEC_GC: +stress+ collects at every allocation inside of
# sections; +compact+ moves all objects before each section, and again and again while they run.
module GCModes
  # For GC.stress: collects what is young. Whole collections at every allocation would take minutes in a large process.
  YOUNG = 1

  # Prepended to the extension's functions.
  module Stress
    %i[run items pairs enumerator values gather].each do |name|
      define_method(name) do |*arguments|
        GC.stress = YOUNG
        super(*arguments)
      ensure
        GC.stress = false
      end
    end
  end

  # As above.
  module Compact
    # Growing the heap, which makes all objects move, takes long.
    EACH = 200

    @count = 0

    def self.move
      @count += 1
      (@count % EACH).zero? ? GC.verify_compaction_references(toward: :empty, double_heap: true) : GC.compact
    end

    def run(...)
      Compact.move
      super
    end
  end

  # Runs the block while everything is collected, and then moves all objects, where Ruby can.
  def self.while_collecting
    GC.stress = true
    yield
    GC.stress = false
    GC.verify_compaction_references(toward: :empty) if GC.respond_to?(:verify_compaction_references)
  rescue NotImplementedError
    nil
  ensure
    GC.stress = false
  end

  MODES = { "stress" => Stress, "compact" => Compact }.freeze

  def self.chosen = ENV.fetch("IKRA_SPEC_GC", nil)

  def self.start(mode)
    Ikra.const_get(:Native).singleton_class.prepend(MODES.fetch(mode))
    Thread.new { loop { sleep(0.005) && GC.compact } } if mode == "compact"
  end
end

GCModes.start(GCModes.chosen) if GCModes.chosen
