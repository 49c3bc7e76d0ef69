# frozen_string_literal: true

require "set"

module RandomPrograms
  # Each program favours a few of the productions that few programs came to by chance, and the choices that lead there,
  # so that they are written often, and in one program with others (Groce et al., "Swarm Testing", ISSTA 2012). A
  # program gets no longer by that.
  module Swarm
    # What a choice's weight, and the chance of what is favoured, become.
    FACTOR = 12
    LIKELY = 0.75

    # Productions with the choices on the way there.
    LAUNCHED = { times_call: [], join_call: [], other_own: [:objects], made_loop: [], kept_loop: [], step_call: [],
                 sync_call: [], grow_cells: [], mixed_call: [], pselect_call: [], put_cell: [],
                 launch_range: [:range] }.freeze
    PRINTED = { puts_values: [], puts_nested: [], puts_text: [], print_values: [], shown: [], streamed: [], warned: [],
                formatted: [], empty_line: [] }.freeze
    MATCHED = { captured_regexp: [], grouped_part: [:regexp_text], substituted: [:regexp_text],
                last_group: [:regexp_text] }.freeze
    TALLIED = { change_counts: [:change_hash], change_groups: [:change_hash], change_memos: [:change_hash],
                change_texts: [:change_hash], change_tables: [:change_hash], delete_within: [:change_hash],
                default_given: [:change_hash] }.freeze
    GIVEN = { hash_result: [], made_types: [:make_records], fraction_result: [], date_result: [],
              large_result: [] }.freeze
    FRAMED = {
      raised_in_each: [:framed], raised_in_map: [:framed], raised_in_fold: [:framed], raised_in_count: [:framed],
      raised_in_pairs: [:framed], raised_in_lambda: [:framed], raised_in_yield: [:framed],
      raised_in_clause: [:framed], raised_in_recursion: [:framed], raised_in_struct: [:framed],
      raised_in_new: [:framed], raised_by_defined: [:framed], raised_by_missing: [:framed],
      raised_by_send: [:framed], raised_through_super: [:framed], ensured_loop: [], thrown: [], default_set: [],
      raised_twice: [], shown_object: [], paired: [], thrown_out: []
    }.freeze
    OTHERS = {
      of_callable: %i[captured_callable by_method], make_alias: [:make_list], list_of_equals: [:list_ordered],
      filter_watching: %i[make_list change_list filter_in_place], filter_in_place: %i[make_list change_list],
      join_to: %i[make_list change_list], rearrange: %i[make_list change_list], take_out: %i[make_list change_list],
      of_collected: %i[keyrest hashed call yielding],
      looked_up: %i[captured_hash hashed], ill_arguments: [:call], numbered: %i[yielding call],
      members_pattern: %i[matching match_statement struct make_records], character_test: [:text_test],
      text_case: [:texted], changed_keys: [:keyed], counted_keys: [:keyed], named_format: [:called_text],
      written_format: [:called_text],
      list_of_runs: %i[list_mapped make_list], list_of_changed: %i[list_mapped make_list],
      list_of_least: %i[list_ordered make_list],
      list_splatted: %i[list_part make_list], list_inner: %i[folded folded_pairs], list_chosen: [:make_list],
      kept_block: [:outlived], kept_lists: [:outlived], called_by_name: [:bits], ivar_name: [:write],
      write_item: %i[write owned_lists], together_assigned: %i[make_records record], rolled: [:drawn],
      dice_value: [], item_or_other: %i[captured_columns of_column], chosen: [:captured_procs],
      item_target: %i[take_apart make_list], raised_of_several: [:failure], coded_clause: [:rescuing],
      raised_for_another: %i[rescuing failure], cause_of: [:rescuing],
      captured_only: [:dead_value], put_together: [], tie: [:named], until_loop: [:loop_statement],
      post_loop: [:loop_statement], stepped: [:loop_statement], accumulate_text: [:accumulate], frozen_text: [],
      narrowing_pattern: [:narrowing], narrowing_leave: [:narrowing], retrying: [], own_cycle: [:cycle],
      record_equality: [:make_records], passed_blocks: [:call], fraction_number: [], complex_part: [],
      fraction_text: [], date_number: [], date_text: [], held_range: [],
      large_integer: [], large_test: [], large_text: []
    }.freeze

    # How many of them a program favours.
    MOST = { PRINTED => 4, MATCHED => 2, TALLIED => 5, FRAMED => 4, OTHERS => 15 }.freeze

    # Chosen from the seed, by a generator of their own.
    def favour
      random = Random.new(@seed + (1 << 43))
      groups = { **MOST, **(@section ? { LAUNCHED => 7 } : { GIVEN => 2 }) }
      chosen = groups.flat_map { |group, most| group.to_a.sample(most, random:) }
      @favoured = chosen.flatten.to_set
    end

    def favoured?(name) = @favoured.include?(name)

    # A number of a choice, where some stand for productions: the number of one that is favoured, often.
    def between(low, high, **productions)
      favoured = productions.filter_map { |name, at| at if favoured?(name) }
      favoured.any? && super(0.0, 1.0) < LIKELY ? pick(favoured) : super(low, high)
    end

    def chance(probability, production = nil)
      super(favoured?(production) ? [probability, LIKELY].max : probability)
    end

    def weighted(choices)
      return super unless choices.each_key.any? { |choice| favoured?(choice) }

      super(choices.to_h { |choice, weight| [choice, favoured?(choice) ? weight * FACTOR : weight] })
    end
  end
end
