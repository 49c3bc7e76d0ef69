# frozen_string_literal: true

# The sets of `count`, `delete`, `squeeze` and `tr`, of all kinds: on the CPU functions in Rust look into them, on GPUs
# Ruby's text does.
module CharacterSets
  PIECES = ["a", "b", "z", "é", "日", "a-c", "b-z", "A-Z", "a-a", "é-ü", "\\-", "\\^", "^", "0-9", "日-本", "ぁ-ん", "い",
            "あ-お", "本", "ü"].freeze
  TARGETS = ["x", "X-Z", "*", "a-a", "ü", "0-4", "\\-", "ア-ン", "語"].freeze
  TEXTS = ["", "aabbcc", "zébra", "日日é-é", "A^a--z", "0123", "\\aa\\", "uüü", "ぁいいん本日", "おえ本本"].freeze

  # Texts with sets, and what their characters become, but for what MRI answers by the bytes behind characters.
  def self.rows(count)
    rng = Random.new(11)
    Array.new(count) do
      text = Array.new(rng.rand(1..3)) { TEXTS[rng.rand(TEXTS.size)] }.join
      # Of many ranges it is known which one a character is of.
      set = Array.new(rng.rand(1..(rng.rand(3).zero? ? 24 : 3))) { PIECES[rng.rand(PIECES.size)] }.join
      to = Array.new(rng.rand(0..(rng.rand(3).zero? ? 12 : 3))) { TARGETS[rng.rand(TARGETS.size)] }.join
      set = "b#{set}" if set.start_with?("^") && !(text + to).ascii_only?
      [text, set, to]
    end
  end
end

each_compiling_backend do |backend|
  let(:rows) { CharacterSets.rows(backend == :cpu ? 400 : 60) }

  it "are counted, deleted and squeezed" do
    expect_same(rows) { |text, set, _| [text.count(set), text.delete(set), text.squeeze(set), text.squeeze] }
  end

  it "are translated" do
    expect_same(rows) { |text, set, to| [text.tr(set, to), text.tr_s(set, to)] }
  end

  it "are wrong where a range ends before it begins" do
    ranges = ["z-a", "\\z-a", "^z-a", "a-cz-b", "--!", "é-a", "い-あ"]
    expect_same(ranges) { |set| "abc".count(set) }
    expect_same(ranges) { |set| "abc".count(set, "z-a") }
    expect_same(ranges) { |set| "aéc".delete(set) }
    expect_same(ranges) { |set| "aabc".squeeze(set) }
    expect_same(ranges) { |set| ["".tr(set, "b"), "abc".tr(set, "b")] }
    expect_same(ranges) { |set| "abc".tr_s("a-z", set) }
    expect_same([1]) { |_| "abc".tr("z-a", "b") }
  end

  it "are wrong where bytes are no characters" do
    broken = ["a\xFFb", "a"]
    expect_same(broken.map { |set| ["ab", set] }) { |text, set| text.count(set) }
    expect_same(broken.map { |text| [text, "é"] }) { |text, set| text.delete(set) }
  end
end
