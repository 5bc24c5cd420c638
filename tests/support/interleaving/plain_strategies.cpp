// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Strategies that need not know what a step does.
#include "support/interleaving/strategy.hpp"

#include <foliot/time/detail/contract.hpp>

#include <cstddef>
#include <random>
#include <vector>

namespace foliot::interleaving {

namespace {

using foliot::detail::require;

// Counts events, and nothing else.
class plain : public strategy {
public:
    void begin() override { events_ = 0; }
    void happened(unsigned, const operation&) override { ++events_; }
    void started(unsigned, unsigned) override {}
    void joined(unsigned, unsigned) override {}
    void all_waited() override {}
    std::uint32_t events() const override { return events_; }

private:
    std::uint32_t events_ = 0;
};

class bounded final : public plain {
public:
    explicit bounded(unsigned preemptions) : preemptions_(preemptions) {}

    void begin() override {
        plain::begin();
        position_ = 0;
        used_ = 0;
    }

    unsigned pick_thread(const turn& t) override {
        if (t.ready.size() == 1) return t.ready.first();
        if (position_ == path_.size()) {
            node n;
            n.left = affordable(t);
            n.chosen =
                n.left.has(t.current) && !t.early.has(t.current) ? t.current : n.left.first();
            path_.push_back(n);
        }
        const unsigned chosen = path_[position_++].chosen;
        require(t.ready.has(chosen), "a scenario that is explored does not do the same each time");
        used_ += price(t, chosen);
        return chosen;
    }
    unsigned pick_value(unsigned count) override {
        if (position_ == path_.size()) {
            node n;
            for (unsigned v = 0; v < count; ++v) n.left.add(v);
            path_.push_back(n);
        }
        return path_[position_++].chosen;
    }

    bool next() override {
        while (!path_.empty()) {
            node& n = path_.back();
            n.left.remove(n.chosen);
            if (!n.left.empty()) {
                n.chosen = n.left.first();
                return true;
            }
            path_.pop_back();
        }
        return false;
    }

private:
    struct node {
        thread_set left;  // to be tried; of a value, which
        unsigned chosen = 0;
    };

    static unsigned price(const turn& t, unsigned thread) {
        const thread_set unforced = t.ready - t.early;
        if (t.early.has(thread)) return unforced.empty() ? 0 : 1;
        return unforced.has(t.current) && thread != t.current ? 1 : 0;
    }
    thread_set affordable(const turn& t) const {
        thread_set some;
        for (unsigned i = 0; i < max_threads; ++i) {
            if (t.ready.has(i) && used_ + price(t, i) <= preemptions_) some.add(i);
        }
        return some;
    }

    const unsigned preemptions_;
    std::vector<node> path_;
    std::size_t position_ = 0;
    unsigned used_ = 0;
};

class at_random final : public plain {
public:
    at_random(std::uint64_t executions, std::uint64_t seed) : left_(executions), random_(seed) {}

    unsigned pick_thread(const turn& t) override {
        // Mostly the same one, so that there are long runs as well as short ones.
        if (t.ready.has(t.current) && random_() % 4 != 0) return t.current;
        unsigned nth = pick_value(t.ready.size());
        unsigned thread = t.ready.first();
        for (thread_set rest = t.ready; nth > 0; --nth) {
            rest.remove(thread);
            thread = rest.first();
        }
        return thread;
    }
    unsigned pick_value(unsigned count) override {
        return static_cast<unsigned>(random_() % count);
    }
    bool next() override { return --left_ > 0; }

private:
    std::uint64_t left_;
    std::mt19937_64 random_;
};

class known final : public plain {
public:
    explicit known(std::span<const std::uint8_t> choices)
        : choices_(choices.begin(), choices.end()) {}

    unsigned pick_thread(const turn& t) override {
        const unsigned chosen = take();
        return t.ready.has(chosen) ? chosen : t.ready.first();
    }
    unsigned pick_value(unsigned count) override {
        const unsigned chosen = take();
        return chosen < count ? chosen : 0;
    }
    bool next() override { return false; }

private:
    unsigned take() { return position_ < choices_.size() ? choices_[position_++] : 0; }

    const std::vector<std::uint8_t> choices_;
    std::size_t position_ = 0;
};

}  // namespace

std::unique_ptr<strategy> bounded_strategy(unsigned preemptions) {
    return std::make_unique<bounded>(preemptions);
}

std::unique_ptr<strategy> random_strategy(std::uint64_t executions, std::uint64_t seed) {
    return std::make_unique<at_random>(executions, seed);
}

std::unique_ptr<strategy> known_strategy(std::span<const std::uint8_t> choices) {
    return std::make_unique<known>(choices);
}

}  // namespace foliot::interleaving
