// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "service/reusable_model.hpp"
#include "service/scenario.hpp"
#include "service/small_executor.hpp"

#include <foliot/service/reusable_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foliot {

namespace {

// One reusable_timer of one service, and what is done to it.
class reusable_world {
public:
    explicit reusable_world(service_options options, std::function<void(reusable_world&)> body = {})
        : body_(std::move(body)) {
        options.clock = &clock_;
        options.on_rejected = [this] {
            step s = of(act::give_up);
            s.time = nanoseconds::max();
            history_.was(0, never, s);
        };
        service_.emplace(options);
        timer_.emplace(*service_, [this] { run(); });
    }

    void arm(nanoseconds deadline) {
        const auto from = history_.begins("arm", {0});
        step s = of(act::make);
        s.time = begin_ + deadline;
        try {
            timer_->at(std::chrono::steady_clock::time_point(s.time));
        } catch (const service_stopped&) {
            s.what = act::make_refused;
        }
        history_.ends(from, s.what == act::make ? "armed" : "arm: stopped", {0}, {s});
    }
    void cancel() {
        const auto from = history_.begins("cancel", {0});
        step s = of(act::cancel);
        s.came_to = static_cast<outcome>(timer_->cancel());
        history_.ends(from, "cancel = " + text(s), {0}, {s});
    }
    // If nobody else arms it.
    void cancel_and_wait() {
        const auto from = history_.begins("cancel_and_wait", {0});
        step s = of(act::cancel);
        s.came_to = static_cast<outcome>(timer_->cancel_and_wait());
        interleaving::check(!running_, "cancel_and_wait has returned, and the callback runs");
        history_.ends(from, "cancel_and_wait = " + text(s), {0}, {s, of(act::await)});
    }
    void look() {
        const auto from = history_.begins("deadline", {0});
        const auto found = timer_->deadline();
        step s = of(act::look);
        s.came_to = found ? outcome::done : outcome::gone;
        s.time = found.value_or(nanoseconds{});
        history_.ends(from, "deadline: " + text(s), {0}, {s});
    }
    void stop() {
        const auto from = history_.begins("stop", {0});
        service_->stop();
        interleaving::check(!running_, "stop has returned, and the callback runs");
        history_.ends(from, "stop", {0}, {of(act::close), of(act::rest)});
    }
    void pass() { service_->poll(); }
    [[nodiscard]] std::uint64_t runs() const { return runs_; }
    void advance_to_due() { interleaving::advance(5ms); }
    // With the job of another timer.
    void fill_executor() {
        service_->after(0ms, [this] { ++runs_; });
        service_->poll();
    }
    // By the thread that has no other calls of it beside; not recorded.
    void destroy() {
        const bool from_within = running_;
        timer_.reset();
        interleaving::check(from_within || !running_, "destroyed, and the callback runs");
    }

    void settle() {
        for (int i = 0; i < 4; ++i) {
            interleaving::advance(1h);
            service_->poll();
            if (room) room->run();
        }
        service_->stop();
        const service_metrics m = service_->metrics();
        interleaving::check(
            m.scheduled == m.cancelled + m.completed + m.rejected + m.shed + m.dropped,
            "the metrics do not add up");
        interleaving::check(m.runs == runs_, "the metrics do not count all runs");
        const bool destroyed = !timer_;
        timer_.reset();
        service_.reset();
        const auto over = [destroyed](const reusable_model& end) {
            return destroyed || end.now == reusable_model::phase::idle;
        };
        interleaving::check(history_.linearizable(reusable_model{}, over),
                            "no order of the calls is one that a reusable_timer can have");
    }

    std::shared_ptr<small_executor> room;

private:
    static step of(act what) {
        step s;
        s.what = what;
        return s;
    }
    static std::string text(const step& s) {
        static constexpr const char* names[] = {"done", "running", "gone"};
        return names[static_cast<std::size_t>(s.came_to)];
    }

    void run() {
        interleaving::check(!running_, "the callback runs twice at a time");
        running_ = true;
        ++runs_;
        history_.started(0, "begun", 0, of(act::start));
        if (body_) body_(*this);
        const auto from = history_.begins("to end", {0});
        running_ = false;
        history_.was(from, never, of(act::finish));
    }

