// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
#include "drawing.hpp"

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <numbers>

namespace wheel_picture {

namespace {

constexpr auto ring_slots = scene::wheel::ring;
constexpr auto slots = scene::wheel::slots;
constexpr double center_x = 356;
constexpr double center_y = 372;
constexpr double ring_width = 62;
constexpr double text_x = 736;

constexpr const char* style = R"(<style>
text { font-family: system-ui, "Segoe UI", Helvetica, Arial, sans-serif; font-size: 13px }
.title { font-size: 17px; font-weight: 600 }
.head { font-weight: 600 }
.small { font-size: 11px }
.mid, .count { text-anchor: middle }
.end { text-anchor: end }
.count { font-size: 12px; font-weight: 600 }
.slot { stroke-width: 1.5 }
.drain { fill: none; stroke-width: 3 }
.way { fill: none; stroke-width: 2; stroke-linecap: round }
.dot { stroke-width: 1.5 }
.hub { fill: none; stroke-width: 1.5 }
text, .count, .here { fill: #1f2328 }
.soft, .small { fill: #59636e }
.back { fill: #ffffff; stroke: #d1d9e0 }
.slot, .dot { stroke: #ffffff }
.hub { stroke: #d1d9e0 }
.past { fill: #eceff2 }
.drain { stroke: #8250df }
.way { stroke: #cf222e }
.dot { fill: #cf222e }
.now0 { fill: #e3f0ff } .now1 { fill: #b6d8ff } .now2 { fill: #83bcff } .now3 { fill: #59a8ff }
.next0 { fill: #fff3da } .next1 { fill: #ffe0a3 } .next2 { fill: #ffc95e } .next3 { fill: #f5ae1d }
@media (prefers-color-scheme: dark) {
text, .count, .here { fill: #f0f6fc }
.soft, .small { fill: #9aa4b0 }
.back { fill: #0d1117; stroke: #3d444d }
.slot, .dot { stroke: #0d1117 }
.hub { stroke: #3d444d }
.past { fill: #1d232b }
.drain { stroke: #c297ff }
.way { stroke: #ff7b72 }
.dot { fill: #ff7b72 }
.now0 { fill: #12263f } .now1 { fill: #15406f } .now2 { fill: #1a5ba1 } .now3 { fill: #1f6fd0 }
.next0 { fill: #33270d } .next1 { fill: #573f0c } .next2 { fill: #7d5a09 } .next3 { fill: #976a05 }
}
</style>
)";

struct point {
    double x;
    double y;
};

std::uint64_t unit(unsigned level) {
    std::uint64_t length = 1;
    for (; level > 0; --level) length *= slots;
    return length;
}

double inner_radius(unsigned level) { return 84 + level * (ring_width + 20); }
double middle_radius(unsigned level) { return inner_radius(level) + ring_width / 2; }

// Slot 0 is at the top; they go clockwise.
point on_circle(double radius, double slot) {
    const double angle = (slot / ring_slots - 0.25) * 2 * std::numbers::pi;
    return {center_x + radius * std::cos(angle), center_y + radius * std::sin(angle)};
}

std::string number(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f", value);
    return text;
}

std::string at(point p) { return number(p.x) + " " + number(p.y); }

std::string text_at(point p, const std::string& css, const std::string& text) {
    return "<text class=\"" + css + "\" x=\"" + number(p.x) + "\" y=\"" + number(p.y) + "\">" +
           text + "</text>\n";
}

std::string arc(double radius, double to_slot, bool clockwise) {
    return " A " + number(radius) + " " + number(radius) + (clockwise ? " 0 0 1 " : " 0 0 0 ") +
           at(on_circle(radius, to_slot));
}

std::string slot_path(unsigned level, std::uint32_t slot, const std::string& css) {
    const double inner = inner_radius(level);
    const double outer = inner + ring_width;
    return "<path class=\"" + css + "\" d=\"M " + at(on_circle(inner, slot - 0.5)) +
           arc(inner, slot + 0.5, true) + " L " + at(on_circle(outer, slot + 0.5)) +
           arc(outer, slot - 0.5, false) + " Z\"/>\n";
}

std::string shade(std::size_t held) {
    return held == 0 ? "0" : held < 4 ? "1" : held < 20 ? "2" : "3";
}

std::string slot_class(const scene& s, unsigned level, std::uint32_t slot) {
    const std::uint64_t here = s.cursor.count / unit(level);
    const std::uint32_t cursor_slot = static_cast<std::uint32_t>(here % ring_slots);
    if (slot == cursor_slot) return "here";
    if (slot / slots != cursor_slot / slots) return "next" + shade(s.held[level][slot]);
    return slot < cursor_slot ? "past" : "now" + shade(s.held[level][slot]);
}

std::string draw_ring(const scene& s, unsigned level) {
    std::string out;
    for (std::uint32_t slot = 0; slot < ring_slots; ++slot) {
        out += slot_path(level, slot, "slot " + slot_class(s, level, slot));
        const std::size_t held = s.held[level][slot];
        point p = on_circle(middle_radius(level), slot);
        p.y += 4;
        if (held > 0) out += text_at(p, "count", std::to_string(held));
    }
    if (level > 0) {
        const std::uint64_t after = s.cursor.count / unit(level) + 1;
        out += slot_path(level, static_cast<std::uint32_t>(after % ring_slots), "drain");
    }
    const point label{center_x, center_y - inner_radius(level) + 15};
    return out + text_at(label, "small mid", "level " + std::to_string(level));
}

std::string draw_numerals() {
    std::string out;
    for (std::uint32_t slot = 0; slot < ring_slots; ++slot) {
        point p = on_circle(inner_radius(scene::wheel::levels - 1) + ring_width + 14, slot);
        p.y += 4;
        out += text_at(p, "small mid", std::to_string(slot));
    }
    return out;
}

// Not through the numbers: beside the middle of each slot.
std::string draw_way(const scene& s) {
    const auto stop = [](const where& w) {
        return on_circle(inner_radius(w.level) + 12, w.slot + 0.32);
    };
    std::string line = "M ";
    std::string dots;
    for (const where& w : s.followed_path) {
        line += at(stop(w)) + " L ";
        dots += "<circle class=\"dot\" cx=\"" + number(stop(w).x) + "\" cy=\"" + number(stop(w).y) +
                "\" r=\"5\"/>\n";
    }
    const point end = on_circle(30, s.followed_path.back().slot + 0.32);
    return "<path class=\"way\" d=\"" + line + at(end) + "\"/>\n" + dots;
}

std::string draw_hub() {
    return "<circle class=\"hub\" cx=\"" + number(center_x) + "\" cy=\"" + number(center_y) +
           "\" r=\"30\"/>\n" + text_at({center_x, center_y + 4}, "mid soft", "fires");
}

// ---- the words beside it --------------------------------------------------------------------

std::string row(double y, const char* css, std::initializer_list<std::string> cells) {
    const double right[] = {94, 184, 254};
    std::string out;
    std::size_t column = 0;
    for (const std::string& cell : cells) {
        const std::string c = css;
        out += column == 0 ? text_at({text_x, y}, c, cell)
                           : text_at({text_x + right[column - 1] + 18, y}, c + " end", cell);
        ++column;
    }
    return out;
}

std::size_t held_on(const scene& s, unsigned level) {
    std::size_t sum = 0;
    for (const std::size_t held : s.held[level]) sum += held;
    return sum;
}

std::string draw_table(const scene& s) {
    std::string out = text_at({text_x, 66}, "title", "hierarchical_wheel&lt;12, 3&gt;");
    out += text_at({text_x, 90}, "soft",
                   "cursor at tick " + std::to_string(s.cursor.count) + ", " +
                       std::to_string(s.pending) + " timers pending");
    double y = 128;
    out += row(y, "head", {"level", "a slot is", "reaches to", "holds"});
    for (unsigned level = 0; level < scene::wheel::levels; ++level) {
        const std::uint64_t end = (s.cursor.count / unit(level + 1) + 2) * unit(level + 1) - 1;
        out += row(y += 22, "",
                   {std::to_string(level), std::to_string(unit(level)), std::to_string(end),
                    std::to_string(held_on(s, level))});
    }
    out += row(y + 22, "", {"overflow", "", "the end", std::to_string(s.overflow)});
    return out + row(y + 44, "", {"late", "", "the cursor", std::to_string(s.late)});
}

std::string swatch(double y, const char* css) {
    return "<rect class=\"" + std::string(css) + "\" x=\"" + number(text_x) + "\" y=\"" +
           number(y - 12) + "\" width=\"20\" height=\"15\" rx=\"3\"/>\n";
}

std::string legend_entry(double& y, const std::string& mark,
                         std::initializer_list<const char*> lines) {
    std::string out = mark;
    for (const char* line : lines) {
        out += text_at({text_x + 32, y}, "", line);
        y += 18;
    }
    y += 10;
    return out;
}

std::string draw_legend(const scene& s) {
    double y = 296;
    std::string out;
    out += legend_entry(y, swatch(y, "here"), {"here the cursor stands"});
    out += legend_entry(y, swatch(y, "past"), {"passed"});
    out += legend_entry(y, swatch(y, "now2"),
                        {"comes in this half of the ring", "(the number: timers in the slot)"});
    out += legend_entry(y, swatch(y, "next2"),
                        {"comes in the other half: on levels 0",
                         "and 1 the time of the slot that is", "outlined one level out"});
    out += legend_entry(y, swatch(y, "drain"),
                        {"comes next on its level: its timers are",
                         "moved into that other half in portions,", "before it begins"});
    const std::string due = "a timer due at tick " + std::to_string(s.followed_due.count) + ":";
    const std::string dot = "<circle class=\"dot\" cx=\"" + number(text_x + 10) + "\" cy=\"" +
                            number(y - 5) + "\" r=\"5\"/>\n";
    return out +
           legend_entry(y, dot, {due.c_str(), "all the places where it waits,", "until it fires"});
}

}  // namespace

std::string draw(const scene& s) {
    std::string out =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1060 744\" role=\"img\" "
        "aria-label=\"The slots of a wheel of three levels, and what they hold\">\n";
    out += "<!-- drawn by tools/wheel_picture from a wheel that ran: do not edit -->\n";
    out += style;
    out += "<rect class=\"back\" x=\"1\" y=\"1\" width=\"1058\" height=\"742\" rx=\"12\"/>\n";
    for (unsigned level = 0; level < scene::wheel::levels; ++level) out += draw_ring(s, level);
    out += draw_numerals() + draw_hub() + draw_way(s) + draw_table(s) + draw_legend(s);
    return out + "</svg>\n";
}

}  // namespace wheel_picture
