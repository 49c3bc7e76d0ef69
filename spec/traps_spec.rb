# frozen_string_literal: true

# What is unsupported ends the run when an element comes to it, and not before.
module Traps
  # Has methods with parts that no section can run.
  class Account
    attr_accessor :balance, :log

    def initialize(balance)
      @balance = balance
      @log = 0
    end

    def withdraw(amount)
      @log += 1
      if amount > @balance
        complain(amount)
      else
        @balance -= amount
      end
    end

    def complain(amount)
      ObjectSpace.count_objects
      @balance -= amount * 2
    end

    def limit = amount_of("limit")

    def amount_of(name)
      File.read(name).to_i
    rescue StandardError
      7
    end

    def nothing_there = NotThere::LIMIT

    def rescues_nothing_there
      Math::NOT_THERE
    rescue NameError
      @balance
    end
  end

  # Answers for constants that are not there.
  class Hooked
    def self.const_missing(name) = name == :ANSWER ? 42 : super
    def answer = ANSWER
  end
end

each_backend do
  it "runs where no element comes to what is unsupported" do
    make = -> { Array.new(20) { |i| Traps::Account.new(i * 10) } }
    expect_same_effects(make) { |account| account.withdraw(account.balance / 2) }
    expect_same((1..9).to_a) { |n| n > 20 ? `ls` : n * 2 }
    expect_same((1..9).to_a) { |n| n > 20 ? 2r : n * 2 }
    expect_same((1..9).to_a) { |n| n > 20 ? eval("n") : n * 2 } # rubocop:disable Style/EvalWithLocation
    expect_same([1, nil, 3]) { |n| n == 5 ? n.to_s(7).crypt("ab") : n.to_i }
    expect_same((1..9).to_a) do |n|
      case n
      when 1..5 then n * 2
      when 6..9 then n * 3
      else ObjectSpace.each_object(Class) { |c| n += c.hash }
      end
    end
  end

  it "raises Ruby's NameError for a constant that is not there, where Ruby does" do
    accounts = [Traps::Account.new(1)]
    expect_same(accounts) { |account| account.balance > 5 ? account.nothing_there : 3 }
    expect { accounts.pmap(&:nothing_there) }
      .to raise_error(NameError, /\Auninitialized constant Traps::Account::NotThere/)
    expect { [1].pmap { |n| n > 0 ? String::NOT_THERE : n } }
      .to raise_error(NameError, /\Auninitialized constant String::NOT_THERE/)
    expect_same(accounts, &:rescues_nothing_there)
  end

  it "sees a constant that comes later" do
    compute = -> { [1, 2].pmap { |n| n > 1 ? Traps::LATER : n } }
    expect(&compute).to raise_error(NameError, /Traps::LATER/)
    Traps.const_set(:LATER, 9)
    expect(compute.call).to eq([1, 9])
  ensure
    Traps.send(:remove_const, :LATER)
  end
end

each_compiling_backend do
  it "ends with what is unsupported where an element comes to it, and changes nothing" do
    accounts = Array.new(5) { |i| Traps::Account.new(i * 10) }
    error = raised { accounts.peach { |account| account.withdraw(15) } }
    expect(error).to be_a(Ikra::UnsupportedError)
    path, line = Traps::Account.instance_method(:complain).source_location
    expect(error.message).to start_with("#{path}:#{line + 1}: `ObjectSpace.count_objects` cannot run in a section")
      .and include("  #{line + 1} |       ObjectSpace.count_objects\n").and include("hint: ")
    expect(error.backtrace.first).to start_with("#{path}:#{line + 1}:")
    expect(accounts.map { |account| [account.balance, account.log] }).to eq(Array.new(5) { |i| [i * 10, 0] })
  end

  it "lets the exception of an element before it be the one that is raised" do
    compute = -> { [4, 0, -1].pmap { |n| n.negative? ? ObjectSpace.count_objects : 4 / n } }
    expect(&compute).to raise_error(ZeroDivisionError)
  end

  it "is rescued by no clause of the section" do
    error = raised { [Traps::Account.new(1)].pmap { |account| account.balance > 0 ? account.limit : 0 } }
    expect(error).to be_a(Ikra::UnsupportedError)
  end

  it "says before it runs what every run comes to, all of it" do
    ran = 0
    error = raised do
      Ikra.section do
        Ikra.sync { ran += 1 }
        [1, 2].peach { |n| n + 1 }
        ObjectSpace.count_objects
        File.read("none") if [1].sum > 2
      end
    end
    expect(error.message).to include("ObjectSpace.count_objects").and include("File.read")
    expect(ran).to eq(0)
  end

  it "keeps what an Ikra.sync has shown, and does not begin again in Ruby behind one" do
    Ikra.fallback = :ruby
    account = Traps::Account.new(10)
    ran = 0
    compute = lambda do
      Ikra.section do
        account.balance += 5
        Ikra.sync { ran += 1 }
        account.balance += 1
        ObjectSpace.count_objects if account.balance > 3
      end
    end
    expect(&compute).to raise_error(Ikra::UnsupportedError)
    expect([ran, account.balance]).to eq([1, 15])
    overflow = lambda do
      Ikra.section do
        Ikra.sync { ran += 1 }
        account.balance += (2**62) * account.balance
      end
    end
    expect(&overflow).to raise_error(Ikra::OverflowError)
    expect(ran).to eq(2)
  ensure
    Ikra.fallback = :raise
  end

  it "begins again in Ruby where there is a fallback" do
    Ikra.fallback = :ruby
    accounts = Array.new(3) { |i| Traps::Account.new(i * 10) }
    expect { accounts.peach { |account| account.withdraw(15) } }.to output(//).to_stderr
    expect(accounts.map { |account| [account.balance, account.log] }).to eq([[-30, 1], [-20, 1], [5, 1]])
    expect { expect((1..3).pmap { |n| n * (2**62) }).to eq([2**62, 2**63, 3 * (2**62)]) }
      .to output(//).to_stderr
    expect { expect([Traps::Hooked.new].pmap(&:answer)).to eq([42]) }.to output(//).to_stderr
  ensure
    Ikra.fallback = :raise
  end

  it "is told by Ikra.explain" do
    told = Ikra.explain([1, 2]) { |n| n > 5 ? ObjectSpace.count_objects : n }.text
    expect(told).to include("Unsupported, where an element comes to it").and include("`ObjectSpace.count_objects`")
  end
end
