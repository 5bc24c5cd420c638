# Faults that could be in the service, and some that were. canaries_test.cpp says which scenario has
# to find each.
set(shard src/service/shard.cpp)
set(jobs src/service/shard_jobs.cpp)
set(core src/service/service_core.cpp)
set(pool src/service/worker_pool.cpp)

# ---- cancels and moves
foliot_plant(a_cancel_of_what_runs_is_forgotten ${shard}
  [[        node.ends = true;
        if (node.partner]]
  [[        node.ends = !PLANTED;
        if (node.partner]])
foliot_plant(cancel_and_wait_does_not_wait ${shard}
  [[finished_.wait(held, [&] { return node.generation != generation; });]]
  [[finished_.wait(held, [&] { return PLANTED || node.generation != generation; });]])
foliot_plant(nobody_is_told_that_a_callback_is_destroyed ${shard}
  "    finished_.notify_all();\n}"
  "    if (!PLANTED) finished_.notify_all();\n}")
foliot_plant(cancel_and_wait_waits_for_its_own_thread ${shard}
  [[} else if (node.now == state::due) {  // closed]]
  [[} else if (node.now == state::due && !PLANTED) {  // closed]])
foliot_plant(a_second_group_cancel_does_not_see_what_runs ${shard}
  [[to_end_of(found->second, *node);]]
  [[PLANTED ? leave_group(*node) : to_end_of(found->second, *node);]])
foliot_plant(a_move_says_gone_when_a_stop_has_begun ${shard}
  [[        if (!is(node, generation)) return reschedule_result::gone;]]
  [[        if (!is(node, generation) || (PLANTED && closed_)) return reschedule_result::gone;]])

# ---- starts and ends
foliot_plant(a_timer_starts_after_a_stop ${jobs}
  [[if (closed_ || node.now != state::due]]
  [[if ((closed_ && !PLANTED) || node.now != state::due]])
foliot_plant(a_timer_is_made_after_a_stop ${shard}
  [[        left.node = &node;
        if (closed_) return {};]]
  [[        left.node = &node;
        if (closed_ && !PLANTED) return {};]])
foliot_plant(the_clock_is_read_a_tick_too_late ${shard}
  [[    const tick t = elapsed(now(), around_.tick);]]
  [[    const tick t{elapsed(now(), around_.tick).count + (PLANTED ? 1U : 0U)};]])
foliot_plant(a_run_is_counted_without_the_lock ${jobs}
  [[    --counts_.due;
    ++counts_.runs;]]
  [[    if (!PLANTED) --counts_.due;
    ++counts_.runs;]])
foliot_plant(a_second_stop_overtakes_the_first ${core}
  [[const std::uint64_t ended = s->close();]]
  [[const std::uint64_t ended = PLANTED && !first ? 0 : s->close();]])
foliot_plant(a_stop_does_not_wait_for_callbacks ${core}
  [[for (const auto& s : shards_) s->wait_until_quiet();]]
  [[for (const auto& s : shards_) PLANTED ? void() : s->wait_until_quiet();]])

# ---- wake-ups
foliot_plant(what_the_driver_knows_is_not_updated ${shard}
  [[    told_ = first.value_or(tick::max());]]
  [[    if (!PLANTED) told_ = first.value_or(tick::max());]])
foliot_plant(the_driver_is_not_told_of_what_is_made_while_it_wakes ${core}
  [[            if (earliest_ && (!until]]
  [[            if ((slept || !PLANTED) && earliest_ && (!until]])
foliot_plant(the_driver_is_told_but_not_notified ${core}
  [[        if (fd_ >= 0 && (!fd_at_ || at < *fd_at_)) set_fd(at);
    }
    if (options_.driver) woken_.notify_one();]]
  [[        if (fd_ >= 0 && (!fd_at_ || at < *fd_at_)) set_fd(at);
    }
    if (options_.driver && !PLANTED) woken_.notify_one();]])
foliot_plant(the_driver_is_not_told_of_room ${core}
  [[        room_ = true;]]
  [[        room_ = !PLANTED;]])
foliot_plant(a_stop_is_said_without_the_lock ${core}
  [[        const std::lock_guard held(sleep_mutex_);
        first = !stop_begun_.exchange(true);]]
  [[        const auto held = PLANTED ? lock() : lock(sleep_mutex_);
        first = !stop_begun_.exchange(true);]])
foliot_plant(a_worker_that_is_on_its_way_to_sleep_is_not_woken ${pool}
  [[        to_wake = std::min(s.idle, added);]]
  [[        to_wake = PLANTED && s.idle == 1 ? 0 : std::min(s.idle, added);]])

# ---- reusable_timer
foliot_plant(a_cancel_leaves_what_was_armed_anew ${shard}
  [[if (node.partner != nullptr) node.partner->again]]
  [[if (node.partner != nullptr && !PLANTED) node.partner->again]])
