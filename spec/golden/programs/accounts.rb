# frozen_string_literal: true

# Objects that know others, with errors of their own.
class Overdrawn < StandardError; end

class Account
  attr_reader :owner, :balance, :history

  def initialize(owner, balance)
    @owner = owner
    @balance = balance
    @history = []
  end

  def withdraw(amount)
    raise Overdrawn, "#{owner} has only #{balance}" if amount > balance

    @balance -= amount
    @history << [:out, amount]
  end

  def deposit(amount)
    @balance += amount
    @history << [:in, amount]
  end
end

accounts = Array.new(20) { |i| Account.new("owner #{i}", 100 + (i * 7)) }
Ikra.section do
  failed = 0
  40.times do |i|
    from = accounts[i % 20]
    to = accounts[(i * 3) % 20]
    from.withdraw(i * 11)
    to.deposit(i * 11)
  rescue Overdrawn => e
    failed += e.message.size
  end
  [failed, accounts.sum(&:balance), accounts.map { |account| account.history.size }]
end
