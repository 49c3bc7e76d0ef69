# frozen_string_literal: true

module Ikra
  # What was compiled and is kept on disk, in words, for people.
  module Cache
    SORTS = {
      "section" => "sections", "code" => "programs for the CPU", "cubin" => "kernels for GPUs",
      "characters" => "tables of characters"
    }.freeze
    private_constant :SORTS

    class << self
      # One line of `ikra doctor`.
      def summary
        folder, why = Native.cache_folder
        return "cache: missing: no folder; set IKRA_CACHE_DIR" unless folder
        return "cache: missing: #{folder} is not used: #{why}" if why

        files = Native.cache_files
        is_off = Ikra.cache? ? "" : ", turned off"
        "cache: #{folder}, #{files.sum { |_, count,| count }} files, #{bytes(files.sum { |_, _, size| size })}#{is_off}"
      end

      # What `ikra cache` prints.
      def details
        lines = Native.cache_files.map { |sort, count, size| "  #{count} #{SORTS.fetch(sort)}, #{bytes(size)}" }
        [summary, *lines].join("\n")
      end

      # Forgets all of it.
      def clear = "#{Native.clear_cache} files removed"

      private

      def bytes(count) = count < 1_000_000 ? "#{count.fdiv(1_000).ceil} KB" : format("%.1f MB", count / 1e6)
    end
  end
  private_constant :Cache
end
