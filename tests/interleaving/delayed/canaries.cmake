# Faults that could be in delayed operations. canaries_test.cpp says which scenario has to find
# each.
set(core include/foliot/service/detail/delayed_core.hpp)
set(house include/foliot/service/detail/delayed_house.hpp)
set(operations include/foliot/service/delayed_operations.hpp)

foliot_plant(who_is_inside_does_not_look_again ${core}
  [[            answered = asked_.fetch_sub(answered, std::memory_order_acq_rel) - answered;]]
  [[            const auto left = asked_.fetch_sub(answered, std::memory_order_acq_rel) - answered;
            answered = PLANTED ? (asked_ -= left, 0U) : left;]])
foliot_plant(two_complete_at_a_time ${core}
  [[            return life_.exchange(life::completed) != life::completed;]]
  [[            if (PLANTED) {
                const bool open = life_.load() != life::completed;
                life_.store(life::completed);
                return open;
            }
            return life_.exchange(life::completed) != life::completed;]])
foliot_plant(a_try_completes_what_was_withdrawn_meanwhile ${core}
  [[        if (inside_.load(std::memory_order_relaxed) != sync::this_thread::get_id()) {]]
  [[        if (PLANTED || inside_.load(std::memory_order_relaxed) != sync::this_thread::get_id()) {]])
foliot_plant(who_is_overtaken_counts_as_delayed ${core}
  [[        --house_.load()->delayed;
        return false;]]
  [[        if (!PLANTED) --house_.load()->delayed;
        return false;]])
foliot_plant(an_expiration_does_not_ask_whether_another_is_inside ${core}
  [[        static_cast<void>(attempt());]]
  [[        if (PLANTED) return static_cast<void>(look_once());
        static_cast<void>(attempt());]])
foliot_plant(what_is_watched_is_not_tried_once_more ${operations}
  [[            if (op->attempt()) return true;
            if (op->begin_wait()) {]]
  [[            if (!PLANTED && op->attempt()) return true;
            if (op->begin_wait()) {]])
foliot_plant(who_sweeps_does_not_look_again ${house}
  [[            if (!swept) return;]]
  [[            if (!swept || PLANTED) return;]])
