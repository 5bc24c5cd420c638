// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "../model_contender.hpp"
#include "all.hpp"
#include "list_wheel.hpp"

#include <limits>
#include <memory>
#include <new>

namespace bench {

namespace {

class textbook {
public:
    using object = caller_object<list_timer>;
    static constexpr std::string_view name = "textbook_list_wheel";
    static constexpr std::size_t hook_bytes = sizeof(list_timer);
    static constexpr std::uint64_t largest_n = no_limit;

    explicit textbook(std::uint64_t start) : wheel_(std::make_unique<list_wheel>(start)) {}

    object* make(void* where, std::uint64_t id) { return new (where) object{{}, id}; }
    void unmake(object&) {}

    void schedule(object& o, std::uint64_t due) { wheel_->schedule(o, due); }
    void replace(object& o, std::uint64_t due) {
        wheel_->cancel(o);
        wheel_->schedule(o, due);
    }
    void push_later(object& o, std::uint64_t due) { wheel_->move(o, due); }

    std::optional<std::uint64_t> due(const object& o) const {
        if (!list_wheel::pending(o)) return std::nullopt;
        return o.due;
    }
    void clear() { wheel_->clear(); }

    template <class Sink>
    work advance(std::uint64_t now, Sink&& sink) {
        const auto done =
            wheel_->advance(now, [&](list_timer& timer) { sink(static_cast<object&>(timer)); });
        return {done.fired, done.moved};
    }
    std::optional<std::uint64_t> next_wakeup() const { return wheel_->next_wakeup(); }

private:
    std::unique_ptr<list_wheel> wheel_;
};

}  // namespace

std::unique_ptr<contender> make_textbook_list_wheel() {
    return std::make_unique<model_contender<textbook>>();
}

}  // namespace bench
