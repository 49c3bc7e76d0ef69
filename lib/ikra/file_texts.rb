# frozen_string_literal: true

module Ikra
  using OwnMethods

  # The texts of files as they were loaded: what a file holds that nothing has touched since the program began, and from
  # then on what was read of it, although it may be another one by now.
  #
  # @api private
  module FileTexts
    # Files touched later than this may have been changed after they were loaded.
    STARTED = Time.now
    # The clock of a file system may be behind by so many seconds.
    TICK = Rational(1, 50)
    EARLIEST = STARTED - TICK
    private_constant :TICK, :EARLIEST
    # So many texts of a file are kept: it may be loaded again.
    MOST = 4
    BOM = "\xEF\xBB\xBF".b.freeze
    # What stands at the top and names an encoding.
    ENCODING = /\A(?:#!.*\n)?[ \t\f\v]*#.*?coding[ \t]*[:=][ \t]*([\w.-]+)/i

    Kept = Struct.new(:stamp, :text)

    @kept = {}

    class << self
      # May the file be another one than was loaded? The time of its last change can be set to any (rsync, tar), that of
      # its replacement cannot.
      def changed?(path, stat = stat(path))
        !stat || stat.mtime > EARLIEST || stat.ctime > EARLIEST
      end

      # @yield [String] is it that text? Asked where there is a choice
      # @return [String, nil] the text that was loaded from the file; or the one that it has now; nil if there is none
      def find(path, &)
        stat = stat(path)
        stamp = stamp(stat)
        now, before = (@kept[path] || []).partition { |one| one.stamp == stamp }
        return (now.first || keep(path, stamp)).text if before.empty? && !changed?(path, stat)

        before.map(&:text).find(&) || there(path, stamp, now.first, &)
      end

      # @return [String, nil] a line of a file that is as it was loaded
      def line(path, number)
        return if changed?(path)

        File.foreach(path, encoding: "UTF-8").with_index(1) do |text, at|
          return (text.chomp if text.valid_encoding?) if at == number
        end
        nil
      rescue SystemCallError, ArgumentError
        # It stands in no file, or that is gone, or in no encoding.
        nil
      end

      # Without what may stand before the first line.
      def without_bom(text)
        return text unless text.byteslice(0, 3).b == BOM && !counts_bom?

        text.byteslice(3..)
      end

      # The text that a file has now.
      #
      # @raise [UnsupportedError] where it is not in UTF-8
      def read(path) = checked(File.binread(path), path)

      # A text of a file, in UTF-8.
      #
      # @raise [UnsupportedError] where it is in another encoding
      def checked(text, path)
        text = without_bom(text)
        name = text[ENCODING, 1]
        # It is a copy: `dup` would ask an `initialize_copy`.
        text = text.b.force_encoding(Encoding::UTF_8)
        text.valid_encoding? && (text.ascii_only? || utf8?(name)) ? text : refuse(path, name)
      end

      # Which characters of a line are no spaces around it, from 1 on.
      def code(line) = line[/\A\s*/].size + 1..line.rstrip.size

      private

      # The text that the file has now, which is kept if it is the one that was loaded.
      def there(path, stamp, known)
        return unless stamp

        text = known ? known.text : read(path)
        keep(path, stamp, text) if yield(text) && !known
        text
      end

      def stamp(stat) = stat && [stat.ino, stat.size, stat.mtime, stat.ctime]

      def stat(path)
        File.stat(path) if File.file?(path)
      rescue SystemCallError
        nil
      end

      def keep(path, stamp, text = read(path))
        one = Kept.new(stamp, text)
        @kept[path] = [one, *(@kept[path] || [])].first(MOST)
        one
      end

      def utf8?(name)
        !name || name.match?(/\A(utf-8|cp65001)(-unix|-dos)?\z/i)
      end

      def refuse(path, name)
        raise UnsupportedError, "#{path} is not written in UTF-8#{", but in #{name}" unless utf8?(name)} " \
                                "[unsupported-encoding]\n  hint: write it in UTF-8, which needs no comment"
      end

      # Do columns of the first line begin with it, in the running Ruby?
      def counts_bom?
        require "tempfile"
        @counts_bom = column("\u{feff}-> {}") != column("-> {}") if @counts_bom.nil?
        @counts_bom
      end

      # Of the code in a file with a text: a String is read in another way.
      def column(text)
        found = nil
        Tempfile.create(["mark", ".rb"]) do |file|
          file.write(text)
          file.close
          RubyVM::InstructionSequence.compile_file(file.path).each_child { |code| found = code.to_a[Capture::MISC] }
        end
        found[:code_location][1]
      end
    end
  end
  private_constant :FileTexts
end
