# frozen_string_literal: true

module Ikra
  # What Ikra makes of a section, as {Ikra.explain} returns it. Printed, it is a page: whether elements run in parallel,
  # what they read and write, which types are not obvious, how much code comes of it. The rest is asked for.
  #
  #   explanation = Ikra.explain(cars) { |car| car.move }
  #   puts explanation
  #   puts explanation.code
  #   explanation.save("tmp/section.html")
  class Explanation
    # Variables, items and members that a section touches. +ways+ is how: +:own_row+, +:gather+ (of others), +:scatter+
    # (writes to others), +:accumulate+ (changes that are put together in order). +bytes+ are those of one of them.
    Column = Struct.new(:name, :of, :types, :reads, :writes, :ways, :bytes) do
      # Is it no variable of the program, but what Ikra keeps of a String and the like?
      def own? = name.start_with?("#")

      # Is it only changed, and those changes put together?
      def accumulates? = ways == [:accumulate]

      # @return [String]
      def to_s
        size = "#{bytes} #{bytes == 1 ? "byte" : "bytes"}" if bytes
        told = [types, size, *ways.map { |way| way.to_s.tr("_", " ") }].compact
        "#{[name, of].compact.join(" of ")}: #{told.join(", ")}"
      end
    end
    # A line of the program, and the types of what stands in it by its text; the statements of the intermediate program
    # that come of it, and the lines of code.
    Line = Struct.new(:path, :number, :text, :types, :ir, :code)

    TRAPS = "Unsupported, where an element comes to it"
    # They are told, not changed.
    [Column, Line].each { |kind| kind.members.each { |name| kind.undef_method(:"#{name}=") } }

    # The widths of what is stored, in bytes.
    WIDTHS = { "bool" => 1, "i8" => 1, "i32" => 4, "f32" => 4, "i64" => 8, "f64" => 8 }.freeze
    # A page has so many lines, and so many of a sort.
    PAGE = 40
    MOST = 6
    private_constant :TRAPS, :WIDTHS, :PAGE, :MOST

    # @return [String] all of it: types, columns, intermediate program and code
    attr_reader :text
    # @return [String] each line of the program that the section comes to, with the types of what stands in it
    attr_reader :types
    # @return [String] the intermediate program. Its form may change
    attr_reader :ir
    # @return [String] what is compiled of it: an intermediate form of machine code, or CUDA C++
    attr_reader :code
    # @return [Symbol] the back-end that the code is for
    attr_reader :backend
    # @return [Array<String>] what is unsupported, where an element comes to it
    attr_reader :unsupported
    # @return [Array<Column>]
    attr_reader :columns

    # @api private
    # @param text [String] what the extension tells
    def initialize(text)
      @text = text
      parts = text.split(/^([A-Z].*)\n-{2,}\n/).drop(1).each_slice(2).to_h
      @types, columns, @ir, traps = parts.values_at("Types", "Columns", "IR", TRAPS)
      code = parts.keys.last
      @backend = code[/\ACode for (\S+)/, 1].to_sym
      @code = parts[code]
      @columns = columns.lines(chomp: true).filter_map { |line| column(line) }
      # Behind the last of the two stands what the code around parallel calls goes through.
      @unsupported = (traps || "").split(/\n\n|^(?=\S+:\d+: )/).grep(/\A\S+:\d+: /).map(&:strip)
      @loops = text[/^The code around parallel calls goes .*\n.*/]
    end

    # @return [Array<Line>]
    def lines
      path = nil
      types.lines(chomp: true).filter_map do |line|
        number, rest = line.match(/\A +(\d+)(?:  (.*))?\z/)&.captures
        path = line unless number || line.empty?
        line_of(path, number.to_i, rest.to_s) if number
      end
    end

    # @return [Array<String>] where elements may conflict, so that it is watched as they run: +"@x (cell.rb:8)"+
    def watched
      places = ir.scan(/^(e\d+) = race \w+ (.*?) at "(.*?)":(\d+)/)
      places.select! { |number, *| ir.match?(/(?:watch_\w+|check) .* at #{number}\b/) }
      places.map! do |_, what, path, line|
        "#{what[/"(.*)"/, 1] || "items of arrays"} (#{File.basename(path)}:#{line})"
      end
      places.uniq
    end

    # @return [String] the answer in a line
    def verdict
      return "runs in parallel on #{backend}" if watched.empty?

      told = "in parallel on #{backend}, unless elements conflict"
      "runs #{told}: #{some(watched, 3)}"
    end

    # @return [String] a page
    def to_s
      page = ["section: #{verdict}", *read_and_written, *not_obvious, *never_run, *@loops&.lines(chomp: true), *sizes]
      page.size > PAGE ? [*page.first(PAGE - 1), "…"].join("\n") : page.join("\n")
    end

    # @return [String] in a line
    def inspect = "#<#{self.class} #{verdict}>"

    # Writes one file for a browser: the lines with types where the mouse is, what is read and written in colours, and
    # under each line what comes of it, to unfold: the intermediate program, and machine code (as Cranelift has it) or
    # CUDA C++. It loads nothing from elsewhere.
    #
    # @param path [String]
    # @return [String] the path
    def save(path)
      require_relative "explanation/page"
      File.write(path, Page.new(self).to_html)
      path
    end

    private

    # `@x of P: Float (read, written: own row, gather)`
    def column(line)
      name, types, how = line.match(/\A(.+?): (.+?) \((.+)\)\z/)&.captures
      return unless name

      access, ways = how.split(": ", 2)
      name, of = name.split(" of ", 2) unless name.start_with?("elements of")
      Column.new(name, of, types, access.include?("read"), access.include?("written"),
                 (ways || "").split(", ").map { |way| way.tr(" ", "_").to_sym }, bytes(name))
    end

    # The declarations of the intermediate program tell how wide it is stored, tags of mixed types included.
    def bytes(name)
      what = name.start_with?("@") ? /column h\d+ "#{Regexp.escape(name)}"/ : nil
      what = /array_values a#{name[/k(\d+)/, 1]}\b/ if name.start_with?("elements of")
      widths = what ? ir.scan(/^b\d+ = #{what}(?: \w+)?: (\w+)/).flatten : []
      widths.sum { |type| WIDTHS.fetch(type, 0) } unless widths.empty?
    end

    # The text is in the file, with what its types are behind it.
    def line_of(path, number, rest)
      rest = rest.lstrip
      text = FileTexts.line(path, number)&.rstrip
      text = rest[/\A(.*?)(?:  +# .*)?\z/, 1] unless text && rest.start_with?(text.strip)
      made = [ir, code].map { |whole| parts_of(whole, path, number) }
      Line.new(path, number, text, types_in(rest[text.strip.size..].to_s[/# (.*)\z/, 1].to_s), *made)
    end

    # Behind each statement stands what line it comes of: `; car.rb:6`, with the whole path where names are the same.
    def parts_of(whole, path, number)
      @parts ||= {}.compare_by_identity
      found = @parts[whole] ||= whole.split(/^(?=; )/).each_with_object({}) do |function, made|
        title, * = all = function.lines(chomp: true)
        function_parts(all).each do |place, lines|
          # Code has the same line more than once, such as for one tick and for all.
          lines.unshift(title) if title.start_with?("; ")
          (made[place] ||= []).concat(lines)
        end
      end
      found["#{path}:#{number}"] || found["#{File.basename(path)}:#{number}"]
    end

    # Lines by the place that they come of.
    def function_parts(lines)
      parts = lines.filter_map { |line| line.match(%r{\A(.*)  (?:;|//) (.+:\d+)\z})&.captures }
      parts.group_by(&:last).transform_values { |found| found.map { |text, _| text.strip } }
    end

    # `a: Float, [a, b]: [Float, Float]`
    def types_in(told)
      entries = {}
      until told.empty?
        text, type = told.match(/\A(.+?): ((?:\[[^\]]*\]+|[^,\[])+)(?=, |\z)/)&.captures
        break unless text

        told = told[(text.size + type.size + 2)..].delete_prefix(", ")
        entries[text] = type
      end
      entries
    end

    def read_and_written
      added, others = columns.reject(&:own?).partition(&:accumulates?)
      written, read = others.partition(&:writes)
      { "reads" => read, "writes" => written, "accumulates" => added }
        .flat_map { |title, all| titled(title, all.map { |column| column.to_s.sub(/\Avalue 0 of each/, "each") }) }
    end

    def not_obvious
      found = lines.flat_map do |line|
        mixed = line.types.reject { |_, type| type.start_with?("the class or module") || type == "true or false" }
                    .select { |_, type| type.include?(" or ") }
        mixed.map { |text, type| "#{File.basename(line.path)}:#{line.number} #{text}: #{type}" }
      end
      titled("types that are not obvious", found.uniq)
    end

    def never_run = titled(TRAPS.downcase, unsupported.map { |told| told.lines.first.chomp })

    def sizes
      functions = ir.scan(/^fn (f\d+) "(.*?)".*?^}/m).zip(ir.scan(/^fn .*?^}/m).map { |body| body.count("\n") })
      all = functions.sum(&:last)
      largest = functions.max_by(3, &:last).map { |(_, name), size| "#{name} #{size * 100 / all} %" } if all > 0
      ["code: #{ir.count("\n")} lines of intermediate program#{", of these #{largest.join(", ")}" if largest}; " \
       "#{code.count("\n")} lines for #{backend}",
       "more: .types, .columns, .ir, .code, .text, .save(\"section.html\")"]
    end

    def titled(title, told)
      return [] if told.empty?

      shown = told.first(MOST).map { |line| "  #{line}" }
      ["#{title}:", *shown, *("  … and #{told.size - MOST} more" if told.size > MOST)]
    end

    def some(all, most) = all.first(most).join(", ") + (all.size > most ? " …" : "")
  end
end
