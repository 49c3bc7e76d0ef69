# frozen_string_literal: true

require "set"

# Hashes with default blocks that a section makes and puts into what exists.
module StoredDefaultBlocks
  START = 5

  class Node
    attr_accessor :name, :edges, :kid, :kids

    def initialize(name)
      @name = name
      @edges = Hash.new { |hash, key| hash[key] = [] }
      @kid = nil
      @kids = []
    end

    def link(number)
      @edges[number % 3] << number
      self
    end

    def plain! = @edges = Hash.new { |_, key| key + START }
    def sets! = @edges = Hash.new { |hash, key| hash[key] = Set.new }
    def counts! = @edges = Hash.new { |hash, key| hash[key] = Hash.new(0) }
    def tree! = @edges = Hash.new { |hash, key| hash[key] = Hash.new { |inner, other| inner[other] = other * 2 } }

    def copy(other)
      @edges = other.edges.select { |key, _| key > 1 }
      self
    end
  end

  def self.nodes = Array.new(4) { |i| Node.new(i) }

  # What is in it, and what a key that is not there gets.
  def self.told(object, depth = 0)
    case object
    when Node then [object.name, told(object.edges), depth > 2 ? 0 : told(object.kid, depth + 1), told(object.kids)]
    when Hash then [told(object.to_a), object.default, object.default_proc&.arity, told(missing(object))]
    when Set then object.to_a
    when Array then object.map { |item| told(item, depth) }
    else object
    end
  end

  def self.in_ruby
    chosen = Ikra.chosen
    Ikra.backend = :ruby
    yield
  ensure
    Ikra.backend = chosen
  end

  def self.missing(hash) = hash.dup[91]

  PROGRAMS = {
    "in variables of objects" => ->(all) { all.peach { |node| node.plain! && node.edges[4] = node.edges[9] } },
    "with Sets" => ->(all) { all.peach { |node| node.sets! && (node.edges[4] << 3 << 5) } },
    "with Hashes" => ->(all) { all.peach { |node| node.counts! && node.edges[node.name][3] += 1 } },
    "whose blocks make others" => ->(all) { all.peach { |node| node.tree! && node.edges[node.name][3] } },
    "of literals of the block" => lambda { |all|
      all.peach { |node| node.edges = Hash.new { |hash, key| hash[key] = key.to_s } }
    },
    "of several literals" => ->(all) { all.peach { |node| node.name.even? ? node.plain! : node.tree! } },
    "in objects that are born" => lambda { |all|
      all.peach { |node| node.kid = StoredDefaultBlocks::Node.new(7).link(node.name) }
    },
    "in objects that arrays get" => lambda { |all|
      all.peach { |node| node.kids << StoredDefaultBlocks::Node.new(7).link(4).link(node.name) }
    },
    "in Hashes around it" => lambda { |all|
      tables = {}
      all.peach { |node| tables[node.name] = Hash.new { |hash, key| hash[key] = [key] } }
      [tables.sort.map(&:last), all]
    },
    "copied" => ->(all) { all.peach { |node| node.link(4).copy(node) } },
    "tick by tick" => lambda { |all|
      Ikra.section do
        4.times do |tick|
          all.peach do |node|
            node.edges[tick]
            node.plain! if tick == node.name
          end
        end
      end
    },
    "by the code around calls" => lambda { |all|
      Ikra.section do
        lists = Hash.new { |hash, key| hash[key] = [] }
        all[0].edges = lists
        lists[1] << 2
        all.peach { |node| node.link(3) }
        all[1].edges = lists
      end
      [all, all[0].edges.equal?(all[1].edges)]
    },
    "shared" => lambda { |all|
      Ikra.section do
        all.peach { |node| node.kid = StoredDefaultBlocks::Node.new(9).link(4) }
        all.peach { |node| node.edges = node.kid.edges }
      end
      [all, all.map { |node| node.kid.edges.equal?(node.edges) }]
    },
    "around a sync" => lambda { |all|
      Ikra.section do
        all.peach { |node| node.plain! && node.kid = StoredDefaultBlocks::Node.new(9).link(4) }
        Ikra.sync { all[0].name += all[0].kid.edges[1].size + all[1].edges[70] }
        all.peach { |node| node.kid.link(node.name + node.edges[1]) }
      end
    }
  }.freeze
end

each_backend do
  StoredDefaultBlocks::PROGRAMS.each do |name, program|
    it "stores Hashes with default blocks #{name}" do
      all = [StoredDefaultBlocks.nodes, StoredDefaultBlocks.nodes]
      right = StoredDefaultBlocks.in_ruby { StoredDefaultBlocks.told([program.call(all[0]), all[0]]) }
      expect(StoredDefaultBlocks.told([program.call(all[1]), all[1]])).to eq(right)
      # Other sections know these blocks.
      all[0].each { |node| node.edges[33] && node.edges.size }
      all[1].peach { |node| node.edges[33] && node.edges.size }
      expect(StoredDefaultBlocks.told(all[1])).to eq(StoredDefaultBlocks.told(all[0]))
    end
  end

  it "gives lambdas from around the section, and copies of Hashes with default blocks" do
    add = ->(x) { x + 1 }
    twice = ->(x) { x * 2 }
    given = [1, 2].pmap { |x| [x, add, { twice: }] }
    expect(given[1]).to eq([2, add, { twice: }])
    lists = Hash.new { |hash, key| hash[key] = [key] }
    copies = [1, 2].pmap { |x| lists.dup.tap { |copy| copy[x] } }
    expect([copies, lists]).to eq([[{ 1 => [1] }, { 2 => [2] }], {}])
    expect(copies[0].default_proc).to equal(lists.default_proc)
  end
end
