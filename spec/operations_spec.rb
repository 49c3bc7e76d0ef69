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
    next if backend == :ruby

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
