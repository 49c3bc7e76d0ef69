# frozen_string_literal: true

module Ikra
  using OwnMethods

  # The program that `ruby -e` was given. No file holds it, but the arguments of the process do.
  #
  # @api private
  module CommandLine
    # The path of such code.
    PATH = "-e"
    # Options whose argument may be the next one.
    TAKING = %w[-I -r -C -X -E --enable --disable --encoding --external-encoding --internal-encoding --dump].freeze
    # Options of one letter can stand together in one argument. Then -e is the last, and takes what follows it or the
    # next argument.
    ENDS_IN_E = /\A-(?:[acdlnpsSUvwy]|0[xX\h]*|W\d?)*e(.*)\z/m

    # @param arguments [Array<String>] those of the process, its own name first
    # @return [String, nil] the text of all -e in lines of their own; nil where there is none
    def self.text(arguments)
      lines = []
      arguments = arguments.drop(1)
      while (argument = arguments.shift)&.match?(/\A-./m) && argument != "--"
        if (options = argument.match(ENDS_IN_E))
          lines << (options[1].empty? ? arguments.shift : options[1])
        elsif TAKING.include?(argument)
          arguments.shift
        end
      end
      lines.map { |line| "#{line}\n" }.join.force_encoding(Encoding::UTF_8) unless lines.empty?
    end

    # Found when Ikra is loaded, as `$0 = …` writes over the arguments.
    GIVEN = (text(Native.arguments).freeze if $PROGRAM_NAME == PATH)
  end
  private_constant :CommandLine
end
