# frozen_string_literal: true

# Every operation gives what Ruby's method of that name gives, or raises what that raises.
RSpec.describe "operations" do
  def compare(row, collection, parallel)
    expected = OperationTable.outcome { row.call.call(collection, row.name) }
    actual = OperationTable.outcome { row.call.call(collection, parallel) }
    return if expected == actual

    raise RSpec::Expectations::ExpectationNotMetError,
          "Ruby gives\n  #{expected.inspect[0, 400]}\nIkra gives\n  #{actual.inspect[0, 400]}\n" \
          "of #{collection.inspect[0, 200]} at #{row.call.source_location.join(":")}"
  end

  def compare_chains(row, collection)
    expected = OperationTable.outcome { row.call.call(collection.lazy) }
    actual = OperationTable.outcome { row.call.call(collection.plazy) }
    return if expected == actual

    raise RSpec::Expectations::ExpectationNotMetError,
          "Ruby gives\n  #{expected.inspect[0, 400]}\nIkra gives\n  #{actual.inspect[0, 400]}\n" \
          "of #{collection.inspect[0, 200]} at #{row.call.source_location.join(":")}"
  end

  each_backend do |backend|
    OperationTable::ROWS.group_by(&:name).each do |name, rows|
      it "p#{name} is #{name}" do
        rows.each do |row|
          row.kinds.each do |kind|
            OperationTable::SIZES.each { |size| compare(row, OperationTable.values(kind, size), :"p#{name}") }
          end
        end
      end

      it "p#{name} is #{name} of every collection" do
        rows.each do |row|
          OperationTable::COLLECTIONS.each_value do |make|
            collection = make.call(OperationTable.values(row.kinds.first, 33))
            compare(row, collection, :"p#{name}") if collection.respond_to?(name)
          end
        end
      end
    end

    it "chains are what Ruby's lazy enumerators are" do
      OperationTable::CHAINS.each do |row|
        row.kinds.each do |kind|
          OperationTable::SIZES.each { |size| compare_chains(row, OperationTable.values(kind, size)) }
        end
        OperationTable::COLLECTIONS.each_value do |make|
          compare_chains(row, make.call(OperationTable.values(row.kinds.first, 33)))
        end
      end
    end
    it "has errors of arguments begin at the line of the call" do
      frozen = [3, 1].freeze
      mixed = [1, nil]
      calls = {
        first: -> { [1].pfirst(-1) }, range: -> { (1..2).pfirst(-1) }, take: -> { [1].ptake(-1) },
        drop: -> { [1].pdrop(-1) }, zip: -> { [1].pzip(5) }, slice: -> { [1].peach_slice(0) { |x| x } },
        windows: -> { [1].peach_cons(0) { |x| x } }, flatten: -> { [1].pflatten(nil, 5) },
        shuffle: -> { [1, 2].pshuffle(random: 5) }, offset: -> { [1].pwith_index("x") { |x| x } },
        min: -> { [1].pmin(-1) }, max: -> { [1].pmax("x") }, count: -> { [1].pcount(1, 2) },
        inject: -> { [1].pinject(1, 2, 3) }, accumulate: -> { [1].paccumulate(5) }, sum: -> { mixed.psum },
        sort: -> { mixed.psort }, sort_by: -> { mixed.psort_by { |x| x } }, frozen: -> { frozen.pmap! { |x| x } },
        to_h: -> { [1].pto_h { |x| x } }, tally: -> { [1].ptally(5) }, stencil: -> { [1].pstencil(5) { |x| x } }
      }
      calls.each do |name, call|
        error = begin
          call.call
        rescue StandardError => e
          e
        end
        place = error.backtrace.find { |frame| !frame.start_with?("<internal:") }
        expect(place).to start_with("#{call.source_location.join(":")}:"), "#{name}: #{place}"
      end
    end

    next if backend == :ruby

    it "has those that only Hashes have" do
      [{ 1 => 2, 3 => 4, 5.5 => nil }, {}, { "a" => 1, b: 2 }, Hash.new(7).merge(1 => 1)].each do |pairs|
        %i[transform_values transform_values! transform_keys transform_keys!].each do |name|
          theirs = pairs.dup
          ours = pairs.dup
          expected = theirs.public_send(name) { |x| [x, 1] }
          actual = ours.public_send(:"p#{name}") { |x| [x, 1] }
          expect([actual, actual.default, actual.equal?(ours),
                  ours]).to eq([expected, expected.default, expected.equal?(theirs), theirs])
        end
        expect(pairs.dup.freeze.ptransform_values { |x| [x] }).to eq(pairs.transform_values { |x| [x] })
        frozen = pairs.dup.freeze
        expect { frozen.ptransform_values! { |x| x } }.to raise_error(FrozenError)
        expect(pairs.ptransform_keys({ 1 => 2 }) { |x| [x] }).to eq(pairs.transform_keys({ 1 => 2 }) { |x| [x] })
      end
      points = { a: World::Point.new(1), b: World::Point.new(2) }
      expect(points.peach_value { |point| point.x += 1 }).to equal(points)
      expect(points.peach_pair { |key, point| point.x += key == :a ? 1 : 2 }).to equal(points)
      expect(points.peach_key { |key| points[key].x += 1 }).to equal(points)
      expect(points.values.map(&:x)).to eq([4, 6])
    end

    it "counts the elements of peach" do
      points = [World::Point.new(1), World::Point.new(2)]
      expect(points.peach.with_index(5) { |point, i| point.x += i }).to equal(points)
      expect(points.map(&:x)).to eq([6, 8])
      expect([1, 2].peach.with_object(points) { |x, all| all[x - 1].x += x }).to equal(points)
      expect(points.map(&:x)).to eq([7, 10])
    end

    it "goes through Enumerators with indices as Ruby does" do
      values = %w[c a b]
      %i[map select each flat_map sort_by find group_by].each do |name|
        ours, theirs = [:"p#{name}", name].map { |method| values.public_send(method) }
        asked = [ours, theirs].map do |all|
          pairs = all.with_index(2)
          chosen = pairs.each { |x, i| i.zero? ? x : nil }
          [all.with_index.to_a, pairs.map { |x, i| x * i }, chosen, pairs.first(2), pairs.next,
           all.each_with_index.to_a, all.with_index.with_index(5).to_a, all.with_object(1).to_a, pairs.size]
        end
        expect(asked[0]).to eq(asked[1])
      end
    end

    it "goes through what each method goes through, where there is an each of one's own" do
      OperationTable::COLLECTIONS.each_value do |make|
        collection = make.call([5, 3, 4])
        %i[each each_with_index each_entry each_pair each_key each_value].each do |name|
          next unless [name, :"p#{name}"].all? { |called| collection.respond_to?(called) }

          asked = [name, :"p#{name}"].map do |called|
            seen = []
            given = collection.public_send(called) { |x, y| seen << [x, y] }
            [seen, given]
          end
          expect(asked[1]).to eq(asked[0])
        end
        asked = [collection.each_slice(2).to_a, collection.each_cons(2).to_a, collection.lazy.first(2)]
        slices = []
        collection.peach_slice(2) { |slice| slices << slice }
        neighbours = []
        collection.peach_cons(2) { |pair| neighbours << pair }
        expect([slices, neighbours, collection.plazy.first(2)]).to eq(asked)
      end
    end

    it "refuses what a collection does in a way of its own" do
      deck = Class.new(Array) do
        def map = [size]
        def first = :first
        def sort_by = self
        def filter = :filtered
      end
      stub_const("Deck", deck)
      cards = Deck[3, 1]
      told = /Deck has a method `map` of its own, and pmap does what Ruby's does \[own-operation\]\n.*\n.*\n  hint: /
      expect { cards.pmap { |x| x + 1 } }.to raise_error(Ikra::UnsupportedError, told)
      expect { cards.pmap.with_index { |x, i| x + i } }.to raise_error(Ikra::UnsupportedError, told)
      expect { cards.psort_by { |x| x } }.to raise_error(Ikra::UnsupportedError, /method `sort_by` of its own/)
      expect { cards.pfilter { |x| x > 1 } }.to raise_error(Ikra::UnsupportedError, /method `filter` of its own/)
      expect(cards.pselect { |x| x > 1 }).to eq([3])
      expect(cards.pfirst).to eq(:first)
      expect(cards.to_a.pmap { |x| x + 1 }).to eq([4, 2])
      expect(cards.plazy.map { |x| x + 1 }.to_a).to eq([4, 2])
    end

    it "refuses blocks that may read what their method changes" do
      all = [3, 1, 2]
      told = /the block may read what its method changes, .* \[changing-base\]\n(?:.*\n)+  hint: let it read a dup/
      expect { all.pmap! { |x| x + all[0] } }.to raise_error(Ikra::UnsupportedError, told)
      expect { all.preject! { |x| x > all.sum } }.to raise_error(Ikra::UnsupportedError, told)
      pairs = { 1 => 2, 3 => 4 }
      expect { pairs.pselect! { |key, value| pairs.key?(key + value) } }.to raise_error(Ikra::UnsupportedError, told)
      other = all.dup
      expect(all.pmap! { |x| x + other[0] }).to equal(all).and eq([6, 4, 5])
    end

    it "changes nothing where the block raises" do
      all = [3, 1, 2]
      expect { all.preject! { |x| x == 1 ? raise("no") : true } }.to raise_error("no")
      expect(all).to eq([3, 1, 2])
    end

    it "has Ruby's own methods go through the numbers that an Integer's Enumerator counts" do
      bases = [3.times, 9.upto(12), 9.upto(8), 12.downto(9), 1.step(12, 5), 3.times.with_index(9), 9.upto(11).each]
      expect(bases.map { |base| base.psort_by { |x| x.to_s } }).to eq(bases.map { |base| base.sort_by { |x| x.to_s } })
      expect(bases.map { |base| base.pgroup_by { |x| x.to_s.size } })
        .to eq(bases.map { |base| base.group_by { |x| x.to_s.size } })
      expect(bases.map { |base| base.puniq { |x| x.to_s[0] } }).to eq(bases.map { |base| base.uniq { |x| x.to_s[0] } })
      expect(bases.map { |base| base.pto_h { |x| [x.to_s, 1] } })
        .to eq(bases.map { |base| base.to_h { |x| [x.to_s, 1] } })
      expect(bases.map { |base| base.psum("") { |x| x.to_s } }).to eq(bases.map { |base| base.sum("") { |x| x.to_s } })
      expect(bases.map { |base| base.pmin_by { |x| x.to_s } }).to eq(bases.map { |base| base.min_by { |x| x.to_s } })
      expect(bases.map { |base| base.pmax_by(2) { |x| x.to_s } })
        .to eq(bases.map { |base| base.max_by(2) { |x| x.to_s } })
      expect(bases.map { |base| base.pminmax_by { |x| x.to_s } })
        .to eq(bases.map { |base| base.minmax_by { |x| x.to_s } })
    end

    it "has many elements" do
      values = OperationTable.values(:integers, 100_003)
      %i[sort tally uniq minmax sum].each do |name|
        expect(values.public_send(:"p#{name}")).to eq(values.public_send(name))
      end
      expect(values.psort_by { |x| x % 1_000 }).to eq(values.each_with_index.sort_by do |x, i|
                                                        [x % 1_000, i]
                                                      end.map(&:first))
      expect(values.pgroup_by { |x| x * 0.5 }).to eq(values.group_by { |x| x * 0.5 })
      expect(values.plazy.select { |x| x.odd? }.map { |x| x * 3 }.sum).to eq(values.select(&:odd?).sum { |x| x * 3 })
    end
  end
end