    explored_clock clock_;
    const nanoseconds begin_ = interleaving::execution::now().time();
    history<reusable_model, step> history_;
    bool running_ = false;
    std::uint64_t runs_ = 0;
    std::function<void(reusable_world&)> body_;
    std::optional<service_subject::service> service_;
    std::optional<reusable_timer> timer_;
};

struct reusable_call {
    std::string name;
    std::function<void(reusable_world&)> make_it;
};

std::vector<reusable_call> reusable_calls() {
    return {
        {"arm later", [](reusable_world& w) { w.arm(9ms); }},
        {"arm now", [](reusable_world& w) { w.arm(0ms); }},
        {"cancel", [](reusable_world& w) { w.cancel(); }},
        {"cancel_and_wait", [](reusable_world& w) { w.cancel_and_wait(); }},
        {"look", [](reusable_world& w) { w.look(); }},
        {"pass", [](reusable_world& w) { w.pass(); }},
        {"stop", [](reusable_world& w) { w.stop(); }},
    };
}

void add_pairs(scenarios& all) {
    const auto calls = reusable_calls();
    for (std::size_t i = 0; i < calls.size(); ++i) {
        for (std::size_t j = i; j < calls.size(); ++j) {
            const auto& a = calls[i];
            const auto& b = calls[j];
            const std::string name = "reusable/" + a.name + "+" + b.name;
            // It would wait for runs that another thread has armed meanwhile.
            if (a.name.starts_with("arm") && b.name == "cancel_and_wait") continue;
            const bool is_long = b.name == "stop" && (a.name == "pass" || a.name == "stop");
            all.push_back({is_long ? bounded(name, 2) : all_of(name), [a, b] {
                               reusable_world w(polled());
                               w.arm(5ms);
                               w.advance_to_due();
                               in_threads([&] { a.make_it(w); }, [&] { b.make_it(w); },
                                          [&] { w.pass(); });
                               w.settle();
                           }});
        }
    }
}

void add_from_within(scenarios& all) {
    const std::vector<reusable_call> bodies = {
        {"arms itself once",
         [](reusable_world& w) {
             if (w.runs() == 1) w.arm(7ms);
         }},
        {"arms and cancels itself",
         [](reusable_world& w) {
             w.arm(7ms);
             w.cancel();
         }},
    };
    for (const auto& body : bodies) {
        for (const auto& c : reusable_calls()) {
            if (c.name == "cancel_and_wait") continue;
            const std::string name = "reusable/the callback " + body.name + " beside " + c.name;
            all.push_back({all_of(name), [body, c] {
                               reusable_world w(polled(), body.make_it);
                               w.arm(5ms);
                               w.advance_to_due();
                               in_threads([&] { c.make_it(w); }, [&] { w.pass(); });
                               w.settle();
                           }});
        }
    }
}

void add_ends(scenarios& all) {
    all.push_back({all_of("reusable/it is destroyed beside passes"), [] {
                       reusable_world w(polled());
                       w.arm(5ms);
                       w.advance_to_due();
                       in_threads([&] { w.destroy(); }, [&] { w.pass(); }, [&] { w.pass(); });
                       w.settle();
                   }});
    all.push_back({all_of("reusable/it is destroyed beside a pass and a stop"), [] {
                       reusable_world w(polled());
                       w.arm(5ms);
                       w.advance_to_due();
                       in_threads([&] { w.destroy(); }, [&] { w.pass(); }, [&] { w.stop(); });
                       w.settle();
                   }});
    all.push_back({all_of("reusable/its callback destroys it beside a stop"), [] {
                       reusable_world w(polled(), [](reusable_world& self) { self.destroy(); });
                       w.arm(5ms);
                       w.advance_to_due();
                       in_threads([&] { w.pass(); }, [&] { w.stop(); });
                       w.settle();
                   }});
    for (const overload what : {overload::reject, overload::defer}) {
        const std::string name = std::string("reusable/it is ") +
                                 (what == overload::reject ? "rejected" : "deferred") +
                                 " or armed anew";
        all.push_back({all_of(name), [what] {
                           const auto room = std::make_shared<small_executor>(1);
                           service_options o = polled();
                           o.executor = room;
                           o.when_full = what;
                           o.defer_by = 1ms;
                           reusable_world w(o);
                           w.room = room;
                           w.fill_executor();
                           w.arm(5ms);
                           w.advance_to_due();
                           in_threads([&] { w.pass(); }, [&] { w.arm(6ms); }, [&] { room->run(); });
                           w.settle();
                       }});
    }
}

}  // namespace

scenarios reusable_scenarios() {
    scenarios all;
    add_pairs(all);
    add_from_within(all);
    add_ends(all);
    return all;
}

}  // namespace foliot
