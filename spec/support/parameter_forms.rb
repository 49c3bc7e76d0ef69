# frozen_string_literal: true

require "tempfile"

# A parameter list and arguments for it, called in all ways.
class ParameterForms
  LISTS = [["", "a", "a, b", "(a, b)", "(a, *b), c"], ["", "o = 7", "o = 7, u = [o]"], ["", "*r", "*"],
           ["", "z", "(z, y)"], ["", "k: 5", "k:", "k:, l: 6"], ["", "**s", "**", "**nil"], ["", "&g"]].freeze
  POSITIONAL = ["", "1", "[1, 2]", "[[1, 2], 3]", "1, 2", "[1, 2], 3", "1, 2, 3", "1, 2, 3, 4, 5", "nil", "[]", "[1]",
                "*[1, 2], 3"].freeze
  # `given` holds k: 9, `none` no keywords.
  NAMED = ["", "k: 1", "l: 2, k: 1", "q: 3", "k: 1, q: 3", "**given", "k: 1, **given", "**given, l: 2", "**none"].freeze
  WAYS = %i[plain proc lambda block inherited silent forwarding].freeze

  # What is left of keywords.
  module Keywords
    def self.of(k: :none, l: :none, q: :none) = [k, l, q]
  end

  # @return [Array<ParameterForms>]
  def self.sample(count, seed)
    random = Random.new(seed)
    pick = ->(choices) { choices[random.rand(choices.size)] }
    Enumerator.produce { [LISTS.map(&pick), [pick[POSITIONAL], pick[NAMED]]] }.lazy
              .select { |parts,| possible?(*parts) }.first(count)
              .map.with_index { |both, i| new(*both.map { |parts| parts.reject(&:empty?).join(", ") }, i) }
  end

  # Parameters stand after a splat or a default only; there are keywords or `**nil`.
  def self.possible?(_, optional, rest, post, keywords, others, _)
    (post.empty? || "#{optional}#{rest}" != "") && (keywords.empty? || others != "**nil")
  end
  private_class_method :possible?

  def initialize(list, arguments, number)
    @list = list
    @arguments = arguments
    @name = "Forms#{number}"
  end

  # @return [Array<String>] where Ruby and Ikra differ
  def differences
    file = Tempfile.new([@name, ".rb"]).tap { |f| f.write(source) && f.close }
    Warnings.without { load file.path }
    WAYS.filter_map { |way| difference(way, ParameterForms.const_get(@name).public_send("by_#{way}")) }
  ensure
    ParameterForms.send(:remove_const, @name) if ParameterForms.const_defined?(@name, false)
    file&.unlink
  end

  private

  def difference(way, block)
    expected = outcome { [0].map(&block) }
    actual = outcome { [0].pmap(&block) }
    # Keywords that no parameter takes are a Hash.
    return if actual == expected || actual.last.to_s.include?("[unsupported-hash]")

    "#{way} |#{@list}| with (#{@arguments})\nRuby: #{expected}\nIkra: #{actual}"
  end

  def outcome
    yield
  rescue StandardError => e
    [e.class, e.message.lines.first.chomp]
  end

  # All parameters, with what `**` and `&` have.
  def value
    names = @list.sub("**nil", "").scan(/(?<!\*\*|&)\b[a-z]\b/) - %w[s g]
    names << "Keywords.of(**s)" if @list.include?("**s")
    names << "(g ? g.call(4) : nil)" if @list.include?("&g")
    "[#{[0, *names.uniq].join(", ")}]"
  end

  def source
    call = "(#{@arguments.sub("**none", "**given")})#{" { |x| x + 1 }" if @list.include?("&g")}"
    given = @arguments.include?("given") ? "(k: 9)" : ""
    <<~RUBY
      class ParameterForms
        module #{@name}
          class Base; def f(#{@list}) = #{value}; end
          class Inherited < Base; def f(#{@list}) = super; end
          class Silent < Base; def f(*, **, &) = super; end
          class Forwarding < Base; def f(...) = super(...); end
          class << self
            def m(#{@list}) = #{value}
            def in_plain(**given) = m#{call}
            def in_proc(**given) = (proc { |#{@list}| #{value} }).call#{call}
            def in_lambda(**given) = (lambda { |#{@list}| #{value} }).call#{call}
            def in_block(**given) = yielding(**given) { |#{@list}| #{value} }
            def yielding(**given) = yield(#{@arguments.sub("**none", "**given")})
            def in_inherited(**given) = Inherited.new.f#{call}
            def in_silent(**given) = Silent.new.f#{call}
            def in_forwarding(**given) = Forwarding.new.f#{call}
            #{WAYS.map { |way| "def by_#{way} = proc { #{@name}.in_#{way}#{given} }" }.join("\n      ")}
          end
        end
      end
    RUBY
  end
end
