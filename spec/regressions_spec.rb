# frozen_string_literal: true

# What random programs (spec/support/random_programs) and users found: each example is the smallest program that showed
# a difference from plain Ruby.
each_backend do
  let(:small) { [0, 1, 2, 3, 5, 8, 13] }

  # Classes for the examples.
  module Regressions
    class Parent
      attr_accessor :a

      def initialize(a) = @a = a
      def twice(by) = @a * by
      def ask(other) = other.hidden
      def hidden = 1
      protected :hidden
      attr_writer :secret
      private :secret=
      def inspect = "a #{self.class.name[/\w+\z/]}"
    end

    class Child < Parent
      def twice(by)
        by += 1
        super
      end

      def bare = nothing_of_that_name
    end
  end

  let(:child) { [Regressions::Child.new(3)] }

  it "compiles a method whose super has run in Ruby" do
    expect(child.map { |x| x.twice(1) }).to eq([6])
    expect_same(child) { |x| x.twice(2) }
  end

  it "says NameError for a bare name" do
    expect_same(child) { |x| x.bare }
  end

  it "keeps private setters and protected methods" do
    expect_same(child) { |x| x.secret = 1 }
    expect_same(child) { |x| x.hidden }
    expect_same(child) { |x| x.ask(x) }
  end
end
