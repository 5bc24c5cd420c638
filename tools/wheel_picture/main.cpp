// Copyright 2026 The Foliot Authors. SPDX-License-Identifier: Apache-2.0
//
// Keeps docs/internals/wheel.* true. What it prints comes from wheels that ran just now.
//
//   wheel_picture draw              prints the picture
//   wheel_picture example           prints the worked example
//   wheel_picture check <folder>    are wheel.svg and wheel.md of that folder what it would print?
#include "drawing.hpp"
#include "scene.hpp"
#include "worked_example.hpp"

#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace wheel_picture;

std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + path);
    return {std::istreambuf_iterator<char>(file), {}};
}

bool holds(bool right, const std::string& path, const char* command) {
    if (!right) {
        std::fprintf(stderr, "%s does not show what the wheel does: put the output of '%s' there\n",
                     path.c_str(), command);
    }
    return right;
}

bool check(const std::string& folder) {
    const std::string picture = folder + "/wheel.svg";
    const std::string page = folder + "/wheel.md";
    const bool drawn = holds(read(picture) == draw(run_scene()), picture, "wheel_picture draw");
    const bool told =
        holds(read(page).find("```\n" + worked_example() + "```\n") != std::string::npos, page,
              "wheel_picture example");
    return drawn && told;
}

int run(int argc, char** argv) {
    const std::string_view verb = argc > 1 ? argv[1] : "";
    if (verb == "draw" && argc == 2) return std::fputs(draw(run_scene()).c_str(), stdout) < 0;
    if (verb == "example" && argc == 2) return std::fputs(worked_example().c_str(), stdout) < 0;
    if (verb == "check" && argc == 3) return check(argv[2]) ? 0 : 1;
    std::fputs("usage: wheel_picture draw | example | check <folder>\n", stderr);
    return 2;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "wheel_picture: %s\n", e.what());
        return 2;
    }
}
