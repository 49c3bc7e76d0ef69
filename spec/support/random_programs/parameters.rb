# frozen_string_literal: true

module RandomPrograms
  # Parameter lists of every form, and the arguments that fit them.
  module Parameters
    # Names that `**` may collect, with what the readers of Keywords give.
    COLLECTED = { "q1" => [:int], "q2" => [:float], "q3" => %i[int nil] }.freeze
    # The readers; `**` can only be passed on.
    KEYWORDS = <<~RUBY
      module Keywords
        def self.q1(q1: 3, **) = q1
        def self.q2(q2: 0.25, **) = q2
        def self.q3(q3: nil, **) = q3
      end
    RUBY
    KINDS = { required: 6, pair: 0.7, optional: 2, keyword: 1.5, keyreq: 0.6 }.freeze

    # The parameters of a method, in the order in which Ruby wants them.
    def parameter_list(recursive)
      kinds = Array.new(between(0, 3)) { weighted(recursive ? KINDS.except(:pair) : KINDS) }
      kinds << :rest if chance(0.1)
      unless recursive
        kinds << :post if (kinds & %i[rest optional]).any? && chance(0.3)
        kinds << :keyrest if chance(0.1, :keyrest)
      end
      kinds.sort_by { |kind| Parameter::ORDER.index(kind) }.map { |kind| parameter(kind) }
    end

    def parameter(kind)
      case kind
      when :pair then Parameter.new([fresh("p"), fresh("p")], [passed_types, passed_types], kind)
      when :rest then Parameter.new(chance(0.8) ? fresh("p") : nil, pick(Classes::ITEM_TYPES), kind)
      when :keyrest then Parameter.new(chance(0.7) ? fresh("p") : nil, nil, kind)
      else Parameter.new(fresh("p"), passed_types, kind)
      end
    end

    # The list as text, its names declared. Pairs are taken apart after the defaults.
    def parameter_nodes(parameters)
      nodes = parameters.map { |parameter| parameter_node(parameter) }
      parameters.select { |parameter| parameter.kind == :pair }.each do |pair|
        pair.name.zip(pair.types) { |name, types| scope.declare(name, types) }
      end
      nodes
    end

    def parameter_node(parameter)
      name = parameter.name
      case parameter.kind
      when :pair then Node.fixed("(#{name.join(", ")})")
      when :rest then rest_node(name, parameter.types)
      when :keyrest
        scope.collected << name if name
        Node.fixed("**#{name}")
      else
        default = value_of(parameter.types, 0)
        scope.declare(name, parameter.types, writable: !name.start_with?("r") && parameter.types.is_a?(Array))
        { required: Node.fixed(name), post: Node.fixed(name), keyreq: Node.fixed("#{name}:"),
          optional: Node.fixed(name, " = ", default), keyword: Node.fixed(name, ": ", default) }.fetch(parameter.kind)
      end
    end

    def rest_node(name, types)
      scope.declare(name, ArrayType.new(types), writable: false) if name
      Node.fixed("*#{name}")
    end

    # What a parameter list is called with, in parentheses; nothing where that is nothing.
    def arguments(method, depth)
      positional = positional_arguments(method, depth)
      positional = ill_arguments(positional) if chance(@ill)
      positional = splatted(positional) if positional.size > 1 && chance(0.05)
      parts = positional + keyword_arguments(method, depth)
      parts.empty? ? "" : Node.fixed("(", Node.commas(parts), ")")
    end

    def positional_arguments(method, depth, parameters = method.parameters)
      left_out = false
      parameters.flat_map do |parameter|
        case parameter.kind
        when :required, :post then [argument(method, parameter, depth)]
        when :pair then [Node.fixed("[", Node.commas(parameter.types.map { |types| expression(types, depth) }), "]")]
        when :optional
          left_out ||= chance(0.4)
          left_out ? [] : [value_of(parameter.types, depth)]
        when :rest then left_out ? [] : rest_arguments(parameter.types, depth)
        else []
        end
      end
    end

    def rest_arguments(types, depth)
      values = Array.new(between(0, 2)) { expression(types, depth) }
      chance(0.3) ? values.push(Node.fixed("*", list(types, [depth, 1].min))).shuffle(random: @random) : values
    end

    def argument(method, parameter, depth)
      counts = method.recursive && parameter.equal?(method.parameters.first)
      counts ? e("(", expression([:int], depth), " % 4)") : value_of(parameter.types, depth)
    end

    def ill_arguments(values) = chance(0.5) ? values.drop(1) : values + [constant(:int)]
    def splatted(values) = [Node.fixed("*[", Node.commas(values), "]")]

    def keyword_arguments(method, depth)
      given = method.parameters.flat_map do |parameter|
        case parameter.kind
        when :keyreq then [keyword_argument(parameter.name, parameter.types, depth)]
        when :keyword then chance(0.4) ? [] : [keyword_argument(parameter.name, parameter.types, depth)]
        when :keyrest then collected_arguments(depth)
        else []
        end
      end
      given = given.drop(1) if given.any? && chance(@ill)
      collected, named = given.partition { |node| node.to_s.start_with?("**") }
      named = in_hash(named) if named.any? && chance(0.12)
      named.shuffle(random: @random) + collected
    end

    # Some of them as a Hash that is passed by `**`.
    def in_hash(named)
      count = between(1, named.size)
      [*named.drop(count), Node.fixed("**{ ", Node.commas(named.take(count)), " }")]
    end

    def keyword_argument(name, types, depth) = Node.fixed("#{name}: ", value_of(types, depth))

    # Names of their own, or what the method itself has collected.
    def collected_arguments(depth)
      return ["**#{pick(scope.collected)}"] if scope.collected.any? && chance(0.5)

      COLLECTED.to_a.sample(between(0, 2), random: @random).map { |name, types| keyword_argument(name, types, depth) }
    end

    # One of the keywords that a `**` has collected.
    def collected(types, _type, _depth)
      name = COLLECTED.keys.find { |key| fits?(COLLECTED[key], types) }
      e("Keywords.#{name}(**", pick(scope.collected), ")") if name && scope.collected.any?
    end
  end
end
