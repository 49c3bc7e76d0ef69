# frozen_string_literal: true

module Ikra
  class Explanation
    # An explanation as one HTML file.
    #
    # @api private
    class Page
      STYLE = <<~CSS
        :root { color-scheme: light dark }
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
        pre { font: 13px/1.6 ui-monospace, monospace; overflow-x: auto; margin: 0; padding: .6rem 0 }
        h1 { font-size: 1.3rem } h2 { font-size: 1rem; margin-bottom: .3rem }
        table { border-collapse: collapse; display: block; overflow-x: auto }
        td, th { text-align: left; padding: .15rem 1rem .15rem 0; border-bottom: 1px solid #8884 }
        .number { opacity: .5; user-select: none }
        .typed { border-bottom: 1px dotted #8888; cursor: help }
        .typed:hover { background: #8883 }
        .typed:has(.typed:hover) { background: none }
        .reads { color: light-dark(#1b6ca8, #7cc0f0) }
        .writes { color: light-dark(#b3261e, #ff9d92); font-weight: 600 }
        .accumulates { color: light-dark(#7a4d00, #f0c060); font-weight: 600 }
        summary { cursor: pointer; padding: .3rem 0 }
        .source { font: 13px/1.6 ui-monospace, monospace; overflow-x: auto }
        .source pre, .source summary { padding: 0; font: inherit; white-space: pre; overflow: visible }
        .source summary { list-style: none }
        .source summary::-webkit-details-marker { display: none }
        .source summary .fold::before { content: "▸" }
        .source details[open] > summary .fold::before { content: "▾" }
        .source .made { border-left: 3px solid #8884; margin: .2rem 0 .5rem 4.5rem; padding-left: .8rem; opacity: .85 }
        .source .made b { font-family: system-ui, sans-serif; font-weight: 600 }
      CSS

      # @param explanation [Explanation]
      def initialize(explanation)
        @explanation = explanation
        @kinds = explanation.columns.select { |column| column.name.match?(/\A@/) }
                            .group_by { |column| column.name.delete_prefix("@") }
                            .transform_values { |columns| kind(columns) }
      end

      # @return [String]
      def to_html
        <<~HTML
          <!DOCTYPE html>
          <html lang="en">
          <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Ikra: a section</title>
          <style>
          #{STYLE}</style></head>
          <body>
          <h1>A section #{escape(@explanation.verdict)}</h1>
          <p><span class="reads">read</span> · <span class="writes">written</span> ·
          <span class="accumulates">accumulated</span> · types where the mouse is ·
          what comes of a line unfolds at ▸</p>
          #{sources.join("\n")}
          #{columns}
          #{unsupported}
          #{folded("All types", @explanation.types)}
          #{folded("Intermediate program", @explanation.ir)}
          #{folded("Code for #{@explanation.backend}", @explanation.code)}
          </body>
          </html>
        HTML
      end

      private

      def escape(text) = text.encode(xml: :text)

      def kind(columns)
        return :accumulates if columns.any?(&:accumulates?)

        columns.any?(&:writes) ? :writes : :reads
      end

      def sources
        @explanation.lines.group_by(&:path).map do |path, lines|
          "<h2>#{escape(path)}</h2>\n<div class=\"source\">\n#{lines.map { |line| row(line) }.join("\n")}\n</div>"
        end
      end

      # A line, with what comes of it folded under it.
      def row(line)
        made = { "Intermediate program" => line.ir, "Code for #{@explanation.backend}" => line.code }
        made.reject! { |_, text| text.nil? || text.empty? }
        fold = %(<span class="fold">#{" " if made.empty?}</span>)
        text = %(<span class="number">#{line.number.to_s.rjust(5)}</span> #{fold} #{marked(line)})
        return "<pre>#{text}</pre>" if made.empty?

        told = made.map { |title, lines| "<b>#{escape(title)}</b>\n#{escape(lines.join("\n"))}" }
        %(<details><summary>#{text}</summary><pre class="made">#{told.join("\n")}</pre></details>)
      end

      # A line with spans around what has a type, the wider ones outside, and around what is read and written.
      def marked(line)
        spans = typed(line) + touched(line)
        opened = spans.group_by(&:first)
        closed = spans.group_by { |_, behind, _| behind }
        (0..line.text.size).sum("") do |at|
          ends = "</span>" * (closed[at]&.size || 0)
          starts = (opened[at] || []).sort_by { |_, behind, _| -behind }.map(&:last).join
          ends + starts + (at < line.text.size ? escape(line.text[at]) : "")
        end
      end

      # Places of expressions, nested in each other: from, behind, and the tag.
      def typed(line)
        line.types.sort_by { |text, _| -text.size }.each_with_object([]) do |(text, type), spans|
          next if text.start_with?("…")

          line.text.to_enum(:scan, /(?<![\w@])#{Regexp.escape(text)}(?!\w)/).each do
            at = Regexp.last_match.begin(0)
            behind = at + text.size
            next if spans.any? { |from, to, _| crossing?(from, to, at, behind) }

            spans << [at, behind, %(<span class="typed" title=#{"#{text}: #{type}".encode(xml: :attr)}>)]
          end
        end
      end

      # Variables, and methods that read or write one of that name.
      def touched(line)
        line.text.to_enum(:scan, /(?:(?<=@)|(?<=\.))([a-z_]\w*)/).filter_map do
          name = Regexp.last_match(1)
          kind = @kinds[name] or next
          assigned = Regexp.last_match.post_match.match?(%r{\A\s*(?:[-+*/%&|^]|<<|>>|&&|\|\|)?=(?![=~])})
          kind = :reads if kind == :writes && !assigned
          [Regexp.last_match.begin(1), Regexp.last_match.end(1), %(<span class="#{kind}">)]
        end
      end

      def crossing?(from, to, at, behind)
        (at < from && from < behind && behind < to) || (from < at && at < to && to < behind)
      end

      def columns
        rows = @explanation.columns.reject(&:own?).map do |column|
          cells = [[column.name, column.of].compact.join(" of "), column.types, column.bytes,
                   [("read" if column.reads), ("written" if column.writes)].compact.join(", "), column.ways.join(", ")]
          "<tr>#{cells.map { |cell| "<td>#{escape(cell.to_s.tr("_", " "))}</td>" }.join}</tr>"
        end
        titles = %w[what type bytes access how].map { |title| "<th>#{title}</th>" }
        "<h2>What it touches</h2>\n<table><tr>#{titles.join}</tr>\n#{rows.join("\n")}</table>"
      end

      def unsupported
        told = @explanation.unsupported
        return "" if told.empty?

        "<h2>Unsupported, where an element comes to it</h2>\n<pre>#{escape(told.join("\n\n"))}</pre>"
      end

      def folded(title, text)
        "<details><summary>#{escape(title)} (#{text.count("\n")} lines)</summary>\n<pre>#{escape(text)}</pre></details>"
      end
    end
    private_constant :Page
  end
end
