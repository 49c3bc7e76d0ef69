# frozen_string_literal: true

module RandomPrograms
  # What can be read where code is being generated: variables, attributes, objects and arrays, as texts
  # with their types.
  module Readable
    # What can be read at once: texts with their types.
    def readable
      all = scope.variables.select(&:plain?).map { |v| [v.name, v.types] }
      all.concat(attributes)
      all
    end

    # Attributes of the own object and of the objects at hand.
    def attributes
      all = own_ivars.map { |name, types| [name, types] }
      objects.flat_map { |text, klass| klass.all_ivars.except(*klass.all_written).map { |n, t| ["#{text}.#{n}", t] } }
             .each { |text, types| all << [text, types] }
      all.select { |_, types| types.is_a?(Array) }
    end

    def own_ivars
      return {} unless scope.own_class

      scope.own_class.all_ivars.transform_keys { |name| ivar_text(name) }
    end

    def ivar_text(name)
      return member_text(name) if scope.own_class.member?(name)
      return pick([name.to_s, "self.#{name}"]) if scope.own_class.data? && scope.own == "self"

      scope.own == "self" ? pick(["@#{name}", "@#{name}", name.to_s, "self.#{name}"]) : "#{scope.own}.#{name}"
    end

    def member_text(name)
      return "#{scope.own}[#{member_key(name)}]" if chance(0.15)

      scope.own == "self" ? pick([name.to_s, "self.#{name}"]) : "#{scope.own}.#{name}"
    end

    def written_text(name)
      own = scope.own
      return pick(["#{own}.#{name}", "#{own}.#{name}", "#{own}[#{member_key(name)}]"]) if scope.own_class.member?(name)

      scope.own == "self" ? pick(["@#{name}", "@#{name}", "self.#{name}"]) : "#{scope.own}.#{name}"
    end

    # Of an instance variable, written out or not.
    def ivar_name(name) = pick([":@#{name}", "\"@#{name}\"", "%i[@#{name}].last", "\"@\#{:#{name}}\""])

    # A member of a Struct, by a name that is written out or turns out when the section runs.
    def member_key(name)
      return ":#{name}" if chance(0.5)

      pick(["\"#{name}\"", "%i[#{name}].last", "[\"#{name}\"].first", "\"\#{:#{name}}\"",
            "(#{scope.own}.members & [:#{name}])[0]"])
    end

    # Objects at hand that are certainly there: [text, class].
    def objects
      found = scope.variables.select(&:plain?).map { |v| [v.name, v.types] }
      found.concat(own_ivars.to_a)
      found.filter_map do |text, types|
        next unless types.is_a?(Array) && types.size == 1

        klass = @classes[types.first]
        [text, klass] if klass && text != scope.own
      end
    end

    def arrays
      found = scope.variables.map { |v| [v.name, v.types] } + own_ivars.to_a
      objects.each do |text, klass|
        klass.all_ivars.except(*klass.all_written).each do |n, t|
          found << ["#{text}.#{n}", t]
        end
      end
      found.select { |_, types| types.is_a?(ArrayType) }
    end

    def fits?(types, wanted)
      return false unless types.is_a?(Array) && wanted.is_a?(Array)

      types.all? { |type| wanted.include?(type) || wanted.include?(ancestor(type)) }
    end

    def ancestor(type) = @classes[type]&.parent&.name
  end
end
