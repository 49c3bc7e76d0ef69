# frozen_string_literal: true

# rubocop:disable all -- what is redefined here is redefined on purpose

require "tempfile"

# Core methods that somebody has redefined, in a process of its own: each gives something else than Ruby's while
# `$redefined` is true, which it is while a block runs in plain Ruby or in a section, and not in the code around.
module Redefined
  # Class, method, parameters, and what becomes of what Ruby's own gives.
  METHODS = {
    number: { Integer: { "other" => %w[+ - * / % ** & | << >> []], "" => %w[succ abs -@ hash] },
              Float: { "other" => %w[%], "" => %w[hash] },
              String: { "" => %w[size length bytesize hash] }, Symbol: { "" => %w[size hash] },
              Array: { "" => %w[size length hash] }, Hash: { "" => %w[size length hash] }, Range: { "" => %w[size] } },
    float: { Float: { "other" => %w[+ - * /], "" => %w[-@ abs] } },
    order: { Integer: { "other" => %w[<=>] }, Float: { "other" => %w[<=>] }, String: { "other" => %w[<=>] },
             Symbol: { "other" => %w[<=>] }, Array: { "other" => %w[<=>] } },
    truth: { Integer: { "other" => %w[== < > <= >= eql? ===], "" => %w[zero? even? odd? !] },
             Float: { "other" => %w[== < > eql?], "" => %w[nan?] },
             String: { "other" => %w[== === eql?], "" => %w[empty?] }, Symbol: { "other" => %w[== ===] },
             Array: { "other" => %w[== eql? include?], "" => %w[empty?] },
             Hash: { "other" => %w[== key?], "" => %w[empty?] }, Range: { "other" => %w[== === include? cover?] },
             NilClass: { "other" => %w[==], "" => %w[! nil?] }, TrueClass: { "" => %w[!] },
             Kernel: { "other" => %w[is_a? instance_of?], "" => %w[nil?] },
             Comparable: { "other" => %w[< > ==] }, Module: { "other" => %w[===] }, Struct: { "other" => %w[==] } },
    text: { Integer: { "" => %w[to_s inspect] }, Float: { "" => %w[to_s inspect] },
            String: { "other" => %w[+], "" => %w[to_s inspect to_str] }, Symbol: { "" => %w[to_s inspect name] },
            Array: { "" => %w[to_s inspect] }, NilClass: { "" => %w[to_s inspect] }, Range: { "" => %w[to_s inspect] } },
    list: { Array: { "other" => %w[+ - & |], "" => %w[to_a to_ary dup reverse deconstruct] }, Hash: { "" => %w[keys values to_a] },
            Range: { "" => %w[to_a] }, Struct: { "" => %w[to_a] }, Enumerable: { "" => %w[to_a sort] } },
    items: { Array: { "" => %w[each map] }, Hash: { "" => %w[each each_pair] }, Range: { "" => %w[each] },
             Integer: { "" => %w[times] }, Enumerable: { "" => %w[map select] } },
    item: { Array: { "other" => %w[[]], "" => %w[first last] }, Hash: { "other" => %w[[]] }, Range: { "" => %w[first last] } },
    other: { NilClass: { "" => %w[to_a] }, Symbol: { "" => %w[to_proc] }, Method: { "" => %w[to_proc] } }
  }.flat_map do |kind, classes|
    classes.flat_map { |of, names| names.flat_map { |given, all| all.map { |name| [of, name, given, kind] } } }
  end.freeze

  # Loops of random programs come to an end with these, and messages say of values what they say without.
  IN_PROGRAMS = %w[
    Integer#+ Integer#* Integer#<=> Integer#hash Integer#eql? Integer#times Float#+ Float#<=> String#== String#<=>
    String#size String#hash String#eql? Symbol#<=> Symbol#to_proc Array#size Array#length Array#each Array#map Array#first
    Array#== Array#<=> Array#hash Array#+ Array#to_a Array#include? Array#empty? Hash#each Hash#size Hash#[] Hash#key?
    Range#each Range#size Range#=== Range#first NilClass#to_a NilClass#nil? Kernel#is_a? Enumerable#map Enumerable#to_a
    Comparable#< Struct#== Struct#to_a
  ].freeze

  # What such a method gives, of `given`.
  CHANGES = { number: "given.redefined_plus(100)", float: "given.redefined_plus(100.0)",
              order: "given && given.redefined_minus", truth: "given ? false : true", text: "given.redefined_plus('!')",
              list: "given.redefined_reverse", item: "given.is_a?(Integer) ? given.redefined_plus(100) : given",
              other: nil }.freeze
  # Ruby's own, for what is changed.
  OWN = { Integer => { redefined_plus: :+, redefined_minus: :-@ }, Float => { redefined_plus: :+ },
          String => { redefined_plus: :+ }, Array => { redefined_reverse: :reverse } }.freeze
  VALUES = { "to_a" => "[77]", "to_proc" => "->(item) { 77 }" }.freeze

  class << self
    # Has Ruby's own methods by second names, and sections run with what is redefined.
    def prepare
      return if @prepared

      @prepared = true
      $redefined = false
      OWN.each { |of, names| names.each { |second, name| of.alias_method(second, name) } }
      in_sections(Ikra.const_get(:Native).singleton_class, :run, true)
      # Native calls these.
      [*Ikra.constants, :Capture, :Characters, :Failures, :Races, :Delegation].each do |name|
        of = Ikra.const_get(name)
        next unless of.is_a?(Module) && name != :Native

        of.singleton_methods(false).each { |method| in_sections(of.singleton_class, method, false) }
      end
    end

    # With some of the methods redefined, as entries of METHODS.
    # @return what the block gives
    def with(methods)
      prepare
      files = methods.map { |method| redefine(*method) }
      yield
    ensure
      $redefined = false
      methods.reverse_each { |of, name,| restore(Object.const_get(of), name) }
      files&.each(&:close!)
    end

    # Those that a random program runs with, of few programs.
    # @return [Array] entries of METHODS
    def chosen(seed)
      random = Random.new(seed + 0x5ed)
      return [] if random.rand >= Float(ENV.fetch("IKRA_FUZZ_REDEFINED", 0))

      METHODS.select { |of, name,| IN_PROGRAMS.include?("#{of}##{name}") }.sample(random.rand(1..2), random:)
    end

    # What a block gives while the methods are others.
    def on
      before = $redefined
      $redefined = true
      yield
    ensure
      $redefined = before
    end

    # What a block gives or raises while the methods are others.
    def during
      $redefined = true
      given = yield
      $redefined = false
      [:given, given]
    rescue StandardError, SystemStackError => e
      $redefined = false
      [:raised, e]
    ensure
      $redefined = false
    end

    private

    # Ikra's own Ruby is not to go by what is redefined: that is what a section does which is looked at.
    def in_sections(of, method, redefined)
      was = of.instance_method(method)
      of.define_method(method) do |*given, **named, &block|
        before = $redefined
        $redefined = redefined
        was.bind_call(self, *given, **named, &block)
      ensure
        $redefined = before
      end
    end

    def redefine(of, name, given, kind)
      klass = Object.const_get(of)
      @owned = (@owned || {}).merge([klass, name] => klass.instance_methods(false).include?(name.to_sym))
      second = "redefined_was#{METHODS.index([of, name, given, kind])}"
      klass.alias_method(second, name)
      own = given.empty? ? second : "#{second}(#{given})"
      file = Tempfile.new(["redefined_", ".rb"])
      file.write("#{klass.is_a?(Class) ? "class" : "module"} #{of}\n",
                 "  def #{name}#{"(#{given})" unless given.empty?}\n    #{body(name, kind, own)}\n  end\nend\n")
      file.flush
      verbose = $VERBOSE
      $VERBOSE = nil
      load(file.path)
      file
    ensure
      $VERBOSE = verbose
    end

    def body(name, kind, own)
      case kind
      when :items then "#{own} { |item| yield($redefined && item.equal?(2) ? 77 : item) }"
      when :other then "$redefined ? #{VALUES.fetch(name)} : #{own}"
      else "given = #{own}\n    $redefined ? (#{CHANGES.fetch(kind)}) : given"
      end
    end

    def restore(klass, name)
      index = METHODS.index { |of, other,| [of.to_s, other] == [klass.name, name] }
      verbose = $VERBOSE
      $VERBOSE = nil
      if @owned[[klass, name]]
        klass.alias_method(name, "redefined_was#{index}")
      else
        klass.remove_method(name)
      end
    ensure
      $VERBOSE = verbose
    end
  end
end
